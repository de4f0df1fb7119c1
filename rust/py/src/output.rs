//! The new list of messages: hosts in their new form, and what the blocks became between the messages of the input.

use std::iter::Peekable;

use interleaf_core::embed::Embedded;
use interleaf_core::layout::MarkerSpan;
use interleaf_core::place::{Place, Slot};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use smallvec::SmallVec;

use crate::host::Texts;
use crate::hosts::Hosts;
use crate::placement::{EmbeddedAt, KeptMarker};
use crate::rendering::Made;
use crate::sequence::{Messages, OutputList};

/// Index in the input and new message, ascending.
type NewHosts<'py> = SmallVec<[(usize, Bound<'py, PyAny>); 4]>;

/// What came out of the hosts.
pub struct Rewritten<'py> {
    /// Those that changed.
    pub messages: NewHosts<'py>,
    /// Where embedded slots stand.
    pub embedded: Vec<EmbeddedAt>,
    /// The markers that were kept.
    pub kept: Vec<KeptMarker>,
}

/// Writes every host anew that something was embedded in.
pub fn rewrite_hosts<'py>(hosts: &Hosts<'py>, separator: &Bound<'py, PyString>) -> PyResult<Rewritten<'py>> {
    let mut result =
        Rewritten { messages: SmallVec::new(), embedded: Vec::with_capacity(hosts.blocks.len()), kept: Vec::new() };
    let mut embedded = Embedded::default();
    for host in &hosts.list {
        let texts = Texts { blocks: hosts.blocks_of(host), separator };
        let message = host.finish(hosts.edits_of(host), &texts, &mut embedded)?;
        let role = if embedded.blocks.is_empty() { None } else { host.role()? };
        let in_part = |part: usize| host.has_parts().then_some(part);
        for (block, at) in texts.blocks.iter().zip(&embedded.blocks) {
            result.embedded.push(EmbeddedAt {
                slot: block.slot,
                role: role.as_ref().map(|role| role.clone().unbind()),
                part_index: in_part(at.part),
                span: (at.span.start, at.span.end),
            });
        }
        for (outlet, at) in &embedded.kept {
            let span = MarkerSpan { start: at.span.start, end: at.span.end, part_index: in_part(at.part) };
            result.kept.push(KeptMarker { outlet: *outlet, span });
        }
        if let Some(message) = message {
            result.messages.push((host.message_index, message));
        }
    }
    result.kept.sort_by_key(|kept| kept.outlet);
    Ok(result)
}

/// The output list, and how many messages each slot made if some did not make one.
pub fn write_messages<'py>(
    py: Python<'py>,
    messages: &Messages<'py>,
    count: usize,
    slots: &[Slot],
    made: Vec<Made<'py>>,
    rewritten: NewHosts<'py>,
) -> PyResult<(Bound<'py, PyList>, Option<Vec<usize>>)> {
    let total = made.iter().fold(count, |total, made| {
        total
            + match made {
                Made::One(_) => 1,
                Made::Several(list) => list.len(),
            }
    });
    let several = made.iter().any(|made| matches!(made, Made::Several(_)));
    let mut counts = several.then(|| Vec::with_capacity(slots.len()));
    let mut output = Output { list: OutputList::new(py, total)?, next: 0, rewritten: rewritten.into_iter().peekable() };
    if messages.len() != count {
        return Err(crate::sequence::changed_size());
    }
    let mut made = made.into_iter();
    for slot in slots {
        let Place::Gap { gap, .. } = slot.place() else {
            if let Some(counts) = &mut counts {
                counts.push(0);
            }
            continue;
        };
        output.copy_until(messages, gap)?;
        match made.next() {
            None => {}
            Some(Made::One(message)) => {
                output.list.push(message)?;
                if let Some(counts) = &mut counts {
                    counts.push(1);
                }
            }
            Some(Made::Several(list)) => {
                for message in list.iter() {
                    output.list.push(message)?;
                }
                if let Some(counts) = &mut counts {
                    counts.push(list.len());
                }
            }
        }
    }
    output.copy_until(messages, count)?;
    Ok((output.list.finish()?, counts))
}

struct Output<'py> {
    list: OutputList<'py>,
    next: usize,
    rewritten: Peekable<<NewHosts<'py> as IntoIterator>::IntoIter>,
}

impl<'py> Output<'py> {
    /// Copies the messages of the input up to `end`, hosts in their new form.
    fn copy_until(&mut self, messages: &Messages<'py>, end: usize) -> PyResult<()> {
        while let Some((host, message)) = self.rewritten.next_if(|&(host, _)| host < end) {
            self.list.extend(messages, self.next, host)?;
            self.list.push(message)?;
            self.next = host + 1;
        }
        self.list.extend(messages, self.next, end)?;
        self.next = end;
        Ok(())
    }
}
