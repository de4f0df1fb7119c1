//! Layouts, conversations and places of markers as they are read: native objects and mapping forms, field by field.

use std::sync::Arc;

use interleaf_core::error::{Class, Code};
use interleaf_core::id_set::IdSet;
use interleaf_core::layout::{
    Conversation as CoreConversation, Layout as CoreLayout, LayoutPath, MarkerSpan, MessageCount, MessageIndices,
    MessageRange, OutletAnchor, check_conversation_index, check_conversation_run, check_empty_index,
    check_message_index, check_range,
};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyRange, PyString, PyTuple};

use crate::block::{EXPECTED_OUTLET_NAME, read_outlet_name};
use crate::errors::{answered, found, raise, refuse};
use crate::fields::{Fields, join_path, require_mapping};
use crate::layout::{Conversation, Layout, OutletSpan};
use crate::names::intern;
use crate::number::{Int, read_int};
use crate::objects::{as_mapping, is_mapping};
use crate::sequence::{is_sequence, snapshot};
use crate::unicode::{hash, quoted, text};

/// The keys of a layout.
pub static LAYOUT_FIELDS: Fields<5> = Fields::new(
    Class::Layout,
    ["character", "examples", "conversation", "author_note", "outlets"],
    &[("authorNote", 3)],
);
/// The keys of a conversation.
pub static CONVERSATION_FIELDS: Fields<2> =
    Fields::new(Class::Layout, ["message_indices", "empty_index"], &[("messageIndices", 0), ("emptyIndex", 1)]);
/// The keys of the place of a marker.
pub static SPAN_FIELDS: Fields<4> = Fields::new(
    Class::Layout,
    ["message_index", "start", "end", "part_index"],
    &[("messageIndex", 0), ("partIndex", 3)],
);

/// A checked layout with the names of its outlets.
#[derive(Default)]
pub struct LayoutData {
    /// The anchors.
    pub core: CoreLayout,
    /// The names of the outlets, in the order of `core.outlets`.
    pub names: Vec<Py<PyString>>,
    /// The names by their hashes, where there are too many to compare one by one.
    by_hash: Option<Box<IdSet>>,
}

/// Up to here, comparing names one by one is as fast as a hash table.
const FEW_OUTLETS: usize = 8;

impl LayoutData {
    /// A layout with the names of its outlets.
    pub fn new(py: Python<'_>, core: CoreLayout, names: Vec<Py<PyString>>) -> PyResult<Self> {
        let mut by_hash = None;
        if names.len() > FEW_OUTLETS {
            let set: &mut Box<IdSet> = by_hash.insert(Box::new(IdSet::with_capacity(names.len())));
            for (index, name) in names.iter().enumerate() {
                // Names are the keys of a mapping, and differ.
                set.insert(hash(name.bind(py))?, index, |_| false);
            }
        }
        Ok(Self { core, names, by_hash })
    }

    /// The place of an outlet in the order of declaration.
    pub fn outlet(&self, py: Python<'_>, name: &Py<PyString>) -> PyResult<Option<usize>> {
        let wanted = text(name.bind(py))?;
        let same = |known: usize| text(self.names[known].bind(py)).is_ok_and(|known| known == wanted);
        Ok(match &self.by_hash {
            Some(set) => set.find(hash(name.bind(py))?, same),
            None => (0..self.names.len()).find(|&known| self.names[known].is(name) || same(known)),
        })
    }

    /// `layout.outlets["name"]`, for messages.
    #[cold]
    pub fn outlet_path(&self, py: Python<'_>, outlet: usize) -> String {
        self.names.get(outlet).map_or_else(String::new, |name| outlet_path("layout.", name.bind(py)))
    }
}

#[cold]
fn outlet_path(prefix: &str, name: &Bound<'_, PyString>) -> String {
    format!("{prefix}outlets[{}]", quoted(name))
}

/// Where a layout that is being read stands, and what it has to fit.
#[derive(Clone, Copy)]
pub struct Reader {
    /// `layout.` in a call, nothing for an object that is built on its own.
    pub prefix: &'static str,
    /// How many messages there are, if that is known.
    pub count: MessageCount,
}

impl Reader {
    fn at(self, field: &str) -> String {
        format!("{}{field}", self.prefix)
    }

