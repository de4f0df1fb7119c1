//! `ContextPlan`, and the mapping form of a plan.

use interleaf_core::error::{Class, Code, Refusal};
use interleaf_core::fragment::Budget;
use interleaf_core::id_set::IdSet;
use interleaf_core::measure::LengthUnit;
use interleaf_core::trust::TrustPolicy as TrustRules;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFrozenSet, PySet, PyString, PyTuple, PyType};

use crate::errors::{Told, found, raise, refuse};
use crate::fields::{Fields, require_mapping};
use crate::fragment::{ContextFragment, EXPECTED_BUDGET, Fragment};
use crate::names::intern;
use crate::number::read_budget;
use crate::objects::{is_mapping, new_tuple};
use crate::record::{Field, Form, Record, record_methods};
use crate::sequence::{Items, snapshot};
use crate::token_counter::TokenCounter;
use crate::trust::{TrustPolicy, check_trust};
use crate::unicode::{quoted, same_text, text};
use crate::words::{one_of, python_word, read_word};

const FRAGMENTS: usize = 0;
const MAX_INPUT_CHARS: usize = 1;
const ADDITIONAL_MESSAGES: usize = 2;
const ORIGINAL_FRAGMENTS: usize = 3;
const MUTABLE_FRAGMENT_IDS: usize = 4;
const UNIT: usize = 5;
const MERGE_ADJACENT: usize = 6;
const SEPARATOR: usize = 7;
const TRUST_POLICY: usize = 8;
const MAX_INPUT_TOKENS: usize = 9;
const TOKEN_COUNTER: usize = 10;
const FIELD_COUNT: usize = 11;

/// The values of a plan's fields.
pub type Values<'py> = [Option<Bound<'py, PyAny>>; FIELD_COUNT];

/// The keys of a plan.
pub static FIELDS: Fields<FIELD_COUNT> = Fields::new(
    Class::Plan,
    [
        "fragments",
        "max_input_chars",
        "additional_messages",
        "original_fragments",
        "mutable_fragment_ids",
        "unit",
        "merge_adjacent",
        "separator",
        "trust_policy",
        "max_input_tokens",
        "token_counter",
    ],
    &[
        ("maxInputChars", MAX_INPUT_CHARS),
        ("additionalMessages", ADDITIONAL_MESSAGES),
        ("originalFragments", ORIGINAL_FRAGMENTS),
        ("mutableFragmentIds", MUTABLE_FRAGMENT_IDS),
        ("mergeAdjacent", MERGE_ADJACENT),
        ("trustPolicy", TRUST_POLICY),
        ("maxInputTokens", MAX_INPUT_TOKENS),
        ("tokenCounter", TOKEN_COUNTER),
    ],
);

/// A checked plan. Additional messages are the caller's objects and are looked at when the plan is assembled.
pub struct PlanData<'py> {
    /// The fragments in their order.
    pub fragments: Vec<Fragment>,
    /// The budget of the whole input.
    pub budget: Budget,
    /// That budget as the number it was given as.
    pub max_input_chars: Bound<'py, PyAny>,
    /// Messages that come after the fragments.
    pub additional_messages: Vec<Bound<'py, PyAny>>,
    /// What the fragments are audited against.
    pub original_fragments: Option<Vec<Fragment>>,
    /// Whose values may change.
    pub mutable_fragment_ids: Vec<Bound<'py, PyString>>,
    /// What a character is.
    pub unit: LengthUnit,
    /// Whether neighbours of one role and trust share a message.
    pub merge_adjacent: bool,
    /// What stands between them.
    pub separator: Bound<'py, PyString>,
    /// Which trust may hold which role; the fragments keep to it already.
    pub trust_policy: Option<TrustRules>,
    /// The budget of the whole input in tokens, and as the number it was given as.
    pub max_input_tokens: Option<(Budget, Bound<'py, PyAny>)>,
    /// What counts them.
    pub token_counter: Option<Bound<'py, TokenCounter>>,
}

fn refuse_field(field: usize, code: Code, found: impl Told, expected: impl Into<String>) -> PyErr {
    refuse(Class::Plan, code, FIELDS.names[field], found, expected)
}

/// Whether an object is text, bytes or a mapping: iterable, and never meant as a list of things.
pub fn is_no_list(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object.is_instance_of::<PyString>()
        || object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyByteArray>()
        || is_mapping(object)?)
}

