//! Python strings in their own width: looked at without conversion, and joined from pieces in one allocation.

use interleaf_core::text::Text;
use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::fmt::Write as _;
use std::ops::Range;

use crate::errors::exception;

/// The code points of a string. Copies nothing and caches nothing in it.
///
/// The same as `PyStringMethods::data`, which the linker does not inline: called some five times a block, it was 4 % of the
/// instructions of a placement.
#[inline]
pub fn text<'a>(string: &'a Bound<'_, PyString>) -> PyResult<Text<'a>> {
    let pointer = string.as_ptr();
    // SAFETY: the pointer is that of a live `str`, which is made ready (a no-op from Python 3.12 on) before its fields are
    // read. Its data holds `length` units of the width that its kind says, does not change, and lives as long as the `str`,
    // which the returned view borrows.
    unsafe {
        #[allow(deprecated)] // still needed by Python 3.10 and 3.11
        if ffi::PyUnicode_READY(pointer) != 0 {
            return Err(PyErr::fetch(string.py()));
        }
        // The length of an object in memory is never negative.
        #[allow(clippy::cast_sign_loss)]
        let length = ffi::PyUnicode_GET_LENGTH(pointer) as usize;
        let data = ffi::PyUnicode_DATA(pointer);
        Ok(match ffi::PyUnicode_KIND(pointer) {
            ffi::PyUnicode_1BYTE_KIND => Text::One(std::slice::from_raw_parts(data.cast(), length)),
            ffi::PyUnicode_2BYTE_KIND => Text::Two(std::slice::from_raw_parts(data.cast(), length)),
            _ => Text::Four(std::slice::from_raw_parts(data.cast(), length)),
        })
    }
}

/// Whether two strings are the same text.
pub fn same_text(left: &Bound<'_, PyString>, right: &Bound<'_, PyString>) -> bool {
    left.is(right) || matches!((text(left), text(right)), (Ok(left), Ok(right)) if left == right)
}

/// The code points `span` of a string, as a string of their own. Looks at nothing besides them.
pub fn slice<'py>(string: &Bound<'py, PyString>, span: &Range<usize>) -> PyResult<Bound<'py, PyString>> {
    let index = |index: usize| ffi::Py_ssize_t::try_from(index).unwrap_or(ffi::Py_ssize_t::MAX);
    // SAFETY: returns a new `str`, or null with an exception set; indices past the end are taken for the end.
    unsafe {
        let new = ffi::PyUnicode_Substring(string.as_ptr(), index(span.start), index(span.end));
        Ok(Bound::from_owned_ptr_or_err(string.py(), new)?.cast_into_unchecked())
    }
}

/// Length in code points.
pub fn length(string: &Bound<'_, PyString>) -> PyResult<usize> {
    Ok(text(string)?.len())
}

/// The hash that Python keeps in the string. For an exact `str` nothing of the caller's runs.
pub fn hash(string: &Bound<'_, PyString>) -> PyResult<u64> {
    // The sign means nothing in a hash.
    #[allow(clippy::cast_sign_loss)]
    Ok(string.hash()? as u64)
}

/// The same text as an exact `str`: a subclass may override equality and hash, and ids are compared a lot.
pub fn exact<'py>(string: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    if string.is_exact_instance_of::<PyString>() {
        return Ok(string.clone());
    }
    let whole = 0..length(string)?;
    join(string.py(), &[TextPiece::new(string, whole)?])
}

/// A stretch of a string.
pub struct TextPiece<'a> {
    units: Text<'a>,
    max_code_point: u32,
}

impl<'a> TextPiece<'a> {
    /// The code points `span` of `string`, cut to what is there.
    pub fn new(string: &'a Bound<'_, PyString>, span: Range<usize>) -> PyResult<Self> {
        let view = text(string)?;
        let span = span.start.min(view.len())..span.end.min(view.len());
        let is_whole = span == (0..view.len());
        let units = view.slice(span).unwrap_or(Text::One(&[]));
        // A string is as wide as its widest code point needs, so for the whole of it the width is bound enough. A part must be
        // looked at: "{{outlet::城}}" taken out of "a {{outlet::城}}" leaves ASCII. Only the part, or a thousand pieces of one
        // long text would each read all of it.
        let max_code_point = match (units, view) {
            (Text::Two(_), _) if is_whole => 0xFFFF,
            (Text::Four(_), _) if is_whole => 0x10_FFFF,
            (Text::One(piece), Text::One(whole)) => {
                if is_compact_ascii(string, whole) || piece.is_ascii() {
                    0x7F
                } else {
                    0xFF
                }
            }
            _ => units.max_code_point(),
        };
        Ok(Self { units, max_code_point })
    }

    /// All of `string`.
    pub fn whole(string: &'a Bound<'_, PyString>) -> PyResult<Self> {
        Self::new(string, 0..usize::MAX)
    }
}

