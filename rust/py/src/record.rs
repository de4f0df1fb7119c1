//! What all immutable classes share: representation, equality, `to_dict`, `replace`, pickling.

use std::sync::OnceLock;

use pyo3::PyClass;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use crate::errors::exception;
use crate::names::intern;
use crate::objects::{IntoObject, as_mapping, imported, new_dict, new_list, new_str, new_tuple};
use crate::unicode;

/// One field of a record.
pub struct Field<'py> {
    /// Its name, which is also the keyword that the constructor takes.
    pub name: &'static str,
    /// Its value.
    pub value: Bound<'py, PyAny>,
    /// How `to_dict` writes it.
    pub form: Form,
    /// Whether `repr` leaves it out because it says nothing.
    pub is_default: bool,
}

/// How `to_dict` writes a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As it is.
    AsIs,
    /// A tuple as a list, a record as its dict, a mapping of records as a dict of dicts.
    Plain,
    /// As `Plain`, and not at all if it is None or empty.
    PlainIfSet,
}

impl<'py> Field<'py> {
    /// A field that is written as it is.
    pub fn new(py: Python<'py>, name: &'static str, value: impl IntoObject<'py>) -> PyResult<Self> {
        let value = value.into_object(py)?;
        Ok(Self { name, value, form: Form::AsIs, is_default: false })
    }

    /// A field that is None unless given.
    pub fn optional(py: Python<'py>, name: &'static str, value: impl IntoObject<'py>) -> PyResult<Self> {
        let field = Self::new(py, name, value)?;
        let is_default = field.value.is_none();
        Ok(Self { is_default, ..field })
    }

    /// The same, written in another form.
    pub fn form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// The same, left out of `repr` in this case.
    pub fn default_if(self, is_default: bool) -> Self {
        Self { is_default, ..self }
    }
}

/// An immutable class that is its fields.
pub trait Record: PyClass + Sync {
    /// The names of its fields, in the order of [`Record::fields`].
    fn names() -> &'static [&'static str];

    /// All fields, in the order of `__match_args__`.
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>>;
}

/// A value in `to_dict`.
fn plain<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    if let Ok(tuple) = value.cast::<PyTuple>() {
        let items = tuple.iter().map(|item| plain(&item)).collect::<PyResult<Vec<_>>>()?;
        return Ok(new_list(py, items)?.into_any());
    }
    if value.hasattr(intern!(py, "to_dict"))? {
        return value.call_method0(intern!(py, "to_dict"));
    }
    if let Some(items) = as_mapping(value)? {
        let dict = new_dict(py)?;
        for pair in items.items()?.iter() {
            let (key, item): (Bound<'py, PyAny>, Bound<'py, PyAny>) = pair.extract()?;
            dict.set_item(key, plain(&item)?)?;
        }
        return Ok(dict.into_any());
    }
    Ok(value.clone())
}

/// All fields by name.
pub fn to_dict<'py, R: Record>(record: &R, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
    let dict = new_dict(py)?;
    for field in record.fields(py)? {
        match field.form {
            Form::AsIs => dict.set_item(new_str(py, field.name)?, field.value)?,
            Form::PlainIfSet
                if field.value.is_none() || !field.value.is_truthy().unwrap_or(true) && field.value.len().is_ok() => {}
            Form::Plain | Form::PlainIfSet => dict.set_item(new_str(py, field.name)?, plain(&field.value)?)?,
        }
    }
    Ok(dict)
}

/// `Name(field=value, …)`, without the fields that say nothing, and with long text cut.
pub fn repr<'py, R: Record>(record: &R, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
    const SHOWN: usize = 80;
    let mut shown = format!("{}(", unicode::display(&R::type_object(py).name()?));
    let mut separator = "";
    for field in record.fields(py)?.iter().filter(|field| !field.is_default) {
        shown.push_str(separator);
        separator = ", ";
        shown.push_str(field.name);
        shown.push('=');
        match field.value.cast::<PyString>() {
            Ok(string) if unicode::length(string)? > SHOWN => {
                let head = unicode::join(py, &[unicode::TextPiece::new(string, 0..SHOWN)?])?;
                let head = unicode::display(&head.repr()?);
                let quote = head.chars().next_back().unwrap_or('\'');
                shown.push_str(head.strip_suffix(quote).unwrap_or(&head));
                shown.push('…');
                shown.push(quote);
            }
            _ => shown.push_str(&unicode::display(&field.value.repr()?)),
        }
    }
    shown.push(')');
    new_str(py, &shown)
}

