//! What a message says, for counting: its text, the words of its envelope, its tool calls, and its parts that are no text.
//!
//! An exact `dict` with a `str` for content is read in one pass over its entries, without a lookup, an allocation or a call
//! into Python. Everything else goes the long way round.

use interleaf_core::text::Text;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::errors::{found, raise_with};
use crate::message::{is_word, item, part_field};
use crate::names::intern;
use crate::objects::{imported, is_mapping, new_dict, new_str};
use crate::sequence::snapshot;
use crate::unicode::{TextPiece, display, exact, join, text};

/// A part that is no text.
pub struct OtherPart<'py> {
    /// Its index in the content.
    pub index: usize,
    /// Its type, as the message names it.
    pub kind: Bound<'py, PyString>,
    /// The part itself.
    pub part: Bound<'py, PyAny>,
}

/// What one message says. All strings are exact `str`s, so that hashing and comparing them runs nobody's code.
#[derive(Default)]
pub struct Said<'py> {
    /// The role, if there is one.
    pub role: Option<Bound<'py, PyString>>,
    /// All text, its parts joined.
    pub text: Option<Bound<'py, PyString>>,
    /// The name of who speaks.
    pub name: Option<Bound<'py, PyString>>,
    /// Name and arguments of each tool call, one after the other.
    pub calls: Vec<Bound<'py, PyString>>,
    /// Parts that are no text.
    pub others: Vec<OtherPart<'py>>,
}

/// What a plain dict message says: a `str` or nothing for content, and nothing beyond role and name. References are borrowed
/// from the dict, so they are good only as long as nothing can change it: no Python code may run while one is in use.
#[derive(Default)]
pub struct Plain<'a, 'py> {
    /// The role, if there is one.
    pub role: Option<Borrowed<'a, 'py, PyString>>,
    /// The text.
    pub text: Option<Borrowed<'a, 'py, PyString>>,
    /// The name of who speaks.
    pub name: Option<Borrowed<'a, 'py, PyString>>,
}

/// What a key of a message says about it.
enum Key {
    Role,
    Content,
    Name,
    /// Tool calls, parts, a type: the message says more than a plain one.
    More,
    /// An id, a time, or whatever else a stack carries along.
    Other,
}

impl<'a, 'py> Plain<'a, 'py> {
    /// Reads a message, if it is a plain one.
    #[inline]
    pub fn of(message: &'a Bound<'py, PyAny>) -> Option<Self> {
        let dict = message.cast_exact::<PyDict>().ok()?;
        let py = dict.py();
        let (role, content, name) = (intern!(py, "role"), intern!(py, "content"), intern!(py, "name"));
        let mut plain = Self::default();
        let mut position: ffi::Py_ssize_t = 0;
        let mut key = std::ptr::null_mut();
        let mut value = std::ptr::null_mut();
        // SAFETY: `dict` is a dict, and nothing in this loop runs Python code or releases the interpreter's lock, so the dict
        // stays as it is: pointers are compared and the units of exact strings read.
        while unsafe { ffi::PyDict_Next(dict.as_ptr(), &raw mut position, &raw mut key, &raw mut value) } != 0 {
            // SAFETY: the key and the value of an entry are never null, and live as long as the dict keeps the entry, which
            // it does as long as no Python code runs (see the type).
            let (key, value) = unsafe {
                (Borrowed::<'a, 'py, PyAny>::from_ptr(py, key), Borrowed::<'a, 'py, PyAny>::from_ptr(py, value))
            };
            // Keys of literals are interned, so most are told by their address. Those of parsed JSON are not.
            let key = if key.is(content) {
                Key::Content
            } else if key.is(role) {
                Key::Role
            } else if key.is(name) {
                Key::Name
            } else {
                key_of(&key)
            };
            let field = match key {
                Key::Content => &mut plain.text,
                Key::Role => &mut plain.role,
                Key::Name => &mut plain.name,
                Key::Other => continue,
                Key::More if value.is_none() => continue,
                Key::More => return None,
            };
            *field = match value.cast_exact::<PyString>() {
                Ok(string) => Some(string),
                Err(_) if value.is_none() => None,
                Err(_) => return None,
            };
        }
        Some(plain)
    }
}

