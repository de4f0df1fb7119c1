//! Messages: what the rules of tool exchanges and of embedding read of them, and how they are written.
//!
//! An exact `dict` is handled here. Any other message goes through an adapter: the caller's, or the one that
//! `interleaf.adapters` finds for its type.

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyMapping, PyString, PyTuple};

use interleaf_core::error::{Class, Code};
use interleaf_core::text::Text;

use crate::errors::{found, refuse};
use crate::sequence::{is_sequence, snapshot};
use crate::unicode::text;

/// How one message is read and written.
pub enum Access<'py> {
    /// As a dict of OpenAI's shape and its relatives.
    Dict(Bound<'py, PyDict>),
    /// By calls to an adapter.
    Adapter { adapter: Bound<'py, PyAny>, message: Bound<'py, PyAny> },
}

/// Calls a function of `interleaf.adapters`, which knows the message types of other libraries.
fn adapters_function<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyAny>>,
    name: &str,
) -> PyResult<&'py Bound<'py, PyAny>> {
    Ok(cell.get_or_try_init(py, || py.import("interleaf.adapters")?.getattr(name).map(Bound::unbind))?.bind(py))
}

impl<'py> Access<'py> {
    /// Finds out how to read `message`, which is number `index` of its list called `list`.
    pub fn to(
        message: Bound<'py, PyAny>,
        adapter: Option<&Bound<'py, PyAny>>,
        list: &str,
        index: usize,
    ) -> PyResult<Self> {
        static ADAPTER_FOR: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        if let Some(adapter) = adapter {
            return Ok(Self::Adapter { adapter: adapter.clone(), message });
        }
        match message.cast_into_exact::<PyDict>() {
            Ok(dict) => Ok(Self::Dict(dict)),
            Err(error) => {
                let message = error.into_inner();
                let py = message.py();
                let find = adapters_function(py, &ADAPTER_FOR, "adapter_for")?;
                let adapter = find.call1((&message, format!("{list}[{index}]")))?;
                Ok(Self::Adapter { adapter, message })
            }
        }
    }

    /// The role as it is; `None` if there is none.
    pub fn role(&self) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self {
            Self::Dict(dict) => dict.get_item(intern!(dict.py(), "role")),
            Self::Adapter { adapter, message } => {
                let role = adapter.call_method1(intern!(message.py(), "role"), (message,))?;
                Ok((!role.is_none()).then_some(role))
            }
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
        let refused = |content: &Bound<'py, PyAny>| {
            let path = format!("messages[{index}].content");
            let expected = "text or a list of parts, for something is embedded in this message";
            refuse(Class::Layout, Code::ContentNotText, path, found(content), expected)
        };
        match access {
            Access::Dict(dict) => {
                let py = dict.py();
                let content = dict.get_item(intern!(py, "content"))?.unwrap_or_else(|| py.None().into_bound(py));
                if let Ok(string) = content.cast::<PyString>() {
                    return Ok(Self::Text(string.clone()));
                }
                let Ok(parts) = content.cast::<PyList>() else { return Err(refused(&content)) };
                // A list of its own, so that nothing can change it between here and the end of the call.
                let parts = parts.get_slice(0, parts.len());
                let texts = parts.iter().map(|part| text_of_part(&part)).collect::<PyResult<Vec<_>>>()?;
                Ok(Self::Parts { parts: Some(parts), texts })
            }
            Access::Adapter { adapter, message } => {
                let py = message.py();
                let content = adapter.call_method1(intern!(py, "text_parts"), (message,))?;
                if let Ok(string) = content.cast::<PyString>() {
                    return Ok(Self::Text(string.clone()));
                }
                if content.is_none() {
                    return Err(refused(&content));
                }
                let texts = adapter_texts(adapter, &content)?;
                Ok(Self::Parts { parts: None, texts })
            }
        }
    }
}

