//! `Layout`, `Conversation` and `OutletSpan`: the immutable classes.

use std::sync::Arc;

use interleaf_core::error::Class;
use interleaf_core::layout::{Conversation as CoreConversation, MarkerSpan, MessageCount, MessageRange, OutletAnchor};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMappingProxy, PyTuple, PyType};

use crate::fields::require_mapping;
use crate::layout_reading::{CONVERSATION_FIELDS, LAYOUT_FIELDS, LayoutData, Reader, SPAN_FIELDS};
use crate::objects::{IntoObject, Returned, new_dict, new_tuple, read_only};
use crate::record::{Field, Form, Record, record_methods};

fn range_tuple(py: Python<'_>, range: Option<MessageRange>) -> PyResult<Option<Bound<'_, PyTuple>>> {
    range.map(|range| new_tuple(py, [range.start, range.end])).transpose()
}

/// Where the chat history is: the indices of its messages, and where it would be if it has none.
///
/// Args:
///     message_indices: ascending indices, as a sequence or a `range`. A range is checked without visiting its items.
///     empty_index: the gap of the history; required when there are no indices, and not used when there are.
///
/// Raises:
///     LayoutError: an index is no int of 0 or more, the indices do not ascend, or a field is missing.
///
/// >>> from interleaf import Conversation
/// >>> Conversation(range(1, 4)).message_indices
/// (1, 2, 3)
#[pyclass(frozen, module = "interleaf")]
pub struct Conversation {
    /// The checked conversation.
    pub core: CoreConversation,
}

impl Record for Conversation {
    fn names() -> &'static [&'static str] {
        &CONVERSATION_FIELDS.names
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>> {
        Ok(vec![
            Field::new(py, "message_indices", self.message_indices(py)?)?.form(Form::Plain),
            Field::optional(py, "empty_index", self.core.empty_index)?,
        ])
    }
}

record_methods! { Conversation, hash: all but [],
    #[new]
    #[pyo3(signature = (message_indices=None, empty_index=None), text_signature = "(message_indices, empty_index=None)")]
    fn new(message_indices: Option<Bound<'_, PyAny>>, empty_index: Option<Bound<'_, PyAny>>) -> PyResult<Self> {
        let reader = Reader { prefix: "", count: MessageCount::UNKNOWN };
        Ok(Self { core: reader.conversation_values(&[message_indices, empty_index], "")? })
    }

    #[getter]
    fn message_indices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let indices = &self.core.message_indices;
        new_tuple(py, indices.iter().collect::<Vec<_>>())
    }

    #[getter]
    fn empty_index(&self) -> Returned<Option<usize>> {
        Returned(self.core.empty_index)
    }
}

/// The exact place of an outlet's marker in a message: nothing is searched, so no content can open a slot.
///
/// Args:
///     message_index: index of the host message.
///     start: first code point of the marker.
///     end: the one after its last.
///     part_index: index of the part, where the content is a list.
///
/// Raises:
///     LayoutError: a field is missing, or no int of 0 or more. Whether the marker stands there is checked on placement.
///
/// >>> from interleaf import OutletSpan
/// >>> OutletSpan(0, 6, 22)
/// OutletSpan(message_index=0, start=6, end=22)
#[pyclass(frozen, module = "interleaf")]
pub struct OutletSpan {
    /// Index of the host message.
    pub message_index: usize,
    span: MarkerSpan,
}

impl OutletSpan {
    /// The anchor that it is.
    pub fn anchor(&self) -> OutletAnchor {
        OutletAnchor { message_index: self.message_index, span: Some(self.span) }
    }
}

impl Record for OutletSpan {
    fn names() -> &'static [&'static str] {
        &SPAN_FIELDS.names
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>> {
        Ok(vec![
            Field::new(py, "message_index", self.message_index)?,
            Field::new(py, "start", self.span.start)?,
            Field::new(py, "end", self.span.end)?,
            Field::optional(py, "part_index", self.span.part_index)?,
        ])
    }
}

record_methods! { OutletSpan, hash: all but [],
    #[new]
    #[pyo3(signature = (message_index=None, start=None, end=None, part_index=None), text_signature = "(message_index, start, end, part_index=None)")]
    fn new(
        message_index: Option<Bound<'_, PyAny>>,
        start: Option<Bound<'_, PyAny>>,
        end: Option<Bound<'_, PyAny>>,
        part_index: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let reader = Reader { prefix: "", count: MessageCount::UNKNOWN };
        let anchor = reader.span(&[message_index, start, end, part_index], &String::new)?;
        let span = anchor.span.unwrap_or(MarkerSpan { start: 0, end: 0, part_index: None });
        Ok(Self { message_index: anchor.message_index, span })
    }

    #[getter]
    fn message_index(&self) -> Returned<usize> {
        Returned(self.message_index)
    }

    #[getter]
    fn start(&self) -> Returned<usize> {
        Returned(self.span.start)
    }

    #[getter]
    fn end(&self) -> Returned<usize> {
        Returned(self.span.end)
    }

    #[getter]
    fn part_index(&self) -> Returned<Option<usize>> {
        Returned(self.span.part_index)
    }
}

