//! What becomes of one host message: its new parts, as pieces of old and new text, and where each block ends up in them.

use std::ops::Range;

use smallvec::SmallVec;

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
    /// Which outlet of the layout it belongs to.
    pub outlet: usize,
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
pub struct HostBlocks<F> {
    /// Rendered length of each of the host's blocks in prompt order: the note's top, the outlets, the note's bottom.
    pub length: F,
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

/// One part of new list content; ranges are of [`Embedded::pieces`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewPart {
    /// A part of the old list as it is.
    Kept(usize),
    /// A part of the old list with other text.
    Changed(usize, Range<usize>),
    /// A part made for note blocks.
    Note(Range<usize>),
}

/// The new content of a host.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum NewContent {
    /// Nothing differs from the old one.
    #[default]
    Same,
    /// One text, of all pieces.
    Text,
    /// A list of parts.
    Parts(Vec<NewPart>),
}

/// A stretch of text in the new content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSpan {
    /// Index in the new list of parts; 0 in text.
    pub part: usize,
    /// Code points.
    pub span: Range<usize>,
}

/// What becomes of a host. Its lists are on the stack for most hosts, and half a kilobyte: it is written in place, and used again.
#[derive(Clone, Debug, Default)]
pub struct Embedded {
    /// Its new content.
    pub content: NewContent,
    /// What its texts are made of. A note with a block above and one below has five, and each filled outlet adds two.
    pub pieces: SmallVec<[Piece; 12]>,
    /// Where each block stands, in prompt order.
    pub blocks: SmallVec<[TextSpan; 8]>,
    /// Where each kept marker stands, with its outlet.
    pub kept: SmallVec<[(usize, TextSpan); 2]>,
}

struct Writer<'a, F> {
    host: HostBlocks<F>,
    /// Index of the part that is being written.
    part: usize,
    /// Its first piece.
    first_piece: usize,
    /// Length of what was written to it.
    length: usize,
    output: &'a mut Embedded,
}

impl<F: Fn(usize) -> usize> Writer<'_, F> {
    fn write(&mut self, piece: Piece, length: usize) -> TextSpan {
        let start = self.length;
        if length > 0 {
            self.output.pieces.push(piece);
            self.length += length;
        }
        TextSpan { part: self.part, span: start..self.length }
    }

    fn write_own(&mut self, span: Range<usize>) -> TextSpan {
        let length = span.len();
        self.write(Piece::Own(span), length)
    }

    fn write_separator(&mut self) {
        self.write(Piece::Separator, self.host.separator);
    }

    /// The next `count` blocks, joined.
    fn write_blocks(&mut self, count: usize) {
        for position in 0..count {
            if position > 0 {
                self.write_separator();
            }
            let block = self.output.blocks.len();
            let length = (self.host.length)(block);
            let span = self.write(Piece::Block(block), length);
            self.output.blocks.push(span);
        }
    }

    /// The note's blocks that stand above its text, and what separates them from it.
    fn write_top(&mut self) {
        self.write_blocks(self.host.top);
        self.write_separator();
    }

    /// What separates the text of the note from the blocks below it, and those blocks.
    fn write_bottom(&mut self) {
        self.write_separator();
        self.write_blocks(self.host.bottom);
    }

    /// The part's own text with its markers replaced; `edits` are those of this part.
    fn write_own_text(&mut self, length: usize, edits: &[Edit]) {
        let mut from = 0;
        for edit in edits {
            self.write_own(from..edit.span.start);
            match edit.fill {
                Fill::Keep => {
                    let span = self.write_own(edit.span.clone());
                    self.output.kept.push((edit.outlet, span));
                }
                Fill::Remove => {}
                Fill::Blocks(count) => self.write_blocks(count),
            }
            from = edit.span.end;
        }
        self.write_own(from..length);
    }

    /// Ends the part that was being written, and says what it is made of.
    fn end_part(&mut self) -> Range<usize> {
        self.length = 0;
        self.part += 1;
        let end = self.output.pieces.len();
        std::mem::replace(&mut self.first_piece, end)..end
    }
}

fn replaces(edits: &[Edit]) -> bool {
    edits.iter().any(|edit| edit.fill != Fill::Keep)
}

/// Lays out the new content. `edits` are sorted by part and place and do not overlap. What `output` held before is gone.
pub fn embed(content: Content<'_>, edits: &[Edit], host: HostBlocks<impl Fn(usize) -> usize>, output: &mut Embedded) {
    let (top, bottom, separator) = (host.top, host.bottom, host.separator);
    output.pieces.clear();
    output.blocks.clear();
    output.kept.clear();
    let mut writer = Writer { host, part: 0, first_piece: 0, length: 0, output };
    let new = match content {
        Content::Text(length) => {
            if top > 0 {
                writer.write_top();
            }
            writer.write_own_text(length, edits);
            if bottom > 0 {
                writer.write_bottom();
            }
            let note_text = (top + bottom > 0 && separator > 0)
                || writer.output.pieces.iter().any(|piece| matches!(piece, Piece::Block(_)));
            if replaces(edits) || note_text { NewContent::Text } else { NewContent::Same }
        }
        Content::Parts(parts) => {
            let new = embed_in_parts(&mut writer, parts, edits);
            if replaces(edits) || top + bottom > 0 { NewContent::Parts(new) } else { NewContent::Same }
        }
    };
    output.content = new;
}

fn embed_in_parts<F: Fn(usize) -> usize>(
    writer: &mut Writer<'_, F>,
    parts: &[Option<usize>],
    edits: &[Edit],
) -> Vec<NewPart> {
    let mut new = Vec::with_capacity(parts.len() + 2);
    if writer.host.top > 0 {
        writer.write_top();
        new.push(NewPart::Note(writer.end_part()));
    }
    let mut first_emptied = None;
    let mut edit = 0;
    for (index, &length) in parts.iter().enumerate() {
        let here = edits[edit..].iter().take_while(|edit| edit.part == index).count();
        let own_edits = &edits[edit..edit + here];
        writer.write_own_text(length.unwrap_or_default(), own_edits);
        edit += here;
        if !replaces(own_edits) {
            writer.end_part();
            new.push(NewPart::Kept(index));
        } else if writer.length == 0 && own_edits.iter().all(|edit| edit.fill == Fill::Remove) {
            // Emptied by removal alone: left out, for providers refuse empty text parts.
            first_emptied.get_or_insert(index);
        } else {
            new.push(NewPart::Changed(index, writer.end_part()));
        }
    }
    if writer.host.bottom > 0 {
        writer.write_bottom();
        new.push(NewPart::Note(writer.end_part()));
    }
    if let (true, Some(index)) = (new.is_empty(), first_emptied) {
        new.push(NewPart::Changed(index, 0..0));
    }
    new
}

#[cfg(test)]
mod tests;