fn adapter_texts<'py>(
    adapter: &Bound<'py, PyAny>,
    content: &Bound<'py, PyAny>,
) -> PyResult<Vec<Option<Bound<'py, PyString>>>> {
    let wrong = |what: &Bound<'py, PyAny>| {
        let class = adapter.get_type();
        PyTypeError::new_err(format!(
            "{class}.text_parts must return a str, None, or a sequence of str and None; found {}",
            found(what)
        ))
    };
    if !is_sequence(content)? {
        return Err(wrong(content));
    }
    let read = |item: Bound<'py, PyAny>| match item.cast::<PyString>() {
        Ok(string) => Ok(Some(string.clone())),
        Err(_) if item.is_none() => Ok(None),
        Err(_) => Err(wrong(&item)),
    };
    snapshot(content)?.iter().map(read).collect()
}

/// The text of a part of list content, if it is a text part.
fn text_of_part<'py>(part: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyString>>> {
    let py = part.py();
    let Some(kind) = item(part, intern!(py, "type"))? else { return Ok(None) };
    if !is_word(&kind, &[b"text", b"input_text"])? {
        return Ok(None);
    }
    let text = item(part, intern!(py, "text"))?;
    Ok(text.and_then(|text| text.cast_into::<PyString>().ok()))
}

/// The value of a key, if `object` is a mapping that has it and it is not None.
pub fn item<'py>(object: &Bound<'py, PyAny>, key: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let value = if let Ok(dict) = object.cast_exact::<PyDict>() {
        dict.get_item(key)?
    } else if let Ok(mapping) = object.cast::<PyMapping>() {
        if mapping.contains(key)? { Some(mapping.get_item(key)?) } else { None }
    } else {
        None
    };
    Ok(value.filter(|value| !value.is_none()))
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
            if let Some(kind) = item(&part, intern!(py, "type"))?
                && is_word(&kind, kinds)?
            {
                return Ok(true);
            }
            for key in keys {
                if item(&part, key)?.is_some() {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// Whether a dict message must follow the one before it.
fn dict_joined(previous: &Bound<'_, PyDict>, message: &Bound<'_, PyDict>) -> PyResult<bool> {
    let py = message.py();
    let kind_key = intern!(py, "type");
    let role = message.get_item(intern!(py, "role"))?;
    if let Some(role) = &role
        && is_word(role, &[b"tool", b"function"])?
    {
        return Ok(true);
    }
    if let Some(previous_kind) = previous.get_item(kind_key)?
        && is_word(&previous_kind, &[b"reasoning"])?
    {
        return Ok(true);
    }
    // Most messages are a role and a text, and hold nothing else that would have to be looked for.
    if message.len() == 2
        && role.is_some()
        && message.get_item(intern!(py, "content"))?.is_some_and(|content| content.is_exact_instance_of::<PyString>())
    {
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

/// The truth of what a predicate of an adapter returned.
fn truth(answer: &Bound<'_, PyAny>) -> PyResult<bool> {
    answer.is_truthy()
}

/// Whether `message` (number `index`) must follow `previous`.
pub fn joined<'py>(
    previous: Bound<'py, PyAny>,
    message: Bound<'py, PyAny>,
    adapter: Option<&Bound<'py, PyAny>>,
    index: usize,
) -> PyResult<bool> {
    static JOINED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = message.py();
    if let Some(adapter) = adapter {
        return truth(&adapter.call_method1(intern!(py, "joined"), (previous, message))?);
    }
    if let (Ok(previous), Ok(message)) = (previous.cast_exact::<PyDict>(), message.cast_exact::<PyDict>()) {
        return dict_joined(previous, message);
    }
    truth(&adapters_function(py, &JOINED, "messages_joined")?.call1((previous, message, index))?)
}

/// Whether `message` (number `index`, the last one) still waits for a result.
pub fn waiting<'py>(message: Bound<'py, PyAny>, adapter: Option<&Bound<'py, PyAny>>, index: usize) -> PyResult<bool> {
    if let (Ok(dict), None) = (message.cast_exact::<PyDict>(), adapter) {
        return dict_waiting(dict);
    }
    let Access::Adapter { adapter, message } = Access::to(message, adapter, "messages", index)? else {
        return Ok(false);
    };
    truth(&adapter.call_method1(intern!(adapter.py(), "waiting"), (message,))?)
}

/// A mapping with one item changed, of the same type where that can be.
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
