//! Token counts of texts, kept by the `str` itself.
//!
//! The hash is the one that Python keeps in the string; a string that is found is the very same object or has the same text.
//! Keys are exact `str`s, so nothing of the caller's runs under the lock: not for hashing, comparing, nor giving one up.

use std::sync::{Mutex, MutexGuard, PoisonError};

use interleaf_core::lru::Lru;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::names::intern;
use crate::objects::{new_dict, put};
use crate::unicode::{hash, text};

/// What a text costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// How many tokens.
    pub count: u64,
    /// Whether it was counted with its lone surrogates replaced.
    pub estimated: bool,
}

/// The state under the lock.
pub struct Kept {
    lru: Lru<Py<PyString>, Tokens>,
    hits: u64,
    misses: u64,
}

impl Kept {
    /// What is kept for this text, which must be an exact `str`.
    #[inline]
    pub fn find(&mut self, string: &Bound<'_, PyString>) -> PyResult<Option<Tokens>> {
        let py = string.py();
        let kept = self.lru.get(hash(string)?, |key| {
            let key = key.bind(py);
            key.is(string) || matches!((text(key), text(string)), (Ok(left), Ok(right)) if left == right)
        });
        match kept {
            Some(_) => self.hits += 1,
            None => self.misses += 1,
        }
        Ok(kept)
    }

    /// Tells of a text that was found without a look into the cache.
    #[inline]
    pub fn found_again(&mut self) {
        self.hits += 1;
    }
}

/// A cache of token counts, bounded in bytes.
pub struct TokenCache {
    kept: Mutex<Kept>,
}

impl TokenCache {
    /// An empty cache of at most `bytes`.
    pub fn new(bytes: usize) -> Self {
        Self { kept: Mutex::new(Kept { lru: Lru::new(bytes), hits: 0, misses: 0 }) }
    }

    /// The lock. Whoever holds it calls nothing in Python that could run code: it is neither re-entrant nor released with the
    /// interpreter's own.
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the counts of texts that were not found. Whoever counted the same text in the meantime was first.
    pub fn keep<'a, 'py: 'a>(
        &self,
        counted: impl Iterator<Item = (&'a Bound<'py, PyString>, Tokens)> + Clone,
    ) -> PyResult<()> {
        // A tokenizer may have made the string keep its UTF-8 as well, so its size is asked for after counting, and before the
        // lock is taken.
        let mut sizes = Vec::with_capacity(counted.size_hint().0);
        for (string, _) in counted.clone() {
            sizes.push(string.call_method0(intern!(string.py(), "__sizeof__"))?.extract::<usize>()?);
        }
        let mut kept = self.lock();
        for ((string, tokens), size) in counted.zip(sizes) {
            let py = string.py();
            let of_hash = hash(string)?;
            let same = |key: &Py<PyString>| matches!((text(key.bind(py)), text(string)), (Ok(left), Ok(right)) if left == right);
            if kept.lru.get(of_hash, same).is_none() {
                kept.lru.insert(of_hash, string.clone().unbind(), tokens, size);
            }
        }
        Ok(())
    }

    /// Forgets every count, and what was found and not found so far.
    pub fn clear(&self) {
        // The strings are given up after the lock.
        let emptied = {
            let mut kept = self.lock();
            let limit = kept.lru.limit();
            std::mem::replace(&mut *kept, Kept { lru: Lru::new(limit), hits: 0, misses: 0 })
        };
        drop(emptied);
    }

    /// How many texts are kept.
    pub fn entries(&self) -> usize {
        self.lock().lru.len()
    }

    /// Hits, misses, entries and bytes so far.
    pub fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (hits, misses, entries, bytes, limit) = {
            let kept = self.lock();
            (kept.hits, kept.misses, kept.lru.len(), kept.lru.bytes(), kept.lru.limit())
        };
        let stats = new_dict(py)?;
        put(&stats, "hits", hits)?;
        put(&stats, "misses", misses)?;
        put(&stats, "entries", entries)?;
        put(&stats, "bytes", bytes)?;
        put(&stats, "max_bytes", limit)?;
        Ok(stats)
    }
}
