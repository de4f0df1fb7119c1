//! Host messages: their markers, what is embedded in them, and the new message that comes out.

use std::ops::Range;

use interleaf_core::embed::{Content, Edit, Embedded, Fill, HostBlocks, NewContent, NewPart, Piece, embed};
use interleaf_core::error::{Class, Code};
use interleaf_core::outlet::{find_markers, is_marker};
use interleaf_core::text::Text;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use smallvec::{SmallVec, smallvec};

use crate::adapter::located;
use crate::errors::refuse;
use crate::layout_reading::LayoutData;
use crate::message::{Access, HostContent, part_field, with_item};
use crate::sequence::Messages;
use crate::unicode::{TextPiece, join, length, same_text, text};

/// One message that something may be embedded in.
pub struct Host<'py> {
    /// Its index in the input.
    pub message_index: usize,
    access: Access<'py>,
    content: HostContent<'py>,
    /// Its markers in [`Hosts::edits`].
    edits: Range<usize>,
    /// Its blocks in [`Hosts::blocks`].
    blocks: Range<usize>,
    top: usize,
    bottom: usize,
}

/// One block that goes into a host.
pub struct HostBlock<'py> {
    /// Its rendered text.
    pub text: Bound<'py, PyString>,
    /// Which slot of the call it is.
    pub slot: usize,
    length: usize,
}

