//! The order of the prompt against a sort of plain tuples, and indices of the output against a list that is really built.

use std::cmp::Ordering;

use arbitrary::Unstructured;
use interleaf_core::block::{Order, Position};
use interleaf_core::layout::{Layout, LayoutPath, MessageRange, OutletAnchor};
use interleaf_core::place::{BlockKey, BlockKeys, IdPrefix, OutputIndices, Place, Slot, keep_exchanges, prompt_order};
use interleaf_core::text::Text;

use crate::layouts;

struct Block {
    id: Vec<u32>,
    key: BlockKey,
    /// The order in quarters: a whole number, so that comparing needs no care.
    quarters: i128,
}

struct Blocks(Vec<Block>);

impl BlockKeys for Blocks {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn key(&self, block: usize) -> BlockKey {
        self.0[block].key
    }

    fn compare_ids(&self, left: usize, right: usize) -> Ordering {
        self.0[left].id.cmp(&self.0[right].id)
    }
}

fn order(data: &mut Unstructured<'_>) -> arbitrary::Result<(Order, i128)> {
    Ok(match data.int_in_range(0..=4)? {
        0 => {
            let int = i64::from(data.int_in_range(-3_i8..=3)?);
            (Order::Int(int), i128::from(int) * 4)
        }
        1 => {
            // Around the largest number that is packed exactly.
            let int = data.int_in_range(-4_194_310_i64..=-4_194_300)? * if data.arbitrary()? { 1 } else { -1 };
            (Order::Int(int), i128::from(int) * 4)
        }
        2 => {
            let quarters: i16 = data.int_in_range(-12..=12)?;
            (Order::Float(f64::from(quarters) / 4.0), i128::from(quarters))
        }
        3 => {
            let int: i64 = data.arbitrary()?;
            (Order::Int(int), i128::from(int) * 4)
        }
        _ => *data.choose(&[
            (Order::Int(i64::MIN), i128::from(i64::MIN) * 4),
            (Order::Int(i64::MAX), i128::from(i64::MAX) * 4),
            (Order::Float(-9_223_372_036_854_775_808.0), i128::from(i64::MIN) * 4),
            (Order::Float(9_223_372_036_854_775_808.0), (i128::from(i64::MAX) + 1) * 4),
            (Order::Float(1e300), i128::MAX),
            (Order::Float(-1e300), i128::MIN),
            (Order::Float(-0.0), 0),
        ])?,
    })
}

fn id(data: &mut Unstructured<'_>, index: usize) -> arbitrary::Result<Vec<u32>> {
    let mut id = Vec::new();
    for _ in 0..data.int_in_range(0..=10)? {
        id.push(*data.choose(&[0x61, 0x61, 0x61, 0x62, 0, 1, 0xFE, 0xFF, 0x100, 0x4E16, 0xD800, 0x1_F600])?);
    }
    // Ids are unique in a call.
    id.push(u32::try_from(index).unwrap_or_default());
    Ok(id)
}

/// Where a block goes, by the contract: gap or host, then rank there, then depth, then order, then id.
fn plain_key(layout: &Layout, ranks: &[usize], block: &Block) -> Option<(usize, u8, i128, i128, Vec<u32>)> {
    let key = &block.key;
    let in_range = |range: Option<MessageRange>, at_start: bool, first_empty: u8| {
        range.map(|range| match (range.start == range.end, at_start) {
            (true, true) => (range.start, first_empty, 0),
            (true, false) => (range.start, first_empty + 1, 0),
            (false, true) => (range.start, 6, 0),
            (false, false) => (range.end, 0, 0),
        })
    };
    let deeper_first = -i128::from(key.depth);
    let (place, rank, within) = match key.position {
        Position::BeforeCharacter => in_range(layout.character, true, 1)?,
        Position::AfterCharacter => in_range(layout.character, false, 1)?,
        Position::BeforeExamples => in_range(layout.examples, true, 3)?,
        Position::AfterExamples => in_range(layout.examples, false, 3)?,
        Position::AtDepth => {
            let conversation = layout.conversation.as_ref()?;
            let indices: Vec<usize> = conversation.message_indices.iter().collect();
            let back = usize::try_from(key.depth).unwrap_or(usize::MAX);
            match (indices.last(), key.depth) {
                (None, _) => (conversation.empty_index?, 5, deeper_first),
                (Some(last), 0) => (last + 1, 0, deeper_first),
                _ => (indices[indices.len().saturating_sub(back)], 6, deeper_first),
            }
        }
        Position::AuthorNoteTop => (layout.author_note?, 7, -1),
        Position::AuthorNoteBottom => (layout.author_note?, 7, i128::MAX),
        Position::Outlet => (layout.outlets.get(key.outlet)?.message_index, 7, ranks[key.outlet] as i128),
    };
    Some((place, rank, within, block.quarters, block.id.clone()))
}

/// The layout without the anchors that are wrong: blocks of a refused layout have no order.
fn valid(mut layout: Layout, messages: usize) -> Layout {
    let good = |layout: &Layout| {
        layout.check_bounds(messages, |_| String::new()).is_ok() && layout.check_overlaps(LayoutPath("")).is_ok()
    };
    layout.author_note = layout.author_note.filter(|&note| note < messages);
    for wrong in [|layout: &mut Layout| layout.examples = None, |layout: &mut Layout| layout.character = None] {
        if let Some(conversation) = layout.conversation.take() {
            if !good(&layout) {
                wrong(&mut layout);
            }
            layout.conversation = Some(conversation);
        }
        if !good(&layout) {
            wrong(&mut layout);
        }
    }
    if !good(&layout) {
        layout.conversation = None;
    }
    assert!(good(&layout), "{layout:?}");
    layout
}