fn key_of(key: &Bound<'_, PyAny>) -> Key {
    let Ok(key) = key.cast::<PyString>() else { return Key::Other };
    match text(key) {
        Ok(Text::One(b"content")) => Key::Content,
        Ok(Text::One(b"role")) => Key::Role,
        Ok(Text::One(b"name")) => Key::Name,
        Ok(Text::One(b"tool_calls" | b"function_call" | b"parts" | b"type")) => Key::More,
        _ => Key::Other,
    }
}

/// The value as an exact `str`: itself, in the usual case.
fn plain_string<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyString>> {
    value.cast_exact::<PyString>().ok().cloned()
}

impl<'py> Said<'py> {
    /// What any message says: number `index` of the list that errors call `list`.
    pub fn read(
        message: &Bound<'py, PyAny>,
        adapter: Option<&Bound<'py, PyAny>>,
        list: &str,
        index: usize,
    ) -> PyResult<Self> {
        if adapter.is_none() {
            let dict = match message.cast_exact::<PyDict>() {
                Ok(dict) => Some(dict.clone()),
                // A mapping of another class is read as a dict would be.
                Err(_) if is_mapping(message)? => {
                    let copy = message.py().get_type::<PyDict>().call1((message,))?;
                    Some(copy.cast_into::<PyDict>()?)
                }
                Err(_) => None,
            };
            if let Some(dict) = dict {
                return Self::of_dict(&dict, list, index);
            }
        }
        Self::of_adapter(adapter, message, list, index)
    }

