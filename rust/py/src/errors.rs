//! From a refusal of the core to a Python exception, in one place.
//!
//! Exceptions are made here and now. PyO3's `new_err` leaves it to the end of the call, where text that cannot be made for want of
//! memory ends the process.

use interleaf_core::error::{Class, Code, Refusal};
use pyo3::PyTypeInfo;
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString};

use crate::objects::{imported, new_str, put};
use crate::unicode::display;

const MODULE: &str = "interleaf.errors";

/// The exception class of a family.
pub fn exception_class(py: Python<'_>, class: Class) -> PyResult<&Bound<'_, PyAny>> {
    static OPTION: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static LAYOUT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static BLOCK: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static PLAN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static ADAPTER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let (cell, name) = match class {
        Class::Option => (&OPTION, "InterleafError"),
        Class::Layout => (&LAYOUT, "LayoutError"),
        Class::Block => (&BLOCK, "BlockError"),
        Class::Plan => (&PLAN, "PlanError"),
        Class::Adapter => (&ADAPTER, "AdapterError"),
    };
    imported(py, cell, MODULE, name)
}

/// The exception for a refusal.
#[cold]
#[allow(clippy::needless_pass_by_value)] // for `map_err(raise)`
pub fn raise(refusal: Box<Refusal>) -> PyErr {
    Python::attach(|py| {
        let build = || {
            exception_class(py, refusal.class)?.call1((
                new_str(py, &refusal.to_string())?,
                new_str(py, refusal.code.as_str())?,
                new_str(py, &refusal.path)?,
            ))
        };
        made(build())
    })
}

/// The exception that was made, or the one that was raised instead.
fn made(exception: PyResult<Bound<'_, PyAny>>) -> PyErr {
    exception.map_or_else(|error| error, PyErr::from_value)
}

/// An exception with nothing but a message.
#[cold]
pub fn exception<E: PyTypeInfo>(message: &str) -> PyErr {
    Python::attach(|py| made(new_str(py, message).and_then(|message| py.get_type::<E>().call1((message,)))))
}

/// A `TypeError` about what was found: `message` puts it into words.
#[cold]
pub fn type_error(found: impl Told, message: impl FnOnce(String) -> String) -> PyErr {
    found.told().map_or_else(|error| error, |found| exception::<PyTypeError>(&message(found)))
}

/// What a message says of something, or what kept it from being said.
pub trait Told {
    /// The words.
    fn told(self) -> PyResult<String>;
}

impl Told for &str {
    fn told(self) -> PyResult<String> {
        Ok(self.to_owned())
    }
}

impl Told for String {
    fn told(self) -> PyResult<String> {
        Ok(self)
    }
}

impl Told for PyResult<String> {
    fn told(self) -> PyResult<String> {
        self
    }
}

/// An exception for a value that was refused.
#[cold]
pub fn refuse(
    class: Class,
    code: Code,
    path: impl Into<String>,
    found: impl Told,
    expected: impl Into<String>,
) -> PyErr {
    refuse_of(None, class, code, path, found, expected)
}

/// The same with the name of whose value it is.
#[cold]
pub fn refuse_of(
    owner: Option<String>,
    class: Class,
    code: Code,
    path: impl Into<String>,
    found: impl Told,
    expected: impl Into<String>,
) -> PyErr {
    let found = match found.told() {
        Ok(found) => found,
        Err(error) => return error,
    };
    let refusal = Refusal::new(class, code, path, found, expected);
    raise(match owner {
        Some(owner) => refusal.of(owner),
        None => refusal,
    })
}

/// A `MutationError` or `BudgetExceededError`, with the attributes it has of its own.
#[cold]
pub fn raise_with(
    py: Python<'_>,
    class: &str,
    message: &str,
    code: &str,
    path: &str,
    attributes: &Bound<'_, PyDict>,
) -> PyErr {
    let build = || {
        let exception = py.import(new_str(py, MODULE)?)?.getattr(new_str(py, class)?)?;
        put(attributes, "code", code)?;
        put(attributes, "path", path)?;
        exception.call((new_str(py, message)?,), Some(attributes))
    };
    made(build())
}

/// The answer to a question that is only asked for a message; `None` if it raised. That memory has run out is no answer.
pub fn answered<T>(py: Python<'_>, answer: PyResult<T>) -> PyResult<Option<T>> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.is_instance_of::<PyMemoryError>(py) => Err(error),
        Err(_) => Ok(None),
    }
}

/// The name of the type of an object.
#[cold]
pub fn type_name(object: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    Ok(answered(object.py(), object.get_type().name())?.map(|name| display(&name)))
}

/// What was found, for a message: the value if it is short and of a plain type, and otherwise its type.
#[cold]
pub fn found(object: &Bound<'_, PyAny>) -> PyResult<String> {
    const SHOWN: usize = 60;
    let type_name = type_name(object)?.unwrap_or_else(|| String::from("object"));
    if object.is_none() {
        return Ok(String::from("None"));
    }
    if let Ok(string) = object.cast::<PyString>() {
        let shown = crate::unicode::quoted(string);
        let cut = shown.chars().count() > SHOWN;
        let head: String = shown.chars().take(SHOWN).collect();
        return Ok(if cut { format!("{type_name} {head}…") } else { format!("{type_name} {head}") });
    }
    // Only the representation of built-in scalars is asked for: anything else may run code, be endless, or raise.
    if ["int", "float", "bool", "complex"].contains(&type_name.as_str())
        && let Some(shown) = answered(object.py(), object.repr())?
        && crate::unicode::length(&shown).is_ok_and(|length| length <= SHOWN)
    {
        return Ok(format!("{type_name} {}", display(&shown)));
    }
    let article = if type_name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    Ok(format!("{article} {type_name}"))
}