    /// Reads an index with one of the core's checks.
    fn index(
        self,
        object: &Bound<'_, PyAny>,
        path: &dyn Fn() -> String,
        check: fn(i64, MessageCount, &str) -> Result<usize, Box<interleaf_core::error::Refusal>>,
    ) -> PyResult<usize> {
        match read_int(object)? {
            // The path is made again on the error path only; the check gets none on the good one.
            Int::Fits(index) => {
                check(index, self.count, "").or_else(|_| check(index, self.count, &path())).map_err(raise)
            }
            _ => Err(refuse(
                Class::Layout,
                Code::InvalidIndex,
                path(),
                found(object),
                "an int of 0 or more that fits 64 bits",
            )),
        }
    }

    fn range(self, object: &Bound<'_, PyAny>, field: &str) -> PyResult<MessageRange> {
        let invalid = || {
            let expected = "a pair (start, end) of ints, or a mapping with exactly the keys start and end";
            refuse(Class::Layout, Code::InvalidRange, self.at(field), found(object), expected)
        };
        let Some((start, end)) = range_ends(object)? else { return Err(invalid()) };
        match (read_int(&start)?, read_int(&end)?) {
            (Int::Fits(start), Int::Fits(end)) => check_range((start, end), self.count, "")
                .or_else(|_| check_range((start, end), self.count, &self.at(field)))
                .map_err(raise),
            _ => Err(invalid()),
        }
    }

    fn conversation(self, object: &Bound<'_, PyAny>) -> PyResult<CoreConversation> {
        if let Ok(native) = object.cast_exact::<Conversation>() {
            let native = native.get();
            if self.count == MessageCount::UNKNOWN {
                return Ok(native.core.clone());
            }
            // The bounds of a conversation that was checked on its own.
            let layout = CoreLayout { conversation: Some(native.core.clone()), ..CoreLayout::default() };
            self.bounds(&layout)?;
            return Ok(native.core.clone());
        }
        if !is_mapping(object)? {
            let expected = "a Conversation or a mapping";
            return Err(refuse(Class::Layout, Code::InvalidType, self.at("conversation"), found(object), expected));
        }
        let path = self.at("conversation");
        let values = CONVERSATION_FIELDS.read(object, &|| path.clone())?;
        self.conversation_values(&values, &path)
    }

    fn bounds(self, layout: &CoreLayout) -> PyResult<()> {
        self.count.get().map_or(Ok(()), |count| layout.check_bounds(count, |_| String::new())).map_err(raise)
    }

