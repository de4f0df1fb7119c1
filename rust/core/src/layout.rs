//! Anchors, their checks, and the way from a position to a gap.

use crate::block::Position;
use crate::error::{Class, Code, Refusal};

/// A half-open range of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MessageRange {
    /// Index of the first message in it.
    pub start: usize,
    /// Index after the last one.
    pub end: usize,
}

impl MessageRange {
    /// Whether it covers no message.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    fn contains(self, message: usize) -> bool {
        self.start <= message && message < self.end
    }

    /// Whether the gap lies between two messages of the range.
    fn is_inside(self, gap: usize) -> bool {
        self.start < gap && gap < self.end
    }
}

/// Ascending indices of messages. A run without holes, which most chats are, is kept as its ends.
#[derive(Clone, Debug)]
pub enum MessageIndices {
    /// `start`, `start + step`, … (`len` of them; `step` ≥ 1).
    Run {
        /// The first index.
        start: usize,
        /// From one to the next.
        step: usize,
        /// How many.
        len: usize,
    },
    /// Any ascending indices.
    List(Box<[usize]>),
}

impl MessageIndices {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Run { len, .. } => *len,
            Self::List(list) => list.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The one at `position`, which must be below `len`; past it the last is repeated.
    fn at(&self, position: usize) -> usize {
        match self {
            Self::Run { start, step, .. } => start + step * position,
            Self::List(list) => list.get(position).copied().unwrap_or_default(),
        }
    }

    /// The last one.
    pub fn last(&self) -> Option<usize> {
        self.len().checked_sub(1).map(|position| self.at(position))
    }

    /// The `depth`-th from the end, counted from 1; the first one if there are not as many.
    pub fn from_end(&self, depth: u64) -> Option<usize> {
        let len = self.len();
        if len == 0 {
            return None;
        }
        let depth = usize::try_from(depth).unwrap_or(usize::MAX).clamp(1, len);
        Some(self.at(len - depth))
    }

    /// All of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).map(|position| self.at(position))
    }

    /// Position of the first index that is not below `bound`.
    fn partition_point(&self, bound: usize) -> usize {
        match self {
            Self::Run { start, step, len } => bound.saturating_sub(*start).div_ceil((*step).max(1)).min(*len),
            Self::List(list) => list.partition_point(|&index| index < bound),
        }
    }

    /// Position of the first index within `range`.
    fn first_within(&self, range: MessageRange) -> Option<usize> {
        let position = self.partition_point(range.start);
        (position < self.len() && range.contains(self.at(position))).then_some(position)
    }
}

impl PartialEq for MessageIndices {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for MessageIndices {}

impl FromIterator<usize> for MessageIndices {
    /// `indices` must ascend.
    fn from_iter<I: IntoIterator<Item = usize>>(indices: I) -> Self {
        let list: Vec<usize> = indices.into_iter().collect();
        match list.as_slice() {
            [] => Self::Run { start: 0, step: 1, len: 0 },
            [first, .., end] if end - first != list.len() - 1 => Self::List(list.into_boxed_slice()),
            [first, ..] => Self::Run { start: *first, step: 1, len: list.len() },
        }
    }
}

/// Where the chat history is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    /// The messages that depth counts.
    pub message_indices: MessageIndices,
    /// Where the history would be, if there is none yet.
    pub empty_index: Option<usize>,
}

/// The exact place of an outlet's marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MarkerSpan {
    /// First code point of the marker.
    pub start: usize,
    /// The one after its last.
    pub end: usize,
    /// Which part of list content it is in.
    pub part_index: Option<usize>,
}

/// Where the marker of an outlet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OutletAnchor {
    /// The message that holds it.
    pub message_index: usize,
    /// Its place there, if it need not be searched.
    pub span: Option<MarkerSpan>,
}

/// The anchors of one message list. Names of outlets stay outside: here an outlet is its place in the order of declaration.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Layout {
    /// The character card.
    pub character: Option<MessageRange>,
    /// The example dialogue.
    pub examples: Option<MessageRange>,
    /// The chat history.
    pub conversation: Option<Conversation>,
    /// The message of the author's note.
    pub author_note: Option<usize>,
    /// The outlets, in the order of declaration.
    pub outlets: Vec<OutletAnchor>,
}

/// How many messages there are, or that it is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageCount(Option<usize>);

impl MessageCount {
    /// For a layout that is built before it meets a message list.
    pub const UNKNOWN: Self = Self(None);

    /// That many.
    pub fn known(count: usize) -> Self {
        Self(Some(count))
    }

    /// How many, if it is known.
    pub fn get(self) -> Option<usize> {
        self.0
    }

    fn allows_message(self, index: usize) -> bool {
        self.0.is_none_or(|count| index < count)
    }

    fn allows_gap(self, gap: usize) -> bool {
        self.0.is_none_or(|count| gap <= count)
    }

    fn describe(self, last: &str) -> String {
        match self.0 {
            None => String::from("an int of 0 or more"),
            Some(count) => format!("an int from 0 to {last} ({count} messages)"),
        }
    }
}

