//! `ContextFragment`, and the mapping form of a fragment.

use interleaf_core::assemble::FragmentKey;
use interleaf_core::block::Role;
use interleaf_core::error::{Class, Code};
use interleaf_core::fragment::{Budget, Lifetime, Trust};
use interleaf_core::measure::LengthUnit;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use crate::block::{EXPECTED_ID, read_id};
use crate::errors::{found, refuse};
use crate::fields::{Fields, Refuser, require_mapping};
use crate::json;
use crate::measure::measure;
use crate::number::read_budget;
use crate::objects::is_mapping;
use crate::record::{Field, Record, record_methods};
use crate::unicode::{hash, text};
use crate::words::{Word, one_of, python_word, read_word};

const ID: usize = 0;
const SOURCE_ID: usize = 1;
const TRUST: usize = 2;
const LIFETIME: usize = 3;
const ROLE: usize = 4;
const MAX_CHARS: usize = 5;
const VALUE: usize = 6;
const METADATA: usize = 7;
const FIELD_COUNT: usize = 8;

type Values<'py> = [Option<Bound<'py, PyAny>>; FIELD_COUNT];

/// The keys of a fragment.
pub static FIELDS: Fields<FIELD_COUNT> = Fields::new(
    Class::Plan,
    ["id", "source_id", "trust", "lifetime", "role", "max_chars", "value", "metadata"],
    &[("sourceId", SOURCE_ID), ("maxChars", MAX_CHARS)],
);

/// What is expected of a budget, for messages.
pub const EXPECTED_BUDGET: &str = "an int of 0 or more, or math.inf";

/// A checked fragment.
pub struct FragmentData {
    /// Not empty, encodable, and an exact `str`.
    pub id: Py<PyString>,
    /// Python's hash of the id.
    pub id_hash: u64,
    /// Not empty, encodable, and an exact `str`.
    pub source_id: Py<PyString>,
    /// Who vouches for it.
    pub trust: Trust,
    /// How long it stays the same.
    pub lifetime: Lifetime,
    /// Who says it.
    pub role: Role,
    /// Its budget.
    pub budget: Budget,
    /// The budget as the number it was given as.
    pub max_chars: Py<PyAny>,
    /// The text that goes to the model: the value itself, or its JSON.
    pub text: Py<PyString>,
    /// Whether the value was JSON and not text.
    pub is_json: bool,
    /// Whatever was given.
    pub metadata: Option<Py<PyAny>>,
}

impl Refuser<'_, '_, FIELD_COUNT> {
    fn id<'py>(&self, values: &Values<'py>, field: usize) -> PyResult<Bound<'py, PyString>> {
        let Some(value) = &values[field] else { return Err(self.missing(field, EXPECTED_ID)) };
        read_id(value)?.ok_or_else(|| self.refuse(field, Code::InvalidId, found(value), EXPECTED_ID))
    }

    fn word<W: Word>(&self, values: &Values<'_>, field: usize, code: Code) -> PyResult<W> {
        let Some(value) = &values[field] else { return Err(self.missing(field, one_of::<W>())) };
        read_word(value)?.ok_or_else(|| self.refuse(field, code, found(value), one_of::<W>()))
    }
}

