//! The core's measure, compiled a second time for wider vectors and chosen at run time: wheels are built for the baseline of
//! their architecture, on x86-64 vectors of 16 bytes.

use interleaf_core::measure::LengthUnit;
use interleaf_core::text::Text;

/// Below this many code points a choice costs more than wider vectors gain.
#[cfg(target_arch = "x86_64")]
const LONG: usize = 1024;

/// Length of `text` in `unit`; see [`interleaf_core::measure::measure`].
#[inline]
pub fn measure(text: Text<'_>, unit: LengthUnit) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if text.len() >= LONG && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions that the function is compiled for.
        return unsafe { measure_with_avx2(text, unit) };
    }
    interleaf_core::measure::measure(text, unit)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn measure_with_avx2(text: Text<'_>, unit: LengthUnit) -> u64 {
    interleaf_core::measure::measure(text, unit)
}
