//! `place_context_blocks` and `get_placement_capabilities`.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::sync::Arc;

use interleaf_core::block::{Position, Role};
use interleaf_core::error::{Class, Code, Refusal, nearest};
use interleaf_core::id_set::IdSet;
use interleaf_core::layout::MarkerSpan;
use interleaf_core::outlet::holds_marker;
use interleaf_core::place::{BlockKey, BlockKeys, Place, Slot, keep_exchanges, prompt_order};
use interleaf_core::role_map::RoleMap;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::adapter::{create, require_adapter};
use crate::block::{Block, BlockData};
use crate::errors::{found, raise, refuse};
use crate::host::{HostSlot, Hosts};
use crate::layout::{LayoutData, declared_anchors, read_layout};
use crate::message::{joined, waiting};
use crate::placement::{Arrangement, EmbeddedAt, KeptMarker, PlacementCapabilities, PlacementResult};
use crate::role_option::read_role_changes;
use crate::scan::{ContentPolicy, Finding, scan_block};
use crate::sequence::{
    Items, Messages, OutputList, is_sequence, require_callable, require_iterable, require_sequence, snapshot,
};
use crate::unicode::{same_text, text};
use crate::words::python_word;

/// What to do with an outlet that no block fills.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UnfilledOutlets {
    Remove,
    Keep,
    Error,
}

/// The callbacks of one call.
struct Callbacks<'a, 'py> {
    create_message: Option<&'a Bound<'py, PyAny>>,
    render_block: Option<&'a Bound<'py, PyAny>>,
    render_messages: Option<&'a Bound<'py, PyAny>>,
    adapter: Option<&'a Bound<'py, PyAny>>,
}

impl Callbacks<'_, '_> {
    fn are_absent(&self) -> bool {
        self.create_message.is_none()
            && self.render_block.is_none()
            && self.render_messages.is_none()
            && self.adapter.is_none()
    }
}

/// One of the words that an option takes.
fn read_option(value: &Bound<'_, PyAny>, name: &str, words: &[&str]) -> PyResult<usize> {
    if let Ok(string) = value.cast::<PyString>() {
        for (index, word) in words.iter().enumerate() {
            if text(string)? == interleaf_core::text::Text::One(word.as_bytes()) {
                return Ok(index);
            }
        }
    }
    let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    Err(refuse(Class::Option, Code::InvalidOption, name, found(value), format!("one of {}", words.join(", "))))
}

/// The blocks of the input, read in order.
struct Blocks<'py> {
    /// The objects as given, for `render_block`; empty unless there is such a callback.
    given: Vec<Bound<'py, PyAny>>,
    read: Vec<Block>,
    /// For each block, the place of its outlet in the layout.
    outlets: Vec<usize>,
}

impl<'py> Blocks<'py> {
    fn read(blocks: &Bound<'py, PyAny>, layout: &LayoutData, keep_given: bool) -> PyResult<Self> {
        let items = Items::of(blocks)?;
        let count = items.len();
        let mut result =
            Self { given: Vec::new(), read: Vec::with_capacity(count), outlets: Vec::with_capacity(count) };
        let mut ids = IdSet::with_capacity(count);
        let mut index = 0;
        while let Some(item) = items.get(index) {
            let block = Block::read(&item, &|| format!("blocks[{index}]"))?;
            result.check(block, index, layout, &mut ids, blocks.py())?;
            if keep_given {
                result.given.push(item);
            }
            index += 1;
        }
        Ok(result)
    }

