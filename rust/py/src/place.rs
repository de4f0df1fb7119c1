//! `place_context_blocks` and `get_placement_capabilities`.

use std::cell::RefCell;
use std::sync::Arc;

use interleaf_core::block::{Position, Role};
use interleaf_core::error::{Class, Code};
use interleaf_core::place::{Place, keep_exchanges, prompt_order};
use interleaf_core::role_map::RoleMap;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use crate::adapter::require_adapter;
use crate::blocks::{Blocks, Keys, Selected, unfilled_outlets};
use crate::errors::{found, refuse};
use crate::hosts::{HostSlot, Hosts};
use crate::layout_reading::{declared_anchors, read_layout};
use crate::message::{joined, waiting};
use crate::names::intern;
use crate::output::{rewrite_hosts, write_messages};
use crate::placement::{Arrangement, PlacementCapabilities, PlacementResult};
use crate::rendering::{Callbacks, Renderer};
use crate::role_option::read_role_changes;
use crate::scan::ContentPolicy;
use crate::sequence::{Messages, require_callable, require_iterable, require_sequence};
use crate::unicode::text;

/// What to do with an outlet that no block fills.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UnfilledOutlets {
    Remove,
    Keep,
    Error,
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

fn host_slot(selected: &Selected) -> HostSlot {
    match selected.data().position {
        Position::AuthorNoteTop => HostSlot::NoteTop,
        Position::AuthorNoteBottom => HostSlot::NoteBottom,
        _ => HostSlot::Outlet(selected.outlet),
    }
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
    let mut hosts = Hosts::none();
    hosts.read(py, messages, &layout, note_is_used, keep_unfilled, callbacks.adapter)?;
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
                hosts.take(message, index, content, host_slot(&blocks.read[slot.block]))?;
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