impl FragmentData {
    fn from_values(values: &Values<'_>, path: &dyn Fn() -> String) -> PyResult<Self> {
        let nameless = Refuser { fields: &FIELDS, noun: "fragment", path, id: None };
        let id = nameless.id(values, ID)?;
        let refuser = Refuser { id: Some(&id), ..nameless };
        let source_id = refuser.id(values, SOURCE_ID)?;
        let trust = refuser.word::<Trust>(values, TRUST, Code::InvalidTrust)?;
        let lifetime = refuser.word::<Lifetime>(values, LIFETIME, Code::InvalidLifetime)?;
        let role = refuser.word::<Role>(values, ROLE, Code::InvalidRole)?;
        let Some(max_chars) = &values[MAX_CHARS] else { return Err(refuser.missing(MAX_CHARS, EXPECTED_BUDGET)) };
        let Some((budget, max_chars)) = read_budget(max_chars)? else {
            return Err(refuser.refuse(MAX_CHARS, Code::InvalidBudget, found(max_chars), EXPECTED_BUDGET));
        };
        let expected_value = "a str, or a JSON value: dict with str keys, list, tuple, int, finite float or bool";
        let Some(value) = &values[VALUE] else { return Err(refuser.missing(VALUE, expected_value)) };
        let (text, is_json) = match value.cast::<PyString>() {
            Ok(string) => (string.clone(), false),
            Err(_) => match json::json_text(value)? {
                Ok(encoded) => (encoded, true),
                Err(json::NotJson(found)) => {
                    return Err(refuser.refuse(VALUE, Code::InvalidValue, found, expected_value));
                }
            },
        };
        Ok(Self {
            id_hash: hash(&id)?,
            id: id.clone().unbind(),
            source_id: source_id.unbind(),
            trust,
            lifetime,
            role,
            budget,
            max_chars: max_chars.unbind(),
            text: text.unbind(),
            is_json,
            metadata: values[METADATA].as_ref().map(|metadata| metadata.clone().unbind()),
        })
    }

    /// Reads the mapping form.
    pub fn from_mapping(mapping: &Bound<'_, PyAny>, path: &dyn Fn() -> String) -> PyResult<Self> {
        Self::from_values(&FIELDS.read(mapping, path)?, path)
    }

    /// What decides about it, measured in `unit`.
    pub fn key(&self, py: Python<'_>, unit: LengthUnit) -> PyResult<FragmentKey> {
        let view = text(self.text.bind(py))?;
        Ok(FragmentKey {
            trust: self.trust,
            lifetime: self.lifetime,
            role: self.role,
            max_chars: self.budget,
            chars: measure(view, unit),
            code_points: view.len(),
        })
    }

    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = self.text.bind(py);
        if self.is_json { json::parse(text) } else { Ok(text.clone().into_any()) }
    }
}

/// A fragment of the input: a native one is kept as it is, a mapping is read once.
pub enum Fragment {
    /// Already checked.
    Native(Py<ContextFragment>),
    /// Read from a mapping. Boxed, so that a list of native fragments stays a list of pointers.
    Read(Box<FragmentData>),
}

impl Fragment {
    /// Reads one item of `fragments` or `original_fragments`.
    pub fn read(item: &Bound<'_, PyAny>, path: &dyn Fn() -> String) -> PyResult<Self> {
        if let Ok(native) = item.cast_exact::<ContextFragment>() {
            return Ok(Self::Native(native.clone().unbind()));
        }
        if is_mapping(item)? {
            return Ok(Self::Read(Box::new(FragmentData::from_mapping(item, path)?)));
        }
        Err(refuse(Class::Plan, Code::InvalidType, path(), found(item), "a ContextFragment or a mapping"))
    }

    /// The checked fragment.
    pub fn data(&self) -> &FragmentData {
        match self {
            Self::Native(native) => &native.get().data,
            Self::Read(data) => data,
        }
    }

    /// Another reference to it; what was read from a mapping becomes native.
    pub fn into_native(self, py: Python<'_>) -> PyResult<Py<ContextFragment>> {
        match self {
            Self::Native(native) => Ok(native),
            Self::Read(data) => Py::new(py, ContextFragment { data: *data }),
        }
    }
}

