//! The one error of the crate: what was refused, where, what was found and what was expected.

use std::fmt;

/// Which family of exceptions a refusal belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// An option value of the call.
    Option,
    /// The layout, or a host message it points to.
    Layout,
    /// A block, or what it was rendered to.
    Block,
    /// A plan or a fragment of it.
    Plan,
    /// A message of a type that is not known or cannot be changed, or an adapter that answers wrongly.
    Adapter,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// The machine-readable reason of a refusal.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// The word for it.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }
        }
    };
}

codes! {
    /// A value of a type that is never right there.
    InvalidType = "invalid_type",
    /// A required field is absent or None.
    MissingField = "missing_field",
    /// A key that the mapping does not have.
    UnknownField = "unknown_field",
    /// One field in both of its spellings.
    DuplicateField = "duplicate_field",
    /// A range that is malformed, backwards or past the end.
    InvalidRange = "invalid_range",
    /// An index that is malformed or past the end.
    InvalidIndex = "invalid_index",
    /// Conversation indices that do not ascend.
    UnorderedConversation = "unordered_conversation",
    /// Two anchors that claim the same place.
    OverlappingRegions = "overlapping_regions",
    /// An outlet name that is empty or holds braces in pairs.
    InvalidOutletName = "invalid_outlet_name",
    /// The marker of a declared outlet is not where it should be.
    OutletMarkerMissing = "outlet_marker_missing",
    /// The marker of a declared outlet stands more than once.
    OutletMarkerRepeated = "outlet_marker_repeated",
    /// A declared outlet that no block fills, where that was to be an error.
    OutletUnfilled = "outlet_unfilled",
    /// A host message whose content is neither text nor a list of parts.
    ContentNotText = "content_not_text",
    /// An id that is empty, no text, or not encodable.
    InvalidId = "invalid_id",
    /// An id that was there before.
    DuplicateId = "duplicate_id",
    /// A word that is none of the eight positions.
    InvalidPosition = "invalid_position",
    /// A word that is no role that may be used here.
    InvalidRole = "invalid_role",
    /// An order that is no finite number, or does not fit 64 bits.
    InvalidOrder = "invalid_order",
    /// A depth that is no int of 0 or more, or does not fit 64 bits.
    InvalidDepth = "invalid_depth",
    /// A position whose anchor the layout does not declare.
    MissingAnchor = "missing_anchor",
    /// An outlet block that would open another outlet.
    NestedOutlet = "nested_outlet",
    /// A callback returned something that cannot be placed.
    InvalidRender = "invalid_render",
    /// A callback returned no message for a block that was selected.
    EmptyRender = "empty_render",
    /// A block whose text pretends to be something else, where that was to be an error.
    UnsafeContent = "unsafe_content",
    /// A word that is no trust.
    InvalidTrust = "invalid_trust",
    /// A trust that may not hold the role of its fragment.
    TrustRole = "trust_role",
    /// A word that is no lifetime.
    InvalidLifetime = "invalid_lifetime",
    /// A fragment value that is neither text nor JSON.
    InvalidValue = "invalid_value",
    /// A budget that is neither an int of 0 or more nor infinity.
    InvalidBudget = "invalid_budget",
    /// A word that is no unit of length.
    InvalidUnit = "invalid_unit",
    /// An additional message of another role than user.
    AdditionalNotUser = "additional_not_user",
    /// Ids that may change, and no originals they could change from.
    MutableWithoutOriginals = "mutable_without_originals",
    /// An id that may change and is no original.
    UnknownMutableId = "unknown_mutable_id",
    /// An adapter returned something that it may not.
    InvalidAdapter = "invalid_adapter",
    /// A message whose text stays what it was in every copy.
    UnchangeableMessage = "unchangeable_message",
    /// An option value that the call does not know.
    InvalidOption = "invalid_option",
}

/// Data that was refused. Boxed wherever it travels, so that the good path carries one pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The family of exceptions.
    pub class: Class,
    /// The machine-readable reason.
    pub code: Code,
    /// Where the value stands, such as `blocks[3].depth`.
    pub path: String,
    /// Whose value it is, such as `block "lore"`; empty if nobody's.
    pub owner: String,
    /// What was found.
    pub found: String,
    /// What was expected.
    pub expected: String,
}