/// Where the anchors are in one message list. Every anchor is optional.
///
/// What can be checked without the messages is checked here; bounds and markers on placement.
///
/// Args:
///     character: half-open range of messages, as a pair `(start, end)` or a mapping with `start` and `end`.
///     examples: the same for the example dialogue.
///     conversation: a `Conversation`, or a mapping with its fields.
///     author_note: index of the note's message.
///     outlets: outlet names, each with the index of the message that holds `{{outlet::name}}` once, or an `OutletSpan`.
///
/// Raises:
///     LayoutError: an anchor is malformed, or two of them claim the same place.
///
/// >>> from interleaf import Conversation, Layout
/// >>> layout = Layout(character=(0, 1), conversation=Conversation(range(1, 9)), outlets={"lore": 0})
/// >>> layout.to_dict()["character"]
/// [0, 1]
#[pyclass(frozen, module = "interleaf")]
pub struct Layout {
    /// Shared with the results of placements that used it.
    pub data: Arc<LayoutData>,
}

impl Layout {
    fn outlet_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let outlets = new_dict(py)?;
        for (name, anchor) in self.data.names.iter().zip(&self.data.core.outlets) {
            match anchor.span {
                None => outlets.set_item(name, anchor.message_index.into_object(py)?)?,
                Some(span) => outlets.set_item(name, OutletSpan { message_index: anchor.message_index, span })?,
            }
        }
        Ok(outlets)
    }
}

impl Record for Layout {
    fn names() -> &'static [&'static str] {
        &LAYOUT_FIELDS.names
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>> {
        let outlets = self.outlet_dict(py)?;
        let no_outlets = self.data.names.is_empty();
        Ok(vec![
            Field::optional(py, "character", self.character(py)?)?.form(Form::PlainIfSet),
            Field::optional(py, "examples", self.examples(py)?)?.form(Form::PlainIfSet),
            Field::optional(py, "conversation", self.conversation())?.form(Form::PlainIfSet),
            Field::optional(py, "author_note", self.data.core.author_note)?.form(Form::PlainIfSet),
            Field::new(py, "outlets", outlets)?.form(Form::PlainIfSet).default_if(no_outlets),
        ])
    }
}

record_methods! { Layout, hash: all but ["outlets"],
    #[new]
    #[pyo3(signature = (*, character=None, examples=None, conversation=None, author_note=None, outlets=None))]
    fn new(
        py: Python<'_>,
        character: Option<Bound<'_, PyAny>>,
        examples: Option<Bound<'_, PyAny>>,
        conversation: Option<Bound<'_, PyAny>>,
        author_note: Option<Bound<'_, PyAny>>,
        outlets: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let reader = Reader { prefix: "", count: MessageCount::UNKNOWN };
        let values = [character, examples, conversation, author_note, outlets];
        Ok(Self { data: Arc::new(reader.layout(py, &values)?) })
    }

    /// A layout from its mapping form, in snake_case or camelCase.
    #[classmethod]
    fn from_dict(class: &Bound<'_, PyType>, mapping: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = class.py();
        require_mapping(mapping, Class::Layout, "", "a mapping")?;
        let values = LAYOUT_FIELDS.read(mapping, &String::new)?;
        let reader = Reader { prefix: "", count: MessageCount::UNKNOWN };
        Ok(Self { data: Arc::new(reader.layout(py, &values)?) })
    }

    #[getter]
    fn character<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        range_tuple(py, self.data.core.character)
    }

    #[getter]
    fn examples<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        range_tuple(py, self.data.core.examples)
    }

    #[getter]
    fn conversation(&self) -> Option<Conversation> {
        self.data.core.conversation.clone().map(|core| Conversation { core })
    }

    #[getter]
    fn author_note(&self) -> Returned<Option<usize>> {
        Returned(self.data.core.author_note)
    }

    /// A read-only mapping from names to message indices or `OutletSpan`s, in the order of declaration.
    #[getter]
    fn outlets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyMappingProxy>> {
        read_only(&self.outlet_dict(py)?)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.data.names.iter().try_for_each(|name| visit.call(name))
    }
}
