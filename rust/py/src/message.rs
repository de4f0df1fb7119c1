//! Messages: what the rules of tool exchanges and of embedding read of them, and how they are written.
//!
//! An exact `dict` is handled here. Any other message goes through an adapter: the caller's, or the one that
//! `interleaf.adapters` finds for its type.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use interleaf_core::block::Role;
use interleaf_core::error::{Class, Code};
use interleaf_core::text::Text;

use crate::adapter::{Adapted, AdapterText, adapters_function, joined_by, joined_by_type};
use crate::errors::{Told, found, refuse};
use crate::names::intern;
use crate::objects::{as_mapping, is_mapping, list_copy};
use crate::sequence::snapshot;
use crate::unicode::text;
use crate::words::python_word;

/// How one message is read and written.
pub enum Access<'py> {
    /// As a dict of OpenAI's shape and its relatives.
    Dict(Bound<'py, PyDict>),
    /// By calls to an adapter.
    Adapter(Adapted<'py>),
}

impl<'py> Access<'py> {
    /// Finds out how to read `message`, which is number `index` of the input.
    pub fn to(message: Bound<'py, PyAny>, adapter: Option<&Bound<'py, PyAny>>, index: usize) -> PyResult<Self> {
        if let Some(adapter) = adapter {
            return Ok(Self::Adapter(Adapted::by(adapter, message, index)));
        }
        match message.cast_into_exact::<PyDict>() {
            Ok(dict) => Ok(Self::Dict(dict)),
            Err(error) => Adapted::by_type(error.into_inner(), index).map(Self::Adapter),
        }
    }

    /// The role as it is; `None` if there is none.
    pub fn role(&self) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self {
            Self::Dict(dict) => dict.get_item(intern!(dict.py(), "role")),
            Self::Adapter(adapted) => adapted.role(),
        }
    }
}

/// The content of a host.
pub enum HostContent<'py> {
    /// One text.
    Text(Bound<'py, PyString>),
    /// A list of parts, with the texts of those that have one. The parts themselves are only known for dicts.
    Parts { parts: Option<Bound<'py, PyList>>, texts: Vec<Option<Bound<'py, PyString>>> },
}

impl<'py> HostContent<'py> {
    /// Reads the content of a host message.
    pub fn read(access: &Access<'py>, index: usize) -> PyResult<Self> {
        match access {
            Access::Dict(dict) => {
                let py = dict.py();
                let content = dict.get_item(intern!(py, "content"))?.unwrap_or_else(|| py.None().into_bound(py));
                if let Ok(string) = content.cast::<PyString>() {
                    return Ok(Self::Text(string.clone()));
                }
                let Ok(parts) = content.cast::<PyList>() else { return Err(refuse_content(index, found(&content))) };
                // A list of its own, so that nothing can change it between here and the end of the call.
                let parts = list_copy(parts)?;
                let texts = parts.iter().map(|part| text_of_part(&part)).collect::<PyResult<Vec<_>>>()?;
                Ok(Self::Parts { parts: Some(parts), texts })
            }
            Access::Adapter(adapted) => match adapted.text()? {
                Some(AdapterText::Text(text)) => Ok(Self::Text(text)),
                Some(AdapterText::Parts(texts)) => Ok(Self::Parts { parts: None, texts }),
                None => Err(refuse_content(index, "no text")),
            },
        }
    }
}

#[cold]
fn refuse_content(index: usize, found: impl Told) -> PyErr {
    let path = format!("messages[{index}].content");
    let expected = "text or a list of parts, for something is embedded in this message";
    refuse(Class::Layout, Code::ContentNotText, path, found, expected)
}

/// The text of a part of list content, if it is a text part.
fn text_of_part<'py>(part: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyString>>> {
    let py = part.py();
    let Some(kind) = part_field(part, intern!(py, "type"))? else { return Ok(None) };
    if !is_word(&kind, &[b"text", b"input_text"])? {
        return Ok(None);
    }
    let text = part_field(part, intern!(py, "text"))?;
    Ok(text.and_then(|text| text.cast_into::<PyString>().ok()))
}

