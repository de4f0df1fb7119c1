//! What an assembly returns: `BuiltContext` and `FragmentUsage`; and what an audit finds: `Mutation`.

use interleaf_core::fragment::{Lifetime, Trust};
use std::sync::OnceLock;

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyGenericAlias, PyList, PyString, PyTuple, PyType};

use interleaf_core::assemble::{Assembly, FragmentKey};
use interleaf_core::measure::LengthUnit;

use crate::counts::{exactness_word, is_rendered};
use crate::fragment::{Fragment, FragmentData};
use crate::objects::{Returned, new_tuple};
use crate::record::{Field, Form, Record, built, record_methods};
use crate::words::python_word;

/// What one fragment used, and where it ended up.
///
/// Attributes:
///     id, source_id, trust, lifetime, role, max_chars, metadata: those of the fragment.
///     chars: its length in the unit of the plan.
///     message_index: index of its message.
///     span: start and end of its text in that message, in code points.
///     tokens: tokens of its text alone; None if there is no counter. Those of texts that share a message need not add up.
#[pyclass(frozen, module = "interleaf")]
pub struct FragmentUsage {
    id: Py<PyString>,
    source_id: Py<PyString>,
    trust: Py<PyString>,
    lifetime: Py<PyString>,
    role: Py<PyString>,
    chars: u64,
    max_chars: Py<PyAny>,
    message_index: usize,
    span: (usize, usize),
    metadata: Option<Py<PyAny>>,
    tokens: Option<u64>,
}

const USAGE_FIELDS: [&str; 11] = [
    "id",
    "source_id",
    "trust",
    "lifetime",
    "role",
    "chars",
    "max_chars",
    "message_index",
    "span",
    "metadata",
    "tokens",
];

impl FragmentUsage {
    fn of(
        py: Python<'_>,
        data: &FragmentData,
        chars: u64,
        tokens: Option<u64>,
        message_index: usize,
        span: (usize, usize),
    ) -> Self {
        let trust: Trust = data.trust;
        let lifetime: Lifetime = data.lifetime;
        Self {
            id: data.id.clone_ref(py),
            source_id: data.source_id.clone_ref(py),
            trust: python_word(py, trust).clone_ref(py),
            lifetime: python_word(py, lifetime).clone_ref(py),
            role: python_word(py, data.role).clone_ref(py),
            chars,
            max_chars: data.max_chars.clone_ref(py),
            message_index,
            span,
            metadata: data.metadata.as_ref().map(|metadata| metadata.clone_ref(py)),
            tokens,
        }
    }
}

impl Record for FragmentUsage {
    fn names() -> &'static [&'static str] {
        &USAGE_FIELDS
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>> {
        Ok(vec![
            Field::new(py, "id", &self.id)?,
            Field::new(py, "source_id", &self.source_id)?,
            Field::new(py, "trust", &self.trust)?,
            Field::new(py, "lifetime", &self.lifetime)?,
            Field::new(py, "role", &self.role)?,
            Field::new(py, "chars", self.chars)?,
            Field::new(py, "max_chars", &self.max_chars)?,
            Field::new(py, "message_index", self.message_index)?,
            Field::new(py, "span", self.span)?.form(Form::Plain),
            Field::optional(py, "metadata", self.metadata.as_ref())?,
            Field::optional(py, "tokens", self.tokens)?.form(Form::PlainIfSet),
        ])
    }
}

