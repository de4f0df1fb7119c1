//! Calls to the caller's tokenizer: what it may return, what it may raise, and what is made of lone surrogates.

use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PySystemExit};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::errors::{answered, found, raise_with};
use crate::number::read_int;
use crate::objects::{new_dict, new_list, new_str, put};
use crate::sequence::{is_sequence, snapshot};
use crate::token_cache::Tokens;
use crate::unicode::{display, length, text};

/// Where a text stands, for errors.
#[derive(Clone, Copy)]
pub struct Place {
    /// The list it is in, such as `messages`.
    pub list: &'static str,
    /// The index in that list.
    pub index: usize,
    /// The field there, such as `content`.
    pub field: &'static str,
}

impl Place {
    fn path(self) -> String {
        let Self { list, index, field } = self;
        format!("{list}[{index}].{field}")
    }
}

/// A text to be counted.
pub struct Uncounted<'py> {
    /// The text, an exact `str`.
    pub string: Bound<'py, PyString>,
    /// Where it stands first.
    pub place: Place,
}

/// Why a text has no count.
struct Refused {
    code: &'static str,
    found: String,
    cause: Option<PyErr>,
}

impl Refused {
    fn raised(error: PyErr, py: Python<'_>) -> PyResult<Self> {
        // A tokenizer that panics raises a `BaseException`; what ends the program is one too and must pass.
        // That memory has run out says nothing about the text.
        if error.is_instance_of::<PyKeyboardInterrupt>(py)
            || error.is_instance_of::<PySystemExit>(py)
            || error.is_instance_of::<PyMemoryError>(py)
        {
            return Err(error);
        }
        let class = display(&error.get_type(py).name()?);
        let said = answered(py, error.value(py).str())?.map_or_else(String::new, |said| display(&said));
        let said: String = said.chars().take(200).collect();
        let found = if said.is_empty() { class } else { format!("{class}: {said}") };
        Ok(Self { code: "counter_failed", found, cause: Some(error) })
    }

    fn at(self, py: Python<'_>, counter: &str, path: &str, text_length: usize, expected: &str) -> PyErr {
        let Self { code, found, cause } = self;
        let message =
            format!("counting a text of {text_length} code points with {counter}: found {found}, expected {expected}");
        counter_error(py, code, path, text_length, &message, cause)
    }
}

/// A `CounterError`.
#[cold]
pub fn counter_error(
    py: Python<'_>,
    code: &str,
    path: &str,
    text_length: usize,
    message: &str,
    cause: Option<PyErr>,
) -> PyErr {
    let attributes = || {
        let attributes = new_dict(py)?;
        put(&attributes, "text_length", text_length)?;
        Ok(attributes)
    };
    let attributes = match attributes() {
        Ok(attributes) => attributes,
        Err(error) => return error,
    };
    let error = raise_with(py, "CounterError", message, code, path, &attributes);
    if cause.is_some() {
        error.set_cause(py, cause);
    }
    error
}

/// The error for something of the counter's other than its two functions that raised.
#[cold]
pub fn failed(py: Python<'_>, error: PyErr, path: &str, what: &str) -> PyErr {
    match Refused::raised(error, py) {
        Err(passing) => passing,
        Ok(Refused { code, found, cause }) => {
            let message = format!("{what}: found {found}, expected an answer");
            counter_error(py, code, path, 0, &message, cause)
        }
    }
}

/// A count, if `answer` is one: an int of 0 or more, and no bool.
pub fn read_count(answer: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    Ok(read_int(answer)?.fitting().and_then(|count| u64::try_from(count).ok()))
}

const EXPECTED: &str = "an int of 0 or more";

/// The caller's two functions, and what to call them in errors.
pub struct Functions<'a, 'py> {
    /// Counts one text.
    pub count: &'a Bound<'py, PyAny>,
    /// Counts a list of texts.
    pub count_batch: Option<&'a Bound<'py, PyAny>>,
    /// For errors.
    pub name: &'a Bound<'py, PyString>,
}

