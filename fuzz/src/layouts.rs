//! Checks and look-ups of layouts against going through every message.

use arbitrary::Unstructured;
use interleaf_core::block::Position;
use interleaf_core::error::{Code, Refusal};
use interleaf_core::layout::{
    Conversation, Layout, LayoutPath, MessageCount, MessageIndices, MessageRange, check_conversation_index,
    check_conversation_run,
};

/// A layout that may be wrong, for lists of about `messages` messages.
pub fn layout(data: &mut Unstructured<'_>, messages: usize) -> arbitrary::Result<Layout> {
    fn range(data: &mut Unstructured<'_>, messages: usize) -> arbitrary::Result<Option<MessageRange>> {
        if data.ratio(1, 5)? {
            return Ok(None);
        }
        let start = data.int_in_range(0..=messages)?;
        Ok(Some(MessageRange { start, end: data.int_in_range(start..=messages + 1)? }))
    }
    let character = range(data, messages / 2)?;
    let examples = range(data, messages)?;
    let conversation = if data.ratio(1, 6)? {
        None
    } else {
        let message_indices = if data.arbitrary()? {
            let (start, step) = (data.int_in_range(0..=messages)?, data.int_in_range(1..=3)?);
            MessageIndices::Run { start, step, len: data.int_in_range(0..=messages / 2)? }
        } else {
            let kept: u32 = data.arbitrary()?;
            (0..messages + 1).filter(|message| kept >> (message % 32) & 1 == 1).collect()
        };
        let needs_gap = message_indices.is_empty();
        let empty_index =
            if needs_gap || data.arbitrary()? { Some(data.int_in_range(0..=messages + 1)?) } else { None };
        Some(Conversation { message_indices, empty_index })
    };
    let author_note = if data.arbitrary()? { Some(data.int_in_range(0..=messages)?) } else { None };
    Ok(Layout { character, examples, conversation, author_note, outlets: Vec::new() })
}

fn told(result: Result<(), Box<Refusal>>) -> Option<(Code, String)> {
    result.err().map(|refusal| (refusal.code, refusal.path))
}

fn inside(range: Option<MessageRange>, gap: usize) -> bool {
    range.is_some_and(|range| range.start < gap && gap < range.end)
}

fn covers(range: Option<MessageRange>, message: usize) -> bool {
    range.is_some_and(|range| (range.start..range.end).contains(&message))
}

fn plain_overlaps(layout: &Layout, messages: usize) -> Option<(Code, String)> {
    let refuse = |path: String| Some((Code::OverlappingRegions, path));
    let empty_inside = |empty: Option<MessageRange>, other| {
        empty.is_some_and(|range| range.start == range.end && inside(other, range.start))
    };
    if (0..messages).any(|message| covers(layout.character, message) && covers(layout.examples, message))
        || empty_inside(layout.examples, layout.character)
        || empty_inside(layout.character, layout.examples)
    {
        return refuse("examples".into());
    }
    let conversation = layout.conversation.as_ref()?;
    for (position, message) in conversation.message_indices.iter().enumerate() {
        if covers(layout.character, message) || covers(layout.examples, message) || layout.author_note == Some(message)
        {
            return refuse(format!("conversation.message_indices[{position}]"));
        }
    }
    let gap = conversation.empty_index.filter(|_| conversation.message_indices.is_empty())?;
    if inside(layout.character, gap) || inside(layout.examples, gap) {
        return refuse("conversation.empty_index".into());
    }
    None
}

fn plain_bounds(layout: &Layout, messages: usize) -> Option<(Code, String)> {
    for (name, range) in [("character", layout.character), ("examples", layout.examples)] {
        if range.is_some_and(|range| range.end > messages) {
            return Some((Code::InvalidRange, format!("layout.{name}")));
        }
    }
    if let Some(conversation) = &layout.conversation {
        if let Some(position) = conversation.message_indices.iter().position(|message| message >= messages) {
            return Some((Code::InvalidIndex, format!("layout.conversation.message_indices[{position}]")));
        }
        if conversation.empty_index.is_some_and(|gap| gap > messages) {
            return Some((Code::InvalidIndex, "layout.conversation.empty_index".into()));
        }
    }
    layout.author_note.filter(|&note| note >= messages).map(|_| (Code::InvalidIndex, "layout.author_note".into()))
}

fn check_runs(data: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let count = if data.arbitrary()? { MessageCount::UNKNOWN } else { MessageCount::known(data.int_in_range(0..=12)?) };
    let start: i64 = data.int_in_range(-3..=14)?;
    let step: i64 = *data.choose(&[1, 1, 2, 3, 7, -1, -2, 5])?;
    let len: usize = data.int_in_range(0..=10)?;
    let mut before = None;
    let mut one_by_one = Ok(Vec::new());
    for position in 0..len {
        let index = start + step * i64::try_from(position).unwrap_or_default();
        match (check_conversation_index(index, before, position, count, "indices"), &mut one_by_one) {
            (Ok(index), Ok(indices)) => {
                before = Some(index);
                indices.push(index);
            }
            (Err(refusal), _) => {
                one_by_one = Err((refusal.code, refusal.path, refusal.found));
                break;
            }
            _ => break,
        }
    }
    let run = check_conversation_run(start, step, len, count, "indices");
    let run = run.map(|run| run.iter().collect()).map_err(|refusal| (refusal.code, refusal.path, refusal.found));
    assert_eq!(run, one_by_one, "start {start}, step {step}, {len} of them, {count:?}");
    Ok(())
}

fn run(data: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    check_runs(data)?;
    let messages = data.int_in_range(0..=12)?;
    let layout = layout(data, messages)?;
    assert_eq!(told(layout.check_overlaps(LayoutPath(""))), plain_overlaps(&layout, 64), "{layout:?}");
    assert_eq!(told(layout.check_bounds(messages, |_| String::new())), plain_bounds(&layout, messages), "{layout:?}");
    let Some(conversation) = &layout.conversation else { return Ok(()) };
    let listed: Vec<usize> = conversation.message_indices.iter().collect();
    assert_eq!(conversation.message_indices, listed.iter().copied().collect::<MessageIndices>());
    assert_eq!(conversation.message_indices.last(), listed.last().copied());
    let depth = if data.arbitrary()? { data.int_in_range(0..=14)? } else { data.arbitrary()? };
    let gap = layout.gap(Position::AtDepth, depth).map(|(gap, _)| gap);
    let back = usize::try_from(depth).unwrap_or(usize::MAX);
    let plain = match (listed.last(), depth) {
        (None, _) => conversation.empty_index,
        (Some(last), 0) => Some(last + 1),
        _ => Some(listed[listed.len().saturating_sub(back)]),
    };
    assert_eq!(gap, plain, "depth {depth} in {layout:?}");
    Ok(())
}

/// One layout.
pub fn check(data: &[u8]) {
    // Too few bytes make no case.
    let _ = run(&mut Unstructured::new(data));
}