fn require_items(object: &Bound<'_, PyAny>, field: usize, expected: &str) -> PyResult<()> {
    let iterable = !is_no_list(object)?
        && match object.try_iter() {
            Ok(_) => true,
            Err(error) if error.is_instance_of::<pyo3::exceptions::PyTypeError>(object.py()) => false,
            Err(error) => return Err(error),
        };
    if iterable { Ok(()) } else { Err(refuse_field(field, Code::InvalidType, found(object), expected)) }
}

/// The unit of a plan.
pub fn read_unit(object: &Bound<'_, PyAny>) -> PyResult<LengthUnit> {
    read_word(object)?.ok_or_else(|| refuse_field(UNIT, Code::InvalidUnit, found(object), one_of::<LengthUnit>()))
}

/// Reads a list of fragments, whose ids must be unique in it.
fn read_fragments(items: &Bound<'_, PyAny>, list: &str) -> PyResult<Vec<Fragment>> {
    let py = items.py();
    let items = Items::of(items)?;
    let mut fragments: Vec<Fragment> = Vec::with_capacity(items.len());
    let mut ids = IdSet::with_capacity(items.len());
    let mut index = 0;
    while let Some(item) = items.get(index) {
        let fragment = Fragment::read(&item, &|| format!("{list}[{index}]"))?;
        let data = fragment.data();
        let same = |before: usize| same_text(fragments[before].data().id.bind(py), data.id.bind(py));
        if let Some(before) = ids.insert(data.id_hash, index, same) {
            let found = format!("the id of {list}[{before}] again");
            let refusal = Refusal::new(
                Class::Plan,
                Code::DuplicateId,
                format!("{list}[{index}].id"),
                found,
                "an id that is unique in its list",
            );
            return Err(raise(refusal.of(format!("fragment {}", quoted(data.id.bind(py))))));
        }
        fragments.push(fragment);
        index += 1;
    }
    Ok(fragments)
}

fn read_mutable_ids<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyString>>> {
    let expected = "an iterable of fragment ids";
    require_items(object, MUTABLE_FRAGMENT_IDS, expected)?;
    let items = snapshot(object)?;
    let mut ids = Vec::with_capacity(items.len());
    let mut strange = None;
    for (index, item) in items.iter().enumerate() {
        match item.cast_into::<PyString>() {
            Ok(id) => ids.push(crate::unicode::exact(&id)?),
            Err(error) => {
                strange = Some((index, error.into_inner()));
                break;
            }
        }
    }
    // The order of a set depends on the run, and an error must not: such ids are told in the order of their text.
    let unordered = object.is_instance_of::<PySet>() || object.is_instance_of::<PyFrozenSet>();
    if let Some((index, item)) = strange {
        let path = format!("{}[{}]", FIELDS.names[MUTABLE_FRAGMENT_IDS], if unordered { 0 } else { index });
        return Err(refuse(Class::Plan, Code::InvalidType, path, found(&item), "a str"));
    }
    if unordered {
        let sorted = snapshot(object)?;
        sorted.sort()?;
        return sorted.iter().map(|id| Ok(id.cast_into::<PyString>()?)).collect();
    }
    Ok(ids)
}

/// The budget in tokens with what counts them: the budget needs the counter.
type TokenBudget<'py> = (Option<(Budget, Bound<'py, PyAny>)>, Option<Bound<'py, TokenCounter>>);

fn read_token_budget<'py>(values: &Values<'py>) -> PyResult<TokenBudget<'py>> {
    let budget = match &values[MAX_INPUT_TOKENS] {
        None => None,
        Some(limit) => match read_budget(limit)? {
            Some(budget) => Some(budget),
            None => return Err(refuse_field(MAX_INPUT_TOKENS, Code::InvalidBudget, found(limit), EXPECTED_BUDGET)),
        },
    };
    let expected = "a TokenCounter, because there is a budget in tokens";
    let counter = match &values[TOKEN_COUNTER] {
        None if budget.is_some() => return Err(refuse_field(TOKEN_COUNTER, Code::MissingField, "nothing", expected)),
        None => None,
        Some(counter) => match counter.cast::<TokenCounter>() {
            Ok(counter) => Some(counter.clone()),
            Err(_) => return Err(refuse_field(TOKEN_COUNTER, Code::InvalidType, found(counter), "a TokenCounter")),
        },
    };
    Ok((budget, counter))
}

