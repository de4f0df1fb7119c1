//! `assemble_context_plan` and `assemble_fragments`.

use interleaf_core::assemble::{Assembly, FragmentKey, assemble};
use interleaf_core::audit::{AuditKey, Comparison, Named, Violation, audit, index_ids};
use interleaf_core::error::{Class, Code};
use interleaf_core::fragment::Budget;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::context::{BuiltContext, Mutation, TokenTotals, Totals, UsageSource};
use crate::counter_call::Place;
use crate::errors::{Told, found, raise_with, refuse, type_error};
use crate::fragment::Fragment;
use crate::measure::measure;
use crate::message::{is_word, item, part_field};
use crate::names::intern;
use crate::objects::{interned, is_mapping, list_copy, new_dict, new_list, new_tuple, put};
use crate::plan::{PlanData, is_no_list};
use crate::rendering::new_message;
use crate::sequence::{Messages, require_callable, require_iterable};
use crate::tally::Pass;
use crate::token_counter::TokenCounter;
use crate::unicode::{TextPiece, display, hash, join, length, text};

/// Turns a plan into the model input, or raises and says why.
///
/// Assembly keeps the order given, changes no text and truncates nothing.
///
/// Args:
///     plan: a `ContextPlan` or a mapping with its fields.
///     create_message: makes a message of `{"role": ..., "content": ...}`; without it that dict is the message.
///
/// Returns:
///     A `BuiltContext`: the messages, and what each fragment used of its budget.
///
/// Raises:
///     PlanError: the plan or a fragment is malformed.
///     MutationError: the fragments are not the originals; `violations` has every difference.
///     BudgetExceededError: a fragment or the whole is over its budget; `usage` has what was counted. Characters are checked
///         before tokens, and `path` and `unit` say which it is.
///     CounterError: the plan's token counter raised, or returned what is no count.
///     TypeError: `create_message` cannot be called.
///
/// >>> from interleaf import assemble_context_plan
/// >>> fragment = {"id": "q", "source_id": "chat", "trust": "user", "lifetime": "turn", "role": "user", "max_chars": 100,
/// ...             "value": "How is the service?"}
/// >>> built = assemble_context_plan({"fragments": [fragment], "max_input_chars": 1000})
/// >>> built.messages, built.input_chars
/// ([{'role': 'user', 'content': 'How is the service?'}], 19)
#[pyfunction]
#[pyo3(signature = (plan, *, create_message=None))]
pub fn assemble_context_plan<'py>(
    plan: &Bound<'py, PyAny>,
    create_message: Option<&Bound<'py, PyAny>>,
) -> PyResult<BuiltContext> {
    require_callable(create_message, "create_message")?;
    build(plan.py(), PlanData::read(plan)?, create_message)
}

/// Turns fragments into the model input: a plan with nothing else in it.
///
/// Args:
///     fragments: an iterable of `ContextFragment`s or mappings with their fields.
///     max_input_chars: the budget of the whole input in `unit`, an int of 0 or more, or `math.inf`.
///     unit: `codepoint`, `utf16` or `utf8`.
///     merge_adjacent: whether neighbours of one role and one trust share a message.
///     separator: what stands between merged fragments; its characters count.
///     create_message: makes a message of `{"role": ..., "content": ...}`; without it that dict is the message.
///
/// Returns:
///     A `BuiltContext`: the messages, and what each fragment used of its budget.
///
/// Raises:
///     PlanError: an argument or a fragment is malformed.
///     BudgetExceededError: a fragment or the whole is over its budget.
///     TypeError: `fragments` cannot be iterated, or `create_message` not be called.
///
/// >>> import math
/// >>> from interleaf import ContextFragment, assemble_fragments
/// >>> note = ContextFragment(id="n", source_id="app", trust="system", lifetime="static", role="system", max_chars=math.inf,
/// ...                        value="Be kind.")
/// >>> assemble_fragments([note], 8).static_messages
/// 1
#[pyfunction]
#[pyo3(signature = (fragments, max_input_chars, *, unit=None, merge_adjacent=None, separator=None, create_message=None), text_signature = "(fragments, max_input_chars, *, unit='codepoint', merge_adjacent=False, separator='\\n\\n', create_message=None)")]
pub fn assemble_fragments<'py>(
    fragments: Bound<'py, PyAny>,
    max_input_chars: Bound<'py, PyAny>,
    unit: Option<Bound<'py, PyAny>>,
    merge_adjacent: Option<Bound<'py, PyAny>>,
    separator: Option<Bound<'py, PyAny>>,
    create_message: Option<&Bound<'py, PyAny>>,
) -> PyResult<BuiltContext> {
    let py = fragments.py();
    if is_no_list(&fragments)? {
        return Err(type_error(found(&fragments), |found| {
            format!("fragments must be an iterable of fragments; found {found}")
        }));
    }
    require_iterable(&fragments, "fragments")?;
    require_callable(create_message, "create_message")?;
    let max_input_chars = (!max_input_chars.is_none()).then_some(max_input_chars);
    let values =
        [Some(fragments), max_input_chars, None, None, None, unit, merge_adjacent, separator, None, None, None];
    build(py, PlanData::from_values(py, &values)?, create_message)
}