fn refuse(code: Code, path: String, found: impl Into<String>, expected: impl Into<String>) -> Box<Refusal> {
    Refusal::new(Class::Layout, code, path, found, expected)
}

/// Checks the ends of a range.
pub fn check_range(range: (i64, i64), count: MessageCount, path: &str) -> Result<MessageRange, Box<Refusal>> {
    let checked = match (usize::try_from(range.0), usize::try_from(range.1)) {
        (Ok(start), Ok(end)) if start <= end && count.allows_gap(end) => Some(MessageRange { start, end }),
        _ => None,
    };
    checked.ok_or_else(|| {
        let bound = count.0.map_or_else(String::new, |count| format!(" ≤ {count} (the number of messages)"));
        refuse(
            Code::InvalidRange,
            path.to_owned(),
            format!("({}, {})", range.0, range.1),
            format!("0 ≤ start ≤ end{bound}"),
        )
    })
}

/// Checks the index of a message.
pub fn check_message_index(index: i64, count: MessageCount, path: &str) -> Result<usize, Box<Refusal>> {
    usize::try_from(index).ok().filter(|&index| count.allows_message(index)).ok_or_else(|| {
        refuse(Code::InvalidIndex, path.to_owned(), index.to_string(), count.describe("the last message"))
    })
}

/// Checks the place of an empty conversation.
pub fn check_empty_index(index: i64, count: MessageCount, path: &str) -> Result<usize, Box<Refusal>> {
    usize::try_from(index).ok().filter(|&index| count.allows_gap(index)).ok_or_else(|| {
        refuse(Code::InvalidIndex, path.to_owned(), index.to_string(), count.describe("the number of messages"))
    })
}

/// Checks one conversation index against the one before it; `path` is that of the whole sequence.
pub fn check_conversation_index(
    index: i64,
    before: Option<usize>,
    position: usize,
    count: MessageCount,
    path: &str,
) -> Result<usize, Box<Refusal>> {
    let item_path = || format!("{path}[{position}]");
    let Some(checked) = usize::try_from(index).ok().filter(|&index| count.allows_message(index)) else {
        return Err(refuse(Code::InvalidIndex, item_path(), index.to_string(), count.describe("the last message")));
    };
    match before {
        Some(before) if checked <= before => Err(refuse(
            Code::UnorderedConversation,
            item_path(),
            index.to_string(),
            format!("an index greater than the one before it, {before}"),
        )),
        _ => Ok(checked),
    }
}

/// Checks a range of conversation indices as if one by one, without visiting them.
pub fn check_conversation_run(
    start: i64,
    step: i64,
    len: usize,
    count: MessageCount,
    path: &str,
) -> Result<MessageIndices, Box<Refusal>> {
    if len == 0 {
        return Ok(MessageIndices::Run { start: 0, step: 1, len: 0 });
    }
    let first = check_conversation_index(start, None, 0, count, path)?;
    let Ok(step_forward) = usize::try_from(step) else {
        // Downwards: the second one is refused, for its bounds if it has left them, else for its order.
        if len > 1 {
            check_conversation_index(start.saturating_add(step), Some(first), 1, count, path)?;
        }
        return Ok(MessageIndices::Run { start: first, step: 1, len: 1 });
    };
    let step_forward = step_forward.max(1);
    let run = MessageIndices::Run { start: first, step: step_forward, len };
    if let Some(count) = count.0 {
        let allowed = run.partition_point(count);
        if allowed < len {
            let over = i64::try_from(run.at(allowed)).unwrap_or(i64::MAX);
            check_conversation_index(over, None, allowed, MessageCount::known(count), path)?;
        }
    }
    Ok(run)
}