impl<'py> PlanData<'py> {
    /// Checks the values of a plan: its own fields first, then the fragments, then the originals.
    pub fn from_values(py: Python<'py>, values: &Values<'py>) -> PyResult<Self> {
        let expected_fragments = "an iterable of ContextFragments or mappings";
        let Some(fragments) = &values[FRAGMENTS] else {
            return Err(refuse_field(FRAGMENTS, Code::MissingField, "nothing", expected_fragments));
        };
        require_items(fragments, FRAGMENTS, expected_fragments)?;
        let Some(max_input_chars) = &values[MAX_INPUT_CHARS] else {
            return Err(refuse_field(MAX_INPUT_CHARS, Code::MissingField, "nothing", EXPECTED_BUDGET));
        };
        let Some((budget, max_input_chars)) = read_budget(max_input_chars)? else {
            return Err(refuse_field(MAX_INPUT_CHARS, Code::InvalidBudget, found(max_input_chars), EXPECTED_BUDGET));
        };
        if let Some(additional) = &values[ADDITIONAL_MESSAGES] {
            require_items(additional, ADDITIONAL_MESSAGES, "an iterable of messages")?;
        }
        if let Some(originals) = &values[ORIGINAL_FRAGMENTS] {
            require_items(originals, ORIGINAL_FRAGMENTS, expected_fragments)?;
        }
        let mutable_fragment_ids =
            values[MUTABLE_FRAGMENT_IDS].as_ref().map(read_mutable_ids).transpose()?.unwrap_or_default();
        let unit = values[UNIT].as_ref().map(read_unit).transpose()?.unwrap_or_default();
        let merge_adjacent = match &values[MERGE_ADJACENT] {
            None => false,
            Some(merge) => match merge.cast::<PyBool>() {
                Ok(merge) => merge.is_true(),
                Err(_) => return Err(refuse_field(MERGE_ADJACENT, Code::InvalidType, found(merge), "a bool")),
            },
        };
        let separator = match &values[SEPARATOR] {
            None => intern!(py, "\n\n").clone(),
            Some(separator) => match separator.cast::<PyString>() {
                Ok(separator) => separator.clone(),
                Err(_) => return Err(refuse_field(SEPARATOR, Code::InvalidType, found(separator), "a str")),
            },
        };
        let trust_policy = values[TRUST_POLICY].as_ref().map(TrustPolicy::read).transpose()?;
        let (max_input_tokens, token_counter) = read_token_budget(values)?;
        if values[ORIGINAL_FRAGMENTS].is_none() && !mutable_fragment_ids.is_empty() {
            let found = format!("{} ids and no original_fragments", mutable_fragment_ids.len());
            let expected = "original_fragments that these ids belong to";
            return Err(refuse_field(MUTABLE_FRAGMENT_IDS, Code::MutableWithoutOriginals, found, expected));
        }
        let fragments = read_fragments(fragments, FIELDS.names[FRAGMENTS])?;
        if let Some(rules) = trust_policy {
            check_trust(py, rules, &fragments)?;
        }
        let originals = values[ORIGINAL_FRAGMENTS].as_ref();
        let original_fragments =
            originals.map(|originals| read_fragments(originals, FIELDS.names[ORIGINAL_FRAGMENTS])).transpose()?;
        let additional_messages = match &values[ADDITIONAL_MESSAGES] {
            None => Vec::new(),
            Some(additional) => snapshot(additional)?.iter().collect(),
        };
        Ok(Self {
            fragments,
            budget,
            max_input_chars,
            additional_messages,
            original_fragments,
            mutable_fragment_ids,
            unit,
            merge_adjacent,
            separator,
            trust_policy,
            max_input_tokens,
            token_counter,
        })
    }

    /// Reads the `plan` argument.
    pub fn read(plan: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = plan.py();
        if let Ok(native) = plan.cast_exact::<ContextPlan>() {
            return Ok(native.get().data(py));
        }
        require_mapping(plan, Class::Plan, "plan", "a ContextPlan or a mapping")?;
        Self::from_values(py, &read_mapping(plan)?)
    }
}

/// The values of the mapping form. The paths of its fields are bare, and a key that is no `str` is told of the plan.
fn read_mapping<'py>(mapping: &Bound<'py, PyAny>) -> PyResult<Values<'py>> {
    FIELDS.read(mapping, &String::new)
}

