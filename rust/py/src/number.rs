//! Ints and orders from Python: an int or an object with `__index__`, never a bool.

use interleaf_core::block::Order;
use interleaf_core::fragment::Budget;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt};

use crate::names::intern;
use crate::objects::IntoObject;

/// What an object is as an int.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Int {
    /// An int of 64 bits.
    Fits(i64),
    /// Greater than 64 bits hold.
    TooLarge,
    /// Less than 64 bits hold.
    TooSmall,
    /// No int at all.
    Neither,
}

impl Int {
    /// The int, if it fits 64 bits.
    pub fn fitting(self) -> Option<i64> {
        if let Self::Fits(int) = self { Some(int) } else { None }
    }
}

fn read_exact(int: &Bound<'_, PyInt>) -> Int {
    let mut overflow = 0;
    // SAFETY: the argument is an int, for which this function neither runs code nor sets an exception.
    let value = unsafe { ffi::PyLong_AsLongLongAndOverflow(int.as_ptr(), &raw mut overflow) };
    match overflow {
        0 => Int::Fits(value),
        1.. => Int::TooLarge,
        _ => Int::TooSmall,
    }
}

/// The int that `object` is. An `__index__` that raises `TypeError` says it is none; anything else it raises passes through.
pub fn read_int(object: &Bound<'_, PyAny>) -> PyResult<Int> {
    if let Ok(int) = object.cast_exact::<PyInt>() {
        return Ok(read_exact(int));
    }
    if object.is_instance_of::<PyBool>() {
        return Ok(Int::Neither);
    }
    Ok(as_python_int(object)?.map_or(Int::Neither, |int| read_exact(&int)))
}

/// The same int as an exact Python `int`, whatever its size.
pub fn as_python_int<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyInt>>> {
    if object.is_instance_of::<PyBool>() {
        return Ok(None);
    }
    // SAFETY: `PyNumber_Index` returns a new int, or null with an exception set.
    let index = unsafe { Bound::from_owned_ptr_or_err(object.py(), ffi::PyNumber_Index(object.as_ptr())) };
    match index {
        Ok(int) => {
            // `PyNumber_Index` hands a subclass back as it is, and lets `__index__` return one (`class Small(int)`).
            let int = int.cast_into::<PyInt>()?;
            if int.is_exact_instance_of::<PyInt>() {
                return Ok(Some(int));
            }
            // `int.__pos__`-like copies may be overridden; adding nothing through the base class is not.
            let plain = object
                .py()
                .get_type::<PyInt>()
                .call_method1(intern!(object.py(), "__add__"), (&int, 0_i64.into_object(object.py())?))?;
            Ok(Some(plain.cast_into::<PyInt>()?))
        }
        Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The order that `object` is, if it is an int of 64 bits or a finite float.
pub fn read_order(object: &Bound<'_, PyAny>) -> PyResult<Option<Order>> {
    if let Ok(float) = object.cast::<PyFloat>() {
        let value = float.value();
        return Ok(value.is_finite().then_some(Order::Float(value)));
    }
    Ok(read_int(object)?.fitting().map(Order::Int))
}

/// A budget, and the number as given: an int of 0 or more of any size, or infinity.
pub fn read_budget<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<(Budget, Bound<'py, PyAny>)>> {
    if let Ok(float) = object.cast::<PyFloat>() {
        let unlimited = float.value() == f64::INFINITY;
        // An exact float, whatever class it was.
        let limit = unlimited.then(|| f64::INFINITY.into_object(object.py())).transpose()?;
        return Ok(limit.map(|limit| (Budget::Unlimited, limit)));
    }
    if let Ok(int) = object.cast_exact::<PyInt>() {
        return Ok(budget_of(read_exact(int)).map(|budget| (budget, int.clone().into_any())));
    }
    let Some(int) = as_python_int(object)? else { return Ok(None) };
    Ok(budget_of(read_exact(&int)).map(|budget| (budget, int.into_any())))
}

fn budget_of(int: Int) -> Option<Budget> {
    match int {
        Int::Fits(int) => u64::try_from(int).ok().map(Budget::Chars),
        // No text is that long, so the largest limit that can be compared serves.
        Int::TooLarge => Some(Budget::Chars(u64::MAX)),
        Int::TooSmall | Int::Neither => None,
    }
}