    /// Checks a block against those before it and against the layout, and keeps it.
    fn check(
        &mut self,
        block: Block,
        index: usize,
        layout: &LayoutData,
        ids: &mut IdSet,
        py: Python<'_>,
    ) -> PyResult<()> {
        let data = block.data();
        let same = |before: usize| same_text(self.read[before].data().id.bind(py), data.id.bind(py));
        if let Some(before) = ids.find(data.id_hash, same) {
            return Err(refuse_duplicate(py, data, index, before));
        }
        ids.insert(data.id_hash, index);
        let outlet = match (data.position, &data.outlet_name) {
            (Position::Outlet, Some(name)) => match layout.outlet(py, name)? {
                Some(outlet) => outlet,
                None => return Err(refuse_unknown_outlet(py, data, index, layout)),
            },
            (position, _) if layout.core.declares(position) => 0,
            _ => return Err(refuse_anchor(py, data, index, layout)),
        };
        self.outlets.push(outlet);
        self.read.push(block);
        Ok(())
    }

    fn use_position(&self, wanted: impl Fn(Position) -> bool) -> bool {
        self.read.iter().any(|block| wanted(block.data().position))
    }
}

/// The blocks as the core asks about them.
struct Keys<'a, 'py> {
    blocks: &'a Blocks<'py>,
    py: Python<'py>,
}

impl BlockKeys for Keys<'_, '_> {
    fn count(&self) -> usize {
        self.blocks.read.len()
    }

    fn key(&self, block: usize) -> BlockKey {
        let data = self.blocks.read[block].data();
        BlockKey {
            position: data.position,
            depth: data.depth.map_or(0, i64::unsigned_abs),
            order: data.order,
            id_prefix: data.id_prefix,
            outlet: self.blocks.outlets[block],
        }
    }

    fn compare_ids(&self, left: usize, right: usize) -> Ordering {
        let id = |block: usize| text(self.blocks.read[block].data().id.bind(self.py)).ok();
        id(left).cmp(&id(right))
    }
}

#[cold]
fn refuse_duplicate(py: Python<'_>, data: &BlockData, index: usize, before: usize) -> PyErr {
    let found = format!("the id of blocks[{before}] again");
    let path = format!("blocks[{index}].id");
    raise(
        Refusal::new(Class::Block, Code::DuplicateId, path, found, "an id that is unique in the call")
            .of(data.name(py)),
    )
}

#[cold]
fn refuse_anchor(py: Python<'_>, data: &BlockData, index: usize, layout: &LayoutData) -> PyErr {
    let declared: Vec<&str> = Position::ALL
        .iter()
        .filter(|&&position| layout.core.declares(position))
        .map(|position| position.as_str())
        .collect();
    if data.position == Position::Outlet {
        return refuse_unknown_outlet(py, data, index, layout);
    }
    let expected = if declared.is_empty() {
        String::from("a layout that declares its anchor; this one declares none")
    } else {
        format!("a position whose anchor the layout declares: {}", declared.join(", "))
    };
    let path = format!("blocks[{index}].position");
    let found = format!("position {:?}", data.position.as_str());
    raise(Refusal::new(Class::Block, Code::MissingAnchor, path, found, expected).of(data.name(py)))
}

#[cold]
fn refuse_unknown_outlet(py: Python<'_>, data: &BlockData, index: usize, layout: &LayoutData) -> PyErr {
    let wanted = data.outlet_name.as_ref().map_or_else(String::new, |name| crate::unicode::display(name.bind(py)));
    let names: Vec<String> = layout.names.iter().map(|name| crate::unicode::display(name.bind(py))).collect();
    let mut expected = if names.is_empty() {
        String::from("a layout that declares the outlet; this one declares none")
    } else {
        format!("an outlet that the layout declares: {}", names.join(", "))
    };
    if let Some(near) = nearest(&wanted, names.iter().map(String::as_str)) {
        expected = format!("{expected} (did you mean {near:?}?)");
    }
    let path = format!("blocks[{index}].outlet_name");
    raise(
        Refusal::new(Class::Block, Code::MissingAnchor, path, format!("outlet {wanted:?}"), expected).of(data.name(py)),
    )
}