impl<'py> Functions<'_, 'py> {
    fn described(&self) -> String {
        match display(self.name) {
            name if name.is_empty() => String::from("the counter"),
            name => format!("counter {name:?}"),
        }
    }

    /// Counts every text; what was counted before a refusal is in `counted` all the same.
    pub fn count_all(&self, texts: &[Uncounted<'py>], counted: &mut Vec<Tokens>) -> PyResult<()> {
        let py = self.count.py();
        let Some(count_batch) = self.count_batch else { return self.one_by_one(texts, counted) };
        let strings = new_list(py, texts.iter().map(|text| &text.string))?;
        let answer = match count_batch.call1((strings,)) {
            Ok(answer) => answer,
            Err(error) => {
                // Which text was it? Each is counted alone: the one that is refused then is named, and lone surrogates are
                // replaced. A batch that fails though each of its texts can be counted is an error of its own.
                let refused = Refused::raised(error, py)?;
                self.one_by_one(texts, counted)?;
                if counted.iter().any(|tokens| tokens.estimated) {
                    return Ok(());
                }
                return Err(self.batch_refused(texts, refused, "a count for each text"));
            }
        };
        let wrong = |code, found: String| Refused { code, found, cause: None };
        if !is_sequence(&answer)? {
            return Err(self.batch_refused(texts, wrong("invalid_count", found(&answer)?), "a list of ints"));
        }
        let answers = snapshot(&answer)?;
        if answers.len() != texts.len() {
            let told = format!("{} counts for {} texts", answers.len(), texts.len());
            return Err(self.batch_refused(texts, wrong("batch_length", told), "one for each"));
        }
        for (answer, text) in answers.iter().zip(texts) {
            match read_count(&answer)? {
                Some(count) => counted.push(Tokens { count, estimated: false }),
                None => return Err(self.refused(text, wrong("invalid_count", found(&answer)?))),
            }
        }
        Ok(())
    }

    fn one_by_one(&self, texts: &[Uncounted<'py>], counted: &mut Vec<Tokens>) -> PyResult<()> {
        for text in texts {
            counted.push(self.one(text)?);
        }
        Ok(())
    }

    fn one(&self, uncounted: &Uncounted<'py>) -> PyResult<Tokens> {
        let py = uncounted.string.py();
        let mut estimated = false;
        let answer = match self.count.call1((&uncounted.string,)) {
            Ok(answer) => answer,
            Err(error) => {
                let refused = Refused::raised(error, py)?;
                if !text(&uncounted.string)?.has_surrogate() {
                    return Err(self.refused(uncounted, refused));
                }
                estimated = true;
                match self.count.call1((without_surrogates(&uncounted.string)?,)) {
                    Ok(answer) => answer,
                    Err(error) => return Err(self.refused(uncounted, Refused::raised(error, py)?)),
                }
            }
        };
        let Some(count) = read_count(&answer)? else {
            let refused = Refused { code: "invalid_count", found: found(&answer)?, cause: None };
            return Err(self.refused(uncounted, refused));
        };
        Ok(Tokens { count, estimated })
    }

    #[cold]
    fn refused(&self, uncounted: &Uncounted<'py>, refused: Refused) -> PyErr {
        let text_length = length(&uncounted.string).unwrap_or(0);
        refused.at(uncounted.string.py(), &self.described(), &uncounted.place.path(), text_length, EXPECTED)
    }

    #[cold]
    fn batch_refused(&self, texts: &[Uncounted<'py>], refused: Refused, expected: &str) -> PyErr {
        let text_length = texts.iter().map(|text| length(&text.string).unwrap_or(0)).sum();
        // One text is a place of its own; several are the list they are in.
        let path = match texts {
            [one] => one.place.path(),
            _ => texts.first().map_or_else(String::new, |first| String::from(first.place.list)),
        };
        refused.at(self.count.py(), &self.described(), &path, text_length, expected)
    }
}

/// The text with each lone surrogate replaced by U+FFFD.
fn without_surrogates<'py>(string: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    let replaced: String = text(string)?
        .code_points()
        .map(|code_point| char::from_u32(code_point).unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    new_str(string.py(), &replaced)
}
