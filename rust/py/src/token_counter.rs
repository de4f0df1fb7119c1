//! `TokenCounter`: the caller's tokenizer with its prices and its cache.

use interleaf_core::error::{Class, Code};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::counter_call::read_count;
use crate::counts::TokenCount;
use crate::errors::{found, refuse, type_error};
use crate::names::intern;
use crate::objects::{IntoObject, Returned, as_mapping, new_dict, new_list, new_str};
use crate::sequence::{Messages, require_callable, require_sequence};
use crate::tally::{Pass, Tally};
use crate::token_cache::TokenCache;
use crate::unicode::{display, exact};

/// What parts that are no text cost.
pub enum PartPrices {
    /// By their type; checked when the counter is built.
    ByType(Py<PyDict>),
    /// By a function of the part.
    Callable(Py<PyAny>),
}

/// The caller's tokenizer with its prices and its cache. See the typed face for the whole contract.
#[pyclass(frozen, subclass, module = "interleaf._interleaf")]
pub struct TokenCounter {
    /// Counts one text.
    pub count: Py<PyAny>,
    /// Counts a list of texts.
    pub count_batch: Option<Py<PyAny>>,
    /// What errors call it.
    pub name: Py<PyString>,
    /// Writes a message as the model will see it.
    pub render: Option<Py<PyAny>>,
    /// What a message costs besides its texts.
    pub tokens_per_message: u64,
    /// What having a name costs.
    pub tokens_per_name: u64,
    /// What the list costs besides its messages.
    pub tokens_priming: u64,
    /// What parts that are no text cost.
    pub part_tokens: Option<PartPrices>,
    /// Counts by text.
    pub cache: TokenCache,
}

fn option_error(option: &str, value: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    refuse(Class::Option, Code::InvalidOption, option, found(value), expected)
}

fn read_option(value: Option<&Bound<'_, PyAny>>, option: &str, default: u64) -> PyResult<u64> {
    let Some(value) = value else { return Ok(default) };
    read_count(value)?.ok_or_else(|| option_error(option, value, "an int of 0 or more"))
}

fn read_prices(value: &Bound<'_, PyAny>) -> PyResult<PartPrices> {
    let Some(mapping) = as_mapping(value)? else {
        if value.is_callable() {
            return Ok(PartPrices::Callable(value.clone().unbind()));
        }
        return Err(option_error("part_tokens", value, "a mapping from part type to int, a callable, or None"));
    };
    let prices = new_dict(value.py())?;
    for pair in mapping.items()?.iter() {
        let (kind, price): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
        let Ok(kind) = kind.cast::<PyString>() else {
            return Err(option_error("part_tokens", &kind, "a str for each part type"));
        };
        let Some(count) = read_count(&price)? else {
            return Err(option_error("part_tokens", &price, "an int of 0 or more for each part type"));
        };
        prices.set_item(exact(kind)?, count.into_object(value.py())?)?;
    }
    Ok(PartPrices::ByType(prices.unbind()))
}

/// 64 MiB: some 100,000 messages of ordinary length.
const CACHE_BYTES: u64 = 64 << 20;

impl TokenCounter {
    /// The messages of a call: a copy of the list if a template or an adapter runs while it is read.
    fn messages<'py>(
        &self,
        messages: &Bound<'py, PyAny>,
        adapter: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Messages<'py>> {
        Messages::read(messages, self.render.is_none() && adapter.is_none())
    }

    /// The sums of a finished pass over a list of messages.
    pub fn token_count(&self, py: Python<'_>, tally: Tally) -> PyResult<TokenCount> {
        let rendered = self.render.is_some();
        let priming = if rendered { 0 } else { self.tokens_priming };
        Ok(TokenCount {
            total: tally.per_message.iter().fold(priming, |total, &own| total.saturating_add(own)),
            per_message: tally.per_message,
            priming,
            rendered: rendered && !tally.replaced,
            unpriced: tally.unpriced.into_iter().map(|part| Py::new(py, part)).collect::<PyResult<_>>()?,
        })
    }
}

