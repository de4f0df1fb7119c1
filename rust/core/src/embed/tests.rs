use super::*;

fn edit(part: usize, span: Range<usize>, fill: Fill) -> Edit {
    Edit { part, span, fill }
}

fn host(lengths: &[usize], top: usize, bottom: usize, separator: usize) -> HostBlocks<'_> {
    HostBlocks { lengths, top, bottom, separator }
}

fn at(part: usize, span: Range<usize>) -> TextSpan {
    TextSpan { part, span }
}

#[test]
fn note_blocks_go_around_the_text() {
    let result = embed(Content::Text(4), &[], host(&[4, 4, 4], 2, 1, 1));
    assert_eq!(result.blocks, [at(0, 0..4), at(0, 5..9), at(0, 15..19)]);
    assert!(result.changed);
    let pieces = result.parts[0].pieces.as_ref();
    assert_eq!(
        pieces,
        Some(&vec![
            Piece::Block(0),
            Piece::Separator,
            Piece::Block(1),
            Piece::Separator,
            Piece::Own(0..4),
            Piece::Separator,
            Piece::Block(2),
        ])
    );
}

#[test]
fn markers_are_replaced_removed_and_kept() {
    let edits = [edit(0, 2..15, Fill::Blocks(2)), edit(0, 16..29, Fill::Remove), edit(0, 30..43, Fill::Keep)];
    let result = embed(Content::Text(45), &edits, host(&[7, 3, 2], 1, 0, 1));
    assert_eq!(result.blocks, [at(0, 0..7), at(0, 10..13), at(0, 14..16)]);
    assert_eq!(result.kept, [(2, at(0, 18..31))]);
    assert!(result.changed);
}

#[test]
fn what_adds_no_text_changes_no_text() {
    assert!(!embed(Content::Text(3), &[], host(&[0], 1, 0, 0)).changed);
    assert!(embed(Content::Text(3), &[], host(&[0], 0, 1, 1)).changed);
    assert!(embed(Content::Text(3), &[], host(&[1], 0, 1, 0)).changed);
    assert!(!embed(Content::Text(13), &[edit(0, 0..13, Fill::Keep)], host(&[], 0, 0, 1)).changed);
    assert!(embed(Content::Text(13), &[edit(0, 0..13, Fill::Blocks(1))], host(&[0], 0, 0, 1)).changed);
    assert!(embed(Content::Parts(&[None]), &[], host(&[0], 1, 0, 0)).changed);
    assert!(!embed(Content::Parts(&[Some(13)]), &[edit(0, 0..13, Fill::Keep)], host(&[], 0, 0, 1)).changed);
}

#[test]
fn list_content_gets_note_parts_of_its_own() {
    let edits = [edit(0, 5..18, Fill::Blocks(1))];
    let result = embed(Content::Parts(&[Some(18), None]), &edits, host(&[3, 3, 4, 4], 1, 2, 1));
    let sources: Vec<_> = result.parts.iter().map(|part| part.source).collect();
    assert_eq!(sources, [Source::Note, Source::Part(0), Source::Part(1), Source::Note]);
    assert_eq!(result.blocks, [at(0, 0..3), at(1, 5..8), at(3, 1..5), at(3, 6..10)]);
    assert_eq!(result.parts[2].pieces, None);
}

#[test]
fn parts_emptied_by_removal_are_left_out_but_never_all() {
    let removed = |part| edit(part, 0..13, Fill::Remove);
    let sources = |parts: &[Option<usize>], edits: &[Edit], blocks| {
        embed(Content::Parts(parts), edits, blocks).parts.iter().map(|part| part.source).collect::<Vec<_>>()
    };
    assert_eq!(sources(&[Some(13), Some(2)], &[removed(0)], host(&[], 0, 0, 1)), [Source::Part(1)]);
    assert_eq!(sources(&[Some(13), Some(13)], &[removed(0), removed(1)], host(&[], 0, 0, 1)), [Source::Part(0)]);
    assert_eq!(sources(&[Some(13)], &[removed(0)], host(&[1], 1, 0, 1)), [Source::Note]);
    assert_eq!(sources(&[Some(13)], &[removed(0)], host(&[1], 0, 1, 1)), [Source::Note]);
    // Filled with nothing is not removed: the record points to it.
    assert_eq!(
        sources(&[Some(13), None], &[edit(0, 0..13, Fill::Blocks(1))], host(&[0], 0, 0, 1)),
        [Source::Part(0), Source::Part(1)]
    );
    // An empty part that was there before stays.
    assert_eq!(sources(&[Some(0), Some(2)], &[], host(&[], 0, 0, 1)), [Source::Part(0), Source::Part(1)]);
}
