//! Outlet markers, `{{outlet::name}}`, in text of any width.

use std::ops::Range;

use smallvec::{SmallVec, smallvec};

use crate::text::{Text, Unit, in_width};

const OPEN: &[u8] = b"{{outlet::";

/// Code points that a marker has besides its name.
pub const MARKER_OVERHEAD: usize = OPEN.len() + 2;

fn pair_at<U: Unit>(units: &[U], index: usize, byte: u8) -> bool {
    let byte = u32::from(byte);
    matches!(units.get(index..index + 2), Some(&[first, second]) if first.into() == byte && second.into() == byte)
}

fn find_pair<U: Unit>(units: &[U], from: usize, byte: u8) -> Option<usize> {
    let mut at = from;
    while let Some(offset) = units.get(at..).and_then(|rest| U::find(rest, byte)) {
        at += offset;
        if pair_at(units, at, byte) {
            return Some(at);
        }
        at += 1;
    }
    None
}

fn find_open<U: Unit>(units: &[U], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(found) = find_pair(units, at, b'{') {
        let opens = units
            .get(found..found + OPEN.len())
            .is_some_and(|head| head.iter().zip(OPEN).all(|(&unit, &byte)| unit.into() == u32::from(byte)));
        if opens {
            return Some(found);
        }
        at = found + 1;
    }
    None
}

/// Whether `name` can name an outlet: not empty, and without `{{` or `}}`.
pub fn is_outlet_name(name: Text<'_>) -> bool {
    !name.is_empty()
        && in_width!(name, units => find_pair(units, 0, b'{').is_none() && find_pair(units, 0, b'}').is_none())
}

/// Whether `text` holds anything that reads like a marker: `{{outlet::` with a later `}}`.
pub fn holds_marker(text: Text<'_>) -> bool {
    // If the first opening has no close after it, no later one has.
    in_width!(text, units => find_open(units, 0).is_some_and(|open| find_pair(units, open + OPEN.len(), b'}').is_some()))
}

/// Whether the text at `span` is exactly the marker of `name`.
pub fn is_marker(text: Text<'_>, span: Range<usize>, name: Text<'_>) -> bool {
    let (start, end) = (span.start, span.end);
    if end.checked_sub(start) != name.len().checked_add(MARKER_OVERHEAD) {
        return false;
    }
    let Some(marker) = text.slice(start..end) else { return false };
    in_width!(marker, units => find_open(units, 0) == Some(0) && pair_at(units, units.len() - 2, b'}'))
        && marker.slice(OPEN.len()..marker.len() - 2) == Some(name)
}

/// Calls `visit` with the span of each thing that could be the marker of some outlet name, and with the span of that name,
/// from left to right, in one pass: the time is linear in the text, whatever it holds.
fn visit_candidates<U: Unit>(units: &[U], mut visit: impl FnMut(Range<usize>, Range<usize>)) {
    let mut from = 0;
    while let Some(open) = find_open(units, from) {
        let name_start = open + OPEN.len();
        let mut at = name_start;
        // A name holds neither `{{` nor `}}`, so whichever comes first ends this candidate.
        from = loop {
            if at >= units.len() {
                return;
            }
            if pair_at(units, at, b'}') {
                visit(open..at + 2, name_start..at);
                // `a}` is a name too, and `{{outlet::a}}}` holds the markers of both `a` and `a}`.
                if pair_at(units, at + 1, b'}') {
                    visit(open..at + 3, name_start..at + 1);
                }
                break at + 2;
            }
            if pair_at(units, at, b'{') {
                break at;
            }
            at += 1;
        };
    }
}

/// Where the marker of one name was found in the texts of a message.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct MarkerSearch {
    /// Index of the text, and the span in it, of the first occurrence.
    pub first: Option<(usize, Range<usize>)>,
    /// How often it occurs over all texts.
    pub occurrences: usize,
}