    /// Checks the values of the fields.
    pub fn conversation_values(self, values: &[Option<Bound<'_, PyAny>>; 2], path: &str) -> PyResult<CoreConversation> {
        let Some(indices) = &values[0] else {
            let expected = "a sequence of message indices, which may be empty";
            let at = join_path(path, "message_indices");
            return Err(refuse(Class::Layout, Code::MissingField, at, "nothing", expected));
        };
        let message_indices = self.message_indices(indices, &join_path(path, "message_indices"))?;
        let empty_path = || join_path(path, "empty_index");
        let empty_index = match &values[1] {
            Some(index) => Some(self.index(index, &empty_path, check_empty_index)?),
            None if message_indices.is_empty() => {
                let expected = "the place of the conversation, for it has no messages";
                return Err(refuse(Class::Layout, Code::MissingField, empty_path(), "nothing", expected));
            }
            None => None,
        };
        Ok(CoreConversation { message_indices, empty_index })
    }

    fn message_indices(self, object: &Bound<'_, PyAny>, path: &str) -> PyResult<MessageIndices> {
        if let Ok(range) = object.cast_exact::<PyRange>() {
            return self.index_range(range, path);
        }
        if !is_sequence(object)? {
            return Err(refuse(
                Class::Layout,
                Code::InvalidType,
                path,
                found(object),
                "a sequence or a range of indices",
            ));
        }
        let list = match object.cast_exact::<PyList>() {
            Ok(list) => list.clone(),
            Err(_) => snapshot(object)?,
        };
        let mut indices = Vec::with_capacity(list.len());
        let mut before = None;
        let mut position = 0;
        // By index and not by iterator: an `__index__` may change the list while it is read.
        while let Ok(item) = list.get_item(position) {
            let Int::Fits(index) = read_int(&item)? else {
                let expected = "an int of 0 or more that fits 64 bits";
                return Err(refuse(
                    Class::Layout,
                    Code::InvalidIndex,
                    format!("{path}[{position}]"),
                    found(&item),
                    expected,
                ));
            };
            let index = check_conversation_index(index, before, position, self.count, path).map_err(raise)?;
            before = Some(index);
            indices.push(index);
            position += 1;
        }
        Ok(indices.into_iter().collect())
    }

    /// A range is checked as if item by item, whatever its ends, without visiting the items.
    fn index_range(self, range: &Bound<'_, PyRange>, path: &str) -> PyResult<MessageIndices> {
        let py = range.py();
        if !range.is_truthy()? {
            return Ok(MessageIndices::from_iter([]));
        }
        let end = |name: &Bound<'_, PyString>| read_int(&range.getattr(name)?);
        let (first, limit, stride) = (end(intern!(py, "start"))?, end(intern!(py, "stop"))?, end(intern!(py, "step"))?);
        let refuse_item = |position: usize| {
            let found = range.get_item(position).and_then(|item| found(&item));
            let expected = "an int of 0 or more that fits 64 bits";
            refuse(Class::Layout, Code::InvalidIndex, format!("{path}[{position}]"), found, expected)
        };
        // Whether there is a second item. Memory that ran out says nothing about it.
        let several = || answered(py, range.get_item(1)).map(|item| item.is_some());
        let Int::Fits(first) = first else { return Err(refuse_item(0)) };
        // The last number that an item may be, and how many items are not past it. A negative first item ends the matter.
        let last = limit.fitting().map_or(i64::MAX, |limit| limit.saturating_sub(1));
        let ascending = |stride: i64| usize::try_from(last.saturating_sub(first) / stride).map_or(1, |after| after + 1);
        let (stride, fitting, more) = match stride {
            Int::Fits(stride @ 1..) => (stride, ascending(stride), limit == Int::TooLarge),
            // Of a range that goes down the second item decides.
            Int::Fits(stride) => (stride, if several()? { 2 } else { 1 }, false),
            Int::TooSmall | Int::Neither => (i64::MIN, if several()? { 2 } else { 1 }, false),
            Int::TooLarge => (1, 1, several()?),
        };
        let run = check_conversation_run(first, stride, fitting, self.count, path).map_err(raise)?;
        if more { Err(refuse_item(fitting)) } else { Ok(run) }
    }

    fn outlets(self, object: &Bound<'_, PyAny>) -> PyResult<(Vec<Py<PyString>>, Vec<OutletAnchor>)> {
        let mut names = Vec::new();
        let mut anchors = Vec::new();
        self.each_outlet(object, |name, value| {
            anchors.push(self.outlet(&name, value)?);
            names.push(name.unbind());
            Ok(())
        })?;
        Ok((names, anchors))
    }

    fn each_outlet<'py>(
        self,
        object: &Bound<'py, PyAny>,
        mut read: impl FnMut(Bound<'py, PyString>, &Bound<'py, PyAny>) -> PyResult<()>,
    ) -> PyResult<()> {
        let Some(mapping) = as_mapping(object)? else {
            let expected = "a mapping from outlet names to message indices or OutletSpans";
            return Err(refuse(Class::Layout, Code::InvalidType, self.at("outlets"), found(object), expected));
        };
        // A list of its own, so that an `__index__` that changes the mapping changes nothing here.
        for pair in mapping.items()?.iter() {
            let (key, value): (Bound<'py, PyAny>, Bound<'py, PyAny>) = pair.extract()?;
            let Some(name) = read_outlet_name(&key)? else {
                let path =
                    key.cast::<PyString>().map_or_else(|_| self.at("outlets"), |name| outlet_path(self.prefix, name));
                return Err(refuse(Class::Layout, Code::InvalidOutletName, path, found(&key), EXPECTED_OUTLET_NAME));
            };
            read(name, &value)?;
        }
        Ok(())
    }

    fn outlet(self, name: &Bound<'_, PyString>, value: &Bound<'_, PyAny>) -> PyResult<OutletAnchor> {
        let path = || outlet_path(self.prefix, name);
        if let Ok(native) = value.cast_exact::<OutletSpan>() {
            let span = native.get();
            let path = || format!("{}.message_index", path());
            let signed = i64::try_from(span.message_index).unwrap_or(i64::MAX);
            check_message_index(signed, self.count, "")
                .or_else(|_| check_message_index(signed, self.count, &path()))
                .map_err(raise)?;
            return Ok(span.anchor());
        }
        if is_mapping(value)? {
            let values = SPAN_FIELDS.read(value, &path)?;
            return self.span(&values, &path);
        }
        Ok(OutletAnchor { message_index: self.index(value, &path, check_message_index)?, span: None })
    }

