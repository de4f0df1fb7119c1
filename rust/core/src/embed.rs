//! What becomes of one host message: its new parts, as pieces of old and new text, and where each block ends up in them.

use std::ops::Range;

/// What stands in the place of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// The marker itself.
    Keep,
    /// Nothing.
    Remove,
    /// That many of the host's next blocks, joined by the separator.
    Blocks(usize),
}

/// One marker of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Index of the part in list content; 0 in text.
    pub part: usize,
    /// The marker, in code points.
    pub span: Range<usize>,
    /// What stands there afterwards.
    pub fill: Fill,
}

/// The content of the host, by its lengths in code points.
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
    /// One text.
    Text(usize),
    /// A list of parts, those without text as `None`.
    Parts(&'a [Option<usize>]),
}

/// What a host has to take in.
#[derive(Clone, Copy, Debug)]
pub struct HostBlocks<'a> {
    /// Rendered lengths of the host's blocks in prompt order: the note's top, the outlets, the note's bottom.
    pub lengths: &'a [usize],
    /// How many of them stand at the top of the note.
    pub top: usize,
    /// How many of them stand at its bottom.
    pub bottom: usize,
    /// Length of the separator.
    pub separator: usize,
}

/// A piece of the text of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Code points of the part's own text.
    Own(Range<usize>),
    /// The rendered text of one of the host's blocks.
    Block(usize),
    /// The separator.
    Separator,
}

/// Where a part of the new content comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A part of the old content (the only one, in text).
    Part(usize),
    /// A part made for note blocks.
    Note,
}

/// One part of the new content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPart {
    /// Where it comes from.
    pub source: Source,
    /// Its text; `None` leaves the part as it is.
    pub pieces: Option<Vec<Piece>>,
}

/// A stretch of text in the new content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSpan {
    /// Index in the new list of parts; 0 in text.
    pub part: usize,
    /// Code points.
    pub span: Range<usize>,
}

/// The new content of a host.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Embedded {
    /// Its parts in order; one in text.
    pub parts: Vec<NewPart>,
    /// Where each block stands, in the order of [`HostBlocks::lengths`].
    pub blocks: Vec<TextSpan>,
    /// Where each kept marker stands, with the index of its edit.
    pub kept: Vec<(usize, TextSpan)>,
    /// Whether anything differs from the old content.
    pub changed: bool,
}

struct Writer<'a> {
    blocks: HostBlocks<'a>,
    next_block: usize,
    result: Embedded,
    pieces: Vec<Piece>,
    length: usize,
}

impl Writer<'_> {
    fn write(&mut self, piece: Piece, length: usize) -> Range<usize> {
        let start = self.length;
        if length > 0 {
            self.pieces.push(piece);
            self.length += length;
        }
        start..self.length
    }

    fn write_own(&mut self, span: Range<usize>) -> Range<usize> {
        let length = span.len();
        self.write(Piece::Own(span), length)
    }

    fn write_separator(&mut self) {
        self.write(Piece::Separator, self.blocks.separator);
    }

    /// The next `count` blocks, joined.
    fn write_blocks(&mut self, count: usize) {
        for position in 0..count {
            if position > 0 {
                self.write_separator();
            }
            let block = self.next_block;
            self.next_block += 1;
            let length = self.blocks.lengths.get(block).copied().unwrap_or_default();
            let span = self.write(Piece::Block(block), length);
            let part = self.result.parts.len();
            self.result.blocks.push(TextSpan { part, span });
        }
    }

    /// The part's own text with its markers replaced; `edits` are those of this part, with the index of the first.
    fn write_own_text(&mut self, length: usize, first_edit: usize, edits: &[Edit]) {
        let mut from = 0;
        for (offset, edit) in edits.iter().enumerate() {
            self.write_own(from..edit.span.start);
            match edit.fill {
                Fill::Keep => {
                    let span = self.write_own(edit.span.clone());
                    let part = self.result.parts.len();
                    self.result.kept.push((first_edit + offset, TextSpan { part, span }));
                }
                Fill::Remove => {}
                Fill::Blocks(count) => self.write_blocks(count),
            }
            from = edit.span.end;
        }
        self.write_own(from..length);
    }

    /// Ends the part that was being written.
    fn end_part(&mut self, source: Source) {
        self.length = 0;
        let pieces = Some(std::mem::take(&mut self.pieces));
        self.result.parts.push(NewPart { source, pieces });
    }
}

/// Lays out the new content. `edits` are sorted by part and place and do not overlap.
pub fn embed(content: Content<'_>, edits: &[Edit], blocks: HostBlocks<'_>) -> Embedded {
    let mut writer = Writer { blocks, next_block: 0, result: Embedded::default(), pieces: Vec::new(), length: 0 };
    let replaced = edits.iter().any(|edit| edit.fill != Fill::Keep);
    match content {
        Content::Text(length) => {
            if blocks.top > 0 {
                writer.write_blocks(blocks.top);
                writer.write_separator();
            }
            writer.write_own_text(length, 0, edits);
            if blocks.bottom > 0 {
                writer.write_separator();
                writer.write_blocks(blocks.bottom);
            }
            let note_text = (blocks.top + blocks.bottom > 0 && blocks.separator > 0)
                || writer.pieces.iter().any(|piece| matches!(piece, Piece::Block(_)));
            writer.end_part(Source::Part(0));
            writer.result.changed = replaced || note_text;
        }
        Content::Parts(parts) => {
            if blocks.top > 0 {
                writer.write_blocks(blocks.top);
                writer.write_separator();
                writer.end_part(Source::Note);
            }
            embed_in_parts(&mut writer, parts, edits);
            if blocks.bottom > 0 {
                writer.write_separator();
                writer.write_blocks(blocks.bottom);
                writer.end_part(Source::Note);
            }
            writer.result.changed = replaced || blocks.top + blocks.bottom > 0;
        }
    }
    writer.result
}

fn embed_in_parts(writer: &mut Writer<'_>, parts: &[Option<usize>], edits: &[Edit]) {
    let mut first_emptied = None;
    let mut edit = 0;
    for (index, &length) in parts.iter().enumerate() {
        let here = edits[edit..].iter().take_while(|edit| edit.part == index).count();
        let own_edits = &edits[edit..edit + here];
        let unchanged = own_edits.iter().all(|edit| edit.fill == Fill::Keep);
        writer.write_own_text(length.unwrap_or_default(), edit, own_edits);
        let by_removal_alone = !unchanged && own_edits.iter().all(|edit| edit.fill == Fill::Remove);
        if by_removal_alone && writer.length == 0 {
            // Left out, for providers refuse empty text parts.
            first_emptied.get_or_insert((writer.result.parts.len(), index));
        } else {
            writer.end_part(Source::Part(index));
            if unchanged && let Some(part) = writer.result.parts.last_mut() {
                part.pieces = None;
            }
        }
        edit += here;
    }
    if let (Some((_, index)), 0, 0) = (first_emptied, writer.result.parts.len(), writer.blocks.bottom) {
        writer.result.parts.push(NewPart { source: Source::Part(index), pieces: Some(Vec::new()) });
    }
}

#[cfg(test)]
mod tests;
