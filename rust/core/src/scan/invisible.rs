//! Runs of characters that nobody sees: which of them a script or an emoji needs, and which have no business there.

use std::ops::Range;

use super::code_points::Class;
use super::{Found, Kind};
use crate::text::Unit;

const BYTE_ORDER_MARK: u32 = 0xFEFF;
const SOFT_HYPHEN: u32 = 0xAD;
const GRAPHEME_JOINER: u32 = 0x34F;
const ZERO_WIDTH_SPACE: u32 = 0x200B;
const NON_JOINER: u32 = 0x200C;
const JOINER: u32 = 0x200D;
const BLACK_FLAG: u32 = 0x1F3F4;
const CANCEL_TAG: u32 = 0xE007F;
/// How far a direction mark may stand from the right-to-left letter it is there for: past some punctuation, or a short word
/// in another script.
const MARK_REACH: usize = 16;

/// What a longest run of one class is found to be; `None` if it is in order.
pub fn judge<U: Unit>(units: &[U], class: Class, run: Range<usize>) -> Option<Found> {
    let around = Around { units, run: &run };
    let kind = match class {
        Class::Tag => {
            // What follows the flag, if it is one.
            let start = run.start + around.flag_length();
            return (start < run.end).then_some(Found { kind: Kind::TagCharacters, span: start..run.end });
        }
        Class::Invisible if run.len() == 1 && around.is_needed() => return None,
        Class::Invisible => Kind::Invisible,
        Class::Bidi if run.len() == 1 && around.is_mark_in_place() => return None,
        Class::Bidi => Kind::BidiControl,
        Class::Selector if run.len() == 1 && around.is_selector_in_place() => return None,
        Class::Selector => Kind::VariationSelectors,
        Class::Angle | Class::Square | Class::Brace => return None,
    };
    Some(Found { kind, span: run })
}

struct Around<'a, U> {
    units: &'a [U],
    run: &'a Range<usize>,
}

impl<U: Unit> Around<'_, U> {
    fn at(&self, index: usize) -> u32 {
        // No character is 0 in the ranges that are asked about, so it can stand for the edge of the text.
        self.units.get(index).map_or(0, |&unit| unit.into())
    }

    fn before(&self, distance: usize) -> u32 {
        self.run.start.checked_sub(distance).map_or(0, |index| self.at(index))
    }

    fn after(&self) -> u32 {
        self.at(self.run.end)
    }

    /// Whether a single invisible character is one that belongs between its neighbours.
    fn is_needed(&self) -> bool {
        let (before, after) = (self.before(1), self.after());
        match self.at(self.run.start) {
            BYTE_ORDER_MARK => self.run.start == 0,
            SOFT_HYPHEN => is_hyphenated(before) && is_hyphenated(after),
            GRAPHEME_JOINER => is_mark(before) || is_mark(after),
            ZERO_WIDTH_SPACE => is_unspaced(before) && is_unspaced(after),
            NON_JOINER => is_joining(before) || is_joining(after),
            JOINER => {
                let before_selector = if before == 0xFE0F { self.before(2) } else { before };
                is_joining(before) || is_joining(after) || is_emoji(before_selector) && is_emoji(after)
            }
            0x115F | 0x1160 => is_jamo(before) || is_jamo(after),
            0x180E => is_mongolian(before) && is_mongolian(after),
            _ => false,
        }
    }

    /// Whether a single direction mark has something to turn: a right-to-left letter near it.
    fn is_mark_in_place(&self) -> bool {
        let is_mark = matches!(self.at(self.run.start), 0x061C | 0x200E | 0x200F);
        let reach = self.run.start.saturating_sub(MARK_REACH)..self.units.len().min(self.run.end + MARK_REACH);
        is_mark && self.units[reach].iter().any(|&unit| is_right_to_left(unit.into()))
    }

    /// Whether a single variation selector follows what it can select a form of.
    fn is_selector_in_place(&self) -> bool {
        // Those of the supplement are for ideographs; the first sixteen are too many things to many scripts to judge.
        if self.at(self.run.start) < 0xE0100 { self.run.start > 0 } else { is_ideograph(self.before(1)) }
    }

    /// How many tag characters at the front of the run make a flag with what is before them: a region in two letters, a part of it
    /// in one to three letters or digits, and the end.
    fn flag_length(&self) -> usize {
        if self.before(1) != BLACK_FLAG {
            return 0;
        }
        let tags = &self.units[self.run.clone()];
        let Some(end) = tags.iter().take(6).position(|&tag| tag.into() == CANCEL_TAG) else { return 0 };
        let is_letter = |tag: u32| (0xE0061..=0xE007A).contains(&tag);
        let spelled = tags[..end].iter().enumerate().all(|(index, &tag)| {
            let tag: u32 = tag.into();
            is_letter(tag) || index >= 2 && (0xE0030..=0xE0039).contains(&tag)
        });
        if spelled && end >= 3 { end + 1 } else { 0 }
    }
}