/// Whether a string says of itself that it is ASCII: then its text follows right after the short form of its header, and need
/// not be read. (The flag itself cannot be reached from Rust on every Python; a string for which this is false may still be
/// ASCII.)
fn is_compact_ascii(string: &Bound<'_, PyString>, units: &[u8]) -> bool {
    units.as_ptr().addr() == string.as_ptr().addr() + size_of::<ffi::PyASCIIObject>()
}

/// A new string from pieces.
pub fn join<'py>(py: Python<'py>, pieces: &[TextPiece<'_>]) -> PyResult<Bound<'py, PyString>> {
    let max_code_point = pieces.iter().map(|piece| piece.max_code_point).max().unwrap_or(0);
    let total = pieces.iter().try_fold(0_usize, |total, piece| total.checked_add(piece.units.len()));
    let Some(total) = total.and_then(|total| ffi::Py_ssize_t::try_from(total).ok()) else {
        return Err(exception::<PyMemoryError>("the joined text would not fit into memory"));
    };
    // SAFETY: `PyUnicode_New` returns a new `str` of that length or null with an exception set, which `from_owned_ptr_or_err`
    // turns into an error. Nobody else has seen the new string while it is filled. The lengths of the pieces add up to `total`,
    // so that each is written within the new string, and none has a code point that its width does not hold.
    unsafe {
        let new = Bound::from_owned_ptr_or_err(py, ffi::PyUnicode_New(total, max_code_point))?;
        let data = ffi::PyUnicode_DATA(new.as_ptr());
        let mut written = 0;
        for piece in pieces {
            // The width of the new string holds every code point of every piece, so that no cast cuts anything off.
            #[allow(clippy::cast_possible_truncation)]
            match ffi::PyUnicode_KIND(new.as_ptr()) {
                ffi::PyUnicode_1BYTE_KIND => write(piece.units, data.cast::<u8>().add(written), |unit| unit as u8),
                ffi::PyUnicode_2BYTE_KIND => write(piece.units, data.cast::<u16>().add(written), |unit| unit as u16),
                _ => write(piece.units, data.cast::<u32>().add(written), |unit| unit),
            }
            written += piece.units.len();
        }
        Ok(new.cast_into_unchecked())
    }
}

/// Writes text in some width. `PyUnicode_CopyCharacters` does the same, but takes 140 instructions a piece where the widths agree
/// and 260 where they do not, which for pieces of usual length is more than the copy itself.
///
/// # Safety
///
/// `target` has room for all code points and overlaps none of them. `U` is an unsigned integer that holds each of them.
unsafe fn write<U>(text: Text<'_>, target: *mut U, unit_of: impl Fn(u32) -> U) {
    // SAFETY: as the caller promises.
    unsafe {
        match text {
            Text::One(units) => write_units(units, target, unit_of),
            Text::Two(units) => write_units(units, target, unit_of),
            Text::Four(units) => write_units(units, target, unit_of),
        }
    }
}

/// See [`write`].
///
/// # Safety
///
/// The same, and `S` is an unsigned integer.
unsafe fn write_units<S: Copy + Into<u32>, U>(units: &[S], target: *mut U, unit_of: impl Fn(u32) -> U) {
    // SAFETY: as the caller promises; unsigned integers of one size are of one form.
    unsafe {
        if size_of::<S>() == size_of::<U>() {
            target.copy_from_nonoverlapping(units.as_ptr().cast(), units.len());
            return;
        }
        for (at, &unit) in units.iter().enumerate() {
            target.add(at).write(unit_of(unit.into()));
        }
    }
}

fn push_escape(shown: &mut String, code_point: u32) {
    // Writing to a `String` does not fail.
    let _ = write!(shown, "\\u{code_point:04x}");
}

/// The text of a string for a message, with what Rust strings cannot hold written as escapes.
#[cold]
pub fn display(string: &Bound<'_, PyString>) -> String {
    let Ok(view) = text(string) else { return String::from("<str>") };
    view.code_points().fold(String::with_capacity(view.len()), |mut shown, code_point| {
        match char::from_u32(code_point) {
            Some(character) => shown.push(character),
            None => push_escape(&mut shown, code_point),
        }
        shown
    })
}

/// A string as JSON writes it, for paths and messages.
#[cold]
pub fn quoted(string: &Bound<'_, PyString>) -> String {
    let Ok(view) = text(string) else { return String::from("<str>") };
    let mut shown = String::from("\"");
    for code_point in view.code_points() {
        match char::from_u32(code_point) {
            Some('"') => shown.push_str("\\\""),
            Some('\\') => shown.push_str("\\\\"),
            Some('\n') => shown.push_str("\\n"),
            Some('\r') => shown.push_str("\\r"),
            Some('\t') => shown.push_str("\\t"),
            Some('\u{8}') => shown.push_str("\\b"),
            Some('\u{c}') => shown.push_str("\\f"),
            Some(character) if u32::from(character) >= 0x20 => shown.push(character),
            _ => push_escape(&mut shown, code_point),
        }
    }
    shown.push('"');
    shown
}