/// The value of a key, if `object` is a mapping that has it and it is not None.
pub fn item<'py>(object: &Bound<'py, PyAny>, key: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let value = if let Ok(dict) = object.cast_exact::<PyDict>() {
        dict.get_item(key)?
    } else if let Some(mapping) = as_mapping(object)? {
        if mapping.contains(key)? { Some(mapping.get_item(key)?) } else { None }
    } else {
        None
    };
    Ok(value.filter(|value| !value.is_none()))
}

/// The value of a key or, if a part is an object, as a client library has them in its responses, of an attribute.
pub fn part_field<'py>(part: &Bound<'py, PyAny>, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if part.is_exact_instance_of::<PyDict>() || is_mapping(part)? {
        return item(part, name);
    }
    Ok(part.getattr_opt(name)?.filter(|value| !value.is_none()))
}

/// Whether a value is one of some ASCII words.
pub fn is_word(value: &Bound<'_, PyAny>, words: &[&[u8]]) -> PyResult<bool> {
    let Ok(string) = value.cast::<PyString>() else { return Ok(false) };
    Ok(matches!(text(string)?, Text::One(letters) if words.contains(&letters)))
}

fn ends_with(value: Option<&Bound<'_, PyAny>>, ending: &str) -> PyResult<bool> {
    let Some(Ok(string)) = value.map(|value| value.cast::<PyString>()) else { return Ok(false) };
    let view = text(string)?;
    // Whatever its width: a type that ends in ASCII may begin with anything.
    let Some(from) = view.len().checked_sub(ending.len()) else { return Ok(false) };
    Ok(view.slice(from..view.len()) == Some(Text::One(ending.as_bytes())))
}