impl<'py> Host<'py> {
    fn read(messages: &Messages<'py>, message_index: usize, adapter: Option<&Bound<'py, PyAny>>) -> PyResult<Self> {
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

    fn own_text(&self, part: usize) -> Option<&Bound<'py, PyString>> {
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
        let mut written: SmallVec<[TextPiece<'_, 'py>; 12]> = SmallVec::new();
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

    /// New list content, unless every part stays as it is. For an adapter it is pairs of the old part's index (None for a new part) and its text (None if it
    /// stays as it is); for a dict it is the parts themselves, of which unchanged ones are the same objects.
    fn new_parts(
        &self,
        new_parts: &[NewPart],
        pieces: &[Piece],
        texts: &Texts<'_, 'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = texts.separator.py();
        let list = PyList::empty(py);
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
                (None, index, text) => list.append((index, text))?,
                (Some(old), Some(index), None) => list.append(old.get_item(index)?)?,
                (Some(old), Some(index), Some(text)) => {
                    list.append(with_item(&old.get_item(index)?, intern!(py, "text"), &text)?)?;
                }
                (Some(old), None, text) => {
                    let part = PyDict::new(py);
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

/// Where in its host a block goes.
#[derive(Clone, Copy)]
pub enum HostSlot {
    /// Above the note's own text.
    NoteTop,
    /// Below it.
    NoteBottom,
    /// In the place of the marker of that outlet of the layout.
    Outlet(usize),
}

/// Most calls have a few hosts with a few markers: up to four need no memory but the stack's.
type Few<T> = SmallVec<[T; 4]>;

/// All hosts of one call, with their markers and blocks in lists that they share.
pub struct Hosts<'py> {
    /// By their index in the input.
    pub list: Few<Host<'py>>,
    /// The markers: those of one host stand together, in text order.
    edits: Few<Edit>,
    /// The blocks taken in so far, in prompt order, in which hosts ascend as well.
    pub blocks: SmallVec<[HostBlock<'py>; 8]>,
    /// By outlet: the place of its marker among those of its host.
    pub outlet_ranks: SmallVec<[usize; 8]>,
}

/// The place of a marker: index of the text it is in, and its span there.
type Found = Result<(usize, Range<usize>), Code>;

impl<'py> Hosts<'py> {
    /// No hosts yet. They are read into the place where they stay, for they are a kilobyte.
    pub fn none() -> Self {
        Self { list: Few::new(), edits: Few::new(), blocks: SmallVec::new(), outlet_ranks: SmallVec::new() }
    }

    /// The markers of a host, in text order.
    pub fn edits_of(&self, host: &Host<'_>) -> &[Edit] {
        &self.edits[host.edits.clone()]
    }

    /// The blocks of a host, in prompt order.
    pub fn blocks_of(&self, host: &Host<'_>) -> &[HostBlock<'py>] {
        &self.blocks[host.blocks.clone()]
    }

    /// Adds the rendered text of the next block in prompt order to the host with that index in the input.
    pub fn take(&mut self, message: usize, slot: usize, text: Bound<'py, PyString>, at: HostSlot) -> PyResult<()> {
        let length = length(&text)?;
        let Ok(host) = self.list.binary_search_by_key(&message, |host| host.message_index) else { return Ok(()) };
        let host = &mut self.list[host];
        match at {
            HostSlot::NoteTop => host.top += 1,
            HostSlot::NoteBottom => host.bottom += 1,
            HostSlot::Outlet(outlet) => {
                if let Some(edit) = self.edits.get_mut(host.edits.start + self.outlet_ranks[outlet]) {
                    let already = if let Fill::Blocks(count) = edit.fill { count } else { 0 };
                    edit.fill = Fill::Blocks(already + 1);
                }
            }
        }
        if host.blocks.is_empty() {
            host.blocks.start = self.blocks.len();
        }
        self.blocks.push(HostBlock { text, slot, length });
        host.blocks.end = self.blocks.len();
        Ok(())
    }

    /// Reads the hosts of the note, if it is used, and of all outlets, and checks every marker.
    pub fn read(
        &mut self,
        py: Python<'py>,
        messages: &Messages<'py>,
        layout: &LayoutData,
        note_is_used: bool,
        keep_unfilled: bool,
        adapter: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let outlets = &layout.core.outlets;
        if let (true, Some(note)) = (note_is_used, layout.core.author_note) {
            self.list.push(Host::read(messages, note, adapter)?);
        }
        // Outlets by their message: one search a host finds all its markers, so that a thousand outlets in one long text, or
        // in a thousand texts, stay linear. What is wrong with a marker is told when its outlet's turn comes.
        let mut by_message: Few<usize> = (0..outlets.len()).collect();
        by_message.sort_by_key(|&outlet| outlets[outlet].message_index);
        let mut places: Few<Option<Found>> = smallvec![None; outlets.len()];
        for outlet in 0..outlets.len() {
            if places[outlet].is_none() {
                let message = outlets[outlet].message_index;
                let at = match self.list.first() {
                    Some(note) if note.message_index == message => 0,
                    _ => {
                        self.list.push(Host::read(messages, message, adapter)?);
                        self.list.len() - 1
                    }
                };
                let first = by_message.partition_point(|&other| outlets[other].message_index < message);
                let end = by_message.partition_point(|&other| outlets[other].message_index <= message);
                let here = &by_message[first..end];
                for (&other, found) in here.iter().zip(search(py, &self.list[at], layout, here)?) {
                    places[other] = Some(found);
                }
            }
            match places[outlet].take() {
                Some(Ok((part, span))) => {
                    let fill = if keep_unfilled { Fill::Keep } else { Fill::Remove };
                    self.edits.push(Edit { part, span, fill, outlet });
                }
                Some(Err(code)) => return Err(refuse_marker(py, layout, outlet, code)),
                None => return Err(refuse_marker(py, layout, outlet, Code::OutletMarkerMissing)),
            }
        }
        self.sort(py, layout)
    }

    /// Puts hosts and markers in the order of the prompt.
    fn sort(&mut self, py: Python<'py>, layout: &LayoutData) -> PyResult<()> {
        let message_of = |edit: &Edit| layout.core.outlets[edit.outlet].message_index;
        self.list.sort_by_key(|host| host.message_index);
        self.edits.sort_by_key(|edit| (message_of(edit), edit.part, edit.span.start));
        self.outlet_ranks = smallvec![0; layout.core.outlets.len()];
        let mut overlapping: Option<usize> = None;
        let mut first = 0;
        for host in &mut self.list {
            let count = self.edits[first..].iter().take_while(|edit| message_of(edit) == host.message_index).count();
            host.edits = first..first + count;
            first += count;
            let edits = &self.edits[host.edits.clone()];
            for window in edits.windows(2) {
                let [before, after] = window else { continue };
                if before.part == after.part && after.span.start < before.span.end {
                    // `{{outlet::a}}}` holds the markers of both `a` and `a}`.
                    let told = before.outlet.max(after.outlet);
                    overlapping = Some(overlapping.map_or(told, |other| other.min(told)));
                }
            }
            for (rank, edit) in edits.iter().enumerate() {
                self.outlet_ranks[edit.outlet] = rank;
            }
        }
        match overlapping {
            None => Ok(()),
            Some(outlet) => {
                let expected = "markers that do not overlap";
                let found = "a marker that shares text with that of another outlet";
                Err(refuse(Class::Layout, Code::OverlappingRegions, layout.outlet_path(py, outlet), found, expected))
            }
        }
    }
}

/// The places of these outlets, all of one host, in their order.
fn search(py: Python<'_>, host: &Host<'_>, layout: &LayoutData, outlets: &[usize]) -> PyResult<Few<Found>> {
    let mut places: Few<Found> = smallvec![Err(Code::OutletMarkerMissing); outlets.len()];
    let mut searched: Few<(usize, Text<'_>)> = Few::new();
    for (at, &outlet) in outlets.iter().enumerate() {
        let name = text(layout.names[outlet].bind(py))?;
        let Some(span) = layout.core.outlets[outlet].span else {
            searched.push((at, name));
            continue;
        };
        let part = match (&host.content, span.part_index) {
            (HostContent::Text(_), None) => Some(0),
            (HostContent::Parts { .. }, part) => part,
            (HostContent::Text(_), Some(_)) => None,
        };
        if let Some((part, own)) = part.and_then(|part| host.own_text(part).map(|own| (part, own)))
            && is_marker(text(own)?, span.start..span.end, name)
        {
            places[at] = Ok((part, span.start..span.end));
        }
    }
    if searched.is_empty() {
        return Ok(places);
    }
    let mut parts: Few<usize> = Few::new();
    let mut views: Few<Text<'_>> = Few::new();
    match &host.content {
        HostContent::Text(own) => {
            parts.push(0);
            views.push(text(own)?);
        }
        HostContent::Parts { texts, .. } => {
            for (part, own) in texts.iter().enumerate() {
                if let Some(own) = own {
                    parts.push(part);
                    views.push(text(own)?);
                }
            }
        }
    }
    let names: Few<Text<'_>> = searched.iter().map(|&(_, name)| name).collect();
    for ((at, _), found) in searched.iter().zip(find_markers(&views, &names)) {
        places[*at] = match (found.first, found.occurrences) {
            (Some((index, span)), 1) => Ok((parts[index], span)),
            (None, _) => Err(Code::OutletMarkerMissing),
            (Some(_), _) => Err(Code::OutletMarkerRepeated),
        };
    }
    Ok(places)
}

#[cold]
fn refuse_marker(py: Python<'_>, layout: &LayoutData, outlet: usize, code: Code) -> PyErr {
    let name = layout.names.get(outlet).map_or_else(String::new, |name| crate::unicode::display(name.bind(py)));
    let anchor = &layout.core.outlets[outlet];
    let message = anchor.message_index;
    let marker = format!("the marker {{{{outlet::{name}}}}}");
    let (found, expected) = match (code, anchor.span) {
        (Code::OutletMarkerRepeated, _) => {
            (format!("{marker} more than once in messages[{message}]"), String::from("exactly one"))
        }
        (_, Some(span)) => {
            let part = span.part_index.map_or_else(String::new, |part| format!(", part {part}"));
            let place = format!("messages[{message}]{part}, code points {} to {}", span.start, span.end);
            (format!("other text at {place}"), marker)
        }
        (_, None) => (
            format!("no {} in the text of messages[{message}]", marker.trim_start_matches("the ")),
            String::from("exactly one"),
        ),
    };
    refuse(Class::Layout, code, layout.outlet_path(py, outlet), found, expected)
}