record_methods! { FragmentUsage, hash: all but ["metadata"],
    #[new]
    #[pyo3(signature = (
        *, id, source_id, trust, lifetime, role, chars, max_chars, message_index, span, metadata=None, tokens=None
    ))]
    #[allow(clippy::too_many_arguments)] // one keyword a field
    fn new(
        id: Py<PyString>,
        source_id: Py<PyString>,
        trust: Py<PyString>,
        lifetime: Py<PyString>,
        role: Py<PyString>,
        chars: u64,
        max_chars: Py<PyAny>,
        message_index: usize,
        span: (usize, usize),
        metadata: Option<Py<PyAny>>,
        tokens: Option<u64>,
    ) -> Self {
        Self { id, source_id, trust, lifetime, role, chars, max_chars, message_index, span, metadata, tokens }
    }

    #[getter]
    fn id(&self) -> &Py<PyString> {
        &self.id
    }

    #[getter]
    fn source_id(&self) -> &Py<PyString> {
        &self.source_id
    }

    #[getter]
    fn trust(&self) -> &Py<PyString> {
        &self.trust
    }

    #[getter]
    fn lifetime(&self) -> &Py<PyString> {
        &self.lifetime
    }

    #[getter]
    fn role(&self) -> &Py<PyString> {
        &self.role
    }

    #[getter]
    fn chars(&self) -> Returned<u64> {
        Returned(self.chars)
    }

    #[getter]
    fn max_chars(&self) -> &Py<PyAny> {
        &self.max_chars
    }

    #[getter]
    fn message_index(&self) -> Returned<usize> {
        Returned(self.message_index)
    }

    #[getter]
    fn span(&self) -> Returned<(usize, usize)> {
        Returned(self.span)
    }

    #[getter]
    fn metadata(&self) -> Option<&Py<PyAny>> {
        self.metadata.as_ref()
    }

    #[getter]
    fn tokens(&self) -> Returned<Option<u64>> {
        Returned(self.tokens)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.metadata)
    }
}

/// One difference that an audit found.
///
/// Attributes:
///     kind: `removed`, `field_changed`, `value_changed`, `added` or `reordered`.
///     fragment_id: the fragment it is about.
///     field: the field that changed, for `field_changed`; else None.
#[pyclass(frozen, module = "interleaf")]
pub struct Mutation {
    /// `removed`, `field_changed`, `value_changed`, `added` or `reordered`.
    pub kind: Py<PyString>,
    /// The fragment it is about.
    pub fragment_id: Py<PyString>,
    /// The field that changed, for `field_changed`.
    pub field: Option<Py<PyString>>,
}

impl Record for Mutation {
    fn names() -> &'static [&'static str] {
        &["kind", "fragment_id", "field"]
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>> {
        Ok(vec![
            Field::new(py, "kind", &self.kind)?,
            Field::new(py, "fragment_id", &self.fragment_id)?,
            Field::optional(py, "field", self.field.as_ref())?,
        ])
    }
}

record_methods! { Mutation, hash: all but [],
    #[new]
    #[pyo3(signature = (*, kind, fragment_id, field=None))]
    fn new(kind: Py<PyString>, fragment_id: Py<PyString>, field: Option<Py<PyString>>) -> Self {
        Self { kind, fragment_id, field }
    }

    #[getter]
    fn kind(&self) -> &Py<PyString> {
        &self.kind
    }

    #[getter]
    fn fragment_id(&self) -> &Py<PyString> {
        &self.fragment_id
    }

    #[getter]
    fn field(&self) -> Option<&Py<PyString>> {
        self.field.as_ref()
    }
}

/// What usages are built from when they are first asked for.
pub struct UsageSource {
    /// The fragments.
    pub fragments: Vec<Fragment>,
    /// What was measured of them.
    pub keys: Vec<FragmentKey>,
    /// What became of them.
    pub assembly: Assembly,
    /// Length of the separator in code points.
    pub separator: usize,
    /// Tokens of each fragment, if they were counted.
    pub tokens: Option<Vec<u64>>,
}

impl UsageSource {
    /// The usage of every fragment.
    pub fn usage<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let spans = self.assembly.spans(&self.keys, self.separator);
        let tokens = |index: usize| self.tokens.as_ref().and_then(|tokens| tokens.get(index).copied());
        let measured = self.fragments.iter().zip(&self.keys).zip(spans).enumerate();
        let usages = measured.map(|(index, ((fragment, key), (message, span)))| {
            FragmentUsage::of(py, fragment.data(), key.chars, tokens(index), message, (span.start, span.end))
        });
        new_tuple(py, usages.collect::<Vec<_>>())
    }
}

/// The tokens of an input.
#[derive(Clone, Copy, Default)]
pub struct TokenTotals {
    /// All of them, priming included; None if they were not counted.
    pub input_tokens: Option<u64>,
    /// Whether they are those of rendered messages, to the letter.
    pub rendered: Option<bool>,
    /// Parts that count 0 because they have no price.
    pub unpriced_parts: Option<usize>,
}

