use super::*;

fn edit(part: usize, span: Range<usize>, fill: Fill) -> Edit {
    let outlet = 10 + part;
    Edit { part, span, fill, outlet }
}

fn host(lengths: &[usize], top: usize, bottom: usize, separator: usize) -> HostBlocks<impl Fn(usize) -> usize> {
    HostBlocks { length: |block: usize| lengths[block], top, bottom, separator }
}

/// A host with that content and what became of it.
fn embedded(content: Content<'_>, edits: &[Edit], host: HostBlocks<impl Fn(usize) -> usize>) -> Embedded {
    let mut result = Embedded::default();
    embed(content, edits, host, &mut result);
    result
}

fn at(part: usize, span: Range<usize>) -> TextSpan {
    TextSpan { part, span }
}

#[test]
fn note_blocks_go_around_the_text() {
    let result = embedded(Content::Text(4), &[], host(&[4, 4, 4], 2, 1, 1));
    assert_eq!(result.blocks[..], [at(0, 0..4), at(0, 5..9), at(0, 15..19)]);
    let pieces = [
        Piece::Block(0),
        Piece::Separator,
        Piece::Block(1),
        Piece::Separator,
        Piece::Own(0..4),
        Piece::Separator,
        Piece::Block(2),
    ];
    assert_eq!((&result.content, &result.pieces[..]), (&NewContent::Text, &pieces[..]));
}

#[test]
fn a_side_of_the_note_without_blocks_has_no_separator() {
    let of = |edits: &[Edit], top, bottom| embedded(Content::Text(14), edits, host(&[4], top, bottom, 1));
    let top = of(&[], 1, 0);
    assert_eq!(top.content, NewContent::Text);
    assert_eq!(top.pieces[..], [Piece::Block(0), Piece::Separator, Piece::Own(0..14)]);
    let bottom = of(&[], 0, 1);
    assert_eq!(bottom.pieces[..], [Piece::Own(0..14), Piece::Separator, Piece::Block(0)]);
    assert_eq!(bottom.blocks[..], [at(0, 15..19)]);
    let neither = of(&[edit(0, 0..13, Fill::Blocks(1))], 0, 0);
    assert_eq!(neither.pieces[..], [Piece::Block(0), Piece::Own(13..14)]);
    assert_eq!(neither.blocks[..], [at(0, 0..4)]);
}

#[test]
fn markers_are_replaced_removed_and_kept() {
    let edits = [edit(0, 2..15, Fill::Blocks(2)), edit(0, 16..29, Fill::Remove), edit(0, 30..43, Fill::Keep)];
    let result = embedded(Content::Text(45), &edits, host(&[7, 3, 2], 1, 0, 1));
    assert_eq!(result.blocks[..], [at(0, 0..7), at(0, 10..13), at(0, 14..16)]);
    assert_eq!(result.kept[..], [(10, at(0, 18..31))]);
}

#[test]
fn what_adds_no_text_changes_no_text() {
    let is_same = |result: Embedded| result.content == NewContent::Same;
    assert!(is_same(embedded(Content::Text(3), &[], host(&[], 0, 0, 1))));
    assert!(is_same(embedded(Content::Parts(&[Some(3)]), &[], host(&[], 0, 0, 1))));
    assert!(is_same(embedded(Content::Text(3), &[], host(&[0], 1, 0, 0))));
    assert!(!is_same(embedded(Content::Text(3), &[], host(&[0], 0, 1, 1))));
    assert!(!is_same(embedded(Content::Text(3), &[], host(&[1], 0, 1, 0))));
    assert!(is_same(embedded(Content::Text(13), &[edit(0, 0..13, Fill::Keep)], host(&[], 0, 0, 1))));
    assert!(!is_same(embedded(Content::Text(13), &[edit(0, 0..13, Fill::Blocks(1))], host(&[0], 0, 0, 1))));
    assert!(!is_same(embedded(Content::Parts(&[None]), &[], host(&[0], 1, 0, 0))));
    assert!(is_same(embedded(Content::Parts(&[Some(13)]), &[edit(0, 0..13, Fill::Keep)], host(&[], 0, 0, 1))));
}

/// A part of new list content, with the pieces themselves.
#[derive(Debug, PartialEq)]
enum Part {
    Kept(usize),
    Changed(usize, Vec<Piece>),
    Note(Vec<Piece>),
}