#[pymethods]
impl TokenCounter {
    #[new]
    #[pyo3(signature = (
        count, *, count_batch=None, name=None, render=None, tokens_per_message=None, tokens_per_name=None,
        tokens_priming=None, part_tokens=None, cache_bytes=None
    ))]
    #[allow(clippy::too_many_arguments)] // one keyword an option
    fn new(
        count: &Bound<'_, PyAny>,
        count_batch: Option<&Bound<'_, PyAny>>,
        name: Option<&Bound<'_, PyAny>>,
        render: Option<&Bound<'_, PyAny>>,
        tokens_per_message: Option<&Bound<'_, PyAny>>,
        tokens_per_name: Option<&Bound<'_, PyAny>>,
        tokens_priming: Option<&Bound<'_, PyAny>>,
        part_tokens: Option<&Bound<'_, PyAny>>,
        cache_bytes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let py = count.py();
        if !count.is_callable() {
            return Err(type_error(found(count), |found| format!("count must be callable; found {found}")));
        }
        require_callable(count_batch, "count_batch")?;
        require_callable(render, "render")?;
        let name = match name {
            None => intern!(py, "").clone(),
            Some(name) => match name.cast::<PyString>() {
                Ok(name) => exact(name)?,
                Err(_) => return Err(option_error("name", name, "a str")),
            },
        };
        let cache_bytes = read_option(cache_bytes, "cache_bytes", CACHE_BYTES)?;
        Ok(Self {
            count: count.clone().unbind(),
            count_batch: count_batch.map(|batch| batch.clone().unbind()),
            name: name.unbind(),
            render: render.map(|render| render.clone().unbind()),
            tokens_per_message: read_option(tokens_per_message, "tokens_per_message", 3)?,
            tokens_per_name: read_option(tokens_per_name, "tokens_per_name", 1)?,
            tokens_priming: read_option(tokens_priming, "tokens_priming", 3)?,
            part_tokens: part_tokens.map(read_prices).transpose()?,
            cache: TokenCache::new(usize::try_from(cache_bytes).unwrap_or(usize::MAX)),
        })
    }

    #[getter]
    fn count(&self) -> &Py<PyAny> {
        &self.count
    }

    #[getter]
    fn count_batch(&self) -> Option<&Py<PyAny>> {
        self.count_batch.as_ref()
    }

    #[getter]
    fn name(&self) -> &Py<PyString> {
        &self.name
    }

    #[getter]
    fn render(&self) -> Option<&Py<PyAny>> {
        self.render.as_ref()
    }

    #[getter]
    fn tokens_per_message(&self) -> Returned<u64> {
        Returned(self.tokens_per_message)
    }

    #[getter]
    fn tokens_per_name(&self) -> Returned<u64> {
        Returned(self.tokens_per_name)
    }

    #[getter]
    fn tokens_priming(&self) -> Returned<u64> {
        Returned(self.tokens_priming)
    }

    #[getter]
    fn part_tokens<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(match &self.part_tokens {
            None => None,
            Some(PartPrices::ByType(prices)) => Some(prices.bind(py).copy()?.into_any()),
            Some(PartPrices::Callable(price)) => Some(price.bind(py).clone()),
        })
    }

    /// What the cache did and holds.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.cache.stats(py)
    }

    /// Forgets every count.
    fn clear(&self) {
        self.cache.clear();
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let (name, entries) = (display(&self.name.bind(py).repr()?), self.cache.entries());
        new_str(py, &format!("TokenCounter(name={name}, {entries} texts cached)"))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.count)?;
        visit.call(&self.count_batch)?;
        visit.call(&self.render)?;
        match &self.part_tokens {
            None => Ok(()),
            Some(PartPrices::ByType(prices)) => visit.call(prices),
            Some(PartPrices::Callable(price)) => visit.call(price),
        }
    }
}

/// Tokens of messages.
#[pyfunction]
#[pyo3(signature = (messages, counter, adapter=None))]
pub fn count_tokens<'py>(
    messages: &Bound<'py, PyAny>,
    counter: &Bound<'py, TokenCounter>,
    adapter: Option<&Bound<'py, PyAny>>,
) -> PyResult<TokenCount> {
    let py = messages.py();
    require_sequence(messages, "messages")?;
    let messages = counter.get().messages(messages, adapter)?;
    let mut pass = Pass::new(py, counter.get());
    pass.messages(&messages, adapter, |index| index)?;
    counter.get().token_count(py, pass.finish()?)
}

/// Tokens of messages, and of variants of some of them, in one go: misses of both are counted together.
#[pyfunction]
#[pyo3(signature = (messages, variants, indices, counter, adapter=None))]
pub fn count_variants<'py>(
    messages: &Bound<'py, PyAny>,
    variants: &Bound<'py, PyList>,
    indices: &Bound<'py, PyAny>,
    counter: &Bound<'py, TokenCounter>,
    adapter: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = messages.py();
    require_sequence(messages, "messages")?;
    let indices: Vec<usize> = indices.extract()?;
    let messages = counter.get().messages(messages, adapter)?;
    let mut pass = Pass::new(py, counter.get());
    pass.messages(&messages, adapter, |index| index)?;
    let own = pass.counted();
    pass.messages(&Messages::List(variants.clone()), adapter, |index| indices.get(index).copied().unwrap_or(0))?;
    let mut tally = pass.finish()?;
    let variants = tally.per_message.split_off(own.messages);
    tally.unpriced.truncate(own.unpriced);
    (counter.get().token_count(py, tally)?, new_list(py, variants)?).into_object(py)
}

/// Tokens of one text.
#[pyfunction]
pub fn count_text<'py>(string: &Bound<'py, PyString>, counter: &Bound<'py, TokenCounter>) -> PyResult<Returned<u64>> {
    let mut pass = Pass::new(string.py(), counter.get());
    pass.bare_text(string, crate::counter_call::Place { list: "messages", index: 0, field: "content" })?;
    Ok(Returned(pass.finish()?.per_message.into_iter().sum()))
}