/// Where the fields of a layout are told to be: `layout.` in a call, nothing for a layout built on its own.
#[derive(Clone, Copy, Debug)]
pub struct LayoutPath(pub &'static str);

impl Layout {
    /// Checks that no two anchors claim the same place.
    pub fn check_overlaps(&self, path: LayoutPath) -> Result<(), Box<Refusal>> {
        let prefix = path.0;
        let overlap = |at: String, found: String, expected: &str| refuse(Code::OverlappingRegions, at, found, expected);
        if let (Some(character), Some(examples)) = (self.character, self.examples) {
            let shared = character.start.max(examples.start) < character.end.min(examples.end);
            let inside = (examples.is_empty() && character.is_inside(examples.start))
                || (character.is_empty() && examples.is_inside(character.start));
            if shared || inside {
                return Err(overlap(
                    format!("{prefix}examples"),
                    format!(
                        "({}, {}) beside character ({}, {})",
                        examples.start, examples.end, character.start, character.end
                    ),
                    "two ranges that share no message, and an empty one not inside the other",
                ));
            }
        }
        let Some(conversation) = &self.conversation else { return Ok(()) };
        let indices = &conversation.message_indices;
        let note = self.author_note.map(|note| MessageRange { start: note, end: note + 1 });
        let claims = [("character", self.character), ("examples", self.examples), ("author_note", note)];
        // The first shared message of each claim is enough: the earliest of them is the one a message by message check
        // would meet first, and at one message the claims keep their order.
        let first = claims
            .iter()
            .filter_map(|&(name, range)| indices.first_within(range?).map(|position| (position, name)))
            .min_by_key(|&(position, _)| position);
        if let Some((position, name)) = first {
            return Err(overlap(
                format!("{prefix}conversation.message_indices[{position}]"),
                format!("message {}, which belongs to {name}", indices.at(position)),
                "a message that belongs to the conversation alone",
            ));
        }
        if let (true, Some(gap)) = (indices.is_empty(), conversation.empty_index) {
            for (name, range) in [("character", self.character), ("examples", self.examples)] {
                if range.is_some_and(|range| range.is_inside(gap)) {
                    return Err(overlap(
                        format!("{prefix}conversation.empty_index"),
                        format!("{gap}, which lies inside {name}"),
                        "a place that is not inside a range",
                    ));
                }
            }
        }
        Ok(())
    }

    /// Checks all bounds of a layout that was built before the number of messages was known.
    pub fn check_bounds(&self, messages: usize, outlet_path: impl Fn(usize) -> String) -> Result<(), Box<Refusal>> {
        let count = MessageCount::known(messages);
        let signed = |index: usize| i64::try_from(index).unwrap_or(i64::MAX);
        for (path, range) in [("layout.character", self.character), ("layout.examples", self.examples)] {
            if let Some(range) = range {
                check_range((signed(range.start), signed(range.end)), count, path)?;
            }
        }
        if let Some(conversation) = &self.conversation {
            let indices = &conversation.message_indices;
            if indices.last().is_some_and(|last| last >= messages) {
                let position = indices.partition_point(messages);
                check_conversation_index(
                    signed(indices.at(position)),
                    None,
                    position,
                    count,
                    "layout.conversation.message_indices",
                )?;
            }
            if let Some(gap) = conversation.empty_index {
                check_empty_index(signed(gap), count, "layout.conversation.empty_index")?;
            }
        }
        if let Some(note) = self.author_note {
            check_message_index(signed(note), count, "layout.author_note")?;
        }
        for (outlet, anchor) in self.outlets.iter().enumerate() {
            if anchor.message_index >= messages {
                let field = if anchor.span.is_some() { ".message_index" } else { "" };
                check_message_index(signed(anchor.message_index), count, &(outlet_path(outlet) + field))?;
            }
        }
        Ok(())
    }

    /// Whether the anchor of `position` is declared; for outlets, whether any is.
    pub fn declares(&self, position: Position) -> bool {
        match position {
            Position::BeforeCharacter | Position::AfterCharacter => self.character.is_some(),
            Position::BeforeExamples | Position::AfterExamples => self.examples.is_some(),
            Position::AtDepth => self.conversation.is_some(),
            Position::AuthorNoteTop | Position::AuthorNoteBottom => self.author_note.is_some(),
            Position::Outlet => !self.outlets.is_empty(),
        }
    }

    /// [`Layout::declares`] for every position, by its number.
    pub fn declared(&self) -> [bool; Position::ALL.len()] {
        let mut declared = [false; Position::ALL.len()];
        for &position in Position::ALL {
            declared[position as usize] = self.declares(position);
        }
        declared
    }

    /// The gap of a block that makes messages of its own, and its rank among the regions that meet there: what belongs to the
    /// region that ends at the gap, then the regions that are empty and lie there, then what belongs to the one that begins.
    /// `None` if the anchor is not declared, or the position is an embedded one.
    pub fn gap(&self, position: Position, depth: u64) -> Option<(usize, Rank)> {
        Some(match position {
            Position::BeforeCharacter => before(self.character?, Rank::BeforeEmptyCharacter),
            Position::AfterCharacter => after(self.character?, Rank::AfterEmptyCharacter),
            Position::BeforeExamples => before(self.examples?, Rank::BeforeEmptyExamples),
            Position::AfterExamples => after(self.examples?, Rank::AfterEmptyExamples),
            Position::AtDepth => {
                let conversation = self.conversation.as_ref()?;
                match (depth, conversation.message_indices.last()) {
                    (_, None) => (conversation.empty_index?, Rank::InEmptyConversation),
                    (0, Some(last)) => (last + 1, Rank::Ending),
                    (depth, Some(_)) => (conversation.message_indices.from_end(depth)?, Rank::Beginning),
                }
            }
            Position::AuthorNoteTop | Position::AuthorNoteBottom | Position::Outlet => return None,
        })
    }
}

fn before(range: MessageRange, when_empty: Rank) -> (usize, Rank) {
    (range.start, if range.is_empty() { when_empty } else { Rank::Beginning })
}

fn after(range: MessageRange, when_empty: Rank) -> (usize, Rank) {
    (range.end, if range.is_empty() { when_empty } else { Rank::Ending })
}

/// The order of regions at one gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// What belongs to the region that ends there.
    Ending,
    /// Before an empty character range.
    BeforeEmptyCharacter,
    /// After it.
    AfterEmptyCharacter,
    /// Before an empty examples range.
    BeforeEmptyExamples,
    /// After it.
    AfterEmptyExamples,
    /// In a conversation without messages.
    InEmptyConversation,
    /// What belongs to the region that begins there.
    Beginning,
}

#[cfg(test)]
mod tests;
