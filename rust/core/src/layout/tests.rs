// Makers of optional fields return what the field takes.
#![allow(clippy::unnecessary_wraps)]

use super::*;

const PATH: &str = "layout.conversation.message_indices";

fn range(start: usize, end: usize) -> Option<MessageRange> {
    Some(MessageRange { start, end })
}

fn conversation(indices: &[usize], empty_index: Option<usize>) -> Option<Conversation> {
    Some(Conversation { message_indices: indices.iter().copied().collect(), empty_index })
}

fn code_and_path<T: std::fmt::Debug>(result: Result<T, Box<Refusal>>) -> Option<(Code, String)> {
    result.err().map(|refusal| (refusal.code, refusal.path))
}

#[test]
fn indices_without_holes_are_kept_as_a_run() {
    assert!(matches!([3, 4, 5].into_iter().collect(), MessageIndices::Run { start: 3, step: 1, len: 3 }));
    assert!(matches!([3, 5].into_iter().collect(), MessageIndices::List(_)));
    let run = MessageIndices::Run { start: 1, step: 2, len: 3 };
    assert_eq!(run, [1, 3, 5].into_iter().collect());
    assert_eq!(run.from_end(1), Some(5));
    assert_eq!(run.from_end(3), Some(1));
    assert_eq!(run.from_end(u64::MAX), Some(1));
    assert_eq!(run.partition_point(0), 0);
    assert_eq!(run.partition_point(2), 1);
    assert_eq!(run.partition_point(5), 2);
    assert_eq!(run.partition_point(6), 3);
    assert_ne!(run, [1, 3, 6].into_iter().collect());
}

#[test]
fn a_run_is_checked_as_if_one_by_one() {
    let check = |start, step, len, count| {
        code_and_path(check_conversation_run(start, step, len, MessageCount::known(count), PATH))
    };
    let at = |code, position: usize| Some((code, format!("{PATH}[{position}]")));
    assert_eq!(check(1, 1, 3, 4), None);
    assert_eq!(check(0, 1, 0, 0), None);
    assert_eq!(check(1, 1, 4, 4), at(Code::InvalidIndex, 3));
    assert_eq!(check(1, 3, 9, 5), at(Code::InvalidIndex, 2));
    assert_eq!(check(-1, 1, 3, 4), at(Code::InvalidIndex, 0));
    assert_eq!(check(3, -1, 3, 4), at(Code::UnorderedConversation, 1));
    assert_eq!(check(0, -1, 3, 4), at(Code::InvalidIndex, 1));
    assert_eq!(check(5, -1, 3, 4), at(Code::InvalidIndex, 0));
    assert_eq!(check(3, -1, 1, 4), None);
}

#[test]
fn depth_becomes_a_gap() {
    let layout = Layout { conversation: conversation(&[1, 3, 5], None), ..Layout::default() };
    let gaps: Vec<_> = (0..5).map(|depth| layout.gap(Position::AtDepth, depth)).collect();
    assert_eq!(
        gaps,
        [
            Some((6, Rank::Ending)),
            Some((5, Rank::Beginning)),
            Some((3, Rank::Beginning)),
            Some((1, Rank::Beginning)),
            Some((1, Rank::Beginning)),
        ]
    );
    let empty = Layout { conversation: conversation(&[], Some(2)), ..Layout::default() };
    assert_eq!(empty.gap(Position::AtDepth, 0), Some((2, Rank::InEmptyConversation)));
    assert_eq!(empty.gap(Position::BeforeCharacter, 0), None);
    assert_eq!(empty.gap(Position::Outlet, 0), None);
}

#[test]
fn ranges_become_gaps() {
    let layout = Layout { character: range(1, 3), examples: range(3, 3), ..Layout::default() };
    assert_eq!(layout.gap(Position::BeforeCharacter, 0), Some((1, Rank::Beginning)));
    assert_eq!(layout.gap(Position::AfterCharacter, 0), Some((3, Rank::Ending)));
    assert_eq!(layout.gap(Position::BeforeExamples, 0), Some((3, Rank::BeforeEmptyExamples)));
    assert_eq!(layout.gap(Position::AfterExamples, 0), Some((3, Rank::AfterEmptyExamples)));
}