/// What the slots at gaps became, in prompt order.
enum Made<'py> {
    One(Bound<'py, PyAny>),
    Several(Bound<'py, PyList>),
}

/// Renders every block in prompt order; embedded text goes to its host.
struct Renderer<'a, 'py> {
    py: Python<'py>,
    callbacks: &'a Callbacks<'a, 'py>,
    blocks: &'a Blocks<'py>,
    role_map: Option<RoleMap>,
    content_policy: ContentPolicy,
    findings: RefCell<Vec<Finding>>,
}

impl<'py> Renderer<'_, 'py> {
    fn content(&self, block: usize) -> PyResult<Bound<'py, PyString>> {
        let data = self.blocks.read[block].data();
        let content = match self.callbacks.render_block {
            None => data.content.bind(self.py).clone(),
            Some(render) => {
                let rendered = render.call1((&self.blocks.given[block],))?;
                rendered.cast_into::<PyString>().map_err(|error| {
                    self.refuse(block, Code::InvalidRender, found(&error.into_inner()), "a str from render_block", "")
                })?
            }
        };
        if data.position == Position::Outlet && holds_marker(text(&content)?) {
            let expected = "text without {{outlet::…}}, for an outlet's text opens no other";
            return Err(self.refuse(
                block,
                Code::NestedOutlet,
                "a marker in the text of an outlet block",
                expected,
                ".content",
            ));
        }
        if self.content_policy != ContentPolicy::Ignore {
            self.look_at(block, &content)?;
        }
        Ok(content)
    }

    /// Scans the rendered text of a block.
    fn look_at(&self, block: usize, content: &Bound<'py, PyString>) -> PyResult<()> {
        let findings = scan_block(content, &self.blocks.read[block].data().id)?;
        if self.content_policy == ContentPolicy::Refuse
            && let Some(first) = findings.first()
        {
            let expected = "text in which a scan finds nothing, for content_policy is \"refuse\"";
            return Err(self.refuse(block, Code::UnsafeContent, first.describe(self.py), expected, ".content"));
        }
        self.findings.borrow_mut().extend(findings);
        Ok(())
    }

    #[cold]
    fn refuse(&self, block: usize, code: Code, found: impl Into<String>, expected: &str, field: &str) -> PyErr {
        let owner = self.blocks.read[block].data().name(self.py);
        raise(Refusal::new(Class::Block, code, format!("blocks[{block}]{field}"), found, expected).of(owner))
    }

    /// The message or messages of a block that stands at this gap.
    fn messages(&self, block: usize, gap: usize) -> PyResult<Made<'py>> {
        let content = self.content(block)?;
        let data = self.blocks.read[block].data();
        if let Some(render) = self.callbacks.render_messages {
            let given = &self.blocks.given[block];
            let made = render.call1((given, content))?;
            if !is_sequence(&made)? {
                return Err(self.refuse(
                    block,
                    Code::InvalidRender,
                    found(&made),
                    "a sequence of messages from render_messages",
                    "",
                ));
            }
            let made = snapshot(&made)?;
            if made.is_empty() {
                let expected = "at least one message from render_messages, for a selected block is never dropped";
                return Err(self.refuse(block, Code::EmptyRender, "an empty sequence", expected, ""));
            }
            return Ok(Made::Several(made));
        }
        // Positions at gaps always have a role; it was checked with the block.
        let role = data.role.unwrap_or(Role::System);
        let role = self.role_map.map_or(role, |map| map.at(role, gap));
        if let (Some(adapter), None) = (self.callbacks.adapter, self.callbacks.create_message) {
            return create(adapter, python_word(self.py, role).bind(self.py), content, block).map(Made::One);
        }
        let message = new_message(self.py, role, &content)?;
        match self.callbacks.create_message {
            None => Ok(Made::One(message)),
            Some(create) => create.call1((message,)).map(Made::One),
        }
    }
}

