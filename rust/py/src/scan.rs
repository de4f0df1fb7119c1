//! `scan_content`, and what it finds: `Finding`.

use interleaf_core::scan::{Found, ends_of, locate, scan_joined};
use interleaf_core::text::Text;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use crate::adapter::{Adapted, AdapterText, require_adapter};
use crate::errors::{answered, found, type_error};
use crate::message::{is_word, item};
use crate::names::intern;
use crate::objects::{Returned, is_mapping, new_tuple};
use crate::record::{Field, Form, Record, record_methods};
use crate::sequence::{is_sequence, snapshot};
use crate::unicode::{TextPiece, display, join, slice, text};
use crate::words::python_word;

/// Text shorter than this is scanned with the interpreter's lock held. A mebibyte takes a few tenths of a millisecond, which is
/// where giving the lock away and waiting for it begins to be worth it to other threads.
const RELEASE_FROM: usize = 1 << 20;

/// One thing that `scan_content` found, and where. Immutable.
///
/// Attributes:
///     kind: what it is, one of `interleaf.types.FindingKind`.
///     text: the matched text, whole, also if it is spread over several parts.
///     span: where it begins and ends in its text, in code points. A finding that goes on into a later part ends here at the end
///         of its first part.
///     message_index: index of the message; None if a text was scanned.
///     part_index: index of the part in list content, else None.
///     result_index: index of the text in the list content of a `tool_result` part, else None.
///     end_part_index: for a finding that goes on, index of the part it ends in, in the same list as the first one (that of
///         the result, if `result_index` is set); None for a finding in one text.
///     end_offset: for a finding that goes on, where it ends in that part, in code points.
///     block_id: id of the block whose rendered text was scanned, else None.
#[allow(clippy::doc_markdown)] // a docstring of Python
#[pyclass(frozen, module = "interleaf")]
pub struct Finding {
    kind: Py<PyString>,
    text: Py<PyString>,
    place: Location,
    span: (usize, usize),
    /// For a finding that goes on into later parts: the last of them.
    end_part_index: Option<usize>,
    /// Where in that part the finding ends.
    end_offset: Option<usize>,
    block_id: Option<Py<PyString>>,
}

/// Which text a finding is in.
#[allow(clippy::struct_field_names)] // the names of the fields of a finding
#[derive(Clone, Copy, Default)]
struct Location {
    message_index: Option<usize>,
    part_index: Option<usize>,
    result_index: Option<usize>,
}

impl Location {
    fn of_message(index: usize) -> Self {
        Self { message_index: Some(index), ..Self::default() }
    }
}

const FINDING_FIELDS: [&str; 9] =
    ["kind", "text", "span", "message_index", "part_index", "result_index", "end_part_index", "end_offset", "block_id"];

impl Record for Finding {
    fn names() -> &'static [&'static str] {
        &FINDING_FIELDS
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>> {
        Ok(vec![
            Field::new(py, "kind", &self.kind)?,
            Field::new(py, "text", &self.text)?,
            Field::new(py, "span", self.span)?.form(Form::Plain),
            Field::optional(py, "message_index", self.place.message_index)?,
            Field::optional(py, "part_index", self.place.part_index)?,
            Field::optional(py, "result_index", self.place.result_index)?,
            Field::optional(py, "end_part_index", self.end_part_index)?,
            Field::optional(py, "end_offset", self.end_offset)?,
            Field::optional(py, "block_id", self.block_id.as_ref())?,
        ])
    }
}