#[test]
fn overlaps_are_found_and_touching_is_none() {
    let path = |layout: &Layout| layout.check_overlaps(LayoutPath("layout.")).err().map(|refusal| refusal.path);
    let examples = Some(String::from("layout.examples"));
    let ranges = |character, examples| Layout { character, examples, ..Layout::default() };
    assert_eq!(path(&ranges(range(0, 2), range(1, 3))), examples);
    assert_eq!(path(&ranges(range(0, 3), range(1, 1))), examples);
    assert_eq!(path(&ranges(range(1, 1), range(0, 2))), examples);
    assert_eq!(path(&ranges(range(0, 2), range(2, 3))), None);
    assert_eq!(path(&ranges(range(1, 1), range(1, 1))), None);
    assert_eq!(path(&ranges(range(0, 2), range(0, 0))), None);
    assert_eq!(path(&ranges(range(0, 2), range(2, 2))), None);
    assert_eq!(path(&ranges(range(2, 2), range(0, 2))), None);
    assert_eq!(path(&ranges(range(0, 1), range(2, 3))), None);
    let at = |position: usize| Some(format!("layout.conversation.message_indices[{position}]"));
    let base = Layout { character: range(0, 2), examples: range(4, 6), author_note: Some(3), ..Layout::default() };
    let with = |indices: &[usize], empty| Layout { conversation: conversation(indices, empty), ..base.clone() };
    assert_eq!(path(&with(&[2, 6], None)), None);
    assert_eq!(path(&with(&[2, 5], None)), at(1));
    assert_eq!(path(&with(&[1, 5], None)), at(0));
    assert_eq!(path(&with(&[2, 3, 5], None)), at(1));
    assert_eq!(path(&with(&[], Some(5))), Some(String::from("layout.conversation.empty_index")));
    assert_eq!(path(&with(&[], Some(0))), None);
    assert_eq!(path(&with(&[], Some(2))), None);
    assert_eq!(path(&with(&[], Some(4))), None);
    assert_eq!(path(&with(&[], Some(6))), None);
    assert_eq!(path(&with(&[], Some(1))), Some(String::from("layout.conversation.empty_index")));
    // With messages the empty index is not used, so it may lie anywhere.
    assert_eq!(path(&with(&[2], Some(1))), None);
}

#[test]
fn bounds_are_checked_in_the_order_of_the_fields() {
    let layout = Layout {
        character: range(0, 1),
        examples: range(1, 2),
        conversation: conversation(&[2, 3], Some(4)),
        author_note: Some(4),
        outlets: vec![OutletAnchor { message_index: 5, span: None }],
    };
    let path =
        |count| layout.check_bounds(count, |outlet| format!("outlet {outlet}")).err().map(|refusal| refusal.path);
    assert_eq!(path(0).as_deref(), Some("layout.character"));
    assert_eq!(path(1).as_deref(), Some("layout.examples"));
    assert_eq!(path(2).as_deref(), Some("layout.conversation.message_indices[0]"));
    assert_eq!(path(3).as_deref(), Some("layout.conversation.message_indices[1]"));
    assert_eq!(path(4).as_deref(), Some("layout.author_note"));
    assert_eq!(path(5).as_deref(), Some("outlet 0"));
    assert_eq!(path(6), None);
}

#[test]
fn an_empty_conversation_may_lie_at_the_end_and_no_further() {
    let check = |gap, messages| {
        let layout = Layout { conversation: conversation(&[], Some(gap)), ..Layout::default() };
        code_and_path(layout.check_bounds(messages, |_| String::new()))
    };
    let refused = Some((Code::InvalidIndex, String::from("layout.conversation.empty_index")));
    assert_eq!(check(0, 0), None);
    assert_eq!(check(2, 3), None);
    assert_eq!(check(3, 3), None);
    assert_eq!(check(4, 3), refused);
}

#[test]
fn the_place_of_an_empty_conversation_is_any_gap() {
    let known = MessageCount::known(3);
    let check = |index, count| check_empty_index(index, count, "empty_index").map_err(|refusal| refusal.path);
    assert_eq!(check(0, known), Ok(0));
    assert_eq!(check(3, known), Ok(3));
    assert_eq!(check(4, known), Err(String::from("empty_index")));
    assert_eq!(check(-1, known), Err(String::from("empty_index")));
    assert_eq!(check(7, MessageCount::UNKNOWN), Ok(7));
    assert_eq!(check(-1, MessageCount::UNKNOWN), Err(String::from("empty_index")));
}

#[test]
fn a_refused_index_is_told_what_was_allowed() {
    let expected = |count| check_message_index(-1, count, "author_note").map_err(|refusal| refusal.expected);
    let told = String::from("an int from 0 to the last message (3 messages)");
    assert_eq!(expected(MessageCount::known(3)), Err(told));
    assert_eq!(expected(MessageCount::UNKNOWN), Err(String::from("an int of 0 or more")));
    assert_eq!(MessageCount::known(3).get(), Some(3));
    assert_eq!(MessageCount::UNKNOWN.get(), None);
}