/// The dict `{"role": role, "content": content}`.
pub fn new_message<'py>(py: Python<'py>, role: Role, content: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
    static TEMPLATES: PyOnceLock<Vec<Py<PyDict>>> = PyOnceLock::new();
    // Copying a dict of two keys and exchanging one value takes three quarters of the instructions of filling a new one.
    let templates = TEMPLATES.get_or_try_init(py, || {
        let template = |&role: &Role| {
            let message = PyDict::new(py);
            message.set_item(intern!(py, "role"), python_word(py, role))?;
            message.set_item(intern!(py, "content"), intern!(py, ""))?;
            Ok::<_, PyErr>(message.unbind())
        };
        Role::ALL.iter().map(template).collect()
    })?;
    let message = templates[role as usize].bind(py).copy()?;
    message.set_item(intern!(py, "content"), content)?;
    Ok(message.into_any())
}

fn host_slot(blocks: &Blocks<'_>, slot: &Slot, outlet_ranks: &[usize]) -> HostSlot {
    match blocks.read[slot.block].data().position {
        Position::AuthorNoteTop => HostSlot::NoteTop,
        Position::AuthorNoteBottom => HostSlot::NoteBottom,
        _ => HostSlot::Outlet { rank: outlet_ranks[blocks.outlets[slot.block]] },
    }
}

fn unfilled_outlets(blocks: &Blocks<'_>, layout: &LayoutData) -> Vec<usize> {
    let mut filled = vec![false; layout.names.len()];
    for (block, &outlet) in blocks.read.iter().zip(&blocks.outlets) {
        if block.data().position == Position::Outlet {
            filled[outlet] = true;
        }
    }
    (0..filled.len()).filter(|&outlet| !filled[outlet]).collect()
}

