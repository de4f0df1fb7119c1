//! Fragment values that are JSON: checked here, written by Python's own encoder.

use pyo3::exceptions::{PyRecursionError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::errors::{answered, found};
use crate::names::intern;
use crate::objects::{imported, new_dict, put};
use crate::unicode::display;

/// Lists and mappings inside each other. Fixed, so that the answer does not depend on how deep the caller's stack already is;
/// Python's own limit is about 1,000 frames.
const DEEPEST: usize = 200;

/// Why a value is not JSON: what was found.
pub struct NotJson(pub String);

fn check(value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Result<(), NotJson>> {
    if value.is_none()
        || value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBool>()
        || value.is_instance_of::<PyInt>()
    {
        return Ok(Ok(()));
    }
    if let Ok(float) = value.cast::<PyFloat>() {
        return Ok(if float.value().is_finite() {
            Ok(())
        } else {
            Err(NotJson(format!("{} inside the value", found(value)?)))
        });
    }
    let is_dict = value.is_instance_of::<PyDict>();
    if !is_dict && !value.is_instance_of::<PyList>() && !value.is_instance_of::<PyTuple>() {
        return Ok(Err(NotJson(found(value)?)));
    }
    if depth == DEEPEST {
        return Ok(Err(NotJson(format!("a value nested deeper than {DEEPEST} levels"))));
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        // A copy, so that a subclass whose methods change it cannot do so under the loop.
        for (key, item) in dict.copy()?.iter() {
            if !key.is_instance_of::<PyString>() {
                return Ok(Err(NotJson(format!("a key that is {}", found(&key)?))));
            }
            if let Err(not_json) = check(&item, depth + 1)? {
                return Ok(Err(not_json));
            }
        }
        return Ok(Ok(()));
    }
    for item in crate::sequence::snapshot(value)?.iter() {
        if let Err(not_json) = check(&item, depth + 1)? {
            return Ok(Err(not_json));
        }
    }
    Ok(Ok(()))
}

/// The compact JSON text of a value: keys in their order, non-ASCII kept.
pub fn json_text<'py>(value: &Bound<'py, PyAny>) -> PyResult<Result<Bound<'py, PyString>, NotJson>> {
    static ENCODER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static ENCODE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    if let Err(not_json) = check(value, 0)? {
        return Ok(Err(not_json));
    }
    let encode = ENCODE.get_or_try_init(py, || {
        let options = new_dict(py)?;
        put(&options, "ensure_ascii", false)?;
        put(&options, "allow_nan", false)?;
        put(&options, "separators", (",", ":"))?;
        let encoder = imported(py, &ENCODER, "json", "JSONEncoder")?;
        encoder.call((), Some(&options))?.getattr(intern!(py, "encode")).map(Bound::unbind)
    })?;
    match encode.bind(py).call1((value,)) {
        Ok(encoded) => Ok(Ok(encoded.cast_into::<PyString>()?)),
        // What the check cannot see: an int of more digits than Python writes, a stack that was nearly full, subclasses
        // whose methods disagree with what they hold.
        Err(error)
            if error.is_instance_of::<PyValueError>(py)
                || error.is_instance_of::<PyTypeError>(py)
                || error.is_instance_of::<PyRecursionError>(py) =>
        {
            let why = answered(py, error.value(py).str())?.map_or_else(String::new, |why| display(&why));
            Ok(Err(NotJson(format!("a value that cannot be written as JSON ({why})"))))
        }
        Err(error) => Err(error),
    }
}

/// The value that a JSON text was made from, tuples as lists.
pub fn parse<'py>(encoded: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    imported(encoded.py(), &LOADS, "json", "loads")?.call1((encoded,))
}
