//! What two texts have in common at their start, for prefix caches.

use crate::text::Text;

/// How many code points two texts begin with alike.
pub fn common_start(left: Text<'_>, right: Text<'_>) -> usize {
    match (left, right) {
        (Text::One(left), Text::One(right)) => same_units(left, right),
        (Text::Two(left), Text::Two(right)) => same_units(left, right),
        (Text::Four(left), Text::Four(right)) => same_units(left, right),
        _ => left.code_points().zip(right.code_points()).take_while(|(left, right)| left == right).count(),
    }
}

/// Units compared at once: a slice comparison is a `memcmp`, and the rest is looked at one by one.
const CHUNK: usize = 1024;

fn same_units<U: Eq>(left: &[U], right: &[U]) -> usize {
    let chunks = left.chunks_exact(CHUNK).zip(right.chunks_exact(CHUNK));
    let start = chunks.take_while(|(left, right)| left == right).map(|(chunk, _)| chunk.len()).sum::<usize>();
    start + left[start..].iter().zip(&right[start..]).take_while(|(left, right)| left == right).count()
}

/// How much of a common start tokenizers see alike in both texts, in code points: all before its last run of white space and
/// punctuation, for what follows a cut inside a word, or inside such a run, can change the tokens before it. Apostrophes
/// belong to words ("don't" is one piece to some tokenizers).
pub fn token_boundary(start: Text<'_>) -> usize {
    let parts = |at: usize| start.slice(at..at + 1).and_then(|unit| unit.code_points().next()).is_some_and(parts_words);
    let Some(last_between) = (0..start.len()).rev().find(|&at| parts(at)) else { return 0 };
    (0..last_between).rev().find(|&at| !parts(at)).map_or(0, |last_of_word| last_of_word + 1)
}

/// Whether a code point ends a word wherever it stands: white space, ASCII punctuation, and that of Chinese and Japanese.
fn parts_words(code_point: u32) -> bool {
    let Some(character) = char::from_u32(code_point) else { return false };
    character.is_whitespace()
        || (character.is_ascii_punctuation() && character != '\'')
        || matches!(character, '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{ff01}' | '\u{ff08}' | '\u{ff09}')
        || matches!(character, '\u{ff0c}' | '\u{ff0e}' | '\u{ff1a}' | '\u{ff1b}' | '\u{ff1f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tests::in_all_widths;

    fn boundary(start: &str) -> String {
        let units: Vec<u32> = start.chars().map(u32::from).collect();
        start.chars().take(token_boundary(Text::Four(&units))).collect()
    }

    #[test]
    fn the_common_start_is_found_in_every_pair_of_widths() {
        let long = "a".repeat(3000);
        let cases = [
            ("", "abc", 0),
            ("abc", "abd", 2),
            ("abc", "abc", 3),
            ("aé剣😀x", "aé剣😀y", 4),
            (long.as_str(), &format!("{}b", &long[..2500]), 2500),
            (long.as_str(), &long, 3000),
            (long.as_str(), &format!("aaab{long}"), 3),
            (long.as_str(), &format!("{}b{long}", &long[..1500]), 1500),
        ];
        for (left, right, expected) in cases {
            in_all_widths(left, |left| in_all_widths(right, |right| assert_eq!(common_start(left, right), expected)));
        }
    }

    #[test]
    fn a_start_is_cut_before_the_last_run_between_words() {
        assert_eq!(boundary("foo bar b"), "foo bar");
        assert_eq!(boundary("foo bar "), "foo bar");
        assert_eq!(boundary("foo.\n\n "), "foo");
        assert_eq!(boundary("I don'"), "I");
        assert_eq!(boundary("你好，世界，再"), "你好，世界");
        assert_eq!(boundary("onew"), "");
        assert_eq!(boundary(" .\n"), "");
        assert_eq!(boundary(""), "");
    }
}