fn case(data: &mut Unstructured<'_>) -> arbitrary::Result<(usize, Layout, Vec<usize>, Blocks)> {
    let messages = data.int_in_range(0..=12)?;
    let mut layout = valid(layouts::layout(data, messages)?, messages);
    let mut ranks = Vec::new();
    for rank in 0..data.int_in_range(0..=3)? {
        if messages > 0 {
            layout.outlets.push(OutletAnchor { message_index: data.int_in_range(0..=messages - 1)?, span: None });
            ranks.push(rank);
        }
    }
    let mut blocks = Vec::new();
    for index in 0..data.int_in_range(0..=24_usize)? {
        let (order, quarters) = order(data)?;
        let id = id(data, index)?;
        let depth = if data.ratio(1, 8)? { data.arbitrary()? } else { data.int_in_range(0..=6)? };
        let key = BlockKey {
            position: *data.choose(Position::ALL)?,
            depth,
            order,
            id_prefix: IdPrefix::of(Text::Four(&id)),
            outlet: data.int_in_range(0..=3)?,
        };
        blocks.push(Block { id, key, quarters });
    }
    Ok((messages, layout, ranks, Blocks(blocks)))
}

fn gap_of(slot: &Slot) -> Option<(usize, usize)> {
    if let Place::Gap { requested, gap } = slot.place() { Some((requested, gap)) } else { None }
}

/// New indices of the messages, by building the list: `None` stands for a new message.
fn built(messages: usize, slots: &[Slot], counts: &[usize]) -> Vec<Option<usize>> {
    let mut list = Vec::new();
    for gap in 0..=messages {
        for (slot, &count) in slots.iter().zip(counts) {
            if gap_of(slot).is_some_and(|(_, at)| at == gap) {
                list.extend(std::iter::repeat_n(None, count));
            }
        }
        list.extend((gap < messages).then_some(Some(gap)));
    }
    list
}

fn run(data: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let (messages, layout, ranks, blocks) = case(data)?;
    let parting: u16 = data.arbitrary()?;
    let counts: Vec<usize> = (0..blocks.0.len()).map(|_| data.int_in_range(1..=3)).collect::<Result<_, _>>()?;
    let mut slots = prompt_order(&layout, &blocks, &ranks);

    let mut plain: Vec<_> = (0..blocks.0.len())
        .filter_map(|block| plain_key(&layout, &ranks, &blocks.0[block]).map(|key| (key, block)))
        .collect();
    plain.sort();
    assert_eq!(
        slots.iter().map(|slot| slot.block).collect::<Vec<_>>(),
        plain.iter().map(|&(_, block)| block).collect::<Vec<_>>()
    );
    for (slot, (key, _)) in slots.iter().zip(&plain) {
        let expected =
            if key.1 == 7 { Place::Host { message: key.0 } } else { Place::Gap { requested: key.0, gap: key.0 } };
        assert_eq!(slot.place(), expected);
    }

    let mut asked = Vec::new();
    let parts = |gap: usize| gap > 0 && parting >> (gap % 16) & 1 == 1;
    let before: Vec<usize> = slots.iter().map(|slot| slot.block).collect();
    let moved: Result<(), ()> = keep_exchanges(&mut slots, |gap| {
        asked.push(gap);
        Ok(parts(gap))
    });
    assert_eq!(moved, Ok(()));
    asked.sort_unstable();
    assert!(asked.windows(2).all(|pair| pair[0] < pair[1]), "a gap was asked about twice: {asked:?}");
    let mut last = None;
    for slot in &slots {
        let Some((requested, gap)) = gap_of(slot) else { continue };
        let nearest = (0..=requested).rev().find(|&gap| !parts(gap)).unwrap_or_default();
        assert_eq!(gap, nearest);
        assert!(last <= Some(gap), "gaps descend");
        last = Some(gap);
    }
    // Blocks at gaps keep their order, and so do hosts.
    for hosts in [false, true] {
        let kept: Vec<usize> =
            slots.iter().filter(|slot| gap_of(slot).is_none() == hosts).map(|slot| slot.block).collect();
        let was: Vec<usize> = before.iter().copied().filter(|block| kept.contains(block)).collect();
        assert_eq!(kept, was);
    }

    let output = OutputIndices::new(&slots, |slot| counts[slot]);
    let list = built(messages, &slots, &counts);
    for message in 0..messages {
        let at = list.iter().position(|&one| one == Some(message));
        assert_eq!(Some(output.of_message(message)), at);
    }
    let new = output.of_layout(&layout);
    assert!(new.check_bounds(list.len(), |_| String::new()).is_ok(), "{layout:?} became {new:?}");
    assert!(new.check_overlaps(LayoutPath("")).is_ok(), "{layout:?} became {new:?}");
    for (old, new) in [(layout.character, new.character), (layout.examples, new.examples)] {
        let (Some(old), Some(new)) = (old, new) else { continue };
        assert_eq!(old.is_empty(), new.is_empty());
        if !old.is_empty() {
            assert_eq!(list[new.start], Some(old.start));
            assert_eq!(list[new.end - 1], Some(old.end - 1));
        }
    }
    Ok(())
}

/// One layout, some blocks, some tool exchanges.
pub fn check(data: &[u8]) {
    // Too few bytes make no case.
    let _ = run(&mut Unstructured::new(data));
}
