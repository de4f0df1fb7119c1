//! Host messages: their markers, what is embedded in them, and the new message that comes out.

use std::ops::Range;

use interleaf_core::embed::{Content, Edit, Embedded, Fill, HostBlocks, NewContent, NewPart, Piece, embed};
use interleaf_core::error::{Class, Code};
use interleaf_core::outlet::{find_markers, is_marker};
use interleaf_core::text::Text;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use smallvec::{SmallVec, smallvec};

use crate::adapter::located;
use crate::errors::refuse;
use crate::layout_reading::LayoutData;
use crate::message::{Access, HostContent, part_field, with_item};
use crate::names::intern;
use crate::objects::{IntoObject, empty_list, new_dict};
use crate::sequence::Messages;
use crate::unicode::{TextPiece, join, length, text};

/// One message that something may be embedded in.
pub struct Host<'py> {
    /// Its index in the input.
    pub message_index: usize,
    access: Access<'py>,
    content: HostContent<'py>,
    /// Its markers in text order.
    edits: Vec<Edit>,
    /// Its blocks in prompt order.
    pub blocks: Vec<HostBlock<'py>>,
    top: usize,
    bottom: usize,
}

/// How many blocks a host usually takes in, so that the list of them is made once.
const USUAL_BLOCKS: usize = 4;

/// One block that goes into a host.
pub struct HostBlock<'py> {
    /// Its rendered text.
    pub text: Bound<'py, PyString>,
    /// Which slot of the call it is.
    pub slot: usize,
    length: usize,
}

/// What became of a host.
pub struct NewHost<'py> {
    /// The new message, unless nothing changed.
    pub message: Option<Bound<'py, PyAny>>,
    /// Where everything ended up.
    pub embedded: Embedded,
    /// Whether its content is a list of parts.
    pub has_parts: bool,
}

impl<'py> Host<'py> {
    fn read(messages: &Messages<'py>, message_index: usize, adapter: Option<&Bound<'py, PyAny>>) -> PyResult<Self> {
        let access = Access::to(messages.get(message_index)?, adapter, message_index)?;
        let content = HostContent::read(&access, message_index)?;
        Ok(Self {
            message_index,
            access,
            content,
            edits: Vec::new(),
            blocks: Vec::with_capacity(USUAL_BLOCKS),
            top: 0,
            bottom: 0,
        })
    }