/// Field by field, with Python's `==`; `None` if the other is of another class.
pub fn equal<R: Record>(record: &R, other: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
    let py = other.py();
    let Ok(other) = other.cast_exact::<R>() else { return Ok(None) };
    if std::ptr::eq(record, &raw const *other.borrow()) {
        return Ok(Some(true));
    }
    for (left, right) in record.fields(py)?.iter().zip(other.borrow().fields(py)?) {
        if !left.value.is(&right.value) && !left.value.eq(right.value)? {
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}

/// Equal records have equal hashes; fields that may be unhashable are left out.
pub fn hash<R: Record>(record: &R, py: Python<'_>, without: &[&str]) -> PyResult<isize> {
    let fields = record.fields(py)?;
    let hashed = fields.into_iter().filter(|field| !without.contains(&field.name)).map(|field| field.value);
    new_tuple(py, hashed.collect::<Vec<_>>())?.hash()
}

fn keywords<'py, R: Record>(record: &R, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
    let keywords = new_dict(py)?;
    for field in record.fields(py)? {
        keywords.set_item(new_str(py, field.name)?, field.value)?;
    }
    Ok(keywords)
}

/// What pickle and copy rebuild the record from: its class and keywords.
pub fn reduce<'py, R: Record>(record: &R, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
    static REBUILD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let rebuild = imported(py, &REBUILD, "copyreg", "__newobj_ex__")?;
    let class: Bound<'py, PyType> = R::type_object(py);
    let arguments = [class.into_any(), PyTuple::empty(py).into_any(), keywords(record, py)?.into_any()];
    (rebuild, new_tuple(py, arguments)?).into_object(py)
}

/// A new record with some fields changed, checked like any other.
pub fn replace<'py, R: Record>(
    record: &R,
    py: Python<'py>,
    changes: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let keywords = keywords(record, py)?;
    let class = R::type_object(py);
    if let Some(changes) = changes {
        for (name, value) in changes.iter() {
            if !keywords.contains(&name)? {
                let name = unicode::display(&name.cast_into::<PyString>()?);
                let near = interleaf_core::error::nearest(&name, R::names().iter().copied());
                let hint = near.map_or_else(String::new, |near| format!(" (did you mean '{near}'?)"));
                let class = unicode::display(&class.name()?);
                return Err(exception::<PyTypeError>(&format!("{class} has no field '{name}'{hint}")));
            }
            keywords.set_item(name, value)?;
        }
    }
    class.call((), Some(&keywords))
}

/// What is built when it is first asked for. Not a `PyOnceLock`, whose value the garbage collector could not be shown, for that
/// one asks for an interpreter; under the interpreter's lock two threads may both build it, and the first one's is kept.
pub fn built<T>(cell: &OnceLock<T>, build: impl FnOnce() -> PyResult<T>) -> PyResult<&T> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = build()?;
    Ok(cell.get_or_init(|| value))
}

/// A `#[pymethods]` block with what all records have in common; `$unhashed` are the fields left out of the hash, or `no` for a
/// record that holds a list and so has none.
macro_rules! record_methods {
    ($record:ident, hash: no, $($own:tt)*) => {
        crate::record::record_methods!(@methods $record, {
            #[classattr]
            const __hash__: Option<Py<PyAny>> = None;
        } $($own)*);
    };
    ($record:ident, hash: all but [$($unhashed:literal),*], $($own:tt)*) => {
        crate::record::record_methods!(@methods $record, {
            fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
                crate::record::hash(self, py, &[$($unhashed),*])
            }
        } $($own)*);
    };
    (@methods $record:ident, { $($hash:tt)* } $($own:tt)*) => {
        impl<'py> crate::objects::IntoObject<'py> for $record {
            fn into_object(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                Ok(Bound::new(py, self)?.into_any())
            }
        }

        #[pymethods]
        impl $record {
            $($own)*
            $($hash)*

            #[classattr]
            fn __match_args__(py: Python<'_>) -> PyResult<Py<pyo3::types::PyTuple>> {
                crate::objects::new_tuple(py, <$record as crate::record::Record>::names().iter().copied()).map(Bound::unbind)
            }

            fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyString>> {
                crate::record::repr(self, py)
            }

            fn __eq__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                use crate::objects::IntoObject;
                let same = crate::record::equal(self, other)?;
                same.map_or_else(|| Ok(py.NotImplemented().into_bound(py)), |same| same.into_object(py))
            }

            fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                crate::record::reduce(self, py)
            }

            /// All fields as a dict that can be written as JSON, metadata as it was given.
            fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
                crate::record::to_dict(self, py)
            }

            #[classattr]
            fn replace(py: Python<'_>) -> PyResult<Py<PyAny>> {
                let doc = c"replace($self, /, **changes)\n--\n\nA new object with some fields changed, checked like any other.";
                crate::replacing::replacing_method::<$record>(py, c"replace", doc)
            }

            #[classattr]
            fn __replace__(py: Python<'_>) -> PyResult<Py<PyAny>> {
                let doc = c"__replace__($self, /, **changes)\n--\n\nFor `copy.replace` of Python 3.13.";
                crate::replacing::replacing_method::<$record>(py, c"__replace__", doc)
            }
        }
    };
}
pub(crate) use record_methods;