    /// Checks the values of the fields.
    pub fn span(self, values: &[Option<Bound<'_, PyAny>>; 4], path: &dyn Fn() -> String) -> PyResult<OutletAnchor> {
        let offsets = Self { count: MessageCount::UNKNOWN, ..self };
        let required = |reader: Self, field: usize| {
            let at = || join_path(&path(), SPAN_FIELDS.names[field]);
            match &values[field] {
                Some(value) => reader.index(value, &at, check_message_index),
                None => Err(refuse(Class::Layout, Code::MissingField, at(), "nothing", "an int of 0 or more")),
            }
        };
        let message_index = required(self, 0)?;
        let (start, end) = (required(offsets, 1)?, required(offsets, 2)?);
        let part_index = values[3].as_ref().map(|_| required(offsets, 3)).transpose()?;
        Ok(OutletAnchor { message_index, span: Some(MarkerSpan { start, end, part_index }) })
    }

    /// Checks the values of the fields.
    pub fn layout(self, py: Python<'_>, values: &[Option<Bound<'_, PyAny>>; 5]) -> PyResult<LayoutData> {
        let [character, examples, conversation, author_note, outlets] = values;
        let character = character.as_ref().map(|range| self.range(range, "character")).transpose()?;
        let examples = examples.as_ref().map(|range| self.range(range, "examples")).transpose()?;
        let conversation = conversation.as_ref().map(|conversation| self.conversation(conversation)).transpose()?;
        let note_path = || self.at("author_note");
        let author_note =
            author_note.as_ref().map(|note| self.index(note, &note_path, check_message_index)).transpose()?;
        let (names, outlets) = outlets.as_ref().map(|outlets| self.outlets(outlets)).transpose()?.unwrap_or_default();
        let core = CoreLayout { character, examples, conversation, author_note, outlets };
        core.check_overlaps(LayoutPath(self.prefix)).map_err(raise)?;
        LayoutData::new(py, core, names)
    }
}

/// The two things that a range is made of.
fn range_ends<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    if let Ok(pair) = object.cast_exact::<PyTuple>() {
        return if pair.len() == 2 { Ok(Some((pair.get_item(0)?, pair.get_item(1)?))) } else { Ok(None) };
    }
    if let Some(mapping) = as_mapping(object)? {
        let (start, end) = (intern!(mapping.py(), "start"), intern!(mapping.py(), "end"));
        if mapping.len()? != 2 || !mapping.contains(start)? || !mapping.contains(end)? {
            return Ok(None);
        }
        return Ok(Some((mapping.get_item(start)?, mapping.get_item(end)?)));
    }
    // A Python `range(0, 2)` is a sequence of the two ints 0 and 1, and would be read as the range from 0 to 1.
    if object.is_instance_of::<PyRange>() || !is_sequence(object)? {
        return Ok(None);
    }
    let items = snapshot(object)?;
    if items.len() == 2 { Ok(Some((items.get_item(0)?, items.get_item(1)?))) } else { Ok(None) }
}

/// Reads the `layout` argument of a placement into `messages` messages.
pub fn read_layout(object: &Bound<'_, PyAny>, messages: usize) -> PyResult<Arc<LayoutData>> {
    if let Ok(native) = object.cast_exact::<Layout>() {
        let data = &native.get().data;
        data.core.check_bounds(messages, |outlet| data.outlet_path(object.py(), outlet)).map_err(raise)?;
        return Ok(Arc::clone(data));
    }
    require_mapping(object, Class::Layout, "layout", "a Layout or a mapping")?;
    let py = object.py();
    let values = LAYOUT_FIELDS.read(object, &|| String::from("layout"))?;
    let reader = Reader { prefix: "layout.", count: MessageCount::known(messages) };
    Ok(Arc::new(reader.layout(py, &values)?))
}

/// Which anchors a layout declares, in the order of its fields, and the names of its outlets.
pub fn declared_anchors(object: &Bound<'_, PyAny>) -> PyResult<([bool; 5], Vec<Py<PyString>>)> {
    let py = object.py();
    if let Ok(native) = object.cast_exact::<Layout>() {
        let data = &native.get().data;
        let core = &data.core;
        let declared = [
            core.character.is_some(),
            core.examples.is_some(),
            core.conversation.is_some(),
            core.author_note.is_some(),
            !core.outlets.is_empty(),
        ];
        return Ok((declared, data.names.iter().map(|name| name.clone_ref(py)).collect()));
    }
    require_mapping(object, Class::Layout, "layout", "a Layout or a mapping")?;
    let values = LAYOUT_FIELDS.read(object, &|| String::from("layout"))?;
    let mut names = Vec::new();
    if let Some(outlets) = &values[4] {
        let reader = Reader { prefix: "layout.", count: MessageCount::UNKNOWN };
        reader.each_outlet(outlets, |name, _| {
            names.push(name.unbind());
            Ok(())
        })?;
    }
    let mut declared = values.map(|value| value.is_some());
    declared[4] = !names.is_empty();
    Ok((declared, names))
}
