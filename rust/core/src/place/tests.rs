// Makers of optional fields return what the field takes.
#![allow(clippy::unnecessary_wraps)]

use std::cell::Cell;

use super::*;
use crate::layout::OutletAnchor;
use crate::text::Text;

struct Block {
    id: &'static str,
    key: BlockKey,
}

impl BlockKeys for [Block] {
    fn count(&self) -> usize {
        self.len()
    }

    fn key(&self, block: usize) -> BlockKey {
        self[block].key
    }

    fn compare_ids(&self, left: usize, right: usize) -> Ordering {
        self[left].id.cmp(self[right].id)
    }
}

fn key(id: &'static str, position: Position, depth: u64, order: i64) -> Block {
    let id_prefix = IdPrefix::of(Text::One(id.as_bytes()));
    Block { id, key: BlockKey { position, depth, order: Order::Int(order), id_prefix, outlet: 0 } }
}

fn in_outlet(outlet: usize, mut block: Block) -> Block {
    block.key.outlet = outlet;
    block
}

fn ids(slots: &[Slot], blocks: &[Block]) -> Vec<&'static str> {
    slots.iter().map(|slot| blocks[slot.block].id).collect()
}

fn gaps(slots: &[Slot]) -> Vec<usize> {
    slots.iter().filter_map(|slot| if let Place::Gap { gap, .. } = slot.place() { Some(gap) } else { None }).collect()
}

fn conversation(indices: &[usize], empty_index: Option<usize>) -> Option<Conversation> {
    Some(Conversation { message_indices: indices.iter().copied().collect(), empty_index })
}

fn at_every_empty_anchor() -> (Layout, Vec<Block>) {
    let layout = Layout {
        character: Some(MessageRange { start: 1, end: 1 }),
        examples: Some(MessageRange { start: 1, end: 1 }),
        conversation: conversation(&[], Some(1)),
        ..Layout::default()
    };
    let keys = vec![
        key("d0", Position::AtDepth, 0, -9),
        key("d2", Position::AtDepth, 2, 9),
        key("d1", Position::AtDepth, 1, 0),
        key("ae", Position::AfterExamples, 0, -9),
        key("be", Position::BeforeExamples, 0, 9),
        key("ac", Position::AfterCharacter, 0, -9),
        key("bc", Position::BeforeCharacter, 0, 9),
    ];
    (layout, keys)
}

#[test]
fn empty_regions_at_one_gap_keep_their_order() {
    let (layout, keys) = at_every_empty_anchor();
    let slots = prompt_order(&layout, &keys[..], &[]);
    assert_eq!(ids(&slots, &keys), ["bc", "ac", "be", "ae", "d2", "d1", "d0"]);
    let output = OutputIndices::new(&slots, |_| 1).of_layout(&layout);
    assert_eq!(output.character, Some(MessageRange { start: 2, end: 2 }));
    assert_eq!(output.examples, Some(MessageRange { start: 4, end: 4 }));
    assert_eq!(output.conversation, conversation(&[], Some(7)));
}

#[test]
fn order_then_id_decide_within_one_place_only() {
    let layout = Layout {
        character: Some(MessageRange { start: 0, end: 1 }),
        examples: Some(MessageRange { start: 1, end: 2 }),
        ..Layout::default()
    };
    let keys = [
        key("be", Position::BeforeExamples, 0, -100),
        key("b", Position::AfterCharacter, 0, 1),
        key("a", Position::AfterCharacter, 0, 1),
        key("z", Position::AfterCharacter, 0, -5),
        key("bc", Position::BeforeCharacter, 0, 50),
    ];
    let slots = prompt_order(&layout, &keys[..], &[]);
    assert_eq!(ids(&slots, &keys), ["bc", "z", "a", "b", "be"]);
    assert_eq!(gaps(&slots), [0, 1, 1, 1, 1]);
}

#[test]
fn embedded_blocks_stand_between_the_gaps_around_their_host() {
    let layout = Layout {
        conversation: conversation(&[0, 1], None),
        author_note: Some(2),
        outlets: vec![OutletAnchor { message_index: 0, span: None }, OutletAnchor { message_index: 0, span: None }],
        ..Layout::default()
    };
    let keys = [
        key("bottom", Position::AuthorNoteBottom, 0, 0),
        key("top", Position::AuthorNoteTop, 0, 0),
        in_outlet(0, key("second", Position::Outlet, 0, -1)),
        in_outlet(1, key("first", Position::Outlet, 0, 1)),
        key("deep", Position::AtDepth, 9, 0),
        key("d1", Position::AtDepth, 1, 0),
        key("d0", Position::AtDepth, 0, 0),
    ];
    let slots = prompt_order(&layout, &keys[..], &[1, 0]);
    assert_eq!(ids(&slots, &keys), ["deep", "first", "second", "d1", "d0", "top", "bottom"]);
}