/// What the additional messages count.
#[derive(Default)]
struct Additional {
    chars: u64,
    opaque_parts: usize,
}

impl Additional {
    fn read(plan: &PlanData<'_>) -> PyResult<Self> {
        let mut additional = Self::default();
        for (index, message) in plan.additional_messages.iter().enumerate() {
            additional.message(plan, message, index)?;
        }
        Ok(additional)
    }

    fn message(&mut self, plan: &PlanData<'_>, message: &Bound<'_, PyAny>, index: usize) -> PyResult<()> {
        let py = message.py();
        let refused = |field: &str, code: Code, found: PyResult<String>, expected: &str| {
            refuse(Class::Plan, code, format!("additional_messages[{index}]{field}"), found, expected)
        };
        if !is_mapping(message)? {
            return Err(refused("", Code::InvalidType, found(message), "a mapping with role and content"));
        }
        let Some(role) = item(message, intern!(py, "role"))? else {
            return Err(refused(".role", Code::MissingField, "nothing".told(), "\"user\""));
        };
        if !is_word(&role, &[b"user"])? {
            return Err(refused(".role", Code::AdditionalNotUser, found(&role), "\"user\""));
        }
        let expected = "a str or a list of parts";
        let Some(content) = item(message, intern!(py, "content"))? else {
            return Err(refused(".content", Code::MissingField, "nothing".told(), expected));
        };
        if let Ok(string) = content.cast::<PyString>() {
            return self.text(plan, string);
        }
        let Ok(parts) = content.cast::<PyList>() else {
            return Err(refused(".content", Code::InvalidType, found(&content), expected));
        };
        self.parts(plan, &list_copy(parts)?, true)
    }

    fn text(&mut self, plan: &PlanData<'_>, string: &Bound<'_, PyString>) -> PyResult<()> {
        self.chars = self.chars.saturating_add(measure(text(string)?, plan.unit));
        Ok(())
    }

    fn parts(&mut self, plan: &PlanData<'_>, parts: &Bound<'_, PyList>, results_are_read: bool) -> PyResult<()> {
        let py = parts.py();
        for part in parts.iter() {
            let kind = part_field(&part, intern!(py, "type"))?;
            let is_kind = |words: &[&[u8]]| kind.as_ref().map_or(Ok(false), |kind| is_word(kind, words));
            if is_kind(&[b"text", b"input_text"])?
                && let Some(own) = part_field(&part, intern!(py, "text"))?
                && let Ok(own) = own.cast::<PyString>()
            {
                self.text(plan, own)?;
                continue;
            }
            if results_are_read
                && is_kind(&[b"tool_result"])?
                && let Some(content) = part_field(&part, intern!(py, "content"))?
            {
                if let Ok(string) = content.cast::<PyString>() {
                    self.text(plan, string)?;
                    continue;
                }
                if let Ok(inner) = content.cast::<PyList>() {
                    self.parts(plan, &list_copy(inner)?, false)?;
                    continue;
                }
            }
            self.opaque_parts += 1;
        }
        Ok(())
    }
}

