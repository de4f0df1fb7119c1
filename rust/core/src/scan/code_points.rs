//! Which code points can begin a finding, which look like which, and how the next one is found fast.

use crate::text::Unit;

/// What a code point can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `<` and what looks like it: a token.
    Angle,
    /// `[` and what looks like it: a token.
    Square,
    /// `{`: a marker.
    Brace,
    /// No width and no ink.
    Invisible,
    /// Changes the direction of text.
    Bidi,
    /// The tag block.
    Tag,
    /// A variation selector.
    Selector,
}

/// All of them beyond ASCII, in order.
const CLASSES: [(u32, u32, Class); 32] = [
    (0x00AD, 0x00AD, Class::Invisible), // soft hyphen
    (0x02C2, 0x02C2, Class::Angle),     // ˂
    (0x034F, 0x034F, Class::Invisible), // combining grapheme joiner
    (0x061C, 0x061C, Class::Bidi),      // Arabic letter mark
    (0x115F, 0x1160, Class::Invisible), // Hangul fillers
    (0x1438, 0x1438, Class::Angle),     // ᐸ
    (0x180E, 0x180E, Class::Invisible), // Mongolian vowel separator
    (0x200B, 0x200D, Class::Invisible), // zero-width space, non-joiner, joiner
    (0x200E, 0x200F, Class::Bidi),      // left-to-right and right-to-left marks
    (0x202A, 0x202E, Class::Bidi),      // embeddings and overrides
    (0x2039, 0x2039, Class::Angle),     // ‹
    (0x2060, 0x2065, Class::Invisible), // word joiner, invisible operators
    (0x2066, 0x2069, Class::Bidi),      // isolates
    (0x206A, 0x206F, Class::Invisible), // deprecated format characters
    (0x2329, 0x2329, Class::Angle),     // 〈
    (0x276E, 0x276E, Class::Angle),     // ❮
    (0x27E8, 0x27E8, Class::Angle),     // ⟨
    (0x3008, 0x3008, Class::Angle),     // 〈
    (0x3010, 0x3010, Class::Square),    // 【
    (0x3164, 0x3164, Class::Invisible), // Hangul filler
    (0xFE00, 0xFE0F, Class::Selector),
    (0xFE64, 0xFE64, Class::Angle),       // ﹤
    (0xFEFF, 0xFEFF, Class::Invisible),   // byte order mark
    (0xFF1C, 0xFF1C, Class::Angle),       // ＜
    (0xFF3B, 0xFF3B, Class::Square),      // ［
    (0xFFA0, 0xFFA0, Class::Invisible),   // half-width Hangul filler
    (0xFFF0, 0xFFFB, Class::Invisible),   // unassigned, interlinear annotation
    (0x1D173, 0x1D17A, Class::Invisible), // format characters of music
    (0xE0000, 0xE007F, Class::Tag),
    (0xE0080, 0xE00FF, Class::Invisible), // unassigned, not shown
    (0xE0100, 0xE01EF, Class::Selector),
    (0xE01F0, 0xE0FFF, Class::Invisible), // unassigned, not shown
];

/// What a code point can begin, if anything.
pub fn class_of(code_point: u32) -> Option<Class> {
    match code_point {
        0x3C => Some(Class::Angle),
        0x5B => Some(Class::Square),
        0x7B => Some(Class::Brace),
        0..=0xAC => None,
        _ => {
            let at = CLASSES.partition_point(|&(_, end, _)| end < code_point);
            CLASSES.get(at).filter(|&&(start, _, _)| start <= code_point).map(|&(_, _, class)| class)
        }
    }
}

/// Whether a code point is of the kind that nobody sees.
pub fn is_unseen(code_point: u32) -> bool {
    matches!(class_of(code_point), Some(Class::Invisible | Class::Bidi | Class::Tag | Class::Selector))
}

/// What a code point is in a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folded {
    /// An ASCII character, or one that looks like it.
    Ascii(u8),
    /// Nothing: it is not seen.
    Nothing,
    /// Something that no token holds.
    Other,
}

