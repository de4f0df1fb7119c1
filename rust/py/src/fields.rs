//! Mapping forms: their known keys in both spellings, read once into a row of values.

use interleaf_core::error::{Class, Code, Refusal, nearest};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString};

use crate::errors::{Told, found, raise, refuse, refuse_of};
use crate::names::intern_at_import;
use crate::objects::{as_mapping, is_mapping};
use crate::unicode::{display, quoted, text};

/// The keys of one kind of mapping.
pub struct Fields<const N: usize> {
    /// Whose errors these are.
    pub class: Class,
    /// The snake_case keys, in the order in which fields are checked.
    pub names: [&'static str; N],
    /// The camelCase keys that differ, with the place of their field.
    pub camel: &'static [(&'static str, usize)],
    /// The keys as interned strings, with their fields.
    pub keys: PyOnceLock<Vec<(Py<PyString>, usize)>>,
}

impl<const N: usize> Fields<N> {
    /// The keys of one kind of mapping.
    pub const fn new(class: Class, names: [&'static str; N], camel: &'static [(&'static str, usize)]) -> Self {
        Self { class, names, camel, keys: PyOnceLock::new() }
    }

    fn spellings(&self) -> impl Iterator<Item = (&'static str, usize)> + '_ {
        let snake = self.names.iter().copied().enumerate().map(|(field, name)| (name, field));
        snake.chain(self.camel.iter().copied())
    }

    /// The keys as strings; asked for when the module is imported, which makes them.
    #[inline]
    pub fn keys(&self, py: Python<'_>) -> &[(Py<PyString>, usize)] {
        self.keys.get(py).map_or_else(|| self.make_keys(py), Vec::as_slice)
    }

    #[cold]
    fn make_keys(&self, py: Python<'_>) -> &[(Py<PyString>, usize)] {
        self.keys
            .get_or_init(py, || self.spellings().map(|(name, field)| (intern_at_import(py, name), field)).collect())
    }

    /// The field of a key; `expected` is the one after that of the key before.
    fn field(&self, key: &Bound<'_, PyAny>, expected: usize) -> PyResult<Option<usize>> {
        let keys = self.keys(key.py());
        // Keys in Python source are interned, so most are found by their address; and people write them in the order in which
        // they are documented, so most are the first one looked at.
        let (before, from) = keys.split_at(expected.min(keys.len()));
        if let Some(&(_, field)) = from.iter().chain(before).find(|(known, _)| known.is(key)) {
            return Ok(Some(field));
        }
        let Ok(string) = key.cast::<PyString>() else { return Ok(None) };
        let word = text(string)?;
        for (known, field) in keys {
            if text(known.bind(key.py()))? == word {
                return Ok(Some(*field));
            }
        }
        Ok(None)
    }

    #[cold]
    fn unknown(&self, key: &Bound<'_, PyAny>, path: &str) -> PyErr {
        let known: Vec<&str> = self.spellings().map(|(name, _)| name).collect();
        let Ok(string) = key.cast::<PyString>() else {
            let expected = format!("only keys that are str: {}", self.names.join(", "));
            let found = found(key).map(|found| format!("a key that is {found}"));
            return refuse(self.class, Code::UnknownField, path, found, expected);
        };
        let word = display(string);
        let expected = match nearest(&word, known) {
            Some(near) => format!("one of {} (did you mean {near:?}?)", self.names.join(", ")),
            None => format!("one of {}", self.names.join(", ")),
        };
        let at = join_path(path, &word);
        raise(Refusal::new(self.class, Code::UnknownField, at, format!("the unknown key {}", quoted(string)), expected))
    }

    /// The values of a mapping by field; absent and None are both `None`.
    ///
    /// Unknown keys are refused first, then a field in both spellings. `path` is that of the mapping, and only called to refuse.
    pub fn read<'py>(
        &self,
        mapping: &Bound<'py, PyAny>,
        path: &dyn Fn() -> String,
    ) -> PyResult<[Option<Bound<'py, PyAny>>; N]> {
        let mut values = [const { None }; N];
        let mut seen = [false; N];
        let mut twice: Option<usize> = None;
        let mut take = |field: usize, value: Bound<'py, PyAny>| {
            if std::mem::replace(&mut seen[field], true) {
                // The first in the order of the fields is the one to tell, however the mapping is ordered.
                twice = Some(twice.map_or(field, |other| other.min(field)));
            }
            if !value.is_none() {
                values[field] = Some(value);
            }
        };
        if let Ok(dict) = mapping.cast_exact::<PyDict>() {
            // Nothing of the caller's runs in this loop, so the dict cannot change under it.
            let mut expected = 0;
            for (key, value) in dict.iter() {
                match self.field(&key, expected)? {
                    Some(field) => {
                        expected = field + 1;
                        take(field, value);
                    }
                    None => return Err(self.unknown(&key, &path())),
                }
            }
        } else {
            let Some(mapping) = as_mapping(mapping)? else {
                return Err(refuse(self.class, Code::InvalidType, path(), found(mapping), "a mapping"));
            };
            let mut fields = Vec::new();
            for key in mapping.keys()?.iter() {
                match self.field(&key, 0)? {
                    Some(field) => fields.push((key, field)),
                    None => return Err(self.unknown(&key, &path())),
                }
            }
            for (key, field) in fields {
                take(field, mapping.get_item(&key)?);
            }
        }
        match twice {
            None => Ok(values),
            Some(field) => Err(raise(Refusal::new(
                self.class,
                Code::DuplicateField,
                join_path(&path(), self.names[field]),
                "both spellings of the field",
                "one of them",
            ))),
        }
    }
}

/// Refuses fields of one object, which it names once its id is known.
pub struct Refuser<'a, 'py, const N: usize> {
    /// The fields of such objects.
    pub fields: &'static Fields<N>,
    /// What one of them is called in a message.
    pub noun: &'static str,
    /// The path of this one, only called to refuse.
    pub path: &'a dyn Fn() -> String,
    /// Its id.
    pub id: Option<&'a Bound<'py, PyString>>,
}

impl<const N: usize> Refuser<'_, '_, N> {
    /// An exception for the value of a field.
    #[cold]
    pub fn refuse(&self, field: usize, code: Code, found: impl Told, expected: impl Into<String>) -> PyErr {
        let path = join_path(&(self.path)(), self.fields.names[field]);
        let owner = self.id.map(|id| format!("{} {}", self.noun, quoted(id)));
        refuse_of(owner, self.fields.class, code, path, found, expected)
    }

    /// An exception for a required field that is not there.
    #[cold]
    pub fn missing(&self, field: usize, expected: impl Into<String>) -> PyErr {
        self.refuse(field, Code::MissingField, "nothing", expected)
    }
}

/// Refuses what is no mapping.
pub fn require_mapping(object: &Bound<'_, PyAny>, class: Class, path: &str, expected: &str) -> PyResult<()> {
    if is_mapping(object)? {
        return Ok(());
    }
    Err(refuse(class, Code::InvalidType, path, found(object), expected))
}

/// `path.field`, or the bare field if there is no path.
pub fn join_path(path: &str, field: &str) -> String {
    if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") }
}
