//! New Python objects, where an allocation that fails is a `MemoryError`.
//!
//! PyO3's own constructors and its conversions of text, numbers and tuples panic where CPython returns no object, and the caller
//! gets a `PanicException`. `clippy.toml` closes them to the rest of the crate.

use pyo3::PyTypeInfo;
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyList, PyMapping, PyMappingProxy, PyString, PyTuple};

/// A new object that a function of CPython's returned.
///
/// # Safety
///
/// `object` is a new reference to a `T`, or null with an exception set.
#[inline]
unsafe fn owned<T>(py: Python<'_>, object: *mut ffi::PyObject) -> PyResult<Bound<'_, T>> {
    // SAFETY: the caller's promise.
    unsafe { Ok(Bound::from_owned_ptr_or_err(py, object)?.cast_into_unchecked()) }
}

/// A length or an index as CPython counts it.
// Nothing in memory is longer than the sign leaves room for.
#[allow(clippy::cast_possible_wrap)]
#[inline]
pub fn signed(length: usize) -> ffi::Py_ssize_t {
    length as ffi::Py_ssize_t
}

/// An empty dict.
#[inline]
pub fn new_dict(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    // SAFETY: returns a new dict, or null with an exception set.
    unsafe { owned(py, ffi::PyDict_New()) }
}

/// An exact `str`.
#[inline]
pub fn new_str<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyString>> {
    // SAFETY: reads that many bytes of UTF-8, and returns a new `str`, or null with an exception set.
    unsafe { owned(py, ffi::PyUnicode_FromStringAndSize(text.as_ptr().cast(), signed(text.len()))) }
}

/// The interned `str` of a text, found by its address in dicts and comparisons.
pub fn interned<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyString>> {
    let mut string = new_str(py, text)?.into_ptr();
    // SAFETY: the pointer is an own reference to an exact `str`, which the call exchanges for one to the interned `str`; where
    // memory runs out it leaves it as it is.
    unsafe {
        ffi::PyUnicode_InternInPlace(&raw mut string);
        owned(py, string)
    }
}

/// An empty list.
#[inline]
pub fn empty_list(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    // SAFETY: returns a new list, or null with an exception set.
    unsafe { owned(py, ffi::PyList_New(0)) }
}

/// A list of these items.
#[inline]
pub fn new_list<'py, T: IntoObject<'py>>(
    py: Python<'py>,
    items: impl IntoIterator<IntoIter: ExactSizeIterator<Item = T>>,
) -> PyResult<Bound<'py, PyList>> {
    let items = items.into_iter();
    let length = items.len();
    // SAFETY: returns a new list of that many empty slots, or null with an exception set. The garbage collector and
    // `list.__del__` both skip empty slots, and with one left the list is not handed out.
    let list: Bound<'py, PyList> = unsafe { owned(py, ffi::PyList_New(signed(length)))? };
    let mut filled = 0;
    for item in items.take(length) {
        let item = item.into_object(py)?;
        // SAFETY: the slot is one of the list's, is still empty, and takes over the reference.
        unsafe { ffi::PyList_SET_ITEM(list.as_ptr(), signed(filled), item.into_ptr()) };
        filled += 1;
    }
    if filled == length { Ok(list) } else { Err(fewer_items()) }
}

/// A tuple of these items.
#[inline]
pub fn new_tuple<'py, T: IntoObject<'py>>(
    py: Python<'py>,
    items: impl IntoIterator<IntoIter: ExactSizeIterator<Item = T>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let items = items.into_iter();
    let length = items.len();
    // SAFETY: as for a list.
    let tuple: Bound<'py, PyTuple> = unsafe { owned(py, ffi::PyTuple_New(signed(length)))? };
    let mut filled = 0;
    for item in items.take(length) {
        let item = item.into_object(py)?;
        // SAFETY: the slot is one of the tuple's, is still empty, and takes over the reference; nobody else has seen the tuple.
        unsafe { ffi::PyTuple_SET_ITEM(tuple.as_ptr(), signed(filled), item.into_ptr()) };
        filled += 1;
    }
    if filled == length { Ok(tuple) } else { Err(fewer_items()) }
}

/// An iterator had fewer items than it said, as none of this crate's has.
#[cold]
fn fewer_items() -> PyErr {
    crate::errors::exception::<PyRuntimeError>("fewer items than announced")
}

/// Another list of the same items.
#[inline]
pub fn list_copy<'py>(list: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyList>> {
    // SAFETY: returns a new list, or null with an exception set; a length that is too great is cut to what is there.
    unsafe { owned(list.py(), ffi::PyList_GetSlice(list.as_ptr(), 0, ffi::Py_ssize_t::MAX)) }
}