/// Whether a part in the message's `content` or `parts` list is of one of `kinds`, or has one of `keys`.
fn has_part(message: &Bound<'_, PyDict>, kinds: &[&[u8]], keys: &[&Bound<'_, PyString>]) -> PyResult<bool> {
    let py = message.py();
    for name in [intern!(py, "content"), intern!(py, "parts")] {
        let Some(list) = message.get_item(name)? else { continue };
        // Text, the usual case, is ruled out first; a one-shot iterator is never touched.
        if list.is_exact_instance_of::<PyString>()
            || !(list.is_instance_of::<PyList>() || list.is_instance_of::<PyTuple>())
        {
            continue;
        }
        for part in snapshot(&list)?.iter() {
            if let Some(kind) = part_field(&part, intern!(py, "type"))?
                && is_word(&kind, kinds)?
            {
                return Ok(true);
            }
            for key in keys {
                if part_field(&part, key)?.is_some() {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// The role of a message that is a role and a text and nothing else, as most are: read by going over its two items, which takes
/// a fifth of the instructions of asking for every key that would mean something. `None` for any other message, and where the
/// keys are equal to the interned ones but other objects.
fn role_of_plain<'a>(message: &'a Bound<'_, PyDict>) -> Option<Borrowed<'a, 'a, PyAny>> {
    let py = message.py();
    if message.len() != 2 {
        return None;
    }
    let mut role = std::ptr::null_mut();
    let mut has_text = false;
    let mut items_seen = 0;
    let mut at = 0;
    let (mut key, mut value) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the dict is alive and nothing runs in this loop that could change it. Key and value are borrowed from it; the role
    // lives as long as the dict holds it, and every user of this function has done with it before other code can run.
    unsafe {
        // Asking for a third item, to be told that there is none, costs as much as the second.
        while items_seen < 2 && ffi::PyDict_Next(message.as_ptr(), &raw mut at, &raw mut key, &raw mut value) != 0 {
            items_seen += 1;
            if key == intern!(py, "role").as_ptr() {
                role = value;
            } else if key == intern!(py, "content").as_ptr() {
                has_text = ffi::PyUnicode_CheckExact(value) != 0;
            }
        }
        (has_text && !role.is_null()).then(|| Borrowed::from_ptr(py, role))
    }
}

/// Whether a role is that of a tool's result.
fn is_result_role(role: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_usual = Role::ALL.iter().any(|&usual| python_word(role.py(), usual).is(role));
    Ok(!is_usual && is_word(role, &[b"tool", b"function"])?)
}

/// Whether a dict message must follow the one before it.
fn dict_joined(previous: &Bound<'_, PyDict>, message: &Bound<'_, PyDict>) -> PyResult<bool> {
    let py = message.py();
    let kind_key = intern!(py, "type");
    let plain = role_of_plain(message);
    let has_result_role = match plain {
        Some(role) => is_result_role(&role)?,
        None => match message.get_item(intern!(py, "role"))? {
            Some(role) => is_result_role(&role)?,
            None => false,
        },
    };
    if has_result_role {
        return Ok(true);
    }
    if let Some(previous_kind) = previous.get_item(kind_key)?
        && is_word(&previous_kind, &[b"reasoning"])?
    {
        return Ok(true);
    }
    if plain.is_some() {
        return Ok(false);
    }
    let kind = message.get_item(kind_key)?;
    if ends_with(kind.as_ref(), "_output")? {
        return Ok(true);
    }
    if ends_with(kind.as_ref(), "_call")? && ends_with(previous.get_item(kind_key)?.as_ref(), "_call")? {
        return Ok(true);
    }
    let keys = [intern!(py, "toolResult"), intern!(py, "function_response"), intern!(py, "functionResponse")];
    has_part(message, &[b"tool_result"], &keys)
}

/// Whether a dict message still waits for a result.
fn dict_waiting(message: &Bound<'_, PyDict>) -> PyResult<bool> {
    let py = message.py();
    if role_of_plain(message).is_some() {
        return Ok(false);
    }
    for key in [intern!(py, "tool_calls"), intern!(py, "function_call")] {
        if let Some(calls) = message.get_item(key)?
            && calls.is_truthy()?
        {
            return Ok(true);
        }
    }
    if ends_with(message.get_item(intern!(py, "type"))?.as_ref(), "_call")? {
        return Ok(true);
    }
    let keys = [intern!(py, "toolUse"), intern!(py, "function_call"), intern!(py, "functionCall")];
    has_part(message, &[b"tool_use"], &keys)
}

/// Whether `message` (number `index`) must follow `previous`.
pub fn joined<'py>(
    previous: &Bound<'py, PyAny>,
    message: &Bound<'py, PyAny>,
    adapter: Option<&Bound<'py, PyAny>>,
    index: usize,
) -> PyResult<bool> {
    if let Some(adapter) = adapter {
        return joined_by(adapter, previous, message, index);
    }
    if let (Ok(previous), Ok(message)) = (previous.cast_exact::<PyDict>(), message.cast_exact::<PyDict>()) {
        return dict_joined(previous, message);
    }
    joined_by_type(previous, message, index)
}

/// Whether `message` (number `index`, the last one) still waits for a result.
pub fn waiting<'py>(message: Bound<'py, PyAny>, adapter: Option<&Bound<'py, PyAny>>, index: usize) -> PyResult<bool> {
    match Access::to(message, adapter, index)? {
        Access::Dict(dict) => dict_waiting(&dict),
        Access::Adapter(adapted_message) => adapted_message.waiting(),
    }
}

/// A mapping, or a part that is an object, with one item changed; of the same type where that can be.
pub fn with_item<'py>(
    mapping: &Bound<'py, PyAny>,
    key: &Bound<'py, PyString>,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    static WITH_ITEM: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if let Ok(dict) = mapping.cast_exact::<PyDict>() {
        let copy = dict.copy()?;
        copy.set_item(key, value)?;
        return Ok(copy.into_any());
    }
    adapters_function(mapping.py(), &WITH_ITEM, "mapping_with_item")?.call1((mapping, key, value))
}
