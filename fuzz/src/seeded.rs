//! `seeded [RUNS [SEED [NAME]]]`: each check with that many pseudo-random inputs.

use std::process::ExitCode;
use std::time::Instant;

use interleaf_fuzz::CHECKS;

/// Marsaglia's xorshift: good enough to make bytes of, and the same everywhere.
struct Bytes(u64);

impl Bytes {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn fill(&mut self, buffer: &mut Vec<u8>) {
        let length = (self.next() >> 32) % 320;
        // Small values are where the edges are: half of the inputs have bytes of a few bits only.
        let mask = [0xFF, 0xFF, 0x07, 0x1F][(self.next() >> 60) as usize % 4];
        buffer.clear();
        buffer.extend((0..length).map(|_| (self.next() >> 56) as u8 & mask));
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: u64| arguments.get(index).map_or(Ok(default), |text| text.parse());
    let (Ok(runs), Ok(seed)) = (number(0, 1_000_000), number(1, 1)) else {
        eprintln!("usage: seeded [RUNS [SEED [NAME]]]");
        return ExitCode::from(2);
    };
    let only = arguments.get(2);
    for (name, check) in CHECKS.iter().filter(|(name, _)| only.is_none_or(|only| only == name)) {
        let started = Instant::now();
        let mut bytes = Bytes(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let mut buffer = Vec::new();
        for _ in 0..runs {
            bytes.fill(&mut buffer);
            check(&buffer);
        }
        println!("{name}: {runs} runs with seed {seed} in {:.1} s", started.elapsed().as_secs_f64());
    }
    ExitCode::SUCCESS
}
