//! All host messages of a call: which they are, where their markers stand, and which blocks go into them.

use std::ops::Range;

use interleaf_core::embed::{Edit, Fill};
use interleaf_core::error::{Class, Code};
use interleaf_core::outlet::{find_markers, is_marker};
use interleaf_core::text::Text;
use pyo3::prelude::*;
use pyo3::types::PyString;
use smallvec::{SmallVec, smallvec};

use crate::errors::refuse;
use crate::host::{Host, HostBlock};
use crate::layout_reading::LayoutData;
use crate::message::HostContent;
use crate::sequence::Messages;
use crate::unicode::{length, text};

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