/// Everything that was counted of an input.
#[derive(Clone, Copy)]
pub struct Totals {
    /// Text of the additional messages.
    pub additional_chars: u64,
    /// Parts of the additional messages that count nothing.
    pub opaque_parts: usize,
    /// Separators between merged fragments.
    pub separator_chars: u64,
    /// All of it together.
    pub input_chars: u64,
    /// Leading messages of `static` fragments.
    pub static_messages: usize,
    /// Leading messages of `static` and `session` fragments.
    pub session_messages: usize,
    /// What a character is.
    pub unit: LengthUnit,
}

/// The model input, and what each fragment used of its budget. Usages are built when they are first asked for.
///
/// Attributes:
///     messages: a new list: the messages of the fragments, then the additional messages as they were given.
///     fragment_usage: one `FragmentUsage` for each fragment, in their order.
///     static_messages: how many leading messages hold nothing but `static` fragments.
///     session_messages: how many leading messages hold nothing but `static` and `session` fragments. A prompt cache may be told
///         to stop at either.
///     additional_chars: length of the text of the additional messages.
///     opaque_parts: how many of their parts are no text and count nothing.
///     separator_chars: length of all separators between merged fragments.
///     input_chars: all of it together.
///     max_input_chars: the budget as given.
///     unit: the unit of all lengths.
///     input_tokens: tokens of all messages as they are sent, priming included; None if there is no counter.
///     max_input_tokens: the budget in tokens as given, or None.
///     exactness: whether those are `rendered` or `estimated` (see `TokenCounter`); None if there is no counter.
///     unpriced_parts: how many parts count no tokens because they are no text and have no price; None if there is no counter.
#[pyclass(frozen, module = "interleaf")]
pub struct BuiltContext {
    messages: Py<PyList>,
    source: Option<Box<UsageSource>>,
    fragment_usage: OnceLock<Py<PyTuple>>,
    max_input_chars: Py<PyAny>,
    totals: Totals,
    max_input_tokens: Option<Py<PyAny>>,
    tokens: TokenTotals,
}

const CONTEXT_FIELDS: [&str; 14] = [
    "messages",
    "fragment_usage",
    "static_messages",
    "session_messages",
    "additional_chars",
    "opaque_parts",
    "separator_chars",
    "input_chars",
    "max_input_chars",
    "unit",
    "input_tokens",
    "max_input_tokens",
    "exactness",
    "unpriced_parts",
];

impl BuiltContext {
    /// The result of an assembly.
    pub fn of(
        messages: Py<PyList>,
        source: UsageSource,
        max_input_chars: Py<PyAny>,
        totals: Totals,
        max_input_tokens: Option<Py<PyAny>>,
        tokens: TokenTotals,
    ) -> Self {
        let fragment_usage = OnceLock::new();
        let source = Some(Box::new(source));
        Self { messages, source, fragment_usage, max_input_chars, totals, max_input_tokens, tokens }
    }

    fn exactness_word<'py>(&self, py: Python<'py>) -> Option<&Bound<'py, PyString>> {
        self.tokens.rendered.map(|rendered| exactness_word(py, rendered))
    }

    fn usage_of(&self, py: Python<'_>) -> PyResult<&Py<PyTuple>> {
        built(&self.fragment_usage, || match &self.source {
            Some(source) => source.usage(py).map(Bound::unbind),
            None => Ok(PyTuple::empty(py).unbind()),
        })
    }
}

impl Record for BuiltContext {
    fn names() -> &'static [&'static str] {
        &CONTEXT_FIELDS
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>> {
        let totals = &self.totals;
        Ok(vec![
            Field::new(py, "messages", &self.messages)?,
            Field::new(py, "fragment_usage", self.usage_of(py)?)?.form(Form::Plain),
            Field::new(py, "static_messages", totals.static_messages)?,
            Field::new(py, "session_messages", totals.session_messages)?,
            Field::new(py, "additional_chars", totals.additional_chars)?,
            Field::new(py, "opaque_parts", totals.opaque_parts)?,
            Field::new(py, "separator_chars", totals.separator_chars)?,
            Field::new(py, "input_chars", totals.input_chars)?,
            Field::new(py, "max_input_chars", &self.max_input_chars)?,
            Field::new(py, "unit", python_word(py, totals.unit))?,
            Field::optional(py, "input_tokens", self.tokens.input_tokens)?.form(Form::PlainIfSet),
            Field::optional(py, "max_input_tokens", self.max_input_tokens.as_ref())?.form(Form::PlainIfSet),
            Field::optional(py, "exactness", self.exactness_word(py))?.form(Form::PlainIfSet),
            Field::optional(py, "unpriced_parts", self.tokens.unpriced_parts)?.form(Form::PlainIfSet),
        ])
    }
}