fn parts(result: Embedded) -> Vec<Part> {
    let NewContent::Parts(parts) = result.content else { return Vec::new() };
    let made_of = |range: Range<usize>| result.pieces[range].to_vec();
    let part = |part| match part {
        NewPart::Kept(index) => Part::Kept(index),
        NewPart::Changed(index, range) => Part::Changed(index, made_of(range)),
        NewPart::Note(range) => Part::Note(made_of(range)),
    };
    parts.into_iter().map(part).collect()
}

#[test]
fn list_content_gets_note_parts_of_its_own() {
    let edits = [edit(0, 5..18, Fill::Blocks(1))];
    let result = embedded(Content::Parts(&[Some(18), None]), &edits, host(&[3, 3, 4, 4], 1, 2, 1));
    assert_eq!(result.blocks[..], [at(0, 0..3), at(1, 5..8), at(3, 1..5), at(3, 6..10)]);
    assert_eq!(
        parts(result),
        [
            Part::Note(vec![Piece::Block(0), Piece::Separator]),
            Part::Changed(0, vec![Piece::Own(0..5), Piece::Block(1)]),
            Part::Kept(1),
            Part::Note(vec![Piece::Separator, Piece::Block(2), Piece::Separator, Piece::Block(3)]),
        ]
    );
}

#[test]
fn note_blocks_alone_change_a_list() {
    let of = |top, bottom| parts(embedded(Content::Parts(&[Some(2)]), &[], host(&[3, 4], top, bottom, 1)));
    let top = || Part::Note(vec![Piece::Block(0), Piece::Separator]);
    let bottom = |block| Part::Note(vec![Piece::Separator, Piece::Block(block)]);
    assert_eq!(of(1, 0), [top(), Part::Kept(0)]);
    assert_eq!(of(0, 1), [Part::Kept(0), bottom(0)]);
    assert_eq!(of(1, 1), [top(), Part::Kept(0), bottom(1)]);
}

#[test]
fn a_part_with_text_beside_a_removed_marker_keeps_that_text() {
    let result = embedded(Content::Parts(&[Some(20)]), &[edit(0, 3..16, Fill::Remove)], host(&[], 0, 0, 1));
    assert_eq!(parts(result), [Part::Changed(0, vec![Piece::Own(0..3), Piece::Own(16..20)])]);
}

#[test]
fn kept_markers_count_their_parts_among_the_new_ones() {
    let edits = [edit(0, 0..13, Fill::Remove), edit(1, 1..14, Fill::Keep)];
    let result = embedded(Content::Parts(&[Some(13), Some(14)]), &edits, host(&[2], 1, 0, 1));
    assert_eq!(result.kept[..], [(11, at(1, 1..14))]);
    assert_eq!(parts(result)[1], Part::Kept(1));
}

#[test]
fn parts_emptied_by_removal_are_left_out_but_never_all() {
    let removed = |part| edit(part, 0..13, Fill::Remove);
    let note = |piece| Part::Note(vec![piece, Piece::Separator]);
    let emptied = |part| Part::Changed(part, Vec::new());
    let of = |lengths: &[Option<usize>], edits: &[Edit], top, bottom| {
        parts(embedded(Content::Parts(lengths), edits, host(&[1, 1], top, bottom, 1)))
    };
    assert_eq!(of(&[Some(13), Some(2)], &[removed(0)], 0, 0), [Part::Kept(1)]);
    assert_eq!(of(&[Some(13), Some(13)], &[removed(0), removed(1)], 0, 0), [emptied(0)]);
    assert_eq!(of(&[Some(13)], &[removed(0)], 1, 0), [note(Piece::Block(0))]);
    assert_eq!(of(&[Some(13)], &[removed(0)], 0, 1), [Part::Note(vec![Piece::Separator, Piece::Block(0)])]);
    // Filled with nothing is not removed: the record points to it.
    let filled = embedded(Content::Parts(&[Some(13), None]), &[edit(0, 0..13, Fill::Blocks(1))], host(&[0], 0, 0, 1));
    assert_eq!(parts(filled), [emptied(0), Part::Kept(1)]);
    // An empty part that was there before stays.
    let before = embedded(Content::Parts(&[Some(0), Some(2)]), &[], host(&[1], 1, 0, 1));
    assert_eq!(parts(before)[1..], [Part::Kept(0), Part::Kept(1)]);
}