/// Puts selected blocks where the layout has their anchors, and tells where each one ended up.
///
/// Every block is placed exactly once, or the call raises and nothing has changed. Inputs are never mutated; a message that
/// nothing is embedded in is returned as the same object.
///
/// Args:
///     messages: a sequence of messages.
///     blocks: an iterable of `ContextBlock`s or mappings with their fields.
///     layout: a `Layout` or a mapping with its fields: where the anchors are in `messages`.
///     create_message: makes a message of `{"role": ..., "content": ...}`; without it that dict is the message.
///     render_block: formats the content of a block, which it gets as the caller gave it; called once a block, in prompt order.
///     render_messages: makes one or more messages of a block and its formatted content.
///     adapter: reads and writes messages that are no mappings; without it one is found by the type of each message.
///     tool_exchanges: `keep` moves a block that would part a tool call from its result to the nearest gap before it;
///         `split` takes its position literally.
///     unfilled_outlets: `remove` takes the marker of an outlet that no block fills out of its message, `keep` leaves it,
///         `error` raises.
///     separator: stands between blocks of one author's note or outlet.
///     content_policy: `report` scans the rendered text of every block, embedded ones included, as `scan_content` does, and the
///         findings are in the result; `refuse` raises for the first one; `ignore` does not look. Neither looks at messages
///         that are there already, nor at what `create_message` and `render_messages` make of the text.
///
/// Returns:
///     A `PlacementResult`: the new messages, a record of every placement, the layout of the new messages, and the findings,
///     each with the id of its block and its place in that block's rendered text.
///
/// Raises:
///     LayoutError: the layout does not fit the messages, or a host message cannot take text.
///     BlockError: a block is malformed, has no anchor, was rendered to something that cannot be placed, or to something that
///         `content_policy` refuses.
///     AdapterError: a message that has to be looked at is of a type that no adapter knows.
///     InterleafError: an option has a value that it does not know (`invalid_option`).
///     TypeError: the call is wrong as a call: `messages` is no sequence, `blocks` cannot be iterated, a callback be called.
///
/// >>> from interleaf import place_context_blocks
/// >>> chat = [{"role": "system", "content": "You guard the gate."}, {"role": "user", "content": "Let me in."}]
/// >>> rule = {"id": "rule", "position": "at_depth", "depth": 1, "role": "system", "content": "Nobody passes."}
/// >>> result = place_context_blocks(chat, [rule], {"conversation": {"message_indices": [1]}})
/// >>> [message["content"] for message in result.messages]
/// ['You guard the gate.', 'Nobody passes.', 'Let me in.']
/// >>> result.placements[0].message_index
/// 1
#[pyfunction]
#[pyo3(signature = (
    messages, blocks, layout, *, create_message=None, render_block=None, render_messages=None, adapter=None,
    tool_exchanges=None, unfilled_outlets=None, separator=None, mid_conversation_roles=None,
    content_policy=None
), text_signature = "(messages, blocks, layout, *, create_message=None, render_block=None, render_messages=None, adapter=None, tool_exchanges='keep', unfilled_outlets='remove', separator='\\n', mid_conversation_roles=None, content_policy='ignore')")]
#[allow(clippy::too_many_arguments)] // the keywords of the contract
pub fn place_context_blocks<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    blocks: &Bound<'py, PyAny>,
    layout: &Bound<'py, PyAny>,
    create_message: Option<&Bound<'py, PyAny>>,
    render_block: Option<&Bound<'py, PyAny>>,
    render_messages: Option<&Bound<'py, PyAny>>,
    adapter: Option<&Bound<'py, PyAny>>,
    tool_exchanges: Option<&Bound<'py, PyAny>>,
    unfilled_outlets: Option<&Bound<'py, PyAny>>,
    separator: Option<&Bound<'py, PyAny>>,
    mid_conversation_roles: Option<&Bound<'py, PyAny>>,
    content_policy: Option<&Bound<'py, PyAny>>,
) -> PyResult<PlacementResult> {
    require_sequence(messages, "messages")?;
    require_iterable(blocks, "blocks")?;
    require_callable(create_message, "create_message")?;
    require_callable(render_block, "render_block")?;
    require_callable(render_messages, "render_messages")?;
    require_adapter(adapter)?;
    let keep_exchanges = tool_exchanges
        .map_or(Ok(true), |value| Ok::<_, PyErr>(read_option(value, "tool_exchanges", &["keep", "split"])? == 0))?;
    let unfilled = match unfilled_outlets {
        None => UnfilledOutlets::Remove,
        Some(value) => match read_option(value, "unfilled_outlets", &["remove", "keep", "error"])? {
            0 => UnfilledOutlets::Remove,
            1 => UnfilledOutlets::Keep,
            _ => UnfilledOutlets::Error,
        },
    };
    let separator = match separator {
        None => intern!(py, "\n").clone(),
        Some(value) => match value.cast::<PyString>() {
            Ok(separator) => separator.clone(),
            Err(_) => return Err(refuse(Class::Option, Code::InvalidOption, "separator", found(value), "a str")),
        },
    };
    let role_changes = mid_conversation_roles.map_or(Ok(Vec::new()), read_role_changes)?;
    let content_policy = match content_policy {
        None => ContentPolicy::Ignore,
        Some(value) => match read_option(value, "content_policy", &["ignore", "report", "refuse"])? {
            0 => ContentPolicy::Ignore,
            1 => ContentPolicy::Report,
            _ => ContentPolicy::Refuse,
        },
    };
    let callbacks = Callbacks { create_message, render_block, render_messages, adapter };
    let undisturbed =
        callbacks.are_absent() && (blocks.is_exact_instance_of::<PyList>() || blocks.is_exact_instance_of::<PyTuple>());
    let messages = Messages::read(messages, undisturbed)?;
    let options = Options { keep_exchanges, unfilled, separator, role_changes, content_policy };
    place(py, &messages, blocks, layout, &callbacks, &options)
}

struct Options<'py> {
    keep_exchanges: bool,
    unfilled: UnfilledOutlets,
    separator: Bound<'py, PyString>,
    role_changes: Vec<(Role, Role)>,
    content_policy: ContentPolicy,
}

