//! What counting returns: `CharCount`, `TokenCount`, `UnpricedPart`.
//!
//! Lists are read in the constructors: an allocation that fails while PyO3 reads an argument can end the process.

use interleaf_core::measure::LengthUnit;
use interleaf_core::text::Text;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::names::intern;
use crate::objects::{Returned, new_tuple};
use crate::record::{Field, Form, Record, record_methods};
use crate::unicode::text;
use crate::words::python_word;

/// A part that is no text and has no price.
#[pyclass(frozen, module = "interleaf.budget")]
pub struct UnpricedPart {
    /// The message it is in.
    pub message_index: usize,
    /// Its index in that message's parts.
    pub part_index: usize,
    /// Its type.
    pub kind: Py<PyString>,
}

impl Record for UnpricedPart {
    fn names() -> &'static [&'static str] {
        &["message_index", "part_index", "type"]
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>> {
        Ok(vec![
            Field::new(py, "message_index", self.message_index)?,
            Field::new(py, "part_index", self.part_index)?,
            Field::new(py, "type", &self.kind)?,
        ])
    }
}

record_methods! { UnpricedPart, hash: all but [],
    #[new]
    #[pyo3(signature = (*, message_index, part_index, r#type))]
    fn new(message_index: usize, part_index: usize, r#type: Py<PyString>) -> Self {
        Self { message_index, part_index, kind: r#type }
    }

    #[getter]
    fn message_index(&self) -> Returned<usize> {
        Returned(self.message_index)
    }

    #[getter]
    fn part_index(&self) -> Returned<usize> {
        Returned(self.part_index)
    }

    #[getter]
    fn r#type(&self) -> &Py<PyString> {
        &self.kind
    }
}

/// Characters of messages.
#[pyclass(frozen, module = "interleaf.budget")]
pub struct CharCount {
    /// All of them.
    pub total: u64,
    /// One number for each message.
    pub per_message: Vec<u64>,
    /// What a character is.
    pub unit: LengthUnit,
    /// Parts that are no text and count nothing.
    pub opaque_parts: usize,
}

impl Record for CharCount {
    fn names() -> &'static [&'static str] {
        &["total", "per_message", "unit", "opaque_parts"]
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>> {
        Ok(vec![
            Field::new(py, "total", self.total)?,
            Field::new(py, "per_message", self.per_message(py)?)?.form(Form::Plain),
            Field::new(py, "unit", python_word(py, self.unit))?,
            Field::new(py, "opaque_parts", self.opaque_parts)?.default_if(self.opaque_parts == 0),
        ])
    }
}

record_methods! { CharCount, hash: all but [],
    #[new]
    #[pyo3(signature = (*, total, per_message, unit, opaque_parts=0))]
    fn new(
        total: u64,
        per_message: &Bound<'_, PyAny>,
        unit: &Bound<'_, PyAny>,
        opaque_parts: usize,
    ) -> PyResult<Self> {
        Ok(Self { total, per_message: per_message.extract()?, unit: crate::plan::read_unit(unit)?, opaque_parts })
    }

    #[getter]
    fn total(&self) -> Returned<u64> {
        Returned(self.total)
    }

    #[getter]
    fn per_message<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        new_tuple(py, self.per_message.iter().copied())
    }

    #[getter]
    fn unit(&self, py: Python<'_>) -> &'static Py<PyString> {
        python_word(py, self.unit)
    }

    #[getter]
    fn opaque_parts(&self) -> Returned<usize> {
        Returned(self.opaque_parts)
    }
}

/// Tokens of messages.
#[pyclass(frozen, module = "interleaf.budget")]
pub struct TokenCount {
    /// All of them, priming included.
    pub total: u64,
    /// One number for each message.
    pub per_message: Vec<u64>,
    /// What the list costs besides its messages.
    pub priming: u64,
    /// Whether the counts are of rendered messages, to the letter.
    pub rendered: bool,
    /// Parts that count 0 because they have no price.
    pub unpriced: Vec<Py<UnpricedPart>>,
}

/// How exact a count is, in the word that users read.
pub fn exactness_word(py: Python<'_>, rendered: bool) -> &Bound<'_, PyString> {
    if rendered { intern!(py, "rendered") } else { intern!(py, "estimated") }
}

/// Whether an exactness is that of rendered messages.
pub fn is_rendered(exactness: &Bound<'_, PyString>) -> PyResult<bool> {
    Ok(text(exactness)? == Text::One(b"rendered"))
}

impl Record for TokenCount {
    fn names() -> &'static [&'static str] {
        &["total", "per_message", "priming", "exactness", "unpriced_parts"]
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>> {
        Ok(vec![
            Field::new(py, "total", self.total)?,
            Field::new(py, "per_message", self.per_message(py)?)?.form(Form::Plain),
            Field::new(py, "priming", self.priming)?,
            Field::new(py, "exactness", exactness_word(py, self.rendered))?,
            Field::new(py, "unpriced_parts", self.unpriced_parts(py)?)?
                .form(Form::Plain)
                .default_if(self.unpriced.is_empty()),
        ])
    }
}

record_methods! { TokenCount, hash: all but [],
    #[new]
    #[pyo3(
        signature = (*, total, per_message, priming, exactness, unpriced_parts=None),
        text_signature = "(*, total, per_message, priming, exactness, unpriced_parts=())"
    )]
    fn new(
        total: u64,
        per_message: &Bound<'_, PyAny>,
        priming: u64,
        exactness: &Bound<'_, PyString>,
        unpriced_parts: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self {
            total,
            per_message: per_message.extract()?,
            priming,
            rendered: is_rendered(exactness)?,
            unpriced: unpriced_parts.map(PyAnyMethods::extract).transpose()?.unwrap_or_default(),
        })
    }

    #[getter]
    fn total(&self) -> Returned<u64> {
        Returned(self.total)
    }

    #[getter]
    fn per_message<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        new_tuple(py, self.per_message.iter().copied())
    }

    #[getter]
    fn priming(&self) -> Returned<u64> {
        Returned(self.priming)
    }

    #[getter]
    fn exactness(&self, py: Python<'_>) -> Py<PyString> {
        exactness_word(py, self.rendered).clone().unbind()
    }

    #[getter]
    fn unpriced_parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        new_tuple(py, &self.unpriced)
    }
}