/// A piece of model input with its source, trust, lifetime, role and own budget.
///
/// Checked once when it is built, immutable, and reusable in any number of plans.
///
/// Args:
///     id: not empty, unique in a plan, encodable as UTF-8.
///     source_id: where it comes from; not empty, encodable as UTF-8.
///     trust: who vouches for it: `system`, `developer`, `user`, `tool` or `external`.
///     lifetime: how long it stays the same: `static`, `session` or `turn`.
///     role: who says it: `system`, `developer`, `user` or `assistant`.
///     max_chars: its budget in the plan's unit, an int of 0 or more, or `math.inf`.
///     value: text, or a JSON value, which is sent as compact JSON.
///     metadata: anything; carried to the usage and never read.
///
/// Raises:
///     PlanError: a field is missing or wrong; its `path` is the bare field.
///
/// >>> from interleaf import ContextFragment
/// >>> facts = ContextFragment(id="facts", source_id="db", trust="tool", lifetime="turn", role="user", max_chars=80,
/// ...                         value={"城": [1, 2.5, None]})
/// >>> facts.text
/// '{"城":[1,2.5,null]}'
#[pyclass(frozen, module = "interleaf")]
pub struct ContextFragment {
    /// The checked fragment.
    pub data: FragmentData,
}

impl Record for ContextFragment {
    fn names() -> &'static [&'static str] {
        &FIELDS.names
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>> {
        let data = &self.data;
        Ok(vec![
            Field::new(py, "id", &data.id)?,
            Field::new(py, "source_id", &data.source_id)?,
            Field::new(py, "trust", python_word(py, data.trust))?,
            Field::new(py, "lifetime", python_word(py, data.lifetime))?,
            Field::new(py, "role", python_word(py, data.role))?,
            Field::new(py, "max_chars", &data.max_chars)?,
            Field::new(py, "value", data.value(py)?)?,
            Field::optional(py, "metadata", data.metadata.as_ref())?,
        ])
    }
}

record_methods! { ContextFragment, hash: all but ["value", "metadata"],
    #[new]
    #[pyo3(signature = (*, id=None, source_id=None, trust=None, lifetime=None, role=None, max_chars=None, value=None, metadata=None), text_signature = "(*, id, source_id, trust, lifetime, role, max_chars, value, metadata=None)")]
    #[allow(clippy::too_many_arguments)] // one keyword a field
    fn new<'py>(
        id: Option<Bound<'py, PyAny>>,
        source_id: Option<Bound<'py, PyAny>>,
        trust: Option<Bound<'py, PyAny>>,
        lifetime: Option<Bound<'py, PyAny>>,
        role: Option<Bound<'py, PyAny>>,
        max_chars: Option<Bound<'py, PyAny>>,
        value: Option<Bound<'py, PyAny>>,
        metadata: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let values = [id, source_id, trust, lifetime, role, max_chars, value, metadata];
        Ok(Self { data: FragmentData::from_values(&values, &String::new)? })
    }

    /// A fragment from its mapping form, in snake_case or camelCase.
    #[classmethod]
    fn from_dict(_class: &Bound<'_, PyType>, mapping: &Bound<'_, PyAny>) -> PyResult<Self> {
        require_mapping(mapping, Class::Plan, "", "a mapping")?;
        Ok(Self { data: FragmentData::from_mapping(mapping, &String::new)? })
    }

    #[getter]
    fn id(&self) -> &Py<PyString> {
        &self.data.id
    }

    #[getter]
    fn source_id(&self) -> &Py<PyString> {
        &self.data.source_id
    }

    #[getter]
    fn trust(&self, py: Python<'_>) -> &'static Py<PyString> {
        python_word(py, self.data.trust)
    }

    #[getter]
    fn lifetime(&self, py: Python<'_>) -> &'static Py<PyString> {
        python_word(py, self.data.lifetime)
    }

    #[getter]
    fn role(&self, py: Python<'_>) -> &'static Py<PyString> {
        python_word(py, self.data.role)
    }

    #[getter]
    fn max_chars(&self) -> &Py<PyAny> {
        &self.data.max_chars
    }

    /// The text itself, or a fresh copy of the JSON value (tuples as lists), so that nobody can change the fragment by it.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.data.value(py)
    }

    /// What goes to the model: the value if it is text, else its compact JSON.
    #[getter]
    fn text(&self) -> &Py<PyString> {
        &self.data.text
    }

    #[getter]
    fn metadata(&self) -> Option<&Py<PyAny>> {
        self.data.metadata.as_ref()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.data.text)?;
        visit.call(&self.data.metadata)
    }
}