record_methods! { Finding, hash: all but [],
    #[new]
    #[pyo3(signature = (
        *, kind, text, span, message_index=None, part_index=None, result_index=None, end_part_index=None, end_offset=None,
        block_id=None
    ))]
    #[allow(clippy::too_many_arguments)] // one keyword a field
    fn new(
        kind: Py<PyString>,
        text: Py<PyString>,
        span: (usize, usize),
        message_index: Option<usize>,
        part_index: Option<usize>,
        result_index: Option<usize>,
        end_part_index: Option<usize>,
        end_offset: Option<usize>,
        block_id: Option<Py<PyString>>,
    ) -> Self {
        let place = Location { message_index, part_index, result_index };
        Self { kind, text, place, span, end_part_index, end_offset, block_id }
    }

    #[getter]
    fn kind(&self) -> &Py<PyString> {
        &self.kind
    }

    #[getter]
    fn text(&self) -> &Py<PyString> {
        &self.text
    }

    #[getter]
    fn span(&self) -> Returned<(usize, usize)> {
        Returned(self.span)
    }

    #[getter]
    fn message_index(&self) -> Returned<Option<usize>> {
        Returned(self.place.message_index)
    }

    #[getter]
    fn part_index(&self) -> Returned<Option<usize>> {
        Returned(self.place.part_index)
    }

    #[getter]
    fn result_index(&self) -> Returned<Option<usize>> {
        Returned(self.place.result_index)
    }

    #[getter]
    fn end_part_index(&self) -> Returned<Option<usize>> {
        Returned(self.end_part_index)
    }

    #[getter]
    fn end_offset(&self) -> Returned<Option<usize>> {
        Returned(self.end_offset)
    }

    #[getter]
    fn block_id(&self) -> Option<&Py<PyString>> {
        self.block_id.as_ref()
    }
}

impl Finding {
    /// What it is, where, and how it reads, for a message.
    #[cold]
    pub fn describe(&self, py: Python<'_>) -> PyResult<String> {
        let (kind, matched) = (display(self.kind.bind(py)), self.text.bind(py));
        // What cannot be seen is told by its escapes.
        let shown = answered(py, matched.repr())?.map_or_else(String::new, |shown| display(&shown));
        let mut head: String = shown.chars().take(60).collect();
        if head.len() < shown.len() {
            head.push('…');
        }
        Ok(format!("{kind} {head} at code points {} to {}", self.span.0, self.span.1))
    }
}

/// Which index of a [`Location`] the texts of a run differ in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    /// There is one text.
    Nothing,
    Parts,
    Results,
}

/// Texts that follow each other directly and are read as one.
struct Run<'py> {
    texts: Vec<Bound<'py, PyString>>,
    /// Where the first of them is.
    place: Location,
    counted: Counted,
}

impl<'py> Run<'py> {
    fn one(text: Bound<'py, PyString>, place: Location) -> Self {
        Self { texts: vec![text], place, counted: Counted::Nothing }
    }

    fn place_of(&self, index: usize) -> Location {
        let after = |first: Option<usize>| first.map(|first| first + index);
        match self.counted {
            Counted::Nothing => self.place,
            Counted::Parts => Location { part_index: after(self.place.part_index), ..self.place },
            Counted::Results => Location { result_index: after(self.place.result_index), ..self.place },
        }
    }

    fn scan(&self, py: Python<'py>, findings: &mut Vec<Finding>) -> PyResult<()> {
        let views = self.texts.iter().map(text).collect::<PyResult<Vec<Text<'_>>>>()?;
        let ends = ends_of(views.iter().map(|view| view.len()));
        for found in scan_views(py, &views) {
            findings.push(self.finding(py, &found, &ends)?);
        }
        Ok(())
    }

    fn finding(&self, py: Python<'py>, found: &Found, ends: &[usize]) -> PyResult<Finding> {
        let at = locate(&found.span, ends);
        let mut matched = slice(&self.texts[at.first], &at.span)?;
        if let Some((last, offset)) = at.end {
            let tail = slice(&self.texts[last], &(0..offset))?;
            let between = self.texts[at.first + 1..last].iter();
            let texts = std::iter::once(&matched).chain(between).chain(std::iter::once(&tail));
            let pieces = texts.map(TextPiece::whole).collect::<PyResult<Vec<_>>>()?;
            matched = join(py, &pieces)?;
        }
        let index_of = |text: usize| {
            let place = self.place_of(text);
            if self.counted == Counted::Results { place.result_index } else { place.part_index }
        };
        Ok(Finding {
            kind: python_word(py, found.kind).clone_ref(py),
            text: matched.unbind(),
            place: self.place_of(at.first),
            span: (at.span.start, at.span.end),
            end_part_index: at.end.and_then(|(last, _)| index_of(last)),
            end_offset: at.end.map(|(_, offset)| offset),
            block_id: None,
        })
    }
}

