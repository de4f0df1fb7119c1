#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| interleaf_fuzz::orders::check(data));
