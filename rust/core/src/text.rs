//! A borrowed view of text in its own width, as Python stores it: 1, 2 or 4 bytes a code point.
//!
//! Nothing here converts to UTF-8: that would copy the text, and it fails on lone surrogates, which Python allows.

use std::cmp::Ordering;
use std::ops::Range;

/// One code unit of a [`Text`]; in every width a unit is a whole code point.
pub trait Unit: Copy + Eq + Ord + Into<u32> {
    /// Where `byte` (ASCII) first stands in `units`.
    fn find(units: &[Self], byte: u8) -> Option<usize>;
}

impl Unit for u8 {
    fn find(units: &[Self], byte: u8) -> Option<usize> {
        memchr::memchr(byte, units)
    }
}

impl Unit for u16 {
    fn find(units: &[Self], byte: u8) -> Option<usize> {
        units.iter().position(|&unit| unit == u16::from(byte))
    }
}

impl Unit for u32 {
    fn find(units: &[Self], byte: u8) -> Option<usize> {
        units.iter().position(|&unit| unit == u32::from(byte))
    }
}

/// Text as a slice of code points in one of three widths.
#[derive(Clone, Copy, Debug)]
pub enum Text<'a> {
    /// Code points up to U+00FF.
    One(&'a [u8]),
    /// Code points up to U+FFFF, lone surrogates among them.
    Two(&'a [u16]),
    /// Any code point.
    Four(&'a [u32]),
}

/// Runs the same expression on the slice of a [`Text`], whatever its width.
macro_rules! in_width {
    ($text:expr, $units:ident => $body:expr) => {
        match $text {
            $crate::text::Text::One($units) => $body,
            $crate::text::Text::Two($units) => $body,
            $crate::text::Text::Four($units) => $body,
        }
    };
}
pub(crate) use in_width;

impl<'a> Text<'a> {
    /// Length in code points.
    pub fn len(self) -> usize {
        in_width!(self, units => units.len())
    }

    /// Whether there is no text at all.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The text between two code point offsets, or `None` if they are out of order or past the end.
    pub fn slice(self, range: Range<usize>) -> Option<Self> {
        match self {
            Text::One(units) => units.get(range).map(Text::One),
            Text::Two(units) => units.get(range).map(Text::Two),
            Text::Four(units) => units.get(range).map(Text::Four),
        }
    }

    /// The code points, one after the other.
    pub fn code_points(self) -> impl Iterator<Item = u32> + 'a {
        // A boxed iterator would allocate; indexing through the enum costs a predictable branch.
        (0..self.len()).map(move |index| match self {
            Text::One(units) => u32::from(units[index]),
            Text::Two(units) => u32::from(units[index]),
            Text::Four(units) => units[index],
        })
    }

    /// Whether a surrogate stands in the text, so that it cannot be encoded as UTF-8.
    pub fn has_surrogate(self) -> bool {
        match self {
            Text::One(_) => false,
            Text::Two(units) => units.iter().any(|unit| (0xD800..=0xDFFF).contains(unit)),
            Text::Four(units) => units.iter().any(|unit| (0xD800..=0xDFFF).contains(unit)),
        }
    }

    /// The largest code point, 0 for empty text.
    pub fn max_code_point(self) -> u32 {
        in_width!(self, units => units.iter().copied().max().map_or(0, Into::into))
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Text::One(left), Text::One(right)) => left == right,
            (Text::Two(left), Text::Two(right)) => left == right,
            (Text::Four(left), Text::Four(right)) => left == right,
            _ => self.len() == other.len() && self.code_points().eq(other.code_points()),
        }
    }
}

impl Eq for Text<'_> {}

impl PartialOrd for Text<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text<'_> {
    /// By code point, which is also the order of the UTF-8 bytes and never depends on the width.
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Text::One(left), Text::One(right)) => left.cmp(right),
            (Text::Two(left), Text::Two(right)) => left.cmp(right),
            (Text::Four(left), Text::Four(right)) => left.cmp(right),
            _ => self.code_points().cmp(other.code_points()),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The same text in each width that can hold it.
    pub(crate) fn in_all_widths(text: &str, check: impl Fn(Text<'_>)) {
        let four: Vec<u32> = text.chars().map(u32::from).collect();
        check(Text::Four(&four));
        if let Ok(two) = four.iter().map(|&c| u16::try_from(c)).collect::<Result<Vec<_>, _>>() {
            check(Text::Two(&two));
        }
        if let Ok(one) = four.iter().map(|&c| u8::try_from(c)).collect::<Result<Vec<_>, _>>() {
            check(Text::One(&one));
        }
    }

    #[test]
    fn order_is_by_code_point_in_every_pair_of_widths() {
        let words = ["", "10", "9", "Z", "a", "ab", "é", "剣", "\u{ffff}", "😀"];
        for (left_index, left) in words.iter().enumerate() {
            for (right_index, right) in words.iter().enumerate() {
                in_all_widths(left, |left| {
                    in_all_widths(right, |right| {
                        assert_eq!(left.cmp(&right), left_index.cmp(&right_index));
                        assert_eq!(left < right, left_index < right_index);
                        assert_eq!(left == right, left_index == right_index);
                    });
                });
            }
        }
    }

    #[test]
    fn a_byte_is_found_where_it_first_stands() {
        fn first<U: Unit + From<u8>>(text: &str) -> Option<usize> {
            U::find(&text.bytes().map(U::from).collect::<Vec<_>>(), b'{')
        }
        for (text, expected) in [("", None), ("ab}", None), ("{", Some(0)), ("a{", Some(1)), ("abc{d{", Some(3))] {
            assert_eq!([first::<u8>(text), first::<u16>(text), first::<u32>(text)], [expected; 3], "{text}");
        }
    }

    #[test]
    fn surrogates_are_seen_in_both_wide_widths() {
        assert!(Text::Two(&[0xD800]).has_surrogate());
        assert!(Text::Four(&[0x61, 0xDFFF]).has_surrogate());
        assert!(!Text::Four(&[0xD7FF, 0xE000]).has_surrogate());
        assert!(!Text::One(&[0xFF]).has_surrogate());
    }

    #[test]
    fn slices_refuse_what_is_not_there() {
        let text = Text::One(b"abc");
        assert_eq!(text.slice(1..3), Some(Text::One(b"bc")));
        assert_eq!(text.slice(2..4), None);
        #[allow(clippy::reversed_empty_ranges)] // the case under test
        let backwards = 3..2;
        assert_eq!(text.slice(backwards), None);
        assert_eq!(text.max_code_point(), u32::from(b'c'));
        assert_eq!(Text::Two(&[]).max_code_point(), 0);
        assert!(Text::Two(&[]).is_empty());
    }
}
