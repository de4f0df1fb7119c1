//! Characters of messages: their text and their tool calls, without the words of the envelope.

use interleaf_core::error::{Class, Code};
use interleaf_core::measure::LengthUnit;
use pyo3::prelude::*;

use crate::counts::CharCount;
use crate::errors::{found, refuse};
use crate::measure::measure;
use crate::said::{Plain, Said};
use crate::sequence::{Messages, require_sequence};
use crate::unicode::text;
use crate::words::{one_of, read_word};

/// Characters of what a message says.
pub fn chars_of(said: &Said<'_>, unit: LengthUnit) -> PyResult<u64> {
    let mut total: u64 = 0;
    for string in said.text.iter().chain(&said.calls) {
        total = total.saturating_add(measure(text(string)?, unit));
    }
    Ok(total)
}

/// Characters of messages. See the typed face for the whole contract.
#[pyfunction]
#[pyo3(signature = (messages, unit=None, adapter=None))]
pub fn count_chars<'py>(
    messages: &Bound<'py, PyAny>,
    unit: Option<&Bound<'py, PyAny>>,
    adapter: Option<&Bound<'py, PyAny>>,
) -> PyResult<CharCount> {
    require_sequence(messages, "messages")?;
    let unit = match unit {
        None => LengthUnit::Codepoint,
        Some(unit) => read_word(unit)?
            .ok_or_else(|| refuse(Class::Option, Code::InvalidOption, "unit", found(unit), one_of::<LengthUnit>()))?,
    };
    let messages = Messages::read(messages, adapter.is_none())?;
    let mut count = CharCount { total: 0, per_message: Vec::with_capacity(messages.len()), unit, opaque_parts: 0 };
    let mut index = 0;
    while index < messages.len() {
        let message = messages.get(index)?;
        let plain = if adapter.is_none() { Plain::of(&message) } else { None };
        let own = if let Some(plain) = plain {
            plain.text.map_or(Ok(0), |string| text(&string).map(|view| measure(view, unit)))?
        } else {
            let said = Said::read(&message, adapter, "messages", index)?;
            count.opaque_parts += said.others.len();
            chars_of(&said, unit)?
        };
        count.per_message.push(own);
        count.total = count.total.saturating_add(own);
        index += 1;
    }
    Ok(count)
}