    /// The role of the message as it is.
    pub fn role(&self) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.access.role()
    }

    /// Adds the rendered text of the next block in prompt order.
    pub fn take(&mut self, slot: usize, text: Bound<'py, PyString>, at: HostSlot) -> PyResult<()> {
        let length = length(&text)?;
        self.blocks.push(HostBlock { text, slot, length });
        match at {
            HostSlot::NoteTop => self.top += 1,
            HostSlot::NoteBottom => self.bottom += 1,
            HostSlot::Outlet { rank } => {
                if let Some(edit) = self.edits.get_mut(rank) {
                    let already = if let Fill::Blocks(count) = edit.fill { count } else { 0 };
                    edit.fill = Fill::Blocks(already + 1);
                }
            }
        }
        Ok(())
    }

    fn own_text(&self, part: usize) -> Option<&Bound<'py, PyString>> {
        match &self.content {
            HostContent::Text(text) => Some(text),
            HostContent::Parts { texts, .. } => texts.get(part).and_then(Option::as_ref),
        }
    }

    /// Embeds everything taken.
    pub fn finish(&self, separator: &Bound<'py, PyString>) -> PyResult<NewHost<'py>> {
        let (top, bottom, separator_length) = (self.top, self.bottom, length(separator)?);
        let block_length = |block: usize| self.blocks.get(block).map_or(0, |block| block.length);
        let blocks = HostBlocks { length: block_length, top, bottom, separator: separator_length };
        let (embedded, has_parts) = match &self.content {
            HostContent::Text(text) => (embed(Content::Text(length(text)?), &self.edits, blocks), false),
            HostContent::Parts { texts, .. } => {
                let lengths = texts.iter().map(|text| text.as_ref().map(length).transpose());
                (embed(Content::Parts(&lengths.collect::<PyResult<Vec<_>>>()?), &self.edits, blocks), true)
            }
        };
        let content = match &embedded.content {
            NewContent::Same => None,
            NewContent::Text(pieces) => Some(self.written(Some(0), pieces, separator)?.into_any()),
            NewContent::Parts(parts) => {
                let place = |error| located(separator.py(), error, &format!("messages[{}]", self.message_index));
                Some(self.new_parts(parts, separator).map_err(place)?)
            }
        };
        let message = content.map(|content| self.with_content(&content)).transpose()?;
        Ok(NewHost { message, embedded, has_parts })
    }

    /// The text that pieces make; `part` is the one that own text comes from.
    fn written(
        &self,
        part: Option<usize>,
        pieces: &[Piece],
        separator: &Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyString>> {
        let own = part.and_then(|part| self.own_text(part)).unwrap_or(separator);
        let mut texts = Vec::with_capacity(pieces.len());
        for piece in pieces {
            texts.push(match piece {
                Piece::Own(span) => TextPiece::new(own, span.clone())?,
                Piece::Separator => TextPiece::whole(separator)?,
                Piece::Block(block) => match self.blocks.get(*block) {
                    Some(block) => TextPiece::whole(&block.text)?,
                    None => continue,
                },
            });
        }
        join(separator.py(), &texts)
    }

    /// The message with other content.
    fn with_content(&self, content: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match &self.access {
            Access::Dict(dict) => with_item(dict, intern!(dict.py(), "content"), content),
            Access::Adapter(adapted) => adapted.with_text(content, |part| self.own_text(part).cloned()),
        }
    }

    /// New list content. For an adapter it is pairs of the old part's index (None for a new part) and its text (None if it
    /// stays as it is); for a dict it is the parts themselves, of which unchanged ones are the same objects.
    fn new_parts(&self, new_parts: &[NewPart], separator: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        let py = separator.py();
        let list = empty_list(py)?;
        let old = if let HostContent::Parts { parts, .. } = &self.content { parts.as_ref() } else { None };
        for part in new_parts {
            let (index, text) = match part {
                NewPart::Kept(index) => (Some(*index), None),
                NewPart::Changed(index, pieces) => (Some(*index), Some(self.written(Some(*index), pieces, separator)?)),
                NewPart::Note(pieces) => (None, Some(self.written(None, pieces, separator)?)),
            };
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
        Ok(list.into_any())
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

/// Where in its host a block goes.
#[derive(Clone, Copy)]
pub enum HostSlot {
    /// Above the note's own text.
    NoteTop,
    /// Below it.
    NoteBottom,
    /// In the place of a marker, which is that one of its host's.
    Outlet {
        /// See [`Hosts::outlet_ranks`].
        rank: usize,
    },
}

/// All hosts of one call, and the place of each outlet's marker among those of its host.
pub struct Hosts<'py> {
    /// By their index in the input.
    pub hosts: Vec<Host<'py>>,
    /// By outlet.
    pub outlet_ranks: Vec<usize>,
}

/// Most hosts have a few markers: up to four need no memory but the stack's. Never part of what is returned or moved.
type Few<T> = SmallVec<[T; 4]>;

/// The place of a marker: index of the text it is in, and its span there.
type Found = Result<(usize, Range<usize>), Code>;

impl<'py> Hosts<'py> {
    /// The host with that index in the input.
    pub fn of_message(&mut self, message_index: usize) -> Option<&mut Host<'py>> {
        let at = self.hosts.binary_search_by_key(&message_index, |host| host.message_index).ok()?;
        self.hosts.get_mut(at)
    }

    /// Reads the hosts of the note, if it is used, and of all outlets, and checks every marker.
    pub fn read(
        py: Python<'py>,
        messages: &Messages<'py>,
        layout: &LayoutData,
        note_is_used: bool,
        keep_unfilled: bool,
        adapter: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let outlets = &layout.core.outlets;
        let mut hosts: Vec<Host<'py>> = Vec::with_capacity(outlets.len().min(USUAL_BLOCKS) + 1);
        if let (true, Some(note)) = (note_is_used, layout.core.author_note) {
            hosts.push(Host::read(messages, note, adapter)?);
        }
        // Outlets by their message: one search a host finds all its markers, so that a thousand outlets in one long text, or
        // in a thousand texts, stay linear. What is wrong with a marker is told when its outlet's turn comes.
        let mut by_message: Few<usize> = (0..outlets.len()).collect();
        by_message.sort_by_key(|&outlet| outlets[outlet].message_index);
        let mut places: Few<Option<(usize, Found)>> = smallvec![None; outlets.len()];
        for outlet in 0..outlets.len() {
            if places[outlet].is_none() {
                let message = outlets[outlet].message_index;
                let at = match hosts.first() {
                    Some(note) if note.message_index == message => 0,
                    _ => {
                        hosts.push(Host::read(messages, message, adapter)?);
                        hosts.len() - 1
                    }
                };
                let first = by_message.partition_point(|&other| outlets[other].message_index < message);
                let end = by_message.partition_point(|&other| outlets[other].message_index <= message);
                let here = &by_message[first..end];
                for (&other, found) in here.iter().zip(search(py, &hosts[at], layout, here)?) {
                    places[other] = Some((at, found));
                }
            }
            match places[outlet].take() {
                Some((at, Ok((part, span)))) => {
                    let fill = if keep_unfilled { Fill::Keep } else { Fill::Remove };
                    hosts[at].edits.push(Edit { part, span, fill, outlet });
                }
                Some((_, Err(code))) => return Err(refuse_marker(py, layout, outlet, code)),
                None => return Err(refuse_marker(py, layout, outlet, Code::OutletMarkerMissing)),
            }
        }
        hosts.sort_by_key(|host| host.message_index);
        let mut result = Self { hosts, outlet_ranks: Vec::new() };
        result.sort_edits(py, layout)?;
        Ok(result)
    }

    fn sort_edits(&mut self, py: Python<'py>, layout: &LayoutData) -> PyResult<()> {
        self.outlet_ranks = vec![0; layout.core.outlets.len()];
        let mut overlapping: Option<usize> = None;
        for host in &mut self.hosts {
            host.edits.sort_by_key(|edit| (edit.part, edit.span.start));
            for window in host.edits.windows(2) {
                let [before, after] = window else { continue };
                if before.part == after.part && after.span.start < before.span.end {
                    // `{{outlet::a}}}` holds the markers of both `a` and `a}`.
                    let told = before.outlet.max(after.outlet);
                    overlapping = Some(overlapping.map_or(told, |other| other.min(told)));
                }
            }
            for (rank, edit) in host.edits.iter().enumerate() {
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