/// Ordered fragments plus the budget they must meet together.
///
/// Checked once when it is built, immutable, and reusable. The additional messages stay the caller's objects and are looked at
/// when the plan is assembled.
///
/// Args:
///     fragments: `ContextFragment`s or mappings, in the order in which they are sent.
///     max_input_chars: the budget of the whole input in `unit`, an int of 0 or more, or `math.inf`.
///     additional_messages: messages of role `user` that come after the fragments.
///     original_fragments: what the fragments are audited against; they are never sent.
///     mutable_fragment_ids: ids whose value may differ from the original's.
///     unit: `codepoint` (Python's `len`), `utf16` (JavaScript's `.length`) or `utf8` (bytes).
///     merge_adjacent: whether neighbours of one role and one trust share a message.
///     separator: what stands between merged fragments; its characters count.
///     trust_policy: a `TrustPolicy`, or a mapping of roles to trusts: which trust a fragment must have to hold its role. None lets
///         any trust hold any role.
///     max_input_tokens: the budget of the whole input in tokens, an int of 0 or more, or `math.inf`; it needs a counter.
///     token_counter: an `interleaf.budget.TokenCounter`; without `max_input_tokens` it counts and nothing is limited.
///
/// Raises:
///     PlanError: a field of the plan or of a fragment is missing or wrong, or `trust_policy` refuses a fragment (`trust_role`).
///
/// >>> from interleaf import ContextPlan
/// >>> plan = ContextPlan(fragments=[], max_input_chars=1000)
/// >>> plan.unit, plan.separator
/// ('codepoint', '\n\n')
#[pyclass(frozen, module = "interleaf")]
pub struct ContextPlan {
    fragments: Vec<Py<ContextFragment>>,
    budget: Budget,
    max_input_chars: Py<PyAny>,
    additional_messages: Vec<Py<PyAny>>,
    original_fragments: Option<Vec<Py<ContextFragment>>>,
    mutable_fragment_ids: Vec<Py<PyString>>,
    unit: LengthUnit,
    merge_adjacent: bool,
    separator: Py<PyString>,
    trust_policy: Option<TrustRules>,
    max_input_tokens: Option<(Budget, Py<PyAny>)>,
    token_counter: Option<Py<TokenCounter>>,
}

fn native(py: Python<'_>, fragments: Vec<Fragment>) -> PyResult<Vec<Py<ContextFragment>>> {
    fragments.into_iter().map(|fragment| fragment.into_native(py)).collect()
}

fn again(py: Python<'_>, fragments: &[Py<ContextFragment>]) -> Vec<Fragment> {
    fragments.iter().map(|fragment| Fragment::Native(fragment.clone_ref(py))).collect()
}

impl ContextPlan {
    fn checked<'py>(py: Python<'py>, values: &Values<'py>) -> PyResult<Self> {
        let data = PlanData::from_values(py, values)?;
        Ok(Self {
            fragments: native(py, data.fragments)?,
            budget: data.budget,
            max_input_chars: data.max_input_chars.unbind(),
            additional_messages: data.additional_messages.into_iter().map(Bound::unbind).collect(),
            original_fragments: data.original_fragments.map(|originals| native(py, originals)).transpose()?,
            mutable_fragment_ids: data.mutable_fragment_ids.into_iter().map(Bound::unbind).collect(),
            unit: data.unit,
            merge_adjacent: data.merge_adjacent,
            separator: data.separator.unbind(),
            trust_policy: data.trust_policy,
            max_input_tokens: data.max_input_tokens.map(|(budget, limit)| (budget, limit.unbind())),
            token_counter: data.token_counter.map(Bound::unbind),
        })
    }

    fn data<'py>(&self, py: Python<'py>) -> PlanData<'py> {
        PlanData {
            fragments: again(py, &self.fragments),
            budget: self.budget,
            max_input_chars: self.max_input_chars.bind(py).clone(),
            additional_messages: self.additional_messages.iter().map(|message| message.bind(py).clone()).collect(),
            original_fragments: self.original_fragments.as_ref().map(|originals| again(py, originals)),
            mutable_fragment_ids: self.mutable_fragment_ids.iter().map(|id| id.bind(py).clone()).collect(),
            unit: self.unit,
            merge_adjacent: self.merge_adjacent,
            separator: self.separator.bind(py).clone(),
            trust_policy: self.trust_policy,
            max_input_tokens: self.max_input_tokens.as_ref().map(|(budget, limit)| (*budget, limit.bind(py).clone())),
            token_counter: self.token_counter.as_ref().map(|counter| counter.bind(py).clone()),
        }
    }
}

