//! Looks for text that pretends to be something else: control tokens of chat templates, outlet markers, and characters that
//! nobody sees.
//!
//! One pass from left to right. A filter stops only at code points that can begin a finding; what is read from there ends
//! at the next code point that can begin one, so the time is linear in the text whatever it holds.

use std::ops::Range;

use crate::block::vocabulary;
use crate::text::{Text, Unit};

mod code_points;
mod invisible;
mod marker;
mod token;

use code_points::{Class, class_of, next_stop};

vocabulary! {
    /// What was found.
    Kind {
        /// A token by which a chat template marks roles, turns, tools or media.
        ControlToken = "control_token",
        /// Such a token in full-width or similar letters, or with invisible characters in it.
        LookAlikeToken = "look_alike_token",
        /// The start, end, padding or unknown token of a tokenizer: `<s>` is struck-out text in HTML as well.
        SentenceToken = "sentence_token",
        /// A tag around reasoning.
        ReasoningTag = "reasoning_tag",
        /// The marker of an outlet.
        OutletMarker = "outlet_marker",
        /// Characters of the tag block that belong to no flag.
        TagCharacters = "tag_characters",
        /// Characters without width or ink, where no script or emoji needs them.
        Invisible = "invisible",
        /// Characters that change the direction of text.
        BidiControl = "bidi_control",
        /// Variation selectors that select nothing, as they carry data.
        VariationSelectors = "variation_selectors",
    }
}

/// One finding in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub kind: Kind,
    /// Where, in code points.
    pub span: Range<usize>,
}

/// Everything found in `text`, by where it begins.
pub fn scan(text: Text<'_>) -> Vec<Found> {
    match text {
        Text::One(units) => scan_units(units, |from| code_points::next_stop_in_bytes(units, from)),
        Text::Two(units) => scan_units(units, |from| next_stop(units, from)),
        Text::Four(units) => scan_units(units, |from| next_stop(units, from)),
    }
}

fn scan_units<U: Unit>(units: &[U], next_stop: impl Fn(usize) -> Option<usize>) -> Vec<Found> {
    // Tokens do not overlap each other, nor do markers, for none holds what another could begin with; a zero-width space inside a
    // token is a finding of its own.
    let mut findings = Vec::new();
    let mut from = 0;
    while let Some(at) = next_stop(from) {
        from = at + 1;
        let Some(class) = class_of(units[at].into()) else { continue };
        match class {
            Class::Angle | Class::Square => {
                if let Some((kind, end)) = token::read(units, at) {
                    findings.push(Found { kind, span: at..end });
                }
            }
            Class::Brace => {
                if let Some(end) = marker::read(units, at) {
                    findings.push(Found { kind: Kind::OutletMarker, span: at..end });
                }
            }
            Class::Invisible | Class::Bidi | Class::Tag | Class::Selector => {
                let more = units[at..].iter().take_while(|&&unit| class_of(unit.into()) == Some(class)).count();
                from = at + more;
                if let Some(found) = invisible::judge(units, class, at..from) {
                    findings.push(found);
                }
            }
        }
    }
    findings
}

/// Everything found in texts that are read as one, in spans of the whole.
pub fn scan_joined(texts: &[Text<'_>]) -> Vec<Found> {
    if let [text] = texts {
        return scan(*text);
    }
    // A copy in the widest width costs far less than the scan, and leaves it one kind of text to know.
    let total = texts.iter().map(|text| text.len()).sum();
    if texts.iter().all(|text| matches!(text, Text::One(_))) {
        let mut joined: Vec<u8> = Vec::with_capacity(total);
        for text in texts {
            if let Text::One(units) = text {
                joined.extend_from_slice(units);
            }
        }
        return scan(Text::One(&joined));
    }
    if texts.iter().all(|text| !matches!(text, Text::Four(_))) {
        let mut joined: Vec<u16> = Vec::with_capacity(total);
        for text in texts {
            match text {
                Text::One(units) => joined.extend(units.iter().map(|&unit| u16::from(unit))),
                Text::Two(units) => joined.extend_from_slice(units),
                Text::Four(_) => {}
            }
        }
        return scan(Text::Two(&joined));
    }
    let mut joined: Vec<u32> = Vec::with_capacity(total);
    for text in texts {
        match text {
            Text::One(units) => joined.extend(units.iter().map(|&unit| u32::from(unit))),
            Text::Two(units) => joined.extend(units.iter().map(|&unit| u32::from(unit))),
            Text::Four(units) => joined.extend_from_slice(units),
        }
    }
    scan(Text::Four(&joined))
}

/// Which texts a span of the whole lies in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The text it begins in.
    pub first: usize,
    /// Where in that text it begins, and where it ends there: at the end of that text if it goes on.
    pub span: Range<usize>,
    /// If it goes on: the text it ends in, and where in that text.
    pub end: Option<(usize, usize)>,
}

/// Where each text ends in the whole.
pub fn ends_of(lengths: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let sum = |total: &mut usize, length: usize| {
        *total += length;
        Some(*total)
    };
    lengths.into_iter().scan(0, sum).collect()
}

/// The texts that `span`, which is not empty, lies in. `ends` are those of [`ends_of`].
pub fn locate(span: &Range<usize>, ends: &[usize]) -> Stretch {
    let first = ends.partition_point(|&end| end <= span.start);
    let last = ends.partition_point(|&end| end < span.end);
    let start_of = |index: usize| index.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
    let offset = start_of(first);
    if first == last {
        return Stretch { first, span: span.start - offset..span.end - offset, end: None };
    }
    let own_end = ends.get(first).copied().unwrap_or(offset);
    Stretch { first, span: span.start - offset..own_end - offset, end: Some((last, span.end - start_of(last))) }
}

#[cfg(test)]
mod tests;