fn keys(py: Python<'_>, fragments: &[Fragment], plan: &PlanData<'_>) -> PyResult<Vec<FragmentKey>> {
    fragments.iter().map(|fragment| fragment.data().key(py, plan.unit)).collect()
}

struct Values<'a, 'py> {
    py: Python<'py>,
    originals: &'a [Fragment],
    fragments: &'a [Fragment],
    may_change: Vec<bool>,
}

impl Comparison for Values<'_, '_> {
    fn same_max_chars(&self, original: usize, fragment: usize) -> bool {
        let (before, after) = (self.originals[original].data(), self.fragments[fragment].data());
        // Budgets past 64 bits are all the same to the core; as numbers they may differ.
        before.budget == after.budget
            && (before.budget != Budget::Chars(u64::MAX)
                || before.max_chars.bind(self.py).eq(after.max_chars.bind(self.py)).unwrap_or(false))
    }

    fn same_value(&self, original: usize, fragment: usize) -> bool {
        let (before, after) = (self.originals[original].data(), self.fragments[fragment].data());
        before.is_json == after.is_json
            && (before.text.is(&after.text)
                || matches!((text(before.text.bind(self.py)), text(after.text.bind(self.py))), (Ok(before), Ok(after)) if before == after))
    }

    fn may_change(&self, original: usize) -> bool {
        self.may_change[original]
    }
}

fn audit_keys<'a>(py: Python<'a>, fragments: &'a [Fragment], keys: &[FragmentKey]) -> PyResult<Vec<AuditKey<'a>>> {
    let mut audited = Vec::with_capacity(fragments.len());
    for (fragment, fields) in fragments.iter().zip(keys) {
        let data = fragment.data();
        audited.push(AuditKey {
            id: text(data.id.bind(py))?,
            id_hash: data.id_hash,
            source_id: text(data.source_id.bind(py))?,
            fields: *fields,
        });
    }
    Ok(audited)
}

/// Compares the fragments with their originals, if there are any.
fn check_originals(py: Python<'_>, plan: &PlanData<'_>, fragment_keys: &[FragmentKey]) -> PyResult<()> {
    let Some(originals) = &plan.original_fragments else { return Ok(()) };
    // Lengths are not compared, so the originals are not measured.
    let unmeasured: Vec<FragmentKey> = originals
        .iter()
        .map(|original| {
            let data = original.data();
            FragmentKey {
                trust: data.trust,
                lifetime: data.lifetime,
                role: data.role,
                max_chars: data.budget,
                chars: 0,
                code_points: 0,
            }
        })
        .collect();
    let original_keys = audit_keys(py, originals, &unmeasured)?;
    let mut may_change = vec![false; originals.len()];
    if !plan.mutable_fragment_ids.is_empty() {
        let ids = index_ids(&original_keys);
        for (index, id) in plan.mutable_fragment_ids.iter().enumerate() {
            let wanted = text(id)?;
            let Some(original) = ids.find(hash(id)?, |original| original_keys[original].id == wanted) else {
                let path = format!("mutable_fragment_ids[{index}]");
                return Err(refuse(Class::Plan, Code::UnknownMutableId, path, found(id), "the id of an original"));
            };
            may_change[original] = true;
        }
    }
    let fragments = audit_keys(py, &plan.fragments, fragment_keys)?;
    let values = Values { py, originals, fragments: &plan.fragments, may_change };
    let violations = audit(&original_keys, &fragments, &values);
    if violations.is_empty() { Ok(()) } else { Err(mutated(py, plan, originals, &violations)) }
}