    fn of_dict(dict: &Bound<'py, PyDict>, list: &str, index: usize) -> PyResult<Self> {
        let py = dict.py();
        let mut said = Self::default();
        let unreadable = |field: &str, value: &Bound<'py, PyAny>, expected: &str| {
            unreadable(py, &format!("{list}[{index}].{field}"), value, expected).unwrap_or_else(|error| error)
        };
        let get = |key: &Bound<'py, PyString>| item(dict, key);
        if let Some(role) = get(intern!(py, "role"))? {
            said.role = Some(word(&role)?.ok_or_else(|| unreadable("role", &role, "a str"))?);
        }
        if let Some(name) = get(intern!(py, "name"))?
            && let Ok(name) = name.cast::<PyString>()
        {
            said.name = Some(exact(name)?);
        }
        let mut texts = Vec::new();
        for key in [intern!(py, "content"), intern!(py, "parts")] {
            let Some(content) = get(key)? else { continue };
            if let Ok(string) = content.cast::<PyString>() {
                texts.push(exact(string)?);
            } else if content.is_instance_of::<PyList>() || content.is_instance_of::<PyTuple>() {
                said.parts(&content, &mut texts, None)?;
            } else {
                // A one-shot iterator, as validated messages hold it, would be used up by reading it.
                return Err(unreadable(&display(key), &content, "a str, a list of parts or None"));
            }
        }
        let kind = get(intern!(py, "type"))?;
        let kind = kind.as_ref().and_then(|kind| kind.cast::<PyString>().ok());
        let kind = kind.map_or_else(String::new, display);
        if kind.ends_with("_output")
            && let Some(output) = get(intern!(py, "output"))?
        {
            if let Ok(string) = output.cast::<PyString>() {
                texts.push(exact(string)?);
            } else if output.is_instance_of::<PyList>() || output.is_instance_of::<PyTuple>() {
                said.parts(&output, &mut texts, None)?;
            }
        }
        if kind.ends_with("_call") {
            said.call(dict.as_any())?;
            // Its name is that of the function, not of a speaker.
            said.name = None;
        }
        if let Some(calls) = get(intern!(py, "tool_calls"))? {
            if !(calls.is_instance_of::<PyList>() || calls.is_instance_of::<PyTuple>()) {
                return Err(unreadable("tool_calls", &calls, "a list of tool calls or None"));
            }
            for call in snapshot(&calls)?.iter() {
                said.call(&call)?;
            }
        }
        if let Some(call) = get(intern!(py, "function_call"))? {
            said.call(&call)?;
        }
        said.text = joined(py, texts, None)?;
        Ok(said)
    }

    /// Reads a list of parts. Those inside a tool result belong to its own part, number `outer`.
    fn parts(
        &mut self,
        parts: &Bound<'py, PyAny>,
        texts: &mut Vec<Bound<'py, PyString>>,
        outer: Option<usize>,
    ) -> PyResult<()> {
        let py = parts.py();
        for (own, part) in snapshot(parts)?.iter().enumerate() {
            let index = outer.unwrap_or(own);
            if let Ok(string) = part.cast::<PyString>() {
                // Some libraries take bare strings among the parts.
                texts.push(exact(string)?);
                continue;
            }
            let kind = part_field(&part, intern!(py, "type"))?;
            let is_kind = |words: &[&[u8]]| kind.as_ref().map_or(Ok(false), |kind| is_word(kind, words));
            if (kind.is_none() || is_kind(&[b"text", b"input_text", b"output_text"])?)
                && let Some(own) = part_field(&part, intern!(py, "text"))?
                && let Ok(own) = own.cast::<PyString>()
            {
                texts.push(exact(own)?);
                continue;
            }
            if outer.is_none()
                && is_kind(&[b"tool_result"])?
                && let Some(content) = part_field(&part, intern!(py, "content"))?
            {
                if let Ok(string) = content.cast::<PyString>() {
                    texts.push(exact(string)?);
                    continue;
                }
                if content.is_instance_of::<PyList>() || content.is_instance_of::<PyTuple>() {
                    self.parts(&content, texts, Some(index))?;
                    continue;
                }
            }
            if is_kind(&[b"tool_use"])? {
                self.call(&part)?;
                continue;
            }
            let mut nested = None;
            for key in [
                intern!(py, "toolUse"),
                intern!(py, "function_call"),
                intern!(py, "functionCall"),
                intern!(py, "function_response"),
                intern!(py, "functionResponse"),
            ] {
                nested = nested.or(part_field(&part, key)?);
            }
            if let Some(call) = nested {
                self.call(&call)?;
                continue;
            }
            if outer.is_none()
                && let Some(result) = part_field(&part, intern!(py, "toolResult"))?
                && let Some(content) = part_field(&result, intern!(py, "content"))?
                && (content.is_instance_of::<PyList>() || content.is_instance_of::<PyTuple>())
            {
                self.parts(&content, texts, Some(index))?;
                continue;
            }
            self.others.push(OtherPart { index, kind: kind_of(&part, kind)?, part });
        }
        Ok(())
    }

    /// Adds the name and the arguments of a tool call.
    fn call(&mut self, call: &Bound<'py, PyAny>) -> PyResult<()> {
        static CALL_TEXTS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let py = call.py();
        if let Some((name, arguments)) = openai_call(call)? {
            self.calls.extend([name, arguments]);
            return Ok(());
        }
        let read = imported(py, &CALL_TEXTS, "interleaf.budget.reading", "call_texts")?;
        for string in read.call1((call,))?.cast_into::<PyTuple>()?.iter() {
            self.calls.push(exact(string.cast::<PyString>()?)?);
        }
        Ok(())
    }

    fn of_adapter(
        adapter: Option<&Bound<'py, PyAny>>,
        message: &Bound<'py, PyAny>,
        list: &str,
        index: usize,
    ) -> PyResult<Self> {
        static READ: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        type Read<'py> = (
            Option<Bound<'py, PyString>>,
            Vec<Bound<'py, PyString>>,
            Bound<'py, PyString>,
            Option<Bound<'py, PyString>>,
            Vec<Bound<'py, PyString>>,
            Vec<(usize, Bound<'py, PyString>, Bound<'py, PyAny>)>,
        );
        let py = message.py();
        let read = imported(py, &READ, "interleaf.budget.reading", "read_message")?;
        let read = read.call1((adapter, message, new_str(py, &format!("{list}[{index}]"))?))?;
        let (role, texts, separator, name, calls, others): Read<'py> = read.extract()?;
        let all = |strings: Vec<Bound<'py, PyString>>| strings.iter().map(exact).collect::<PyResult<Vec<_>>>();
        Ok(Self {
            role: role.as_ref().map(exact).transpose()?,
            text: joined(py, all(texts)?, Some(&separator))?,
            name: name.as_ref().map(exact).transpose()?,
            calls: all(calls)?,
            others: others.into_iter().map(|(index, kind, part)| OtherPart { index, kind, part }).collect(),
        })
    }
}