/// The ASCII character that a code point looks like.
pub fn fold(code_point: u32) -> Folded {
    let looks_like = match code_point {
        0x21..=0x7E => return Folded::Ascii(code_point.to_le_bytes()[0]),
        // Full-width forms stand in the order of ASCII.
        0xFF01..=0xFF5E => return Folded::Ascii((code_point - 0xFEE0).to_le_bytes()[0]),
        0x02C2 | 0x1438 | 0x2039 | 0x2329 | 0x276E | 0x27E8 | 0x3008 | 0xFE64 => b'<',
        0x02C3 | 0x1433 | 0x203A | 0x232A | 0x276F | 0x27E9 | 0x3009 | 0xFE65 => b'>',
        0x01C0 | 0x2223 | 0x2502 | 0x2503 | 0x2758 | 0x4E28 | 0xFFE8 => b'|',
        0x3010 => b'[',
        0x3011 => b']',
        0x2581 => b'_',
        0x2044 | 0x2215 | 0x29F8 => b'/',
        // Cyrillic letters that are drawn as Latin ones.
        0x0430 => b'a',
        0x0435 => b'e',
        0x04BB => b'h',
        0x0456 => b'i',
        0x0458 => b'j',
        0x043E => b'o',
        0x0440 => b'p',
        0x0441 => b'c',
        0x0455 => b's',
        0x0445 => b'x',
        0x0443 => b'y',
        0x0410 => b'A',
        0x0412 => b'B',
        0x0421 => b'C',
        0x0415 => b'E',
        0x041D => b'H',
        0x0406 => b'I',
        0x0408 => b'J',
        0x041A => b'K',
        0x041C => b'M',
        0x041E => b'O',
        0x0420 => b'P',
        0x0405 => b'S',
        0x0422 => b'T',
        0x0425 => b'X',
        _ if is_unseen(code_point) => return Folded::Nothing,
        _ => return Folded::Other,
    };
    Folded::Ascii(looks_like)
}

/// One bit for each code point of the basic plane that has a class: 8 KiB, most of which a text never touches.
const STOPS: [u64; 1024] = {
    let mut bits = [0; 1024];
    bits[0] = 1 << 0x3C;
    bits[1] = 1 << (0x5B - 64) | 1 << (0x7B - 64);
    let mut entry = 0;
    while entry < CLASSES.len() {
        let (start, end, _) = CLASSES[entry];
        let mut code_point = start;
        while code_point <= end && end < 0x1_0000 {
            bits[(code_point >> 6) as usize] |= 1 << (code_point & 63);
            code_point += 1;
        }
        entry += 1;
    }
    bits
};

#[inline]
fn is_stop(code_point: u32) -> bool {
    match STOPS.get((code_point >> 6) as usize) {
        Some(bits) => bits >> (code_point & 63) & 1 == 1,
        None => class_of(code_point).is_some(),
    }
}

/// The next code point from `from` on that can begin a finding.
pub fn next_stop<U: Unit>(units: &[U], from: usize) -> Option<usize> {
    let offset = units.get(from..)?.iter().position(|&unit| is_stop(unit.into()))?;
    Some(from + offset)
}

#[inline]
// Not lazily: without branches the compiler looks at 16 bytes at a time.
#[allow(clippy::needless_bitwise_bool)]
fn is_stop_byte(byte: u8) -> bool {
    (byte == b'<') | (byte == b'[') | (byte == b'{') | (byte == 0xAD)
}