#[test]
fn a_range_ascends_within_the_messages() {
    let known = MessageCount::known(3);
    let check = |ends, count| check_range(ends, count, "character").map_err(|refusal| (refusal.code, refusal.expected));
    let of = |start, end| Ok(MessageRange { start, end });
    assert_eq!(check((0, 3), known), of(0, 3));
    assert_eq!(check((1, 2), known), of(1, 2));
    assert_eq!(check((3, 3), known), of(3, 3));
    assert_eq!(check((7, 9), MessageCount::UNKNOWN), of(7, 9));
    for ends in [(2, 1), (0, 4), (4, 4), (4, 3), (-1, 2), (-2, -1), (1, -1)] {
        let expected = String::from("0 ≤ start ≤ end ≤ 3 (the number of messages)");
        assert_eq!(check(ends, known), Err((Code::InvalidRange, expected)), "{ends:?}");
    }
    let expected = String::from("0 ≤ start ≤ end");
    assert_eq!(check((2, 1), MessageCount::UNKNOWN), Err((Code::InvalidRange, expected)));
}

#[test]
fn the_index_of_a_message_is_one_of_them() {
    let check = |index, count| check_message_index(index, count, "author_note").map_err(|refusal| refusal.code);
    assert_eq!([0, 1, 2].map(|index| check(index, MessageCount::known(3))), [Ok(0), Ok(1), Ok(2)]);
    assert_eq!([-1, 3, 4].map(|index| check(index, MessageCount::known(3))), [Err(Code::InvalidIndex); 3]);
    assert_eq!(check(0, MessageCount::known(0)), Err(Code::InvalidIndex));
    assert_eq!(check(9, MessageCount::UNKNOWN), Ok(9));
}

#[test]
fn a_conversation_index_is_greater_than_the_one_before() {
    let check = |index, before| {
        check_conversation_index(index, before, 7, MessageCount::known(5), PATH).map_err(|refusal| refusal.code)
    };
    assert_eq!(check(0, None), Ok(0));
    assert_eq!(check(4, None), Ok(4));
    assert_eq!(check(4, Some(0)), Ok(4));
    assert_eq!(check(3, Some(2)), Ok(3));
    assert_eq!(check(2, Some(2)), Err(Code::UnorderedConversation));
    assert_eq!(check(1, Some(2)), Err(Code::UnorderedConversation));
    assert_eq!(check(5, Some(2)), Err(Code::InvalidIndex));
    assert_eq!(check(-1, Some(2)), Err(Code::InvalidIndex));
}

#[test]
fn each_anchor_declares_its_own_positions() {
    let declared = |layout: Layout, positions: &[Position]| {
        for &position in Position::ALL {
            assert_eq!(layout.declares(position), positions.contains(&position), "{position:?}");
            assert_eq!(layout.declared()[position as usize], positions.contains(&position), "{position:?}");
        }
    };
    declared(Layout::default(), &[]);
    let character = Layout { character: range(0, 0), ..Layout::default() };
    declared(character, &[Position::BeforeCharacter, Position::AfterCharacter]);
    let examples = Layout { examples: range(0, 0), ..Layout::default() };
    declared(examples, &[Position::BeforeExamples, Position::AfterExamples]);
    let history = Layout { conversation: conversation(&[], Some(0)), ..Layout::default() };
    declared(history, &[Position::AtDepth]);
    let note = Layout { author_note: Some(0), ..Layout::default() };
    declared(note, &[Position::AuthorNoteTop, Position::AuthorNoteBottom]);
    let outlets = Layout { outlets: vec![OutletAnchor { message_index: 0, span: None }], ..Layout::default() };
    declared(outlets, &[Position::Outlet]);
}

#[test]
fn an_outlet_past_the_end_is_named_by_the_field_that_holds_the_index() {
    let path = |span| {
        let layout = Layout { outlets: vec![OutletAnchor { message_index: 2, span }], ..Layout::default() };
        layout.check_bounds(2, |outlet| format!("outlet {outlet}")).map_err(|refusal| refusal.path)
    };
    let span = MarkerSpan { start: 0, end: 13, part_index: None };
    assert_eq!(path(None), Err(String::from("outlet 0")));
    assert_eq!(path(Some(span)), Err(String::from("outlet 0.message_index")));
}
