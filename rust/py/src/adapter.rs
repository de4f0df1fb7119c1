//! Calls to adapters, and checks of what they return: a wrong answer is named and nothing comes of it.
//!
//! An adapter is the caller's own, or what `interleaf.adapters` finds for the type of a message.

use interleaf_core::error::{Class, Code};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyString, PyType};

use crate::errors::{Told, answered, exception_class, found, refuse, type_error};
use crate::names::intern;
use crate::objects::{IntoObject, imported, new_str};
use crate::sequence::{is_sequence, snapshot};
use crate::unicode::{display, text};

/// Calls a function of `interleaf.adapters`, which knows the message types of other libraries.
pub fn adapters_function<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyAny>>,
    name: &str,
) -> PyResult<&'py Bound<'py, PyAny>> {
    imported(py, cell, "interleaf.adapters", name)
}

/// Checks that an argument is an adapter, if it is there.
pub fn require_adapter(adapter: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let Some(adapter) = adapter else { return Ok(()) };
    if adapter.is_instance_of::<PyType>() {
        return Err(type_error(class_name(adapter.cast::<PyType>()?), |name| {
            format!("adapter must be an adapter or None; found the class {name}; call it to make one")
        }));
    }
    let py = adapter.py();
    for method in [
        intern!(py, "role"),
        intern!(py, "text_parts"),
        intern!(py, "with_text"),
        intern!(py, "create"),
        intern!(py, "joined"),
        intern!(py, "waiting"),
    ] {
        if !adapter.getattr_opt(method)?.is_some_and(|method| method.is_callable()) {
            return Err(type_error(found(adapter), |found| {
                let method = display(method);
                format!("adapter must be an adapter or None; found {found}, which has no method {method}")
            }));
        }
    }
    Ok(())
}

fn class_name(class: &Bound<'_, PyType>) -> PyResult<String> {
    Ok(answered(class.py(), class.name())?.map_or_else(|| String::from("adapter"), |name| display(&name)))
}

/// Puts the place of the message into an `AdapterError` that does not have one: an adapter does not know indices.
#[cold]
pub fn located(py: Python<'_>, error: PyErr, path: &str) -> PyErr {
    let put = || -> PyResult<()> {
        let value = error.value(py);
        let name = intern!(py, "path");
        if value.is_instance(exception_class(py, Class::Adapter)?)? && !value.getattr(name)?.is_truthy()? {
            value.setattr(name, new_str(py, path)?)?;
        }
        Ok(())
    };
    // If even that raises, the error as it was says more than the new one.
    match answered(py, put()) {
        Ok(_) => error,
        Err(out_of_memory) => out_of_memory,
    }
}

/// A message, and the adapter to ask about it.
pub struct Adapted<'py> {
    adapter: Bound<'py, PyAny>,
    message: Bound<'py, PyAny>,
    index: usize,
    /// Whether the caller gave the adapter.
    given: bool,
}

/// The text of a message as an adapter tells it.
pub enum AdapterText<'py> {
    /// Content that is one text.
    Text(Bound<'py, PyString>),
    /// One entry a part.
    Parts(Vec<Option<Bound<'py, PyString>>>),
}

impl<'py> Adapted<'py> {
    /// For a message whose adapter the caller gave.
    pub fn by(adapter: &Bound<'py, PyAny>, message: Bound<'py, PyAny>, index: usize) -> Self {
        Self { adapter: adapter.clone(), message, index, given: true }
    }

    /// For a message that is no exact dict.
    pub fn by_type(message: Bound<'py, PyAny>, index: usize) -> PyResult<Self> {
        static ADAPTER_FOR: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let find = adapters_function(message.py(), &ADAPTER_FOR, "adapter_for")?;
        let adapter = find.call1((&message, new_str(message.py(), &format!("messages[{index}]"))?))?;
        Ok(Self { adapter, message, index, given: false })
    }

    fn path(&self) -> String {
        format!("messages[{}]", self.index)
    }

    fn ask(&self, method: &Bound<'py, PyString>, message: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.adapter.call_method1(method, (message,)).map_err(|error| located(message.py(), error, &self.path()))
    }

    #[cold]
    fn wrong(&self, method: &str, code: Code, found: impl Told, expected: &str) -> PyErr {
        wrong_answer(&self.adapter, method, code, &self.path(), found, expected)
    }

    /// The role; `None` if there is none.
    pub fn role(&self) -> PyResult<Option<Bound<'py, PyAny>>> {
        let role = self.ask(intern!(self.message.py(), "role"), &self.message)?;
        // What is found by type gives the role of a mapping as it is, whatever that is, as the dict path does.
        if self.given && !role.is_none() && !role.is_instance_of::<PyString>() {
            return Err(self.wrong("role", Code::InvalidAdapter, found(&role), "a str or None"));
        }
        Ok((!role.is_none()).then_some(role))
    }

    /// The text; `None` if the message has none to embed in.
    pub fn text(&self) -> PyResult<Option<AdapterText<'py>>> {
        self.text_of(&self.message)
    }

    fn text_of(&self, message: &Bound<'py, PyAny>) -> PyResult<Option<AdapterText<'py>>> {
        let wrong = |what: &Bound<'py, PyAny>| {
            let expected = "a str, None, or a sequence of str and None";
            self.wrong("text_parts", Code::InvalidAdapter, found(what), expected)
        };
        let content = self.ask(intern!(message.py(), "text_parts"), message)?;
        if let Ok(string) = content.cast::<PyString>() {
            return Ok(Some(AdapterText::Text(string.clone())));
        }
        if content.is_none() {
            return Ok(None);
        }
        if !is_sequence(&content)? {
            return Err(wrong(&content));
        }
        let read = |item: Bound<'py, PyAny>| match item.cast::<PyString>() {
            Ok(string) => Ok(Some(string.clone())),
            Err(_) if item.is_none() => Ok(None),
            Err(_) => Err(wrong(&item)),
        };
        let parts = snapshot(&content)?.iter().map(read).collect::<PyResult<Vec<_>>>()?;
        Ok(Some(AdapterText::Parts(parts)))
    }

    /// A copy with other text. It is read back: a copy that kept the old text, as some classes do in silence, is refused.
    ///
    /// `content` is a text, or pairs of the old part's index and its new text; `own` has the old texts.
    pub fn with_text(
        &self,
        content: &Bound<'py, PyAny>,
        own: impl Fn(usize) -> Option<Bound<'py, PyString>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let expected = if let Ok(text) = content.cast::<PyString>() {
            AdapterText::Text(text.clone())
        } else {
            let text = |pair: Bound<'py, PyAny>| {
                let (index, text): (Option<usize>, Option<Bound<'py, PyString>>) = pair.extract()?;
                Ok(text.or_else(|| index.and_then(&own)))
            };
            AdapterText::Parts(snapshot(content)?.iter().map(text).collect::<PyResult<_>>()?)
        };
        let py = content.py();
        let method = "with_text";
        let changed = self
            .adapter
            .call_method1(intern!(py, "with_text"), (&self.message, content))
            .map_err(|error| located(py, error, &self.path()))?;
        if changed.is_none() {
            return Err(self.wrong(method, Code::InvalidAdapter, "None", "a message"));
        }
        if changed.is(&self.message) {
            return Err(self.wrong(method, Code::InvalidAdapter, "the message itself", "a changed copy of it"));
        }
        let same = match (self.text_of(&changed)?, &expected) {
            (Some(AdapterText::Text(text)), AdapterText::Text(expected)) => same_text(&text, expected)?,
            (Some(AdapterText::Parts(parts)), AdapterText::Parts(expected)) if parts.len() == expected.len() => {
                let mut same = true;
                for (part, expected) in parts.iter().zip(expected) {
                    same &= match (part, expected) {
                        (Some(part), Some(expected)) => same_text(part, expected)?,
                        (part, expected) => part.is_none() && expected.is_none(),
                    };
                }
                same
            }
            _ => false,
        };
        if same {
            return Ok(changed);
        }
        let code = if self.given { Code::InvalidAdapter } else { Code::UnchangeableMessage };
        let found = found(&changed).map(|found| format!("{found} whose text is another than the one it was given"));
        Err(self.wrong(method, code, found, "a copy with the new text"))
    }

    /// Whether the message still waits for a result.
    pub fn waiting(&self) -> PyResult<bool> {
        let answer = self.ask(intern!(self.message.py(), "waiting"), &self.message)?;
        truth(&self.adapter, "waiting", &answer, self.index)
    }
}