impl Record for ContextPlan {
    fn names() -> &'static [&'static str] {
        &FIELDS.names
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>> {
        let originals = self.original_fragments(py)?;
        Ok(vec![
            Field::new(py, "fragments", self.fragments(py)?)?.form(Form::Plain),
            Field::new(py, "max_input_chars", &self.max_input_chars)?,
            Field::new(py, "additional_messages", self.additional_messages(py)?)?
                .form(Form::Plain)
                .default_if(self.additional_messages.is_empty()),
            Field::optional(py, "original_fragments", originals)?.form(Form::Plain),
            Field::new(py, "mutable_fragment_ids", self.mutable_fragment_ids(py)?)?
                .form(Form::Plain)
                .default_if(self.mutable_fragment_ids.is_empty()),
            Field::new(py, "unit", python_word(py, self.unit))?.default_if(self.unit == LengthUnit::Codepoint),
            Field::new(py, "merge_adjacent", self.merge_adjacent)?.default_if(!self.merge_adjacent),
            Field::new(py, "separator", &self.separator)?
                .default_if(text(self.separator.bind(py))? == interleaf_core::text::Text::One(b"\n\n")),
            Field::optional(py, "trust_policy", self.trust_policy())?.form(Form::PlainIfSet),
            Field::optional(py, "max_input_tokens", self.max_input_tokens())?.form(Form::PlainIfSet),
            Field::optional(py, "token_counter", self.token_counter.as_ref())?.form(Form::PlainIfSet),
        ])
    }
}

record_methods! { ContextPlan, hash: all but ["additional_messages"],
    #[new]
    #[pyo3(signature = (
        *, fragments=None, max_input_chars=None, additional_messages=None, original_fragments=None,
        mutable_fragment_ids=None, unit=None, merge_adjacent=None, separator=None, trust_policy=None,
        max_input_tokens=None, token_counter=None
    ), text_signature = "(*, fragments, max_input_chars, additional_messages=None, original_fragments=None, mutable_fragment_ids=None, unit=None, merge_adjacent=None, separator=None, trust_policy=None, max_input_tokens=None, token_counter=None)")]
    #[allow(clippy::too_many_arguments)] // one keyword a field
    fn new<'py>(
        py: Python<'py>,
        fragments: Option<Bound<'py, PyAny>>,
        max_input_chars: Option<Bound<'py, PyAny>>,
        additional_messages: Option<Bound<'py, PyAny>>,
        original_fragments: Option<Bound<'py, PyAny>>,
        mutable_fragment_ids: Option<Bound<'py, PyAny>>,
        unit: Option<Bound<'py, PyAny>>,
        merge_adjacent: Option<Bound<'py, PyAny>>,
        separator: Option<Bound<'py, PyAny>>,
        trust_policy: Option<Bound<'py, PyAny>>,
        max_input_tokens: Option<Bound<'py, PyAny>>,
        token_counter: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let values = [
            fragments, max_input_chars, additional_messages, original_fragments, mutable_fragment_ids, unit, merge_adjacent,
            separator, trust_policy, max_input_tokens, token_counter,
        ];
        Self::checked(py, &values)
    }

    /// A plan from its mapping form, in snake_case or camelCase.
    #[classmethod]
    fn from_dict<'py>(class: &Bound<'py, PyType>, mapping: &Bound<'py, PyAny>) -> PyResult<Self> {
        require_mapping(mapping, Class::Plan, "", "a mapping")?;
        Self::checked(class.py(), &read_mapping(mapping)?)
    }

    #[getter]
    fn fragments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        new_tuple(py, &self.fragments)
    }

    #[getter]
    fn max_input_chars(&self) -> &Py<PyAny> {
        &self.max_input_chars
    }

    #[getter]
    fn additional_messages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        new_tuple(py, &self.additional_messages)
    }

    #[getter]
    fn original_fragments<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.original_fragments.as_ref().map(|originals| new_tuple(py, originals)).transpose()
    }

    #[getter]
    fn mutable_fragment_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        new_tuple(py, &self.mutable_fragment_ids)
    }

    #[getter]
    fn unit(&self, py: Python<'_>) -> &'static Py<PyString> {
        python_word(py, self.unit)
    }

    #[getter]
    fn merge_adjacent(&self) -> bool {
        self.merge_adjacent
    }

    #[getter]
    fn separator(&self) -> &Py<PyString> {
        &self.separator
    }

    #[getter]
    fn trust_policy(&self) -> Option<TrustPolicy> {
        self.trust_policy.map(TrustPolicy::of)
    }

    #[getter]
    fn max_input_tokens(&self) -> Option<&Py<PyAny>> {
        self.max_input_tokens.as_ref().map(|(_, limit)| limit)
    }

    #[getter]
    fn token_counter(&self) -> Option<&Py<TokenCounter>> {
        self.token_counter.as_ref()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        for fragment in self.fragments.iter().chain(self.original_fragments.iter().flatten()) {
            visit.call(fragment)?;
        }
        visit.call(&self.token_counter)?;
        self.additional_messages.iter().try_for_each(|message| visit.call(message))
    }
}