/// Looks for the markers of all `names` in all `texts` of one message, in one pass over each text.
pub fn find_markers(texts: &[Text<'_>], names: &[Text<'_>]) -> SmallVec<[MarkerSearch; 4]> {
    let mut found: SmallVec<[MarkerSearch; 4]> = smallvec![MarkerSearch::default(); names.len()];
    // Sorted once, so that a thousand outlets in one host do not make the search quadratic.
    let mut by_name: SmallVec<[usize; 4]> = (0..names.len()).collect();
    by_name.sort_unstable_by_key(|&index| names[index]);
    for (text_index, &text) in texts.iter().enumerate() {
        in_width!(text, units => visit_candidates(units, |marker, name| {
            let Some(name) = text.slice(name) else { return };
            if let Ok(slot) = by_name.binary_search_by_key(&name, |&index| names[index]) {
                let search = &mut found[by_name[slot]];
                search.occurrences += 1;
                search.first.get_or_insert((text_index, marker));
            }
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tests::in_all_widths;

    fn search(text: &str, name: &str) -> SmallVec<[MarkerSearch; 4]> {
        let name: Vec<u32> = name.chars().map(u32::from).collect();
        let result = std::cell::RefCell::new(None);
        in_all_widths(text, |view| {
            let found = find_markers(&[view], &[Text::Four(&name)]);
            assert_eq!(*result.borrow_mut().get_or_insert(found.clone()), found, "widths disagree on {text:?}");
        });
        result.into_inner().unwrap_or_default()
    }

    #[test]
    fn finds_the_exact_marker_and_counts_it() {
        let cases = [
            ("Lore: {{outlet::lore}}.", "lore", Some(6..22), 1),
            ("{{outlet::Lore}}", "lore", None, 0),
            ("{{outlet::lore }}", "lore", None, 0),
            ("{{{outlet::a}}", "a", Some(1..14), 1),
            ("{{outlet::a}}{{outlet::a}}", "a", Some(0..13), 2),
            ("{{outlet::{{outlet::a}}", "a", Some(10..23), 1),
            ("{{outlet::a{}}", "a{", Some(0..14), 1),
            ("{{outlet::a}}}", "a", Some(0..13), 1),
            ("{{outlet::a}}}", "a}", Some(0..14), 1),
            ("{{outlet::a}} }", "a}", None, 0),
            ("{{outlet::a}}.", "a}", None, 0),
            ("{{outlet::}}", "a", None, 0),
            ("{{outlet::a}", "a", None, 0),
            ("剣😀{{outlet::世界}}", "世界", Some(2..16), 1),
        ];
        for (text, name, span, occurrences) in cases {
            let found = search(text, name);
            assert_eq!(found[0].first, span.map(|span| (0, span)), "{name} in {text}");
            assert_eq!(found[0].occurrences, occurrences, "{name} in {text}");
        }
    }

    #[test]
    fn finds_many_names_over_many_texts() {
        let found = find_markers(
            &[Text::One(b"x {{outlet::b}}"), Text::One(b"{{outlet::a}} {{outlet::b}}")],
            &[Text::One(b"a"), Text::One(b"b"), Text::One(b"c")],
        );
        assert_eq!(found[0].first, Some((1, 0..13)));
        assert_eq!((found[1].first.clone(), found[1].occurrences), (Some((0, 2..15)), 2));
        assert_eq!(found[2], MarkerSearch::default());
    }

    #[test]
    fn a_span_is_looked_at_and_nothing_else() {
        in_all_widths("x{{outlet::ab}}y", |text| {
            assert!(is_marker(text, 1..15, Text::One(b"ab")));
            assert!(!is_marker(text, 1..15, Text::One(b"ac")));
            assert!(!is_marker(text, 0..14, Text::One(b"ab")));
            assert!(!is_marker(text, 2..16, Text::One(b"ab")));
            assert!(!is_marker(text, 1..usize::MAX, Text::One(b"ab")));
            #[allow(clippy::reversed_empty_ranges)] // the case under test
            let backwards = 15..1;
            assert!(!is_marker(text, backwards, Text::One(b"ab")));
        });
    }

    #[test]
    fn a_span_holds_both_ends_of_its_marker() {
        for text in ["{{outlet::ab}.", "{{outlet::ab.}", "{{outlet:.ab}}", "{.outlet::ab}}", ".{outlet::ab}}"] {
            in_all_widths(text, |text| assert!(!is_marker(text, 0..14, Text::One(b"ab")), "{text:?}"));
        }
    }

    #[test]
    fn names_and_nested_markers() {
        for (name, good) in
            [("a", true), ("", false), ("a}}", false), ("{{a", false), ("a}", true), ("{ }", true), ("__class__", true)]
        {
            in_all_widths(name, |text| assert_eq!(is_outlet_name(text), good, "{name}"));
        }
        for (content, holds) in [
            ("{{outlet::}}", true),
            ("{{outlet::a", false),
            ("}}{{outlet::", false),
            ("see {{outlet::b}}", true),
            ("{{user}}", false),
        ] {
            in_all_widths(content, |text| assert_eq!(holds_marker(text), holds, "{content}"));
        }
    }
}
