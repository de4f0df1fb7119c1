//! Positions, roles and orders: what decides where a block goes and in which order.

use std::cmp::Ordering;

/// A closed vocabulary of words.
macro_rules! vocabulary {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// All of them, in the order in which they are listed to people.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word for it.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The one of that word.
            pub fn from_word(word: &[u8]) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.as_str().as_bytes() == word)
            }
        }
    };
}
pub(crate) use vocabulary;

vocabulary! {
    /// Where a block is to stand.
    Position {
        /// In front of the character range.
        BeforeCharacter = "before_character",
        /// Behind the character range.
        AfterCharacter = "after_character",
        /// In front of the examples range.
        BeforeExamples = "before_examples",
        /// Behind the examples range.
        AfterExamples = "after_examples",
        /// Between conversation messages, counted from the end.
        AtDepth = "at_depth",
        /// Inside the author's note, at its top.
        AuthorNoteTop = "author_note_top",
        /// Inside the author's note, at its bottom.
        AuthorNoteBottom = "author_note_bottom",
        /// In the place of an outlet's marker.
        Outlet = "outlet",
    }
}

impl Position {
    /// Whether a block there becomes text inside a host message instead of messages of its own.
    pub fn is_embedded(self) -> bool {
        matches!(self, Self::AuthorNoteTop | Self::AuthorNoteBottom | Self::Outlet)
    }
}

vocabulary! {
    /// Who says a message that the library makes.
    Role {
        /// The operator's instructions.
        System = "system",
        /// The developer's instructions.
        Developer = "developer",
        /// The person.
        User = "user",
        /// The model.
        Assistant = "assistant",
    }
}

/// The sort number of a block: an int or a finite float, compared as numbers and not as their types.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    /// An int of 64 bits.
    Int(i64),
    /// A finite float.
    Float(f64),
}

impl PartialEq for Order {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Order {}

impl PartialOrd for Order {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Order {
    fn cmp(&self, other: &Self) -> Ordering {
        match (*self, *other) {
            (Self::Int(left), Self::Int(right)) => left.cmp(&right),
            // Both are finite, so the comparison has an answer, and -0.0 equals 0.0 as in Python.
            (Self::Float(left), Self::Float(right)) => left.partial_cmp(&right).unwrap_or(Ordering::Equal),
            (Self::Int(left), Self::Float(right)) => compare_int_with_float(left, right),
            (Self::Float(left), Self::Int(right)) => compare_int_with_float(right, left).reverse(),
        }
    }
}

/// Exact, unlike a conversion to `f64`: 2⁵³ + 1 is greater than 2.0⁵³.
fn compare_int_with_float(int: i64, float: f64) -> Ordering {
    const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
    if float >= TWO_TO_63 {
        return Ordering::Less;
    }
    if float < -TWO_TO_63 {
        return Ordering::Greater;
    }
    let whole = float.trunc();
    // In range by the two tests above, and whole.
    #[allow(clippy::cast_possible_truncation)]
    let truncated = whole as i64;
    int.cmp(&truncated).then_with(|| 0.0_f64.partial_cmp(&(float - whole)).unwrap_or(Ordering::Equal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_as_numbers() {
        use Order::{Float, Int};
        let ascending = [
            Float(f64::MIN),
            Int(i64::MIN),
            Int(-2),
            Float(-1.5),
            Int(-1),
            Float(-0.5),
            Int(0),
            Float(0.5),
            Int(1),
            Float(9_007_199_254_740_992.0),
            Int(9_007_199_254_740_993),
            Int(i64::MAX),
            Float(9_223_372_036_854_775_808.0),
            Float(f64::MAX),
        ];
        for (left_index, left) in ascending.iter().enumerate() {
            for (right_index, right) in ascending.iter().enumerate() {
                assert_eq!(left.cmp(right), left_index.cmp(&right_index), "{left:?} {right:?}");
                assert_eq!(left < right, left_index < right_index, "{left:?} {right:?}");
                assert_eq!(left == right, left_index == right_index, "{left:?} {right:?}");
            }
        }
        assert_eq!(Int(1), Float(1.0));
        assert_eq!(Int(0), Float(-0.0));
        assert_eq!(Float(-0.0), Float(0.0));
        assert_eq!(Int(i64::MIN), Float(-9_223_372_036_854_775_808.0));
    }

    #[test]
    fn words_go_both_ways() {
        for &position in Position::ALL {
            assert_eq!(Position::from_word(position.as_str().as_bytes()), Some(position));
        }
        assert_eq!(Role::from_word(b"tool"), None);
        assert_eq!(Position::ALL.iter().filter(|position| position.is_embedded()).count(), 3);
    }
}