#[cold]
fn mutated(py: Python<'_>, plan: &PlanData<'_>, originals: &[Fragment], violations: &[Violation]) -> PyErr {
    const TOLD: usize = 5;
    let build = || {
        let mut told = Vec::new();
        let mut mutations = Vec::with_capacity(violations.len());
        for violation in violations {
            let fragment = match violation.named {
                Named::Original(index) => &originals[index],
                Named::Fragment(index) => &plan.fragments[index],
            };
            let fragment_id = fragment.data().id.clone_ref(py);
            let field = violation.field.map_or_else(String::new, |field| format!(" {field}"));
            told.push(format!("{:?} {}{field}", display(fragment_id.bind(py)), violation.kind.as_str()));
            mutations.push(Mutation {
                kind: interned(py, violation.kind.as_str())?.unbind(),
                fragment_id,
                field: violation.field.map(|field| interned(py, field).map(Bound::unbind)).transpose()?,
            });
        }
        let more = told.len().saturating_sub(TOLD);
        told.truncate(TOLD);
        let mut list = told.join(", ");
        if more > 0 {
            list = format!("{list}, and {more} more");
        }
        let message =
            format!("found fragments that differ from the originals ({list}), expected the originals unchanged");
        let attributes = new_dict(py)?;
        put(&attributes, "violations", new_tuple(py, mutations)?)?;
        Ok(raise_with(py, "MutationError", &message, "mutated", "fragments", &attributes))
    };
    build().unwrap_or_else(|error| error)
}

/// Checks the budget of each fragment, then that of the whole.
fn check_budgets(py: Python<'_>, plan: &PlanData<'_>, source: &UsageSource, totals: &Totals) -> PyResult<()> {
    let over = &source.assembly.over_budget;
    let unit = totals.unit.as_str();
    if let Some(&first) = over.first() {
        let data = source.fragments[first].data();
        let actual = source.keys[first].chars;
        let others = match over.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more over their own)"),
        };
        let id = display(data.id.bind(py));
        let limit = shown(data.max_chars.bind(py))?;
        let message = format!("fragment {id:?}: found {actual} {unit} characters, expected at most {limit}{others}");
        let ids = over.iter().map(|&index| source.fragments[index].data().id.clone_ref(py)).collect();
        let path = format!("fragments[{first}].max_chars");
        return Err(over_budget(
            py,
            source,
            unit,
            "fragment_over_budget",
            &message,
            &path,
            data.max_chars.bind(py),
            actual,
            ids,
        ));
    }
    if !plan.budget.allows(totals.input_chars) {
        let message = format!(
            "found {} {unit} characters in all ({} in separators, {} in additional messages), expected at most {}",
            totals.input_chars,
            totals.separator_chars,
            totals.additional_chars,
            shown(&plan.max_input_chars)?
        );
        let (limit, actual) = (&plan.max_input_chars, totals.input_chars);
        return Err(over_budget(
            py,
            source,
            unit,
            "input_over_budget",
            &message,
            "max_input_chars",
            limit,
            actual,
            Vec::new(),
        ));
    }
    Ok(())
}

#[cold]
#[allow(clippy::too_many_arguments)] // the attributes of the exception
fn over_budget(
    py: Python<'_>,
    source: &UsageSource,
    unit: &str,
    code: &str,
    message: &str,
    path: &str,
    limit: &Bound<'_, PyAny>,
    actual: u64,
    fragment_ids: Vec<Py<PyString>>,
) -> PyErr {
    let build = || {
        let attributes = new_dict(py)?;
        put(&attributes, "limit", limit)?;
        put(&attributes, "actual", actual)?;
        put(&attributes, "unit", unit)?;
        put(&attributes, "usage", source.usage(py)?)?;
        put(&attributes, "fragment_ids", new_tuple(py, fragment_ids)?)?;
        Ok(raise_with(py, "BudgetExceededError", message, code, path, &attributes))
    };
    build().unwrap_or_else(|error| error)
}

/// A budget as Python writes it.
fn shown(limit: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(display(&limit.str()?))
}

/// The content of a message: the very text of its fragment, or several joined.
fn content<'py>(
    py: Python<'py>,
    fragments: &[Fragment],
    separator: &Bound<'py, PyString>,
) -> PyResult<Bound<'py, PyString>> {
    if let [fragment] = fragments {
        return Ok(fragment.data().text.bind(py).clone());
    }
    let mut pieces = Vec::with_capacity(fragments.len() * 2);
    for (index, fragment) in fragments.iter().enumerate() {
        if index > 0 {
            pieces.push(TextPiece::whole(separator)?);
        }
        pieces.push(TextPiece::whole(fragment.data().text.bind(py))?);
    }
    join(py, &pieces)
}

