//! Checks of the core against the plainest code that gives the same answer.
//!
//! Each module has one function `check(data)`: it makes a case of the bytes and panics where the core and the plain code disagree.
//! libFuzzer calls it (`fuzz_targets/`), and so does the `seeded` binary, which needs no nightly compiler.

pub mod layouts;
pub mod markers;
pub mod measuring;
pub mod orders;
mod texts;

/// A function that checks one case.
pub type Check = fn(&[u8]);

/// All of them, by name.
pub const CHECKS: [(&str, Check); 4] = [
    ("layouts", layouts::check),
    ("orders", orders::check),
    ("markers", markers::check),
    ("measuring", measuring::check),
];
