//! `stable_prefix`: what a prefix cache can reuse of the last prompt.

use interleaf_core::error::{Class, Code};
use interleaf_core::measure::LengthUnit;
use interleaf_core::prefix::{common_start, token_boundary};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::chars::chars_of;
use crate::counter_call::{Place, read_count};
use crate::errors::{found, refuse};
use crate::objects::{Returned, empty_list};
use crate::record::{Field, Record, record_methods};
use crate::said::{Plain, Said};
use crate::sequence::{Messages, require_sequence};
use crate::tally::{Pass, render};
use crate::token_counter::TokenCounter;
use crate::unicode::{TextPiece, join, length, text};

/// What two prompts have in common at their start.
#[pyclass(frozen, module = "interleaf.budget")]
pub struct StablePrefix {
    messages: usize,
    first_changed: Option<usize>,
    chars: u64,
    tokens: Option<u64>,
    cache_blocks: Option<u64>,
    changed_by: Option<Py<PyString>>,
}

impl Record for StablePrefix {
    fn names() -> &'static [&'static str] {
        &["messages", "first_changed", "chars", "tokens", "cache_blocks", "changed_by"]
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>> {
        Ok(vec![
            Field::new(py, "messages", self.messages)?,
            Field::optional(py, "first_changed", self.first_changed)?,
            Field::new(py, "chars", self.chars)?,
            Field::optional(py, "tokens", self.tokens)?,
            Field::optional(py, "cache_blocks", self.cache_blocks)?,
            Field::optional(py, "changed_by", self.changed_by.as_ref())?,
        ])
    }
}

record_methods! { StablePrefix, hash: all but [],
    #[new]
    #[pyo3(signature = (*, messages, first_changed=None, chars, tokens=None, cache_blocks=None, changed_by=None))]
    fn new(
        messages: usize,
        first_changed: Option<usize>,
        chars: u64,
        tokens: Option<u64>,
        cache_blocks: Option<u64>,
        changed_by: Option<Py<PyString>>,
    ) -> Self {
        Self { messages, first_changed, chars, tokens, cache_blocks, changed_by }
    }

    #[getter]
    fn messages(&self) -> Returned<usize> {
        Returned(self.messages)
    }

    #[getter]
    fn first_changed(&self) -> Returned<Option<usize>> {
        Returned(self.first_changed)
    }

    #[getter]
    fn chars(&self) -> Returned<u64> {
        Returned(self.chars)
    }

    #[getter]
    fn tokens(&self) -> Returned<Option<u64>> {
        Returned(self.tokens)
    }

    #[getter]
    fn cache_blocks(&self) -> Returned<Option<u64>> {
        Returned(self.cache_blocks)
    }

    #[getter]
    fn changed_by(&self) -> Option<&Py<PyString>> {
        self.changed_by.as_ref()
    }
}

/// Compares two prompts. See the typed face for the whole contract; `changed_by` is found there.
#[pyfunction]
#[pyo3(signature = (previous, current, counter=None, block_size=None, adapter=None))]
pub fn stable_prefix<'py>(
    previous: &Bound<'py, PyAny>,
    current: &Bound<'py, PyAny>,
    counter: Option<&Bound<'py, TokenCounter>>,
    block_size: Option<&Bound<'py, PyAny>>,
    adapter: Option<&Bound<'py, PyAny>>,
) -> PyResult<StablePrefix> {
    let py = current.py();
    require_sequence(previous, "previous")?;
    require_sequence(current, "current")?;
    let block_size = match block_size {
        None => 16,
        Some(size) => read_count(size)?.filter(|&size| size > 0).ok_or_else(|| {
            refuse(Class::Option, Code::InvalidOption, "block_size", found(size), "an int of 1 or more")
        })?,
    };
    // An equality, a template or an adapter may change a list; every index is checked against the list as it is then.
    let previous = Messages::read(previous, true)?;
    let current = Messages::read(current, true)?;
    let (mut messages, mut chars) = identical_start(&previous, &current, adapter.is_none());
    while messages < previous.len() && messages < current.len() {
        let (before, now) = (previous.get(messages)?, current.get(messages)?);
        if !before.is(&now) && !before.eq(&now)? {
            break;
        }
        chars = chars.saturating_add(message_chars(&now, adapter, messages)?);
        messages += 1;
    }
    let first_changed = (messages < previous.len()).then_some(messages);
    let mut changed = None;
    if first_changed.is_some() && messages < current.len() {
        let (before, now) = (previous.get(messages)?, current.get(messages)?);
        chars = chars.saturating_add(
            said_start(&before, &now, adapter, messages)?
                .map_or(Ok(0), |start| length(&start).map(|length| length as u64))?,
        );
        changed = Some((before, now));
    }
    let tokens = match counter {
        None => None,
        Some(counter) => Some(tokens(py, &current, messages, changed, counter.get(), adapter)?),
    };
    let cache_blocks = tokens.map(|tokens| tokens / block_size);
    Ok(StablePrefix { messages, first_changed, chars, tokens, cache_blocks, changed_by: None })
}

