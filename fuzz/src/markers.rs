//! Marker search against windows of every text.

use arbitrary::Unstructured;
use interleaf_core::outlet::{find_markers, holds_marker, is_marker, is_outlet_name};
use interleaf_core::text::Text;

use crate::texts::in_all_widths;

const PIECES: [&str; 16] =
    ["{{outlet::", "{{outlet::", "{{outlet:", "{", "}", "{{", "}}", "a", "b", "a}", "ab", ":", "é", "世", "😀", " "];

fn points(text: &str) -> Vec<u32> {
    text.chars().map(u32::from).collect()
}

fn text(data: &mut Unstructured<'_>, pieces: usize) -> arbitrary::Result<Vec<u32>> {
    let mut made = Vec::new();
    for _ in 0..data.int_in_range(0..=pieces)? {
        made.extend(points(data.choose(&PIECES)?));
    }
    Ok(made)
}

fn find(haystack: &[u32], needle: &[u32], from: usize) -> Option<usize> {
    haystack.get(from..)?.windows(needle.len()).position(|window| window == needle).map(|at| at + from)
}

fn plain_is_name(name: &[u32]) -> bool {
    !name.is_empty() && find(name, &points("{{"), 0).is_none() && find(name, &points("}}"), 0).is_none()
}

fn run(data: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let mut names: Vec<Vec<u32>> = Vec::new();
    for _ in 0..data.int_in_range(0..=4)? {
        let name = text(data, 3)?;
        in_all_widths(&name, |view| assert_eq!(is_outlet_name(view), plain_is_name(&name), "{name:?}"));
        if plain_is_name(&name) && !names.contains(&name) {
            names.push(name);
        }
    }
    let mut texts = Vec::new();
    for _ in 0..data.int_in_range(1..=3)? {
        texts.push(text(data, 24)?);
    }
    let views: Vec<Text<'_>> = names.iter().map(|name| Text::Four(name)).collect();
    for text in &texts {
        let open = find(text, &points("{{outlet::"), 0);
        let holds = open.is_some_and(|open| find(text, &points("}}"), open + 10).is_some());
        let (start, end) = (data.int_in_range(0..=text.len() + 1)?, data.int_in_range(0..=text.len() + 1)?);
        in_all_widths(text, |view| {
            assert_eq!(holds_marker(view), holds, "{text:?}");
            let found = find_markers(&[view], &views);
            for (name, search) in names.iter().zip(found) {
                let marker = [&points("{{outlet::")[..], name, &points("}}")].concat();
                let all: Vec<usize> = (0..text.len()).filter(|&at| text[at..].starts_with(&marker)).collect();
                assert_eq!(search.occurrences, all.len(), "{name:?} in {text:?}");
                assert_eq!(search.first, all.first().map(|&at| (0, at..at + marker.len())), "{name:?} in {text:?}");
                assert_eq!(
                    is_marker(view, start..end, Text::Four(name)),
                    text.get(start..end).is_some_and(|span| span == marker)
                );
                for at in all {
                    in_all_widths(name, |name| assert!(is_marker(view, at..at + marker.len(), name)));
                }
            }
        });
    }
    // Over several texts: the sum, and the first text that has one.
    let found = find_markers(&texts.iter().map(|text| Text::Four(text)).collect::<Vec<_>>(), &views);
    for (index, search) in found.iter().enumerate() {
        let alone: Vec<_> = texts.iter().map(|text| find_markers(&[Text::Four(text)], &views)[index].clone()).collect();
        assert_eq!(search.occurrences, alone.iter().map(|one| one.occurrences).sum::<usize>());
        let first = alone.iter().enumerate().find_map(|(text, one)| one.first.clone().map(|(_, span)| (text, span)));
        assert_eq!(search.first, first);
    }
    Ok(())
}

/// A few texts and names.
pub fn check(data: &[u8]) {
    // Too few bytes make no case.
    let _ = run(&mut Unstructured::new(data));
}