/// Name and arguments of a call in the shape in which most of them come: a dict with a dict `function` and two `str`s.
fn openai_call<'py>(call: &Bound<'py, PyAny>) -> PyResult<Option<(Bound<'py, PyString>, Bound<'py, PyString>)>> {
    let py = call.py();
    let Ok(call) = call.cast_exact::<PyDict>() else { return Ok(None) };
    let function = match call.get_item(intern!(py, "function"))? {
        Some(function) => match function.cast_into_exact::<PyDict>() {
            Ok(function) => function,
            Err(_) => return Ok(None),
        },
        None => call.clone(),
    };
    let string = |key: &Bound<'py, PyString>| -> PyResult<Option<Bound<'py, PyString>>> {
        Ok(function.get_item(key)?.and_then(|value| plain_string(&value)))
    };
    Ok(string(intern!(py, "name"))?.zip(string(intern!(py, "arguments"))?))
}

/// The texts as one: the very string if there is one only.
fn joined<'py>(
    py: Python<'py>,
    mut texts: Vec<Bound<'py, PyString>>,
    separator: Option<&Bound<'py, PyString>>,
) -> PyResult<Option<Bound<'py, PyString>>> {
    if texts.len() < 2 {
        return Ok(texts.pop());
    }
    let mut pieces = Vec::with_capacity(texts.len() * 2);
    for (index, text) in texts.iter().enumerate() {
        if index > 0
            && let Some(separator) = separator
        {
            pieces.push(TextPiece::whole(separator)?);
        }
        pieces.push(TextPiece::whole(text)?);
    }
    join(py, &pieces).map(Some)
}

/// The word that a role is: a `str`, or the value of an enum's member.
fn word<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyString>>> {
    if let Ok(string) = value.cast::<PyString>() {
        return exact(string).map(Some);
    }
    let inner = value.getattr_opt(intern!(value.py(), "value"))?;
    inner.as_ref().and_then(|inner| inner.cast::<PyString>().ok()).map(exact).transpose()
}

/// The type of a part for lists and prices: what it says, or its first key, or its class.
fn kind_of<'py>(part: &Bound<'py, PyAny>, kind: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyString>> {
    if let Some(kind) = kind
        && let Ok(kind) = kind.cast::<PyString>()
    {
        return exact(kind);
    }
    if let Ok(dict) = part.cast::<PyDict>()
        && let Some((key, _)) = dict.iter().next()
        && let Ok(key) = key.cast::<PyString>()
    {
        return exact(key);
    }
    part.get_type().name()
}

#[cold]
fn unreadable(py: Python<'_>, path: &str, value: &Bound<'_, PyAny>, expected: &str) -> PyResult<PyErr> {
    let message = format!("found {}, expected {expected}; it cannot be counted", found(value)?);
    Ok(raise_with(py, "AdapterError", &message, "unreadable_message", path, &new_dict(py)?))
}