/// How many plain messages from the start are the very same objects, and their characters. Runs no Python code, so it can do
/// without the checks and the counting of references that `Messages::get` costs: 4 of 20 ns a message.
fn identical_start(previous: &Messages<'_>, current: &Messages<'_>, plain_only: bool) -> (usize, u64) {
    let (mut messages, mut chars) = (0, 0_u64);
    if !plain_only {
        return (messages, chars);
    }
    let shorter = previous.len().min(current.len());
    while messages < shorter {
        // SAFETY: the index is below both lengths, which nothing can change here: no Python code runs in this loop. The
        // reference is used within it only.
        let now = unsafe { current.get_borrowed(messages) };
        // SAFETY: the same.
        if !now.is(unsafe { previous.get_borrowed(messages) }) {
            break;
        }
        let Some(plain) = Plain::of(&now) else { break };
        let Ok(own) = plain.text.map_or(Ok(0), |string| text(&string).map(|view| view.len() as u64)) else { break };
        chars += own;
        messages += 1;
    }
    (messages, chars)
}

fn message_chars<'py>(message: &Bound<'py, PyAny>, adapter: Option<&Bound<'py, PyAny>>, index: usize) -> PyResult<u64> {
    if adapter.is_none()
        && let Some(plain) = Plain::of(message)
    {
        return plain.text.map_or(Ok(0), |string| text(&string).map(|view| view.len() as u64));
    }
    chars_of(&Said::read(message, adapter, "current", index)?, LengthUnit::Codepoint)
}

/// What two messages say alike at their start; `None` if they are of different roles, whose words come first.
fn said_start<'py>(
    before: &Bound<'py, PyAny>,
    now: &Bound<'py, PyAny>,
    adapter: Option<&Bound<'py, PyAny>>,
    index: usize,
) -> PyResult<Option<Bound<'py, PyString>>> {
    let before = Said::read(before, adapter, "previous", index)?;
    let now = Said::read(now, adapter, "current", index)?;
    let same_role = match (&before.role, &now.role) {
        (None, None) => true,
        (Some(before), Some(now)) => text(before)? == text(now)?,
        _ => false,
    };
    match (before.text, now.text) {
        (Some(before), Some(now)) if same_role => start_of(&before, &now).map(Some),
        _ => Ok(None),
    }
}

fn start_of<'py>(before: &Bound<'py, PyString>, now: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    head(now, common_start(text(before)?, text(now)?))
}

fn head<'py>(string: &Bound<'py, PyString>, end: usize) -> PyResult<Bound<'py, PyString>> {
    join(string.py(), &[TextPiece::new(string, 0..end)?])
}

/// Tokens of the messages that stayed, and of the start of the first one that changed as far as it surely has the same tokens.
fn tokens<'py>(
    py: Python<'py>,
    current: &Messages<'py>,
    messages: usize,
    changed: Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    counter: &TokenCounter,
    adapter: Option<&Bound<'py, PyAny>>,
) -> PyResult<u64> {
    let stayed = empty_list(py)?;
    let mut index = 0;
    while index < messages && index < current.len() {
        stayed.append(current.get(index)?)?;
        index += 1;
    }
    let mut pass = Pass::new(py, counter);
    pass.messages(&Messages::List(stayed), adapter, |index| index)?;
    if let Some((before, now)) = changed {
        let start = match &counter.render {
            None => said_start(&before, &now, adapter, messages)?,
            Some(template) => {
                let template = template.bind(py);
                Some(start_of(&render(template, &before, messages)?, &render(template, &now, messages)?)?)
            }
        };
        if let Some(start) = start {
            let sure = token_boundary(text(&start)?);
            if sure > 0 {
                let place = Place { list: "current", index: messages, field: "content" };
                pass.bare_text(&head(&start, sure)?, place)?;
            }
        }
    }
    Ok(pass.finish()?.per_message.into_iter().fold(0, u64::saturating_add))
}

/// The code point at which two texts part ways, None if they are equal.
#[pyfunction]
pub fn first_difference(before: &Bound<'_, PyString>, now: &Bound<'_, PyString>) -> PyResult<Returned<Option<usize>>> {
    let (before, now) = (text(before)?, text(now)?);
    let same = common_start(before, now);
    Ok(Returned((same < before.len() || same < now.len()).then_some(same)))
}
