//! Length of text in the three units that budgets are written in.

use std::iter::Sum;

use crate::text::Text;

/// What a character is in a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LengthUnit {
    /// Python's `len`.
    #[default]
    Codepoint,
    /// JavaScript's `.length`.
    Utf16,
    /// Bytes; a lone surrogate counts 3.
    Utf8,
}

impl LengthUnit {
    /// All of them, in the order in which messages list them.
    pub const ALL: [Self; 3] = [Self::Codepoint, Self::Utf16, Self::Utf8];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Codepoint => "codepoint",
            Self::Utf16 => "utf16",
            Self::Utf8 => "utf8",
        }
    }
}

/// Units whose weights are summed at once. None weighs more than three, so that a sum fits the narrowest number that is used for it:
/// adding up in the width of the units, or the next one, keeps the most of them in a vector.
const CHUNK: usize = 4096;

/// A line of the processor's caches, in bytes.
const LINE: usize = 64;

// Inlined into `measure`, for its sake.
#[allow(clippy::inline_always)]
#[inline(always)]
fn count<U: Copy, N: Sum + Into<u64>>(units: &[U], weight: impl Fn(U) -> N) -> u64 {
    // Python's text begins 8 bytes off the lines where it is wide: read from there on, every fourth vector would lie in two of them.
    let (before, from_line) = units.split_at(units.as_ptr().align_offset(LINE).min(units.len()));
    let sum = |units: &[U]| -> u64 { units.iter().map(|&unit| weight(unit)).sum::<N>().into() };
    sum(before) + from_line.chunks(CHUNK).map(sum).sum::<u64>()
}

/// 1 past U+FFFF. Compared with a sign, which no code point reaches: the instruction sets of today's baselines have no
/// comparison of vectors without one.
fn is_astral(code_point: u32) -> u32 {
    u32::from(code_point.cast_signed() > 0xFFFF)
}

/// Length of `text` in `unit`.
///
/// Code points are read off; UTF-16 costs a pass over text with code points past U+FFFF only; UTF-8 a pass over any text.
///
/// Always inlined, so that a caller that knows of wider vectors gets code for them.
#[allow(clippy::inline_always)]
#[inline(always)]
pub fn measure(text: Text<'_>, unit: LengthUnit) -> u64 {
    let length = text.len() as u64;
    match (unit, text) {
        (LengthUnit::Codepoint, _) | (LengthUnit::Utf16, Text::One(_) | Text::Two(_)) => length,
        (LengthUnit::Utf16, Text::Four(units)) => length + count(units, is_astral),
        (LengthUnit::Utf8, Text::One(units)) => length + count(units, |unit| u16::from(unit >> 7)),
        (LengthUnit::Utf8, Text::Two(units)) => {
            length + count(units, |unit| u16::from(unit > 0x7F) + u16::from(unit > 0x7FF))
        }
        (LengthUnit::Utf8, Text::Four(units)) => {
            length
                + count(units, |unit| {
                    u32::from(unit.cast_signed() > 0x7F) + u32::from(unit.cast_signed() > 0x7FF) + is_astral(unit)
                })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tests::in_all_widths;

    #[test]
    fn agrees_with_the_standard_library() {
        let long = "剣é😀a".repeat(3000);
        for text in ["", "abc", "é", "剣", "é剣😀", "\u{7f}\u{80}\u{7ff}\u{800}\u{ffff}", &long] {
            in_all_widths(text, |view| {
                assert_eq!(measure(view, LengthUnit::Codepoint), text.chars().count() as u64);
                assert_eq!(measure(view, LengthUnit::Utf16), text.encode_utf16().count() as u64);
                assert_eq!(measure(view, LengthUnit::Utf8), text.len() as u64);
            });
        }
    }

    #[test]
    fn units_are_called_by_their_words() {
        assert_eq!(LengthUnit::ALL.map(LengthUnit::as_str), ["codepoint", "utf16", "utf8"]);
    }

    #[test]
    fn a_lone_surrogate_is_one_unit_of_utf16_and_three_bytes() {
        for text in [Text::Two(&[0xD83D]), Text::Four(&[0xD83D])] {
            assert_eq!(measure(text, LengthUnit::Utf16), 1);
            assert_eq!(measure(text, LengthUnit::Utf8), 3);
        }
    }
}
