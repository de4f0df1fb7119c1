//! From blocks and a layout to the order of the prompt, the gap of each block, and the layout of what comes out.

use crate::block::{Order, Position};
use crate::layout::{Conversation, Layout, MessageIndices, MessageRange, Rank};
use crate::text::Text;

/// What decides where one block goes.
#[derive(Clone, Copy, Debug)]
pub struct BlockKey<'a> {
    /// Where it is to stand.
    pub position: Position,
    /// For `at_depth`.
    pub depth: u64,
    /// Its number among blocks of one place.
    pub order: Order,
    /// Decides between equal orders.
    pub id: Text<'a>,
    /// For `outlet`: which of the layout's outlets.
    pub outlet: usize,
}

/// Where a block goes, packed so that most comparisons are one of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PromptKey {
    /// The gap or host message, then the rank there (three bits).
    place: u64,
    /// Deeper first at one gap; the order of slots inside one host.
    within: u64,
}

const RANK_BITS: u32 = 3;
/// Blocks inside a message come after everything in the gap before it.
const HOST_RANK: u64 = 7;
const NOTE_TOP: u64 = 0;
const NOTE_BOTTOM: u64 = u64::MAX;

impl PromptKey {
    fn at_gap(gap: usize, rank: Rank, within: u64) -> Self {
        Self { place: ((gap as u64) << RANK_BITS) | rank as u64, within }
    }

    fn in_host(message: usize, within: u64) -> Self {
        Self { place: ((message as u64) << RANK_BITS) | HOST_RANK, within }
    }
}

/// Deeper requested depths come first.
fn by_depth(depth: u64) -> u64 {
    u64::MAX - depth
}

/// The part of one block in the prompt.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// Index of the block in the input.
    pub block: usize,
    /// Where it stands.
    pub place: Place,
    key: PromptKey,
}

/// A gap between messages, or a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Messages of its own.
    Gap {
        /// By the layout alone.
        requested: usize,
        /// After tool exchanges were kept together.
        gap: usize,
    },
    /// Text inside that message of the input.
    Host {
        /// Its index in the input.
        message: usize,
    },
}

