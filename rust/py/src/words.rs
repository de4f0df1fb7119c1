//! The words of the vocabularies and the keys of messages, as interned Python strings made once.

use interleaf_core::block::{Position, Role};
use interleaf_core::fragment::{Lifetime, Trust};
use interleaf_core::measure::LengthUnit;
use interleaf_core::scan::Kind;
use interleaf_core::text::Text;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

use crate::names::intern_at_import;
use crate::unicode::text;

/// A closed vocabulary that is written as strings on the Python side.
pub trait Word: Copy + 'static {
    /// All of them.
    fn all() -> &'static [Self];
    /// The word of this one.
    fn as_str(self) -> &'static str;
    /// Its interned strings, in the order of [`Word::all`].
    fn strings() -> &'static PyOnceLock<Vec<Py<PyString>>>;
    /// Its place in [`Word::all`].
    fn index(self) -> usize;
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
            fn all() -> &'static [Self] {
                &<$type>::ALL
            }

            fn as_str(self) -> &'static str {
                <$type>::as_str(self)
            }

            fn strings() -> &'static PyOnceLock<Vec<Py<PyString>>> {
                static STRINGS: PyOnceLock<Vec<Py<PyString>>> = PyOnceLock::new();
                &STRINGS
            }

            fn index(self) -> usize {
                self as usize
            }
        }
    };
}

word!(Position);
word!(Role);
word!(Trust);
word!(Lifetime);
word!(LengthUnit);
word!(Kind);

#[inline]
fn strings<W: Word>(py: Python<'_>) -> &'static [Py<PyString>] {
    W::strings().get(py).map_or_else(|| make_strings::<W>(py), Vec::as_slice)
}

#[cold]
fn make_strings<W: Word>(py: Python<'_>) -> &'static [Py<PyString>] {
    W::strings().get_or_init(py, || W::all().iter().map(|word| intern_at_import(py, word.as_str())).collect())
}

/// Makes the strings of all vocabularies.
pub fn prepare(py: Python<'_>) {
    strings::<Position>(py);
    strings::<Role>(py);
    strings::<Trust>(py);
    strings::<Lifetime>(py);
    strings::<LengthUnit>(py);
    strings::<Kind>(py);
}

/// The interned Python string of a word.
pub fn python_word<W: Word>(py: Python<'_>, word: W) -> &'static Py<PyString> {
    &strings::<W>(py)[word.index()]
}

/// The word that `object` is, if it is one. A `str` subclass (an enum's member, say) counts by its text.
pub fn read_word<W: Word>(object: &Bound<'_, PyAny>) -> PyResult<Option<W>> {
    let strings = strings::<W>(object.py());
    // Literals in Python source are interned, so most words are found by their address.
    if let Some(index) = strings.iter().position(|word| word.is(object)) {
        return Ok(Some(W::all()[index]));
    }
    let Ok(string) = object.cast::<PyString>() else { return Ok(None) };
    let Text::One(letters) = text(string)? else { return Ok(None) };
    Ok(W::all().iter().copied().find(|word| word.as_str().as_bytes() == letters))
}

/// "one of 'a', 'b'", for messages.
#[cold]
pub fn one_of<W: Word>() -> String {
    let words: Vec<String> = W::all().iter().map(|word| format!("{:?}", word.as_str())).collect();
    format!("one of {}", words.join(", "))
}