fn place<'py>(
    py: Python<'py>,
    messages: &Messages<'py>,
    blocks: &Bound<'py, PyAny>,
    layout: &Bound<'py, PyAny>,
    callbacks: &Callbacks<'_, 'py>,
    options: &Options<'py>,
) -> PyResult<PlacementResult> {
    let count = messages.len();
    let layout = read_layout(layout, count)?;
    let needs_given = callbacks.render_block.is_some() || callbacks.render_messages.is_some();
    let blocks = Blocks::read(blocks, &layout, needs_given)?;
    let note_is_used =
        blocks.use_position(|position| matches!(position, Position::AuthorNoteTop | Position::AuthorNoteBottom));
    let keep_unfilled = options.unfilled == UnfilledOutlets::Keep;
    let mut hosts = Hosts::read(py, messages, &layout, note_is_used, keep_unfilled, callbacks.adapter)?;
    let unfilled = unfilled_outlets(&blocks, &layout);
    if let (UnfilledOutlets::Error, Some(&outlet)) = (options.unfilled, unfilled.first()) {
        let expected = "a block that fills it, for unfilled_outlets is \"error\"";
        let path = layout.outlet_path(py, outlet);
        return Err(refuse(Class::Layout, Code::OutletUnfilled, path, "no block for this outlet", expected));
    }
    let mut slots = prompt_order(&layout.core, &Keys { blocks: &blocks, py }, &hosts.outlet_ranks);
    if options.keep_exchanges {
        keep_exchanges(&mut slots, |gap| {
            if gap == count {
                waiting(messages.get(gap - 1)?, callbacks.adapter, gap - 1)
            } else {
                joined(&messages.get(gap - 1)?, &messages.get(gap)?, callbacks.adapter, gap)
            }
        })?;
    }
    // The messages of `render_messages` have the roles that the callback gave them.
    let mapped = !options.role_changes.is_empty() && callbacks.render_messages.is_none();
    let role_map = if mapped { RoleMap::of(&layout.core, &options.role_changes) } else { None };
    let renderer = Renderer {
        py,
        callbacks,
        blocks: &blocks,
        role_map,
        content_policy: options.content_policy,
        findings: RefCell::default(),
    };
    let mut made = Vec::with_capacity(slots.len());
    for (index, slot) in slots.iter().enumerate() {
        match slot.place() {
            Place::Gap { gap, .. } => made.push(renderer.messages(slot.block, gap)?),
            Place::Host { message } => {
                let content = renderer.content(slot.block)?;
                let at = host_slot(&blocks, slot, &hosts.outlet_ranks);
                if let Some(host) = hosts.of_message(message) {
                    host.take(index, content, at)?;
                }
            }
        }
    }
    let findings = renderer.findings.into_inner();
    let rewritten = rewrite_hosts(&hosts, &options.separator)?;
    let (messages, message_counts) = write_messages(py, messages, count, &slots, made, rewritten.messages)?;
    let arrangement = Arrangement {
        blocks: blocks.read,
        slots,
        message_counts,
        embedded: rewritten.embedded,
        layout: Arc::clone(&layout),
        kept: rewritten.kept,
        unfilled,
        role_map,
    };
    PlacementResult::of(messages, arrangement, findings)
}

/// What came out of the hosts.
struct Rewritten<'py> {
    /// Index in the input and new message, ascending.
    messages: Vec<(usize, Bound<'py, PyAny>)>,
    /// Where embedded slots stand.
    embedded: Vec<EmbeddedAt>,
    kept: Vec<KeptMarker>,
}

fn rewrite_hosts<'py>(hosts: &Hosts<'py>, separator: &Bound<'py, PyString>) -> PyResult<Rewritten<'py>> {
    let blocks = hosts.hosts.iter().map(|host| host.blocks.len()).sum();
    let mut result = Rewritten {
        messages: Vec::with_capacity(hosts.hosts.len()),
        embedded: Vec::with_capacity(blocks),
        kept: Vec::new(),
    };
    for host in &hosts.hosts {
        let new = host.finish(separator)?;
        let role = if new.embedded.blocks.is_empty() { None } else { host.role()? };
        let in_part = |part: usize| new.has_parts.then_some(part);
        for (block, at) in host.blocks.iter().zip(&new.embedded.blocks) {
            result.embedded.push(EmbeddedAt {
                slot: block.slot,
                role: role.as_ref().map(|role| role.clone().unbind()),
                part_index: in_part(at.part),
                span: (at.span.start, at.span.end),
            });
        }
        for (outlet, at) in &new.embedded.kept {
            let span = MarkerSpan { start: at.span.start, end: at.span.end, part_index: in_part(at.part) };
            result.kept.push(KeptMarker { outlet: *outlet, span });
        }
        if let Some(message) = new.message {
            result.messages.push((host.message_index, message));
        }
    }
    result.kept.sort_by_key(|kept| kept.outlet);
    Ok(result)
}