#[test]
fn outlets_in_the_note_stand_between_its_top_and_its_bottom() {
    let layout = Layout {
        author_note: Some(0),
        outlets: vec![OutletAnchor { message_index: 0, span: None }, OutletAnchor { message_index: 0, span: None }],
        ..Layout::default()
    };
    // By order and id alone they would stand the other way round.
    let keys = [
        key("a bottom", Position::AuthorNoteBottom, 0, -9),
        in_outlet(1, key("b second", Position::Outlet, 0, -1)),
        in_outlet(0, key("c first", Position::Outlet, 0, 1)),
        key("d top", Position::AuthorNoteTop, 0, 9),
    ];
    let slots = prompt_order(&layout, &keys[..], &[0, 1]);
    assert_eq!(ids(&slots, &keys), ["d top", "c first", "b second", "a bottom"]);
}

#[test]
fn no_gap_is_asked_about_twice() {
    let layout = Layout { conversation: conversation(&[0, 1, 2, 3, 4, 5], None), ..Layout::default() };
    let keys: Vec<_> = (0..7).map(|depth| key("x", Position::AtDepth, depth, 0)).collect();
    let mut slots = prompt_order(&layout, &keys[..], &[]);
    let mut asked = Vec::new();
    let parted = [false, false, true, true, false, true, true];
    let kept: Result<(), ()> = keep_exchanges(&mut slots, |gap| {
        asked.push(gap);
        Ok(parted[gap])
    });
    assert_eq!(kept, Ok(()));
    assert_eq!(gaps(&slots), [0, 1, 1, 1, 4, 4, 4]);
    assert_eq!(asked, [1, 2, 3, 4, 5, 6]);
    // Depths 0 and 6 alone: the walk back from the end stops as soon as a gap does not part.
    let few_keys = [key("x", Position::AtDepth, 0, 0), key("x", Position::AtDepth, 6, 0)];
    let mut few = prompt_order(&layout, &few_keys[..], &[]);
    asked.clear();
    let kept: Result<(), ()> = keep_exchanges(&mut few, |gap| {
        asked.push(gap);
        Ok(parted[gap])
    });
    assert_eq!(kept, Ok(()));
    assert_eq!(asked, [6, 5, 4]);
    let failed = keep_exchanges(&mut few, |_| Err("callback"));
    assert_eq!(failed, Err("callback"));
}

#[test]
fn an_empty_region_goes_back_with_what_follows_it() {
    let layout = Layout { character: Some(MessageRange { start: 2, end: 2 }), ..Layout::default() };
    let keys = [key("bc", Position::BeforeCharacter, 0, 0), key("ac", Position::AfterCharacter, 0, 0)];
    for (chosen, expected) in [(&keys[..], 2), (&keys[..1], 3), (&keys[1..], 1), (&keys[..0], 2)] {
        let mut slots = prompt_order(&layout, chosen, &[]);
        let kept: Result<(), ()> = keep_exchanges(&mut slots, |gap| Ok(gap == 2));
        assert_eq!(kept, Ok(()));
        let output = OutputIndices::new(&slots, |_| 1).of_layout(&layout);
        assert_eq!(output.character, Some(MessageRange { start: expected, end: expected }));
    }
}

#[test]
fn several_messages_for_one_block_shift_what_follows() {
    let layout = Layout {
        character: Some(MessageRange { start: 0, end: 2 }),
        conversation: conversation(&[2, 4], Some(9)),
        author_note: Some(3),
        ..Layout::default()
    };
    let keys = [key("bc", Position::BeforeCharacter, 0, 0), key("d1", Position::AtDepth, 1, 0)];
    let slots = prompt_order(&layout, &keys[..], &[]);
    let indices = OutputIndices::new(&slots, |slot| [3, 2][slot]);
    assert_eq!((0..5).map(|message| indices.of_message(message)).collect::<Vec<_>>(), [3, 4, 5, 6, 9]);
    let output = indices.of_layout(&layout);
    assert_eq!(output.character, Some(MessageRange { start: 3, end: 5 }));
    assert_eq!(output.conversation, conversation(&[5, 9], None));
    assert_eq!(output.author_note, Some(6));
}

