//! From blocks to text and messages, in prompt order: where the caller's callbacks run.

use std::cell::RefCell;

use interleaf_core::block::{Position, Role};
use interleaf_core::error::{Class, Code};
use interleaf_core::outlet::holds_marker;
use interleaf_core::role_map::RoleMap;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString};

use crate::adapter::create;
use crate::blocks::Blocks;
use crate::errors::{Told, found, refuse_of};
use crate::names::intern;
use crate::objects::new_dict;
use crate::scan::{ContentPolicy, Finding, scan_block};
use crate::sequence::{is_sequence, snapshot};
use crate::unicode::text;
use crate::words::python_word;

/// The callbacks of one call.
pub struct Callbacks<'a, 'py> {
    /// The argument of that name.
    pub create_message: Option<&'a Bound<'py, PyAny>>,
    /// The argument of that name.
    pub render_block: Option<&'a Bound<'py, PyAny>>,
    /// The argument of that name.
    pub render_messages: Option<&'a Bound<'py, PyAny>>,
    /// The argument of that name.
    pub adapter: Option<&'a Bound<'py, PyAny>>,
}

impl Callbacks<'_, '_> {
    /// Whether nothing of the caller's is called.
    pub fn are_absent(&self) -> bool {
        self.create_message.is_none()
            && self.render_block.is_none()
            && self.render_messages.is_none()
            && self.adapter.is_none()
    }
}

/// What the slots at gaps became, in prompt order.
pub enum Made<'py> {
    /// A message.
    One(Bound<'py, PyAny>),
    /// Several messages, at least one.
    Several(Bound<'py, PyList>),
}

/// Renders every block in prompt order; embedded text goes to its host.
pub struct Renderer<'a, 'py> {
    /// The interpreter.
    pub py: Python<'py>,
    /// What the caller wants to be asked.
    pub callbacks: &'a Callbacks<'a, 'py>,
    /// The blocks of the call.
    pub blocks: &'a Blocks<'py>,
    /// Which roles change after the first conversation message.
    pub role_map: Option<RoleMap>,
    /// What is done about suspicious text.
    pub content_policy: ContentPolicy,
    /// What was found in the text so far.
    pub findings: RefCell<Vec<Finding>>,
}

impl<'py> Renderer<'_, 'py> {
    pub fn content(&self, block: usize) -> PyResult<Bound<'py, PyString>> {
        let data = self.blocks.read[block].data();
        let (content, opens_outlet) = match self.callbacks.render_block {
            None => (data.content.bind(self.py).clone(), data.holds_marker),
            Some(render) => {
                let rendered = render.call1((&self.blocks.given[block],))?;
                let rendered = rendered.cast_into::<PyString>().map_err(|error| {
                    self.refuse(block, Code::InvalidRender, found(&error.into_inner()), "a str from render_block", "")
                })?;
                let opens_outlet = data.position == Position::Outlet && holds_marker(text(&rendered)?);
                (rendered, opens_outlet)
            }
        };
        if opens_outlet {
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
    fn refuse(&self, block: usize, code: Code, found: impl Told, expected: &str, field: &str) -> PyErr {
        let owner = self.blocks.read[block].data().name(self.py);
        refuse_of(Some(owner), Class::Block, code, format!("blocks[{block}]{field}"), found, expected)
    }

    /// The message or messages of a block that stands at this gap.
    pub fn messages(&self, block: usize, gap: usize) -> PyResult<Made<'py>> {
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
            let message = new_dict(py)?;
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