fn scan_views(py: Python<'_>, views: &[Text<'_>]) -> Vec<Found> {
    let total = views.iter().fold(0_usize, |total, view| total.saturating_add(view.len()));
    // Strings never change, and the caller's references keep these alive.
    if total < RELEASE_FROM { scan_joined(views) } else { py.detach(|| scan_joined(views)) }
}

/// Scans the texts of a list; `None` and what is no text parts what follows each other.
fn scan_list<'py>(
    py: Python<'py>,
    texts: impl IntoIterator<Item = Option<Bound<'py, PyString>>>,
    place_of: impl Fn(usize) -> Location,
    counted: Counted,
    findings: &mut Vec<Finding>,
) -> PyResult<()> {
    let mut run = Run { texts: Vec::new(), place: place_of(0), counted };
    for (index, text) in texts.into_iter().enumerate() {
        if let Some(text) = text {
            run.texts.push(text);
        } else {
            run.scan(py, findings)?;
            run = Run { texts: Vec::new(), place: place_of(index + 1), counted };
        }
    }
    run.scan(py, findings)
}

/// The items of a list or tuple as they are now; `None` for anything else, which is never iterated over.
fn list_items<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyList>>> {
    let is_list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    is_list.then(|| snapshot(object)).transpose()
}

/// The text of a part, if it is one of text. Some hosts write such a part as a bare `str`.
fn part_text<'py>(part: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyString>>> {
    let py = part.py();
    if let Ok(text) = part.cast::<PyString>() {
        return Ok(Some(text.clone()));
    }
    match item(part, intern!(py, "type"))? {
        Some(kind) if is_word(&kind, &[b"text", b"input_text", b"output_text"])? => {}
        _ => return Ok(None),
    }
    Ok(item(part, intern!(py, "text"))?.and_then(|text| text.cast_into::<PyString>().ok()))
}

/// The content of a part that is the result of a tool.
fn result_content<'py>(part: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = part.py();
    match item(part, intern!(py, "type"))? {
        Some(kind) if is_word(&kind, &[b"tool_result"])? => item(part, intern!(py, "content")),
        _ => Ok(None),
    }
}

fn scan_parts(parts: &Bound<'_, PyList>, index: usize, findings: &mut Vec<Finding>) -> PyResult<()> {
    let py = parts.py();
    let mut texts = Vec::with_capacity(parts.len());
    let mut results = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let text = part_text(&part)?;
        if text.is_none()
            && let Some(content) = result_content(&part)?
        {
            results.push((index, content));
        }
        texts.push(text);
    }
    let first = findings.len();
    let at_part = |part| Location { part_index: Some(part), ..Location::of_message(index) };
    scan_list(py, texts, at_part, Counted::Parts, findings)?;
    if results.is_empty() {
        return Ok(());
    }
    for (index, content) in results {
        if let Ok(text) = content.cast::<PyString>() {
            Run::one(text.clone(), at_part(index)).scan(py, findings)?;
        } else if let Some(inner) = list_items(&content)? {
            let texts = inner.iter().map(|part| part_text(&part)).collect::<PyResult<Vec<_>>>()?;
            let at_result = |result| Location { result_index: Some(result), ..at_part(index) };
            scan_list(py, texts, at_result, Counted::Results, findings)?;
        }
    }
    // A stable sort: within a part the order is that of its text already.
    findings[first..].sort_by_key(|finding| (finding.place.part_index, finding.place.result_index));
    Ok(())
}

fn scan_mapping(message: &Bound<'_, PyAny>, index: usize, findings: &mut Vec<Finding>) -> PyResult<()> {
    let py = message.py();
    let Some(content) = item(message, intern!(py, "content"))? else { return Ok(()) };
    if let Ok(text) = content.cast::<PyString>() {
        return Run::one(text.clone(), Location::of_message(index)).scan(py, findings);
    }
    match list_items(&content)? {
        Some(parts) => scan_parts(&parts, index, findings),
        // Something of the host's that may be read only once.
        None => Ok(()),
    }
}

