//! Sequences from Python: which objects are one, and the caller's messages without a copy where that is safe.

use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyFrozenSet, PyList, PyMemoryView, PySet, PyString, PyTuple};

use std::ptr::NonNull;

use crate::errors::{exception, found, type_error};
use crate::names::intern;
use crate::objects::{is_mapping, list_copy, signed};

/// Whether an object is a sequence of things: it has a length and items, and is neither text, bytes, a mapping nor a set.
pub fn is_sequence(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if object.is_exact_instance_of::<PyList>() || object.is_exact_instance_of::<PyTuple>() {
        return Ok(true);
    }
    if object.is_instance_of::<PyString>()
        || object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyByteArray>()
        || object.is_instance_of::<PyMemoryView>()
        || object.is_instance_of::<PySet>()
        || object.is_instance_of::<PyFrozenSet>()
        || is_mapping(object)?
    {
        return Ok(false);
    }
    let class = object.get_type();
    Ok(class.hasattr(intern!(class.py(), "__len__"))? && class.hasattr(intern!(class.py(), "__getitem__"))?)
}

/// All items, by iteration: a length that lies changes nothing.
pub fn snapshot<'py>(sequence: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    // SAFETY: returns a new list, or null with an exception set.
    let list = unsafe { Bound::from_owned_ptr_or_err(sequence.py(), ffi::PySequence_List(sequence.as_ptr()))? };
    Ok(list.cast_into::<PyList>()?)
}

/// The messages of a call.
pub enum Messages<'py> {
    /// The caller's own list or a copy of what the caller gave.
    List(Bound<'py, PyList>),
    /// The caller's own tuple.
    Tuple(Bound<'py, PyTuple>),
}

impl<'py> Messages<'py> {
    /// Reads the argument. A list is used as it is only where nothing of the caller's will run before it is copied.
    pub fn read(object: &Bound<'py, PyAny>, undisturbed: bool) -> PyResult<Self> {
        if let Ok(tuple) = object.cast_exact::<PyTuple>() {
            return Ok(Self::Tuple(tuple.clone()));
        }
        match object.cast_exact::<PyList>() {
            Ok(list) if undisturbed => Ok(Self::List(list.clone())),
            Ok(list) => Ok(Self::List(list_copy(list)?)),
            Err(_) => Ok(Self::List(snapshot(object)?)),
        }
    }

    /// How many there are now.
    pub fn len(&self) -> usize {
        match self {
            Self::List(list) => list.len(),
            Self::Tuple(tuple) => tuple.len(),
        }
    }

    /// One of them.
    pub fn get(&self, index: usize) -> PyResult<Bound<'py, PyAny>> {
        let item = match self {
            Self::List(list) => list.get_item(index),
            Self::Tuple(tuple) => tuple.get_item(index),
        };
        item.map_err(|_| changed_size())
    }

    /// The messages `start..end`, as the slots that hold them.
    ///
    /// # Safety
    ///
    /// As long as the slots are used no Python code runs that could change the list.
    unsafe fn slots(&self, start: usize, end: usize) -> Option<&[NonNull<ffi::PyObject>]> {
        // SAFETY: a list or tuple holds as many slots as its length says, next to each other, and none of one that Python code
        // can reach is empty. An empty list may have no slots at all, and then none is asked for.
        unsafe {
            let (len, first) = match self {
                Self::List(list) => (list.len(), (*list.as_ptr().cast::<ffi::PyListObject>()).ob_item),
                Self::Tuple(tuple) => (
                    tuple.len(),
                    (&raw mut (*tuple.as_ptr().cast::<ffi::PyTupleObject>()).ob_item).cast::<*mut ffi::PyObject>(),
                ),
            };
            match end.checked_sub(start) {
                Some(0) => Some(&[]),
                Some(count) if end <= len => Some(std::slice::from_raw_parts(first.add(start).cast(), count)),
                _ => None,
            }
        }
    }

    /// One of them, as a borrowed reference.
    ///
    /// # Safety
    ///
    /// `index` is below [`Messages::len`], and as long as the reference is used no Python code runs that could change the list.
    #[inline]
    pub unsafe fn get_borrowed(&self, index: usize) -> Borrowed<'_, 'py, PyAny> {
        // SAFETY: the caller sees to it that the slot is there, and a slot of a list or tuple that Python code can reach is
        // never empty.
        unsafe {
            let (py, item) = match self {
                Self::List(list) => (list.py(), ffi::PyList_GET_ITEM(list.as_ptr(), signed(index))),
                Self::Tuple(tuple) => (tuple.py(), ffi::PyTuple_GET_ITEM(tuple.as_ptr(), signed(index))),
            };
            Borrowed::from_ptr(py, item)
        }
    }
}

/// The list shrank or grew under the call, as a finalizer or an `__index__` can make it: dicts say it in these words too.
#[cold]
pub fn changed_size() -> PyErr {
    exception::<PyRuntimeError>("messages changed size during the call; nothing was placed")
}