/// All blocks in prompt order. Every anchor must be declared: a block without one is left out by this function, so callers
/// refuse it before.
///
/// `outlet_ranks` has, for each outlet of the layout, its place among the markers of its host.
pub fn prompt_order(layout: &Layout, keys: &[BlockKey<'_>], outlet_ranks: &[usize]) -> Vec<Slot> {
    let mut slots: Vec<Slot> = Vec::with_capacity(keys.len());
    for (block, key) in keys.iter().enumerate() {
        let slot = match key.position {
            Position::AuthorNoteTop => layout.author_note.map(|message| host_slot(block, message, NOTE_TOP)),
            Position::AuthorNoteBottom => layout.author_note.map(|message| host_slot(block, message, NOTE_BOTTOM)),
            Position::Outlet => layout.outlets.get(key.outlet).map(|anchor| {
                let rank = outlet_ranks.get(key.outlet).copied().unwrap_or_default();
                host_slot(block, anchor.message_index, 1 + rank as u64)
            }),
            position => layout.gap(position, key.depth).map(|(gap, rank)| {
                let within = if position == Position::AtDepth { by_depth(key.depth) } else { 0 };
                Slot { block, place: Place::Gap { requested: gap, gap }, key: PromptKey::at_gap(gap, rank, within) }
            }),
        };
        slots.extend(slot);
    }
    slots.sort_unstable_by(|left, right| {
        left.key.cmp(&right.key).then_with(|| {
            let (left, right) = (&keys[left.block], &keys[right.block]);
            left.order.cmp(&right.order).then_with(|| left.id.cmp(&right.id))
        })
    });
    slots
}

fn host_slot(block: usize, message: usize, within: u64) -> Slot {
    Slot { block, place: Place::Host { message }, key: PromptKey::in_host(message, within) }
}

/// Moves each block whose gap `parts` a tool exchange to the nearest gap before it that does not. Gap 0 is never asked about.
///
/// Slots are in prompt order, so gaps ascend: a walk back that meets the gap of the slot before ends where that one ended, and
/// no gap is asked about twice, however many blocks lie in one long exchange.
pub fn keep_exchanges<E>(slots: &mut [Slot], mut parts: impl FnMut(usize) -> Result<bool, E>) -> Result<(), E> {
    let mut before: Option<(usize, usize)> = None;
    for slot in slots {
        let Place::Gap { requested, gap } = &mut slot.place else { continue };
        let mut at = *requested;
        loop {
            match before {
                Some((known, resolved)) if known == at => {
                    at = resolved;
                    break;
                }
                _ if at == 0 || !parts(at)? => break,
                _ => at -= 1,
            }
        }
        before = Some((*requested, at));
        *gap = at;
    }
    Ok(())
}

/// The slots that made messages, and the indices of everything in the output.
#[derive(Debug)]
pub struct OutputIndices {
    /// Final gap and key of each slot that stands at a gap, in prompt order.
    gaps: Vec<(usize, PromptKey)>,
    /// How many messages the slots before each one made; one longer than `gaps`.
    made: Vec<usize>,
}

impl OutputIndices {
    /// `message_counts` has one number for each slot: how many messages it made (of hosts it is not read).
    pub fn new(slots: &[Slot], message_counts: impl Fn(usize) -> usize) -> Self {
        let mut gaps = Vec::with_capacity(slots.len());
        let mut made = Vec::with_capacity(slots.len() + 1);
        let mut total = 0;
        for (index, slot) in slots.iter().enumerate() {
            if let Place::Gap { gap, .. } = slot.place {
                gaps.push((gap, slot.key));
                made.push(total);
                total += message_counts(index);
            }
        }
        made.push(total);
        Self { gaps, made }
    }

    /// New index of a message of the input.
    pub fn of_message(&self, message: usize) -> usize {
        message + self.made[self.gaps.partition_point(|&(gap, _)| gap <= message)]
    }

    /// New place of an empty region at `gap` that comes before every slot for which `precedes` does not hold.
    fn of_empty(&self, gap: usize, precedes: impl Fn(PromptKey) -> bool) -> usize {
        let before = self.gaps.partition_point(|&(_, key)| precedes(key));
        // If what follows was moved back to keep a tool exchange, the region moves with it, so that it still comes first.
        let next = self.gaps.get(before).map_or(gap, |&(next, _)| next.min(gap));
        self.made[before] + next
    }

    fn of_range(&self, range: MessageRange, before_rank: Rank) -> MessageRange {
        if range.is_empty() {
            let at =
                self.of_empty(range.start, |key| key.place <= PromptKey::at_gap(range.start, before_rank, 0).place);
            return MessageRange { start: at, end: at };
        }
        MessageRange { start: self.of_message(range.start), end: self.of_message(range.end - 1) + 1 }
    }

    fn of_conversation(&self, conversation: &Conversation) -> Conversation {
        let indices = &conversation.message_indices;
        match conversation.empty_index {
            Some(gap) if indices.is_empty() => {
                let depth_zero = PromptKey::at_gap(gap, Rank::InEmptyConversation, by_depth(0));
                Conversation {
                    message_indices: MessageIndices::from_iter([]),
                    empty_index: Some(self.of_empty(gap, |key| key < depth_zero)),
                }
            }
            _ => Conversation {
                message_indices: indices.iter().map(|message| self.of_message(message)).collect(),
                empty_index: None,
            },
        }
    }

    /// The same anchors in the output, without outlets, whose places only their hosts know.
    pub fn of_layout(&self, layout: &Layout) -> Layout {
        let mut output = Layout {
            character: layout.character.map(|range| self.of_range(range, Rank::BeforeEmptyCharacter)),
            examples: layout.examples.map(|range| self.of_range(range, Rank::BeforeEmptyExamples)),
            conversation: layout.conversation.as_ref().map(|conversation| self.of_conversation(conversation)),
            author_note: layout.author_note.map(|message| self.of_message(message)),
            outlets: Vec::new(),
        };
        // A range that ends between a tool call and its result can have had a block of the region behind it moved into it.
        // The region itself stays outside, or the layout would be refused by the next pass.
        let outside = |old: usize, new: usize, others: &[(Option<MessageRange>, Option<MessageRange>)]| {
            others.iter().fold(new, |new, &(before, after)| match (before, after) {
                (Some(before), Some(after)) if !before.is_empty() && before.end <= old => new.max(after.end),
                _ => new,
            })
        };
        let character = (layout.character, output.character);
        let examples = (layout.examples, output.examples);
        for (old, range, other) in
            [(layout.character, &mut output.character, examples), (layout.examples, &mut output.examples, character)]
        {
            if let (Some(old), Some(new)) = (old.filter(|old| old.is_empty()), range.as_mut()) {
                new.start = outside(old.start, new.start, &[other]);
                new.end = new.start;
            }
        }
        let old_empty = layout.conversation.as_ref().and_then(|conversation| conversation.empty_index);
        if let (Some(old), Some(new)) =
            (old_empty, output.conversation.as_mut().and_then(|conversation| conversation.empty_index.as_mut()))
        {
            *new = outside(old, *new, &[character, examples]);
        }
        output
    }
}

#[cfg(test)]
mod tests;