/// The output list, and how many messages each slot made if some did not make one.
fn write_messages<'py>(
    py: Python<'py>,
    messages: &Messages<'py>,
    count: usize,
    slots: &[Slot],
    made: Vec<Made<'py>>,
    rewritten: Vec<(usize, Bound<'py, PyAny>)>,
) -> PyResult<(Bound<'py, PyList>, Option<Vec<usize>>)> {
    let total = made.iter().fold(count, |total, made| {
        total
            + match made {
                Made::One(_) => 1,
                Made::Several(list) => list.len(),
            }
    });
    let several = made.iter().any(|made| matches!(made, Made::Several(_)));
    let mut counts = several.then(|| Vec::with_capacity(slots.len()));
    let mut output = Output { list: OutputList::new(py, total)?, next: 0, rewritten: rewritten.into_iter().peekable() };
    if messages.len() != count {
        return Err(crate::sequence::changed_size());
    }
    let mut made = made.into_iter();
    for slot in slots {
        let Place::Gap { gap, .. } = slot.place() else {
            if let Some(counts) = &mut counts {
                counts.push(0);
            }
            continue;
        };
        output.copy_until(messages, gap)?;
        match made.next() {
            None => {}
            Some(Made::One(message)) => {
                output.list.push(message)?;
                if let Some(counts) = &mut counts {
                    counts.push(1);
                }
            }
            Some(Made::Several(list)) => {
                for message in list.iter() {
                    output.list.push(message)?;
                }
                if let Some(counts) = &mut counts {
                    counts.push(list.len());
                }
            }
        }
    }
    output.copy_until(messages, count)?;
    Ok((output.list.finish()?, counts))
}

struct Output<'py> {
    list: OutputList<'py>,
    next: usize,
    rewritten: std::iter::Peekable<std::vec::IntoIter<(usize, Bound<'py, PyAny>)>>,
}

impl<'py> Output<'py> {
    /// Copies the messages of the input up to `end`, hosts in their new form.
    fn copy_until(&mut self, messages: &Messages<'py>, end: usize) -> PyResult<()> {
        while let Some((host, message)) = self.rewritten.next_if(|&(host, _)| host < end) {
            self.list.extend(messages, self.next, host)?;
            self.list.push(message)?;
            self.next = host + 1;
        }
        self.list.extend(messages, self.next, end)?;
        self.next = end;
        Ok(())
    }
}

/// Says which of the eight positions a layout has anchors for, and which outlets.
///
/// It looks at the declaration only: what an anchor holds is checked on placement.
///
/// Args:
///     layout: a `Layout` or a mapping with its fields.
///
/// Returns:
///     A `PlacementCapabilities` with `positions` and `outlets`.
///
/// Raises:
///     LayoutError: the layout is no mapping, or has an unknown anchor or a wrong outlet name.
///
/// >>> from interleaf import get_placement_capabilities
/// >>> get_placement_capabilities({"character": (0, 1), "outlets": {"lore": 0}}).positions
/// ('before_character', 'after_character', 'outlet')
#[pyfunction]
#[pyo3(signature = (layout))]
pub fn get_placement_capabilities(py: Python<'_>, layout: &Bound<'_, PyAny>) -> PyResult<PlacementCapabilities> {
    let (declared, names) = declared_anchors(layout)?;
    PlacementCapabilities::of(py, declared, &names)
}