impl Refusal {
    /// A boxed refusal without an owner.
    #[cold]
    pub fn new(
        class: Class,
        code: Code,
        path: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Box<Self> {
        Box::new(Self {
            class,
            code,
            path: path.into(),
            owner: String::new(),
            found: found.into(),
            expected: expected.into(),
        })
    }

    /// The same, with whose value it is.
    #[cold]
    #[must_use]
    pub fn of(mut self: Box<Self>, owner: impl Into<String>) -> Box<Self> {
        self.owner = owner.into();
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.owner.is_empty() {
            write!(formatter, "{}: ", self.owner)?;
        }
        write!(formatter, "found {}, expected {}", self.found, self.expected)
    }
}

impl std::error::Error for Refusal {}

/// Of `known`, the word nearest to `word`: one that begins or ends with it, or else the one with the fewest letters to change.
/// Two letters begin and end too many words to mean one of them.
#[cold]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters: Vec<char> = word.chars().take(LETTERS).collect();
    let is_part = |candidate: &str| word.len() > 2 && (candidate.starts_with(word) || candidate.ends_with(word));
    known.into_iter().min_by_key(|candidate| (!is_part(candidate), edit_distance(&letters, candidate)))
}

/// Letters of a word that are compared: more than any key has.
const LETTERS: usize = 32;

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
///
/// On the stack, for it is asked for each known key: with vectors it was 85 % of the time of a refused layout.
fn edit_distance(word: &[char], candidate: &str) -> usize {
    let mut letters = ['\0'; LETTERS];
    let count = letters.iter_mut().zip(candidate.chars()).map(|(slot, letter)| *slot = letter).count();
    let candidate = &letters[..count];
    let mut before = [0; LETTERS + 1];
    let mut previous: [usize; LETTERS + 1] = std::array::from_fn(|column| column);
    for (row, &letter) in word.iter().enumerate() {
        let mut current = [row + 1; LETTERS + 1];
        for (column, &other) in candidate.iter().enumerate() {
            let mut best = (previous[column] + usize::from(letter != other))
                .min(previous[column + 1] + 1)
                .min(current[column] + 1);
            if row > 0 && column > 0 && letter == candidate[column - 1] && word[row - 1] == other {
                best = best.min(before[column - 1] + 1);
            }
            current[column + 1] = best;
        }
        before = previous;
        previous = current;
    }
    previous[count]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_reads_as_a_sentence() {
        let refusal = Refusal::new(Class::Block, Code::InvalidDepth, "blocks[3].depth", "-1", "an int of 0 or more")
            .of("block \"lore\"");
        assert_eq!(refusal.to_string(), "block \"lore\": found -1, expected an int of 0 or more");
        assert_eq!(refusal.code.as_str(), "invalid_depth");
    }

    #[test]
    fn the_nearest_word_is_found() {
        let known = ["id", "position", "content", "role", "order", "depth", "outlet_name"];
        assert_eq!(nearest("dept", known), Some("depth"));
        assert_eq!(nearest("oulet_name", known), Some("outlet_name"));
        assert_eq!(nearest("contnet", known), Some("content"));
        assert_eq!(nearest("ordre", known), Some("order"));
        assert_eq!(nearest("outlet", known), Some("outlet_name"));
        assert_eq!(nearest("name", known), Some("outlet_name"));
        assert_eq!(nearest("ids", known), Some("id"));
        assert_eq!(nearest("anything", []), None);
        // A swap away from `id`; that another word begins with these two letters means nothing, three would.
        assert_eq!(nearest("di", ["dialect", "id"]), Some("id"));
        assert_eq!(nearest("dia", ["dialect", "id"]), Some("dialect"));
    }

    #[test]
    fn one_slip_of_the_fingers_is_one_change() {
        let distance = |word: &str, candidate: &str| edit_distance(&word.chars().collect::<Vec<_>>(), candidate);
        assert_eq!(distance("depth", "depth"), 0);
        assert_eq!(distance("dpeth", "depth"), 1);
        assert_eq!(distance("depht", "depth"), 1);
        assert_eq!(distance("dept", "depth"), 1);
        assert_eq!(distance("deepth", "depth"), 1);
        assert_eq!(distance("dexth", "depth"), 1);
        // One swap in the middle and a change on each side of it.
        assert_eq!(distance("aabb", "bbaa"), 3);
        assert_eq!(distance("ab", "cd"), 2);
        assert_eq!(distance("ab", "ca"), 2);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
    }
}