/// Checks that an argument is a sequence.
pub fn require_sequence(object: &Bound<'_, PyAny>, argument: &str) -> PyResult<()> {
    if is_sequence(object)? {
        return Ok(());
    }
    Err(type_error(found(object), |found| format!("{argument} must be a sequence, such as a list; found {found}")))
}

/// Checks that an argument can be iterated over. What an `__iter__` raises besides `TypeError` passes through.
pub fn require_iterable(object: &Bound<'_, PyAny>, argument: &str) -> PyResult<()> {
    if object.is_exact_instance_of::<PyList>() || object.is_exact_instance_of::<PyTuple>() {
        return Ok(());
    }
    match object.try_iter() {
        Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => {
            Err(type_error(found(object), |found| format!("{argument} must be iterable; found {found}")))
        }
        Err(error) => Err(error),
        Ok(_) => Ok(()),
    }
}

/// The items of an iterable: of a list or tuple as they are now, of anything else all at once.
pub enum Items<'py> {
    /// The caller's own list, or one made from its iterable.
    List(Bound<'py, PyList>),
    /// The caller's own tuple.
    Tuple(Bound<'py, PyTuple>),
}

impl<'py> Items<'py> {
    /// The items of `iterable`.
    pub fn of(iterable: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(list) = iterable.cast_exact::<PyList>() {
            return Ok(Self::List(list.clone()));
        }
        if let Ok(tuple) = iterable.cast_exact::<PyTuple>() {
            return Ok(Self::Tuple(tuple.clone()));
        }
        snapshot(iterable).map(Self::List)
    }

    /// How many there are now.
    pub fn len(&self) -> usize {
        match self {
            Self::List(list) => list.len(),
            Self::Tuple(tuple) => tuple.len(),
        }
    }

    /// One of them, if there are that many: reading an item may run code that shrinks the caller's list.
    pub fn get(&self, index: usize) -> Option<Bound<'py, PyAny>> {
        if index >= self.len() {
            return None;
        }
        match self {
            Self::List(list) => list.get_item(index).ok(),
            Self::Tuple(tuple) => tuple.get_item(index).ok(),
        }
    }
}

/// Checks that an argument can be called, if it is there.
pub fn require_callable(callback: Option<&Bound<'_, PyAny>>, argument: &str) -> PyResult<()> {
    match callback {
        Some(callback) if !callback.is_callable() => {
            Err(type_error(found(callback), |found| format!("{argument} must be callable or None; found {found}")))
        }
        _ => Ok(()),
    }
}

/// The output list: messages of the input with new ones put in between and hosts replaced.
pub struct OutputList<'py> {
    list: Bound<'py, PyList>,
    filled: usize,
}

impl<'py> OutputList<'py> {
    /// Room for exactly `total` messages.
    pub fn new(py: Python<'py>, total: usize) -> PyResult<Self> {
        let size = ffi::Py_ssize_t::try_from(total)
            .map_err(|_| exception::<PyMemoryError>("that many messages would not fit into memory"))?;
        // SAFETY: returns a new list of that many empty slots, or null with an exception set. Every slot is filled before the
        // list is handed out (`finish` checks it); the garbage collector and `list.__del__` both skip empty slots.
        let list = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyList_New(size))?.cast_into_unchecked() };
        Ok(Self { list, filled: 0 })
    }

    /// Appends one message.
    pub fn push(&mut self, message: Bound<'py, PyAny>) -> PyResult<()> {
        if self.filled >= self.list.len() {
            return Err(changed_size());
        }
        // SAFETY: the slot exists by the check above and is still empty, for `filled` only grows; it takes over the reference.
        unsafe { ffi::PyList_SET_ITEM(self.list.as_ptr(), signed(self.filled), message.into_ptr()) };
        self.filled += 1;
        Ok(())
    }

    /// Appends the messages `start..end` of the input.
    pub fn extend(&mut self, messages: &Messages<'py>, start: usize, end: usize) -> PyResult<()> {
        // SAFETY: nothing runs in the loop that could change a list: it only counts references up. There is a free slot for
        // each item by the check, and it takes over the new reference.
        unsafe {
            let Some(items) = messages.slots(start, end) else { return Err(changed_size()) };
            if items.len() > self.list.len() - self.filled {
                return Err(changed_size());
            }
            let free = (*self.list.as_ptr().cast::<ffi::PyListObject>()).ob_item.add(self.filled);
            for (at, item) in items.iter().enumerate() {
                ffi::Py_INCREF(item.as_ptr());
                *free.add(at) = item.as_ptr();
            }
            self.filled += items.len();
        }
        Ok(())
    }

    /// The finished list.
    pub fn finish(self) -> PyResult<Bound<'py, PyList>> {
        if self.filled == self.list.len() { Ok(self.list) } else { Err(changed_size()) }
    }
}