/// Scripts that a word is hyphenated in at line ends: Latin, Greek, Cyrillic, Armenian, Georgian.
fn is_hyphenated(code_point: u32) -> bool {
    matches!(code_point,
        0x41..=0x5A | 0x61..=0x7A | 0xC0..=0xD6 | 0xD8..=0xF6 | 0xF8..=0x24F | 0x300..=0x34E | 0x350..=0x58F | 0x10A0..=0x10FF | 0x1E00..=0x1FFF)
}

/// Combining marks of Latin, Greek and Cyrillic, and the points of Hebrew, whose order a grapheme joiner keeps.
fn is_mark(code_point: u32) -> bool {
    matches!(code_point, 0x300..=0x34E | 0x350..=0x36F | 0x591..=0x5C7)
}

/// Scripts without spaces, where a zero-width space divides words: Thai, Lao, Tibetan, Myanmar, Khmer, Tai Lue, Tai Tham.
fn is_unspaced(code_point: u32) -> bool {
    matches!(code_point, 0xE00..=0xFFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x1980..=0x19FF | 0x1A20..=0x1AAF)
}

/// Scripts whose spelling uses joiners and non-joiners: Arabic (Persian, Urdu), Syriac, the Indic scripts, Khmer, Mongolian.
fn is_joining(code_point: u32) -> bool {
    matches!(code_point,
        0x600..=0x61B | 0x61D..=0x7FF | 0x840..=0xDFF | 0x1000..=0x109F | 0x1780..=0x180D | 0x180F..=0x18AF | 0x1B00..=0x1BFF
        | 0xA800..=0xA82F | 0xA840..=0xA8FF | 0xA980..=0xA9DF | 0xAAE0..=0xAAFF | 0xABC0..=0xABFF
        | 0xFB50..=0xFDFF | 0xFE70..=0xFEFE | 0x10A00..=0x10FFF | 0x11000..=0x11FFF | 0x1E900..=0x1E95F)
}

fn is_jamo(code_point: u32) -> bool {
    matches!(code_point, 0x1100..=0x115E | 0x1161..=0x11FF | 0xA960..=0xA97F | 0xD7B0..=0xD7FF)
}

fn is_mongolian(code_point: u32) -> bool {
    matches!(code_point, 0x1800..=0x180D | 0x180F..=0x18AF)
}

/// What a sequence of emoji is made of: pictures, arrows, signs, and the colours of skin.
fn is_emoji(code_point: u32) -> bool {
    matches!(code_point, 0x2190..=0x23FF | 0x2600..=0x27BF | 0x2B00..=0x2BFF | 0x1F000..=0x1FAFF)
}

fn is_ideograph(code_point: u32) -> bool {
    matches!(code_point, 0x3005..=0x3007 | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

fn is_right_to_left(code_point: u32) -> bool {
    matches!(code_point,
        0x590..=0x61B | 0x61D..=0x8FF | 0xFB1D..=0xFDFF | 0xFE70..=0xFEFE | 0x10800..=0x10FFF | 0x1E800..=0x1EFFF)
}