/// Counts the tokens of the messages as they are sent and of each fragment, in one go, and checks their budget.
fn count_input<'py>(
    plan: &PlanData<'py>,
    counter: &TokenCounter,
    messages: &Bound<'py, PyList>,
    source: &mut UsageSource,
) -> PyResult<TokenTotals> {
    let py = messages.py();
    let mut pass = Pass::new(py, counter);
    // A copy: a template or an adapter may change the list that is about to be handed out.
    pass.messages(&Messages::List(list_copy(messages)?), None, |index| index)?;
    for (index, fragment) in source.fragments.iter().enumerate() {
        pass.bare_text(fragment.data().text.bind(py), Place { list: "fragments", index, field: "value" })?;
    }
    let mut tally = pass.finish()?;
    source.tokens = Some(tally.per_message.split_off(messages.len()));
    let unpriced_parts = tally.unpriced.len();
    let count = counter.token_count(py, tally)?;
    if let Some((budget, limit)) = &plan.max_input_tokens
        && !budget.allows(count.total)
    {
        let message = format!(
            "found {} tokens in all ({}, in {} messages), expected at most {}",
            count.total,
            if count.rendered { "rendered" } else { "estimated" },
            count.per_message.len(),
            shown(limit)?,
        );
        let code = "input_over_budget";
        return Err(over_budget(
            py,
            source,
            "tokens",
            code,
            &message,
            "max_input_tokens",
            limit,
            count.total,
            Vec::new(),
        ));
    }
    Ok(TokenTotals {
        input_tokens: Some(count.total),
        rendered: Some(count.rendered),
        unpriced_parts: Some(unpriced_parts),
    })
}

fn build<'py>(
    py: Python<'py>,
    plan: PlanData<'py>,
    create_message: Option<&Bound<'py, PyAny>>,
) -> PyResult<BuiltContext> {
    let additional = Additional::read(&plan)?;
    let keys = keys(py, &plan.fragments, &plan)?;
    check_originals(py, &plan, &keys)?;
    let assembly: Assembly = assemble(&keys, plan.merge_adjacent, measure(text(&plan.separator)?, plan.unit));
    let totals = Totals {
        additional_chars: additional.chars,
        opaque_parts: additional.opaque_parts,
        separator_chars: assembly.separator_chars,
        input_chars: assembly.fragment_chars.saturating_add(assembly.separator_chars).saturating_add(additional.chars),
        static_messages: assembly.static_messages,
        session_messages: assembly.session_messages,
        unit: plan.unit,
    };
    let mut plan = plan;
    let fragments = std::mem::take(&mut plan.fragments);
    let mut source = UsageSource { fragments, keys, assembly, separator: length(&plan.separator)?, tokens: None };
    check_budgets(py, &plan, &source, &totals)?;
    let mut messages = Vec::with_capacity(source.assembly.messages.len() + plan.additional_messages.len());
    for members in &source.assembly.messages {
        let fragments = &source.fragments[members.clone()];
        let Some(first) = fragments.first() else { continue };
        let message = new_message(py, first.data().role, &content(py, fragments, &plan.separator)?)?;
        messages.push(match create_message {
            None => message,
            Some(create) => create.call1((message,))?,
        });
    }
    messages.append(&mut plan.additional_messages);
    let messages = new_list(py, messages)?;
    let tokens = match &plan.token_counter {
        None => TokenTotals::default(),
        Some(counter) => count_input(&plan, counter.get(), &messages, &mut source)?,
    };
    let max_input_tokens = plan.max_input_tokens.map(|(_, limit)| limit.unbind());
    Ok(BuiltContext::of(messages.unbind(), source, plan.max_input_chars.unbind(), totals, max_input_tokens, tokens))
}
