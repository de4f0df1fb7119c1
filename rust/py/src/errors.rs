//! From a refusal of the core to a Python exception, in one place.

use interleaf_core::error::{Class, Code, Refusal};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyType};

const MODULE: &str = "interleaf.errors";

/// The exception class of a family.
pub fn exception_class(py: Python<'_>, class: Class) -> PyResult<&Bound<'_, PyType>> {
    static OPTION: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static LAYOUT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static BLOCK: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static PLAN: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static ADAPTER: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    match class {
        Class::Option => OPTION.import(py, MODULE, "InterleafError"),
        Class::Layout => LAYOUT.import(py, MODULE, "LayoutError"),
        Class::Block => BLOCK.import(py, MODULE, "BlockError"),
        Class::Plan => PLAN.import(py, MODULE, "PlanError"),
        Class::Adapter => ADAPTER.import(py, MODULE, "AdapterError"),
    }
}

/// The exception for a refusal.
#[cold]
#[allow(clippy::needless_pass_by_value)] // for `map_err(raise)`
pub fn raise(refusal: Box<Refusal>) -> PyErr {
    Python::attach(|py| {
        let build = || {
            exception_class(py, refusal.class)?.call1((
                refusal.to_string(),
                refusal.code.as_str(),
                refusal.path.as_str(),
            ))
        };
        build().map_or_else(|error| error, PyErr::from_value)
    })
}

/// An exception for a value that was refused.
#[cold]
pub fn refuse(
    class: Class,
    code: Code,
    path: impl Into<String>,
    found: impl Into<String>,
    expected: impl Into<String>,
) -> PyErr {
    raise(Refusal::new(class, code, path, found, expected))
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
        let exception = py.import(MODULE)?.getattr(class)?;
        attributes.set_item("code", code)?;
        attributes.set_item("path", path)?;
        exception.call((message,), Some(attributes))
    };
    build().map_or_else(|error| error, PyErr::from_value)
}

/// What was found, for a message: the value if it is short and of a plain type, and otherwise its type.
#[cold]
pub fn found(object: &Bound<'_, PyAny>) -> String {
    const SHOWN: usize = 60;
    let type_name =
        object.get_type().name().map_or_else(|_| String::from("object"), |name| name.to_string_lossy().into_owned());
    if object.is_none() {
        return String::from("None");
    }
    if let Ok(string) = object.cast::<PyString>() {
        let shown = crate::unicode::quoted(string);
        let cut = shown.chars().count() > SHOWN;
        let head: String = shown.chars().take(SHOWN).collect();
        return if cut { format!("{type_name} {head}…") } else { format!("{type_name} {head}") };
    }
    // Only the representation of built-in scalars is asked for: anything else may run code, be endless, or raise.
    if ["int", "float", "bool", "complex"].contains(&type_name.as_str())
        && let Ok(shown) = object.repr()
        && crate::unicode::length(&shown).is_ok_and(|length| length <= SHOWN)
    {
        return format!("{type_name} {}", shown.to_string_lossy());
    }
    let article = if type_name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {type_name}")
}
