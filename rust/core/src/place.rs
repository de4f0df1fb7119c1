//! From blocks and a layout to the order of the prompt, the gap of each block, and the layout of what comes out.

use std::cmp::Ordering;

use crate::block::{Order, Position};
use crate::layout::{Conversation, Layout, MessageIndices, MessageRange, Rank};
pub use crate::prompt_key::IdPrefix;
use crate::prompt_key::prompt_number;
use crate::scratch::Scratch;

/// What decides where one block goes.
#[derive(Clone, Copy, Debug)]
pub struct BlockKey {
    /// Where it is to stand.
    pub position: Position,
    /// For `at_depth`.
    pub depth: u64,
    /// Its number among blocks of one place.
    pub order: Order,
    /// The beginning of its id.
    pub id_prefix: IdPrefix,
    /// For `outlet`: which of the layout's outlets.
    pub outlet: usize,
}

/// The blocks of a call, which stay with the caller: each is asked about once, and ids in full only where their beginnings are
/// alike.
pub trait BlockKeys {
    /// How many there are.
    fn count(&self) -> usize;
    /// The key of one of them.
    fn key(&self, block: usize) -> BlockKey;
    /// The ids of two of them, by code point.
    fn compare_ids(&self, left: usize, right: usize) -> Ordering;
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

    /// The gap or host message.
    // It was packed from a `usize`.
    #[allow(clippy::cast_possible_truncation)]
    fn index(self) -> usize {
        (self.place >> RANK_BITS) as usize
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
    key: PromptKey,
    /// The gap after tool exchanges were kept together; of a host, its index.
    moved_to: usize,
}

impl Slot {
    fn new(block: usize, key: PromptKey) -> Self {
        Self { block, key, moved_to: key.index() }
    }

    /// Where it stands.
    pub fn place(&self) -> Place {
        if self.key.place & HOST_RANK == HOST_RANK {
            Place::Host { message: self.key.index() }
        } else {
            Place::Gap { requested: self.key.index(), gap: self.moved_to }
        }
    }
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

/// Where the positions with one place in a layout put their blocks: looked up once a call, and not once a block, because a jump
/// that depends on the position of a shuffled block is mispredicted.
struct FixedPlaces([Option<PromptKey>; Position::ALL.len()]);

impl FixedPlaces {
    fn of(layout: &Layout) -> Self {
        let mut places = [None; Position::ALL.len()];
        for &position in Position::ALL {
            places[position as usize] = match position {
                Position::AuthorNoteTop => layout.author_note.map(|note| PromptKey::in_host(note, NOTE_TOP)),
                Position::AuthorNoteBottom => layout.author_note.map(|note| PromptKey::in_host(note, NOTE_BOTTOM)),
                // Of the two whose place the block decides, no entry is asked for.
                _ => layout.gap(position, 0).map(|(gap, rank)| PromptKey::at_gap(gap, rank, 0)),
            };
        }
        Self(places)
    }

    fn key(&self, layout: &Layout, block: &BlockKey, outlet_ranks: &[usize]) -> Option<PromptKey> {
        match block.position {
            Position::AtDepth => {
                let (gap, rank) = layout.gap(Position::AtDepth, block.depth)?;
                Some(PromptKey::at_gap(gap, rank, by_depth(block.depth)))
            }
            Position::Outlet => {
                let message = layout.outlets.get(block.outlet)?.message_index;
                let rank = outlet_ranks.get(block.outlet).copied().unwrap_or_default();
                Some(PromptKey::in_host(message, 1 + rank as u64))
            }
            fixed => self.0[fixed as usize],
        }
    }
}

/// How many blocks are sorted without memory from the heap: more than most requests have.
const USUAL_BLOCKS: usize = 32;

/// All blocks in prompt order. Every anchor must be declared: a block without one is left out by this function, so callers
/// refuse it before.
///
/// `outlet_ranks` has, for each outlet of the layout, its place among the markers of its host.
pub fn prompt_order(layout: &Layout, blocks: &(impl BlockKeys + ?Sized), outlet_ranks: &[usize]) -> Vec<Slot> {
    let count = blocks.count();
    let places = FixedPlaces::of(layout);
    // The index takes the low bits of the number, so that plain integers are sorted; the last code points of the id give way.
    let low = (1_u128 << (usize::BITS - count.leading_zeros())) - 1;
    let mut keys: Scratch<PromptKey, USUAL_BLOCKS> = Scratch::new(PromptKey { place: 0, within: 0 }, count);
    let mut numbers: Scratch<u128, USUAL_BLOCKS> = Scratch::new(0, count);
    let mut used = 0;
    for (block, kept) in keys.iter_mut().enumerate() {
        let asked = blocks.key(block);
        let Some(key) = places.key(layout, &asked, outlet_ranks) else { continue };
        let number = prompt_number(key.place, key.within, asked.order, asked.id_prefix);
        numbers[used] = (number & !low) | block as u128;
        used += 1;
        *kept = key;
    }
    let numbers = &mut numbers[..used];
    numbers.sort_unstable();
    // The low bits of the number are the index.
    #[allow(clippy::cast_possible_truncation)]
    let block_of = |number: u128| (number & low) as usize;
    let alike = |left: &u128, right: &u128| left & !low == right & !low;
    for run in numbers.chunk_by_mut(alike).filter(|run| run.len() > 1) {
        run.sort_unstable_by(|&left, &right| {
            let (left, right) = (block_of(left), block_of(right));
            let orders = || blocks.key(left).order.cmp(&blocks.key(right).order);
            keys[left].cmp(&keys[right]).then_with(orders).then_with(|| blocks.compare_ids(left, right))
        });
    }
    numbers.iter().map(|&number| block_of(number)).map(|block| Slot::new(block, keys[block])).collect()
}

/// Moves each block whose gap `parts` a tool exchange to the nearest gap before it that does not. Gap 0 is never asked about.
///
/// Slots are in prompt order, so gaps ascend: a walk back that meets the gap of the slot before ends where that one ended, and
/// no gap is asked about twice, however many blocks lie in one long exchange.
pub fn keep_exchanges<E>(slots: &mut [Slot], mut parts: impl FnMut(usize) -> Result<bool, E>) -> Result<(), E> {
    let mut before: Option<(usize, usize)> = None;
    let mut any_moved = false;
    for slot in slots.iter_mut() {
        let Place::Gap { requested, .. } = slot.place() else { continue };
        let mut at = requested;
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
        before = Some((requested, at));
        any_moved |= at != requested;
        slot.moved_to = at;
    }
    if any_moved {
        // A block may have passed a host on its way back. Among themselves blocks at gaps keep their order, and so do hosts.
        slots.sort_by_key(|slot| match slot.place() {
            Place::Gap { gap, .. } => (gap, false),
            Place::Host { message } => (message, true),
        });
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
            if let Place::Gap { gap, .. } = slot.place() {
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

    /// New indices of messages of the input in ascending order: one walk over both, not a search for each.
    fn of_ascending(&self, messages: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
        let mut before = 0;
        messages.map(move |message| {
            before += self.gaps[before..].iter().take_while(|&&(gap, _)| gap <= message).count();
            message + self.made[before]
        })
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
            _ => Conversation { message_indices: self.of_ascending(indices.iter()).collect(), empty_index: None },
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