fn same_text(one: &Bound<'_, PyString>, other: &Bound<'_, PyString>) -> PyResult<bool> {
    Ok(text(one)? == text(other)?)
}

#[cold]
fn wrong_answer(
    adapter: &Bound<'_, PyAny>,
    method: &str,
    code: Code,
    path: &str,
    found: impl Told,
    expected: &str,
) -> PyErr {
    match class_name(&adapter.get_type()) {
        Ok(class) => refuse(Class::Adapter, code, path, found, format!("{expected} from {class}.{method}")),
        Err(error) => error,
    }
}

/// A forgotten `return` must not read as "no".
fn truth(adapter: &Bound<'_, PyAny>, method: &str, answer: &Bound<'_, PyAny>, index: usize) -> PyResult<bool> {
    if let Ok(answer) = answer.cast_exact::<PyBool>() {
        return Ok(answer.is_true());
    }
    let path = format!("messages[{index}]");
    Err(wrong_answer(adapter, method, Code::InvalidAdapter, &path, found(answer), "True or False"))
}

/// Whether `message` (number `index`) must follow `previous`, by the caller's adapter.
pub fn joined_by<'py>(
    adapter: &Bound<'py, PyAny>,
    previous: &Bound<'py, PyAny>,
    message: &Bound<'py, PyAny>,
    index: usize,
) -> PyResult<bool> {
    let py = message.py();
    match adapter.call_method1(intern!(py, "joined"), (previous, message)) {
        Ok(answer) => truth(adapter, "joined", &answer, index),
        Err(error) => Err(located(py, error, &format!("messages[{}]", unknown_of(previous, index)?))),
    }
}

/// Which of two neighbours an `AdapterError` is about: the first, if its type is unknown.
#[cold]
fn unknown_of(previous: &Bound<'_, PyAny>, index: usize) -> PyResult<usize> {
    let known = answered(previous.py(), Adapted::by_type(previous.clone(), index))?.is_some();
    Ok(if known { index } else { index - 1 })
}

/// Whether `message` (number `index`) must follow `previous`, where one of them is no exact dict.
pub fn joined_by_type<'py>(previous: &Bound<'py, PyAny>, message: &Bound<'py, PyAny>, index: usize) -> PyResult<bool> {
    static JOINED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    adapters_function(message.py(), &JOINED, "messages_joined")?
        .call1((previous, message, index.into_object(message.py())?))?
        .is_truthy()
}

/// The message that the caller's adapter makes of a block.
pub fn create<'py>(
    adapter: &Bound<'py, PyAny>,
    role: &Bound<'py, PyString>,
    content: Bound<'py, PyString>,
    block: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let py = role.py();
    let path = || format!("blocks[{block}]");
    let message =
        adapter.call_method1(intern!(py, "create"), (role, content)).map_err(|error| located(py, error, &path()))?;
    if message.is_none() {
        return Err(wrong_answer(adapter, "create", Code::InvalidAdapter, &path(), "None", "a message"));
    }
    Ok(message)
}