/// A read-only view of a dict.
pub fn read_only<'py>(dict: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyMappingProxy>> {
    // SAFETY: returns a new view, or null with an exception set.
    unsafe { owned(dict.py(), ffi::PyDictProxy_New(dict.as_ptr())) }
}

/// Writes one item of a dict.
#[inline]
pub fn put<'py>(dict: &Bound<'py, PyDict>, key: &str, value: impl IntoObject<'py>) -> PyResult<()> {
    dict.set_item(new_str(dict.py(), key)?, value.into_object(dict.py())?)
}

/// What a module has under a name, looked up once.
pub fn imported<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyAny>>,
    module: &str,
    name: &str,
) -> PyResult<&'py Bound<'py, PyAny>> {
    let find = || py.import(new_str(py, module)?)?.getattr(new_str(py, name)?).map(Bound::unbind);
    Ok(cell.get_or_try_init(py, find)?.bind(py))
}

/// The mapping that an object is, if it is one. PyO3's own cast takes a check that raises for a no.
#[inline]
pub fn as_mapping<'a, 'py>(object: &'a Bound<'py, PyAny>) -> PyResult<Option<&'a Bound<'py, PyMapping>>> {
    let is_mapping = object.is_instance_of::<PyDict>() || object.is_instance(&PyMapping::type_object(object.py()))?;
    // SAFETY: a `PyMapping` is any object; what it is used for is checked by CPython at each use.
    Ok(is_mapping.then(|| unsafe { object.cast_unchecked() }))
}

/// Whether an object is a mapping.
#[inline]
pub fn is_mapping(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(as_mapping(object)?.is_some())
}

/// What becomes a Python object.
pub trait IntoObject<'py> {
    /// The object.
    fn into_object(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>>;
}

impl<'py> IntoObject<'py> for u64 {
    #[inline]
    fn into_object(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: returns a new int, or null with an exception set.
        unsafe { owned(py, ffi::PyLong_FromUnsignedLongLong(self)) }
    }
}

impl<'py> IntoObject<'py> for usize {
    #[inline]
    fn into_object(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: returns a new int, or null with an exception set.
        unsafe { owned(py, ffi::PyLong_FromSize_t(self)) }
    }
}

impl<'py> IntoObject<'py> for i64 {
    #[inline]
    fn into_object(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: returns a new int, or null with an exception set.
        unsafe { owned(py, ffi::PyLong_FromLongLong(self)) }
    }
}

impl<'py> IntoObject<'py> for f64 {
    #[inline]
    fn into_object(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: returns a new float, or null with an exception set.
        unsafe { owned(py, ffi::PyFloat_FromDouble(self)) }
    }
}

impl<'py> IntoObject<'py> for bool {
    #[inline]
    fn into_object(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyBool::new(py, self).to_owned().into_any())
    }
}

impl<'py> IntoObject<'py> for &str {
    #[inline]
    fn into_object(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        new_str(py, self).map(Bound::into_any)
    }
}

impl<'py, T> IntoObject<'py> for Bound<'py, T> {
    #[inline]
    fn into_object(self, _py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.into_any())
    }
}

impl<'py, T> IntoObject<'py> for &Bound<'py, T> {
    #[inline]
    fn into_object(self, _py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.clone().into_any())
    }
}

impl<'py, T> IntoObject<'py> for Py<T> {
    #[inline]
    fn into_object(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.into_bound(py).into_any())
    }
}

impl<'py, T> IntoObject<'py> for &Py<T> {
    #[inline]
    fn into_object(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.clone_ref(py).into_bound(py).into_any())
    }
}

/// `None`, or what is there.
impl<'py, T: IntoObject<'py>> IntoObject<'py> for Option<T> {
    #[inline]
    fn into_object(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.map_or_else(|| Ok(py.None().into_bound(py)), |value| value.into_object(py))
    }
}

/// A tuple of two.
impl<'py, A: IntoObject<'py>, B: IntoObject<'py>> IntoObject<'py> for (A, B) {
    #[inline]
    fn into_object(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        new_tuple(py, [self.0.into_object(py)?, self.1.into_object(py)?]).map(Bound::into_any)
    }
}

/// What a function or an attribute hands to Python, made into an object by [`IntoObject`].
pub struct Returned<T>(pub T);

impl<'py, T: IntoObject<'py>> IntoPyObject<'py> for Returned<T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    #[inline]
    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.0.into_object(py)
    }
}