fn scan_adapted(py: Python<'_>, message: &Adapted<'_>, index: usize, findings: &mut Vec<Finding>) -> PyResult<()> {
    let place = Location::of_message(index);
    match message.text()? {
        None => Ok(()),
        Some(AdapterText::Text(text)) => Run::one(text, place).scan(py, findings),
        Some(AdapterText::Parts(texts)) => {
            let at_part = |part| Location { part_index: Some(part), ..place };
            scan_list(py, texts, at_part, Counted::Parts, findings)
        }
    }
}

/// What a placement does about the rendered text of its blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ContentPolicy {
    /// It is not looked at.
    Ignore,
    /// Findings are in the result.
    Report,
    /// The first finding is refused.
    Refuse,
}

/// The findings in the text of one block.
pub fn scan_block(text: &Bound<'_, PyString>, id: &Py<PyString>) -> PyResult<Vec<Finding>> {
    let py = text.py();
    let mut findings = Vec::new();
    Run::one(text.clone(), Location::default()).scan(py, &mut findings)?;
    for finding in &mut findings {
        finding.block_id = Some(id.clone_ref(py));
    }
    Ok(findings)
}

/// Looks for text that pretends to be something else: control tokens, outlet markers, characters that nobody sees.
///
/// Text parts that follow each other directly are read as one text, as chat templates join them, so a token spread over parts is
/// found. Of messages only `content` is read: a `str`, or a list or tuple of parts, in which text parts (`text`, `input_text`,
/// `output_text`, or a bare `str`) and the content of `tool_result` parts are looked at; of messages that are no mappings, what
/// their adapter tells as text. Content of any other form, a one-shot
/// iterator say, is left untouched and gives no finding.
///
/// It finds what it knows by form. It does not understand text, and no finding does not mean that a model will not obey it.
///
/// Args:
///     text_or_messages: one text, or a sequence of messages.
///     adapter: how messages are read; by default mappings as above, and others by the adapter of their type.
///
/// Returns:
///     The findings by message, part and place. Those of different kinds may overlap: a zero-width space inside a token.
///
/// Raises:
///     TypeError: the argument is neither a text nor a sequence.
///     AdapterError: a message is of a type that no adapter knows.
///
/// Example:
///     >>> from interleaf import scan_content
///     >>> [(finding.kind, finding.span) for finding in scan_content("Thanks!<|im_end|>")]
///     [('control_token', (7, 17))]
///     >>> scan_content([{"role": "user", "content": "Hello"}])
///     ()
#[allow(clippy::doc_markdown)] // a docstring of Python
#[pyfunction]
#[pyo3(signature = (text_or_messages, *, adapter=None))]
pub fn scan_content<'py>(
    text_or_messages: &Bound<'py, PyAny>,
    adapter: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = text_or_messages.py();
    require_adapter(adapter)?;
    let mut findings = Vec::new();
    if let Ok(text) = text_or_messages.cast::<PyString>() {
        Run::one(text.clone(), Location::default()).scan(py, &mut findings)?;
    } else if is_sequence(text_or_messages)? {
        for (index, message) in snapshot(text_or_messages)?.iter().enumerate() {
            match adapter {
                Some(adapter) => scan_adapted(py, &Adapted::by(adapter, message, index), index, &mut findings)?,
                // Any mapping is read in place: an adapter tells nothing of the results of tools.
                None if is_mapping(&message)? => scan_mapping(&message, index, &mut findings)?,
                None => scan_adapted(py, &Adapted::by_type(message, index)?, index, &mut findings)?,
            }
        }
    } else {
        return Err(type_error(found(text_or_messages), |found| {
            format!("text_or_messages must be a str or a sequence of messages, such as a list; found {found}")
        }));
    }
    new_tuple(py, findings)
}
