//! One host message: its text, and the new message with everything embedded.

use std::ops::Range;

use interleaf_core::embed::{Content, Edit, Embedded, HostBlocks, NewContent, NewPart, Piece, embed};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use smallvec::SmallVec;

use crate::adapter::located;
use crate::message::{Access, HostContent, part_field, with_item};
use crate::names::intern;
use crate::objects::{IntoObject, empty_list, new_dict};
use crate::sequence::Messages;
use crate::unicode::{TextPiece, join, length, same_text};

/// One message that something may be embedded in.
pub struct Host<'py> {
    /// Its index in the input.
    pub message_index: usize,
    access: Access<'py>,
    /// Its content as it is.
    pub content: HostContent<'py>,
    /// Its markers in the list of all hosts.
    pub edits: Range<usize>,
    /// Its blocks in the list of all hosts.
    pub blocks: Range<usize>,
    /// How many of them stand at the top of the note.
    pub top: usize,
    /// How many of them stand at its bottom.
    pub bottom: usize,
}

/// One block that goes into a host.
pub struct HostBlock<'py> {
    /// Its rendered text.
    pub text: Bound<'py, PyString>,
    /// Which slot of the call it is.
    pub slot: usize,
    /// Its length in code points.
    pub length: usize,
}

impl<'py> Host<'py> {
    /// Reads the message with that index in the input.
    pub fn read(messages: &Messages<'py>, message_index: usize, adapter: Option<&Bound<'py, PyAny>>) -> PyResult<Self> {
        let access = Access::to(messages.get(message_index)?, adapter, message_index)?;
        let content = HostContent::read(&access, message_index)?;
        Ok(Self { message_index, access, content, edits: 0..0, blocks: 0..0, top: 0, bottom: 0 })
    }

    /// Whether its content is a list of parts.
    pub fn has_parts(&self) -> bool {
        matches!(self.content, HostContent::Parts { .. })
    }

    /// The role of the message as it is.
    pub fn role(&self) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.access.role()
    }

    /// The text of a part; of content that is one text, that of part 0.
    pub fn own_text(&self, part: usize) -> Option<&Bound<'py, PyString>> {
        match &self.content {
            HostContent::Text(text) => Some(text),
            HostContent::Parts { texts, .. } => texts.get(part).and_then(Option::as_ref),
        }
    }

    /// The new message, unless nothing changed; `embedded` tells where everything ended up.
    pub fn finish(
        &self,
        edits: &[Edit],
        texts: &Texts<'_, 'py>,
        embedded: &mut Embedded,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let block_length = |block: usize| texts.blocks.get(block).map_or(0, |block| block.length);
        let separator = length(texts.separator)?;
        let blocks = HostBlocks { length: block_length, top: self.top, bottom: self.bottom, separator };
        match &self.content {
            HostContent::Text(text) => embed(Content::Text(length(text)?), edits, blocks, embedded),
            HostContent::Parts { texts, .. } => {
                let lengths = texts.iter().map(|text| text.as_ref().map(length).transpose());
                embed(Content::Parts(&lengths.collect::<PyResult<Vec<_>>>()?), edits, blocks, embedded);
            }
        }
        let content = match &embedded.content {
            NewContent::Same => return Ok(None),
            NewContent::Text => {
                let text = self.written(Some(0), &embedded.pieces, texts)?;
                // Blocks and separators may spell the very marker that they replace.
                if self.own_text(0).is_some_and(|own| same_text(own, &text)) {
                    return Ok(None);
                }
                text.into_any()
            }
            NewContent::Parts(parts) => {
                let place = |error| located(texts.separator.py(), error, &format!("messages[{}]", self.message_index));
                match self.new_parts(parts, &embedded.pieces, texts).map_err(place)? {
                    None => return Ok(None),
                    Some(parts) => parts,
                }
            }
        };
        self.with_content(&content).map(Some)
    }

    /// The text that pieces make; `part` is the one that own text comes from.
    fn written(&self, part: Option<usize>, pieces: &[Piece], texts: &Texts<'_, 'py>) -> PyResult<Bound<'py, PyString>> {
        let own = part.and_then(|part| self.own_text(part)).unwrap_or(texts.separator);
        let mut written: SmallVec<[TextPiece<'_>; 12]> = SmallVec::new();
        for piece in pieces {
            written.push(match piece {
                Piece::Own(span) => TextPiece::new(own, span.clone())?,
                Piece::Separator => TextPiece::whole(texts.separator)?,
                Piece::Block(block) => match texts.blocks.get(*block) {
                    Some(block) => TextPiece::whole(&block.text)?,
                    None => continue,
                },
            });
        }
        join(own.py(), &written)
    }

    /// The message with other content.
    fn with_content(&self, content: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match &self.access {
            Access::Dict(dict) => with_item(dict, intern!(dict.py(), "content"), content),
            Access::Adapter(adapted) => adapted.with_text(content, |part| self.own_text(part).cloned()),
        }
    }

    /// New list content, unless every part stays as it is. For an adapter it is pairs of the old part's index (None for a new
    /// part) and its text (None if it stays as it is); for a dict it is the parts themselves, of which unchanged ones are the
    /// same objects.
    fn new_parts(
        &self,
        new_parts: &[NewPart],
        pieces: &[Piece],
        texts: &Texts<'_, 'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = texts.separator.py();
        let list = empty_list(py)?;
        let HostContent::Parts { parts: old, texts: own_texts } = &self.content else { return Ok(None) };
        let old = old.as_ref();
        let mut differs = new_parts.len() != own_texts.len();
        for part in new_parts {
            let (index, text) = match part {
                NewPart::Kept(index) => (Some(*index), None),
                NewPart::Changed(index, made_of) => {
                    let text = self.written(Some(*index), &pieces[made_of.clone()], texts)?;
                    let is_new = self.own_text(*index).is_none_or(|own| !same_text(own, &text));
                    (Some(*index), is_new.then_some(text))
                }
                NewPart::Note(made_of) => (None, Some(self.written(None, &pieces[made_of.clone()], texts)?)),
            };
            differs |= text.is_some();
            match (old, index, text) {
                (None, index, text) => list.append((index, text).into_object(py)?)?,
                (Some(old), Some(index), None) => list.append(old.get_item(index)?)?,
                (Some(old), Some(index), Some(text)) => {
                    list.append(with_item(&old.get_item(index)?, intern!(py, "text"), &text)?)?;
                }
                (Some(old), None, text) => {
                    let part = new_dict(py)?;
                    part.set_item(intern!(py, "type"), self.note_part_type(old)?)?;
                    part.set_item(intern!(py, "text"), text)?;
                    list.append(part)?;
                }
            }
        }
        Ok(differs.then(|| list.into_any()))
    }

    /// The type of new parts: that of the first text part.
    fn note_part_type(&self, parts: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyAny>> {
        let py = parts.py();
        let HostContent::Parts { texts, .. } = &self.content else { return Ok(intern!(py, "text").clone().into_any()) };
        if let Some(first) = texts.iter().position(Option::is_some)
            && let Some(kind) = part_field(&parts.get_item(first)?, intern!(py, "type"))?
        {
            return Ok(kind);
        }
        Ok(intern!(py, "text").clone().into_any())
    }
}

/// The texts that go into a host, besides its own.
pub struct Texts<'a, 'py> {
    /// Its blocks, in prompt order.
    pub blocks: &'a [HostBlock<'py>],
    /// What stands between them.
    pub separator: &'a Bound<'py, PyString>,
}