/// The same in text of one byte a code point. Blocks without any are passed over as a whole.
pub fn next_stop_in_bytes(units: &[u8], from: usize) -> Option<usize> {
    const BLOCK: usize = 64;
    let mut at = from;
    let rest = units.get(from..)?;
    // Near the last stop there often is another one, as in JSON; a whole block would be looked at again for each.
    let near = rest.len().min(BLOCK - from % BLOCK);
    if let Some(offset) = rest[..near].iter().position(|&byte| is_stop_byte(byte)) {
        return Some(from + offset);
    }
    at += near;
    let blocks = rest[near..].chunks_exact(BLOCK);
    let tail = blocks.remainder();
    for block in blocks {
        // Added up in a byte, not in a bool that might end the loop early.
        if block.iter().fold(0, |any, &byte| any | u8::from(is_stop_byte(byte))) != 0 {
            return block.iter().position(|&byte| is_stop_byte(byte)).map(|offset| at + offset);
        }
        at += BLOCK;
    }
    tail.iter().position(|&byte| is_stop_byte(byte)).map(|offset| at + offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_the_bits_agree_with_it() {
        assert!(CLASSES.iter().all(|&(start, end, _)| start <= end));
        assert!(CLASSES.windows(2).all(|pair| pair[0].1 < pair[1].0));
        for code_point in 0..=0x10_FFFF {
            assert_eq!(is_stop(code_point), class_of(code_point).is_some(), "U+{code_point:04X}");
        }
    }

    #[test]
    fn bytes_stop_where_the_wider_widths_do() {
        for byte in 0..=u8::MAX {
            assert_eq!(is_stop_byte(byte), is_stop(byte.into()), "{byte:02X}");
        }
        for length in [0, 1, 63, 64, 65, 127, 128, 129, 300] {
            for stop in 0..length {
                let mut bytes = vec![b'a'; length];
                bytes[stop] = b'[';
                for from in 0..=length {
                    let expected = (from <= stop).then_some(stop);
                    assert_eq!(next_stop_in_bytes(&bytes, from), expected, "{length} {stop} {from}");
                    assert_eq!(next_stop(&bytes, from), expected);
                }
            }
        }
    }

    #[test]
    fn two_stops_in_one_block_are_as_good_as_one() {
        let mut bytes = vec![b'a'; 10_000];
        bytes[9_000] = b'<';
        bytes[9_001] = b'<';
        bytes[9_100] = b'{';
        for (from, expected) in [(0, 9_000), (8_900, 9_000), (9_000, 9_000), (9_001, 9_001), (9_002, 9_100)] {
            assert_eq!(next_stop_in_bytes(&bytes, from), Some(expected), "{from}");
        }
        assert_eq!(next_stop_in_bytes(&bytes, 9_101), None);
    }

    #[test]
    fn letters_are_read_as_what_they_are_drawn_like() {
        let folded = |letter: char| fold(letter.into());
        for ascii in '!'..='~' {
            let byte = Folded::Ascii(ascii as u8);
            assert_eq!(folded(ascii), byte);
            assert_eq!(fold(u32::from(ascii) + 0xFEE0), byte, "full-width {ascii}");
        }
        let signs = [
            (b'<', "\u{2c2}\u{1438}\u{2039}\u{2329}\u{276e}\u{27e8}\u{3008}\u{fe64}"),
            (b'>', "\u{2c3}\u{1433}\u{203a}\u{232a}\u{276f}\u{27e9}\u{3009}\u{fe65}"),
            (b'|', "ǀ∣│┃❘丨￨"),
            (b'/', "⁄∕⧸"),
            (b'[', "【"),
            (b']', "】"),
            (b'_', "▁"),
        ];
        for (byte, letters) in signs {
            for letter in letters.chars() {
                assert_eq!(folded(letter), Folded::Ascii(byte), "{letter}");
            }
        }
        // The first string is Cyrillic.
        for (letter, latin) in "аеһіјорсѕхуАВСЕНІЈКМОРЅТХ".chars().zip("aehijopcsxyABCEHIJKMOPSTX".bytes())
        {
            assert_eq!(folded(letter), Folded::Ascii(latin), "U+{:04X}", u32::from(letter));
        }
        for letter in ['\u{200b}', '\u{ad}', '\u{202e}', '\u{fe0f}', '\u{e0041}'] {
            assert_eq!(folded(letter), Folded::Nothing, "{letter:?}");
        }
        for letter in [' ', '\n', '\u{7f}', 'é', '\u{ff00}', '\u{ff5f}', 'ж', '世', '😀'] {
            assert_eq!(folded(letter), Folded::Other, "{letter:?}");
        }
    }

    #[test]
    fn what_can_begin_a_token_looks_like_its_bracket() {
        for code_point in 0..=0x10_FFFF {
            let expected = match fold(code_point) {
                Folded::Ascii(b'<') => Some(Class::Angle),
                Folded::Ascii(b'[') => Some(Class::Square),
                _ => continue,
            };
            assert_eq!(class_of(code_point), expected, "U+{code_point:04X}");
        }
    }
}
