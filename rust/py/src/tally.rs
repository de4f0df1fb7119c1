//! One pass over messages that counts their tokens: what is cached is added up, the rest is counted in one go.

use std::sync::MutexGuard;

use interleaf_core::id_set::IdSet;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::counter_call::{Functions, Place, Uncounted, counter_error, read_count};
use crate::counts::UnpricedPart;
use crate::errors::found;
use crate::said::{OtherPart, Plain, Said};
use crate::sequence::Messages;
use crate::token_cache::{Kept, Tokens};
use crate::token_counter::{PartPrices, TokenCounter};
use crate::unicode::{display, exact, hash, text};

/// What messages cost.
#[derive(Default)]
pub struct Tally {
    /// One number for each message.
    pub per_message: Vec<u64>,
    /// Whether some text was counted with its lone surrogates replaced.
    pub replaced: bool,
    /// Parts that have no price.
    pub unpriced: Vec<UnpricedPart>,
}

/// How far a pass has come.
pub struct SoFar {
    /// Messages added.
    pub messages: usize,
    /// Parts without a price in them.
    pub unpriced: usize,
}

/// Roles remembered by their address within a pass: most are interned, and a chat has two to four.
const ROLES: usize = 4;

/// A pass over lists of messages. Texts that are not cached are collected and counted at the end.
pub struct Pass<'a, 'py> {
    counter: &'a TokenCounter,
    py: Python<'py>,
    tally: Tally,
    roles: [Option<(Bound<'py, PyString>, u64)>; ROLES],
    next_role: usize,
    uncounted: Vec<Uncounted<'py>>,
    /// The places in `uncounted` by text, so that one that occurs twice is counted once.
    ids: Option<IdSet>,
    /// For each use of an uncounted text: its message, and its place in `uncounted`.
    uses: Vec<(usize, usize)>,
}

impl<'a, 'py> Pass<'a, 'py> {
    /// A pass that has not begun.
    pub fn new(py: Python<'py>, counter: &'a TokenCounter) -> Self {
        Self {
            counter,
            py,
            tally: Tally::default(),
            roles: [const { None }; ROLES],
            next_role: 0,
            uncounted: Vec::new(),
            ids: None,
            uses: Vec::new(),
        }
    }

    /// Adds messages. `index_of` says what errors call each of them.
    pub fn messages(
        &mut self,
        messages: &Messages<'py>,
        adapter: Option<&Bound<'py, PyAny>>,
        index_of: impl Fn(usize) -> usize,
    ) -> PyResult<()> {
        self.tally.per_message.reserve(messages.len());
        let counter = self.counter;
        // Held over runs of plain messages, for which nothing in Python is called.
        let mut kept: Option<MutexGuard<'_, Kept>> = None;
        let mut at = 0;
        while at < messages.len() {
            let message = messages.get(at)?;
            let index = index_of(at);
            at += 1;
            if adapter.is_none() {
                match (Plain::of(&message), &counter.render) {
                    (Some(plain), None) => {
                        let kept = kept.get_or_insert_with(|| counter.cache.lock());
                        self.plain(&plain, index, kept)?;
                        continue;
                    }
                    (Some(_), Some(render)) => {
                        self.rendered(render.bind(self.py), &message, index)?;
                        continue;
                    }
                    (None, _) => {}
                }
            }
            kept = None;
            let said = Said::read(&message, adapter, "messages", index)?;
            let others = self.price(&said.others, index)?;
            match &counter.render {
                None => self.said(&said, index)?,
                Some(render) => self.rendered(render.bind(self.py), &message, index)?,
            }
            if let Some(total) = self.tally.per_message.last_mut() {
                *total = total.saturating_add(others);
            }
        }
        Ok(())
    }

    /// How far the pass has come.
    pub fn counted(&self) -> SoFar {
        SoFar { messages: self.tally.per_message.len(), unpriced: self.tally.unpriced.len() }
    }

    /// Adds a text on its own, as if it were a message of nothing else.
    pub fn bare_text(&mut self, string: &Bound<'py, PyString>, place: Place) -> PyResult<()> {
        let string = exact(string)?;
        let own = self.text(&string, place, &mut self.counter.cache.lock())?;
        self.tally.per_message.push(own);
        Ok(())
    }

    /// Adds a plain message. Runs no Python code: its strings are borrowed, and the lock is held.
    #[inline]
    fn plain(&mut self, plain: &Plain<'_, 'py>, index: usize, kept: &mut Kept) -> PyResult<()> {
        let place = |field| Place { list: "messages", index, field };
        let mut total = self.counter.tokens_per_message;
        if let Some(role) = &plain.role {
            total = total.saturating_add(self.role(role, place("role"), kept)?);
        }
        if let Some(text) = &plain.text {
            total = total.saturating_add(self.text(text, place("content"), kept)?);
        }
        if let Some(name) = &plain.name {
            total = total.saturating_add(self.counter.tokens_per_name);
            total = total.saturating_add(self.text(name, place("name"), kept)?);
        }
        self.tally.per_message.push(total);
        Ok(())
    }

    fn said(&mut self, said: &Said<'py>, index: usize) -> PyResult<()> {
        let counter = self.counter;
        let mut kept = counter.cache.lock();
        let plain = Plain {
            role: said.role.as_ref().map(Bound::as_borrowed),
            text: said.text.as_ref().map(Bound::as_borrowed),
            name: said.name.as_ref().map(Bound::as_borrowed),
        };
        let mut calls: u64 = 0;
        for string in &said.calls {
            let place = Place { list: "messages", index, field: "tool_calls" };
            calls = calls.saturating_add(self.text(string, place, &mut kept)?);
        }
        self.plain(&plain, index, &mut kept)?;
        if let Some(total) = self.tally.per_message.last_mut() {
            *total = total.saturating_add(calls);
        }
        Ok(())
    }

    /// Adds a message as the caller's template writes it.
    fn rendered(&mut self, template: &Bound<'py, PyAny>, message: &Bound<'py, PyAny>, index: usize) -> PyResult<()> {
        let rendered = render(template, message, index)?;
        self.bare_text(&rendered, Place { list: "messages", index, field: "render" })
    }

    #[inline]
    fn role(&mut self, role: &Bound<'py, PyString>, place: Place, kept: &mut Kept) -> PyResult<u64> {
        for (known, count) in self.roles.iter().flatten() {
            if known.is(role) {
                kept.found_again();
                return Ok(*count);
            }
        }
        let waiting = self.uses.len();
        let count = self.text(role, place, kept)?;
        // One that is still to be counted is no number yet.
        if self.uses.len() == waiting {
            self.roles[self.next_role % ROLES] = Some((role.clone(), count));
            self.next_role += 1;
        }
        Ok(count)
    }

    /// What the text costs, or 0 and a note to count it.
    #[inline]
    fn text(&mut self, string: &Bound<'py, PyString>, place: Place, kept: &mut Kept) -> PyResult<u64> {
        // A text of which a first use waits to be counted is not in the cache.
        if let Some(ids) = &self.ids
            && let Some(waiting) = find(ids, &self.uncounted, string)?
        {
            kept.found_again();
            self.uses.push((self.tally.per_message.len(), waiting));
            return Ok(0);
        }
        if let Some(tokens) = kept.find(string)? {
            self.tally.replaced |= tokens.estimated;
            return Ok(tokens.count);
        }
        let waiting = self.uncounted.len();
        self.ids.get_or_insert_with(|| IdSet::with_capacity(8)).insert(hash(string)?, waiting, |_| false);
        self.uncounted.push(Uncounted { string: string.clone(), place });
        self.uses.push((self.tally.per_message.len(), waiting));
        Ok(0)
    }

    /// What parts that are no text cost; those without a price are listed.
    fn price(&mut self, others: &[OtherPart<'py>], index: usize) -> PyResult<u64> {
        let mut total: u64 = 0;
        for other in others {
            match self.price_of(other, index)? {
                Some(price) => total = total.saturating_add(price),
                None => self.tally.unpriced.push(UnpricedPart {
                    message_index: index,
                    part_index: other.index,
                    kind: other.kind.clone().unbind(),
                }),
            }
        }
        Ok(total)
    }

    fn price_of(&self, other: &OtherPart<'py>, index: usize) -> PyResult<Option<u64>> {
        let py = self.py;
        let answer = match &self.counter.part_tokens {
            None => return Ok(None),
            Some(PartPrices::ByType(prices)) => match prices.bind(py).get_item(&other.kind)? {
                None => return Ok(None),
                Some(price) => price,
            },
            Some(PartPrices::Callable(price)) => price.bind(py).call1((&other.part,)).map_err(|error| {
                let path = format!("messages[{index}].content[{}]", other.index);
                crate::counter_call::failed(py, error, &path, "part_tokens")
            })?,
        };
        if answer.is_none() {
            return Ok(None);
        }
        if let Some(price) = read_count(&answer)? {
            return Ok(Some(price));
        }
        let path = format!("messages[{index}].content[{}]", other.index);
        let message = format!(
            "the price of a part of type {:?}: found {}, expected an int of 0 or more, or None",
            display(&other.kind),
            found(&answer)?
        );
        Err(counter_error(py, "invalid_count", &path, 0, &message, None))
    }

    /// Counts what is still to be counted, keeps it, and hands out the sums.
    pub fn finish(mut self) -> PyResult<Tally> {
        if self.uncounted.is_empty() {
            return Ok(self.tally);
        }
        let mut counted = Vec::with_capacity(self.uncounted.len());
        // No lock is held here: the counter may take its time, run other threads, or count with this very cache.
        let outcome = self.functions(|functions| functions.count_all(&self.uncounted, &mut counted));
        let strings = self.uncounted.iter().map(|uncounted| &uncounted.string);
        self.counter.cache.keep(strings.zip(counted.iter().copied()))?;
        outcome?;
        for &(message, waiting) in &self.uses {
            let Tokens { count, estimated } = counted[waiting];
            self.tally.replaced |= estimated;
            if let Some(total) = self.tally.per_message.get_mut(message) {
                *total = total.saturating_add(count);
            }
        }
        Ok(self.tally)
    }

    fn functions<R>(&self, call: impl FnOnce(&Functions<'_, 'py>) -> R) -> R {
        let (py, counter) = (self.py, self.counter);
        call(&Functions {
            count: counter.count.bind(py),
            count_batch: counter.count_batch.as_ref().map(|batch| batch.bind(py)),
            name: counter.name.bind(py),
        })
    }
}

fn find(ids: &IdSet, uncounted: &[Uncounted<'_>], string: &Bound<'_, PyString>) -> PyResult<Option<usize>> {
    let wanted = text(string)?;
    let same = |at: usize| {
        let other = &uncounted[at].string;
        other.is(string) || text(other).is_ok_and(|other| other == wanted)
    };
    Ok(ids.find(hash(string)?, same))
}

/// The message as the caller's template writes it. What the template raises passes through.
pub fn render<'py>(
    template: &Bound<'py, PyAny>,
    message: &Bound<'py, PyAny>,
    index: usize,
) -> PyResult<Bound<'py, PyString>> {
    let rendered = template.call1((message,))?;
    if let Ok(string) = rendered.cast::<PyString>() {
        return exact(string);
    }
    let path = format!("messages[{index}]");
    let message = format!("rendering: found {}, expected a str", found(&rendered)?);
    Err(counter_error(template.py(), "invalid_render", &path, 0, &message, None))
}