record_methods! { BuiltContext, hash: no,
    #[new]
    #[pyo3(signature = (
        *, messages, fragment_usage, static_messages, session_messages, additional_chars, opaque_parts, separator_chars,
        input_chars, max_input_chars, unit, input_tokens=None, max_input_tokens=None, exactness=None, unpriced_parts=None
    ))]
    #[allow(clippy::too_many_arguments)] // one keyword a field
    fn new(
        messages: Py<PyList>,
        fragment_usage: Py<PyTuple>,
        static_messages: usize,
        session_messages: usize,
        additional_chars: u64,
        opaque_parts: usize,
        separator_chars: u64,
        input_chars: u64,
        max_input_chars: Py<PyAny>,
        unit: &Bound<'_, PyAny>,
        input_tokens: Option<u64>,
        max_input_tokens: Option<Py<PyAny>>,
        exactness: Option<&Bound<'_, PyString>>,
        unpriced_parts: Option<usize>,
    ) -> PyResult<Self> {
        let unit = crate::plan::read_unit(unit)?;
        let totals = Totals {
            additional_chars, opaque_parts, separator_chars, input_chars, static_messages, session_messages, unit,
        };
        let tokens = TokenTotals {
            input_tokens, rendered: exactness.map(is_rendered).transpose()?, unpriced_parts,
        };
        let fragment_usage = OnceLock::from(fragment_usage);
        Ok(Self { messages, source: None, fragment_usage, max_input_chars, totals, max_input_tokens, tokens })
    }

    /// For annotations: `BuiltContext[dict[str, str]]`.
    #[classmethod]
    fn __class_getitem__<'py>(class: &Bound<'py, PyType>, item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyGenericAlias>> {
        PyGenericAlias::new(class.py(), class.as_any(), item)
    }

    #[getter]
    fn messages(&self) -> &Py<PyList> {
        &self.messages
    }

    #[getter]
    fn fragment_usage(&self, py: Python<'_>) -> PyResult<&Py<PyTuple>> {
        self.usage_of(py)
    }

    #[getter]
    fn static_messages(&self) -> Returned<usize> {
        Returned(self.totals.static_messages)
    }

    #[getter]
    fn session_messages(&self) -> Returned<usize> {
        Returned(self.totals.session_messages)
    }

    #[getter]
    fn additional_chars(&self) -> Returned<u64> {
        Returned(self.totals.additional_chars)
    }

    #[getter]
    fn opaque_parts(&self) -> Returned<usize> {
        Returned(self.totals.opaque_parts)
    }

    #[getter]
    fn separator_chars(&self) -> Returned<u64> {
        Returned(self.totals.separator_chars)
    }

    #[getter]
    fn input_chars(&self) -> Returned<u64> {
        Returned(self.totals.input_chars)
    }

    #[getter]
    fn max_input_chars(&self) -> &Py<PyAny> {
        &self.max_input_chars
    }

    #[getter]
    fn unit(&self, py: Python<'_>) -> &'static Py<PyString> {
        python_word(py, self.totals.unit)
    }

    #[getter]
    fn input_tokens(&self) -> Returned<Option<u64>> {
        Returned(self.tokens.input_tokens)
    }

    #[getter]
    fn max_input_tokens(&self) -> Option<&Py<PyAny>> {
        self.max_input_tokens.as_ref()
    }

    #[getter]
    fn exactness<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyString>> {
        self.exactness_word(py).cloned()
    }

    #[getter]
    fn unpriced_parts(&self) -> Returned<Option<usize>> {
        Returned(self.tokens.unpriced_parts)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.messages)?;
        visit.call(self.fragment_usage.get())?;
        if let Some(source) = &self.source {
            for fragment in &source.fragments {
                match fragment {
                    Fragment::Native(native) => visit.call(native)?,
                    Fragment::Read(data) => {
                        visit.call(&data.text)?;
                        visit.call(&data.metadata)?;
                    }
                }
            }
        }
        Ok(())
    }
}
