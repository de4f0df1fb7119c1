//! The method `replace` of the records, made without PyO3, whose dict for `**changes` is one of the objects that it makes with a
//! panic where memory runs out. CPython hands over a dict of its own.

use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::{PySystemError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors::exception;
use crate::record::{Record, replace};

/// A method of `R` that makes a new record with some fields changed.
pub fn replacing_method<R: Record>(py: Python<'_>, name: &'static CStr, doc: &'static CStr) -> PyResult<Py<PyAny>> {
    // Kept for good, as the class is.
    let definition = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionWithKeywords: call::<R> },
        ml_flags: ffi::METH_VARARGS | ffi::METH_KEYWORDS,
        ml_doc: doc.as_ptr(),
    }));
    // SAFETY: the definition is never freed and fits its function. Returns a new object, or null with an exception set.
    unsafe {
        Ok(Bound::from_owned_ptr_or_err(py, ffi::PyDescr_NewMethod(R::type_object_raw(py), definition))?.unbind())
    }
}

/// What CPython calls: a tuple of what was given without a keyword, and a dict of the rest or null.
///
/// # Safety
///
/// CPython calls it with the lock held and with an `R`, which a method of a class checks first.
unsafe extern "C" fn call<R: Record>(
    record: *mut ffi::PyObject,
    arguments: *mut ffi::PyObject,
    changes: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    Python::attach(|py| {
        let work = || -> PyResult<Bound<'_, PyAny>> {
            // SAFETY: these live as long as the call.
            let (record, arguments, changes) = unsafe {
                (
                    Borrowed::<PyAny>::from_ptr(py, record),
                    Borrowed::<PyAny>::from_ptr(py, arguments),
                    Borrowed::<PyAny>::from_ptr_or_opt(py, changes),
                )
            };
            if !arguments.cast::<PyTuple>()?.is_empty() {
                return Err(exception::<PyTypeError>("replace() takes keywords only: the fields to change"));
            }
            let changes = changes.map(Borrowed::cast::<PyDict>).transpose()?;
            replace(&*record.cast::<R>()?.borrow(), py, changes.as_deref())
        };
        // A panic must not leave this function.
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(replaced)) => replaced.into_ptr(),
            Ok(Err(error)) => {
                error.restore(py);
                std::ptr::null_mut()
            }
            Err(_) => {
                exception::<PySystemError>("replace() panicked").restore(py);
                std::ptr::null_mut()
            }
        }
    })
}