#[test]
fn an_empty_region_stays_outside_a_range_that_its_block_moved_into() {
    // user, assistant with a call | its result: the examples end between the two, and so does the empty character.
    let layout = Layout {
        character: Some(MessageRange { start: 3, end: 3 }),
        examples: Some(MessageRange { start: 1, end: 3 }),
        conversation: conversation(&[], Some(3)),
        ..Layout::default()
    };
    let keys = [key("ac", Position::AfterCharacter, 0, 0), key("d0", Position::AtDepth, 0, 0)];
    let mut slots = prompt_order(&layout, &keys[..], &[]);
    let kept: Result<(), ()> = keep_exchanges(&mut slots, |gap| Ok(gap == 3));
    assert_eq!(kept, Ok(()));
    assert_eq!(gaps(&slots), [2, 2]);
    let output = OutputIndices::new(&slots, |_| 1).of_layout(&layout);
    assert_eq!(output.examples, Some(MessageRange { start: 1, end: 5 }));
    assert_eq!(output.character, Some(MessageRange { start: 5, end: 5 }));
    assert_eq!(output.conversation, conversation(&[], Some(5)));
    assert!(output.check_overlaps(crate::layout::LayoutPath("")).is_ok());
}

#[test]
fn a_block_that_moves_back_passes_the_hosts_on_its_way() {
    let layout = Layout {
        character: Some(MessageRange { start: 0, end: 2 }),
        outlets: vec![OutletAnchor { message_index: 1, span: None }],
        ..Layout::default()
    };
    let keys = [key("in host", Position::Outlet, 0, 0), key("moved", Position::AfterCharacter, 0, 0)];
    let mut slots = prompt_order(&layout, &keys[..], &[0]);
    assert_eq!(ids(&slots, &keys), ["in host", "moved"]);
    let kept: Result<(), ()> = keep_exchanges(&mut slots, |gap| Ok(gap == 2));
    assert_eq!(kept, Ok(()));
    assert_eq!(ids(&slots, &keys), ["moved", "in host"]);
}

#[test]
fn ids_that_begin_alike_are_compared_to_their_ends() {
    let layout = Layout { conversation: conversation(&[0], None), ..Layout::default() };
    let keys = ["lorebook-3", "lorebook-1", "lorebook", "lorebook-2"].map(|id| key(id, Position::AtDepth, 1, 0));
    let slots = prompt_order(&layout, &keys[..], &[]);
    assert_eq!(ids(&slots, &keys), ["lorebook", "lorebook-1", "lorebook-2", "lorebook-3"]);
}

/// Counts what is asked of its blocks.
struct Asked {
    blocks: Vec<Block>,
    keys: Cell<usize>,
    comparisons: Cell<usize>,
}

impl BlockKeys for Asked {
    fn count(&self) -> usize {
        self.blocks.len()
    }

    fn key(&self, block: usize) -> BlockKey {
        self.keys.set(self.keys.get() + 1);
        self.blocks[block].key
    }

    fn compare_ids(&self, left: usize, right: usize) -> Ordering {
        self.comparisons.set(self.comparisons.get() + 1);
        self.blocks[..].compare_ids(left, right)
    }
}

#[test]
fn blocks_that_differ_early_are_asked_about_once_and_their_ids_never() {
    let layout = Layout { conversation: conversation(&[0, 1], None), ..Layout::default() };
    let depths = [0, 1, 2, 3, 1_000, 30_000];
    let orders = [-4_000_000, -3_999_999, -1, 0, 1, 100, 3_999_999, 4_000_000];
    let mut blocks = Vec::new();
    for depth in depths {
        for order in orders {
            blocks.extend(["a", "lore-1"].map(|id| key(id, Position::AtDepth, depth, order)));
        }
    }
    let asked = Asked { blocks, keys: Cell::new(0), comparisons: Cell::new(0) };
    let slots = prompt_order(&layout, &asked, &[]);
    assert_eq!(slots.len(), depths.len() * orders.len() * 2);
    assert_eq!((asked.keys.get(), asked.comparisons.get()), (slots.len(), 0));
}
