//! Records of placements: `Placement`, `PlacementResult`, `PlacementCapabilities`.

use interleaf_core::block::Position;
use interleaf_core::layout::{MarkerSpan, OutletAnchor};
use interleaf_core::place::{OutputIndices, Place, Slot};
use interleaf_core::role_map::RoleMap;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyGenericAlias, PyList, PyString, PyTuple, PyType};
use std::sync::{Arc, OnceLock};

use crate::block::{Block, order_object};
use crate::blocks::Selected;
use crate::layout::Layout;
use crate::layout_reading::LayoutData;
use crate::objects::{Returned, new_tuple};
use crate::record::{Field, Form, Record, built, record_methods};
use crate::scan::Finding;
use crate::words::python_word;

/// Where one block ended up.
///
/// Attributes:
///     id: the block's id.
///     position: its position.
///     role: its role; of an embedded block that of its host, as it is.
///     order: its order as given.
///     depth: its depth as given, or None.
///     outlet_name: its outlet as given, or None.
///     message_index: index of its first message, or of its host, in the new list.
///     message_count: how many messages it made; 0 if it is embedded.
///     part_index: index of the part it is embedded in, where the host's content is a list.
///     span: start and end of the embedded text in code points; None for messages of its own.
///     gap: the gap it stands at, in the input list; None if it is embedded.
///     requested_gap: the gap of its position alone.
///     moved: whether the two differ, for a tool exchange was kept together.
///     block_index: its index in the input.
///     metadata: the block's metadata.
#[pyclass(frozen, module = "interleaf")]
pub struct Placement {
    id: Py<PyString>,
    position: Py<PyString>,
    role: Option<Py<PyAny>>,
    order: Py<PyAny>,
    depth: Option<i64>,
    outlet_name: Option<Py<PyString>>,
    message_index: usize,
    message_count: usize,
    part_index: Option<usize>,
    span: Option<(usize, usize)>,
    gap: Option<usize>,
    requested_gap: Option<usize>,
    requested_role: Option<Py<PyString>>,
    block_index: usize,
    metadata: Option<Py<PyAny>>,
}

const PLACEMENT_FIELDS: [&str; 16] = [
    "id",
    "position",
    "role",
    "order",
    "depth",
    "outlet_name",
    "message_index",
    "message_count",
    "part_index",
    "span",
    "gap",
    "requested_gap",
    "moved",
    "requested_role",
    "block_index",
    "metadata",
];

impl Record for Placement {
    fn names() -> &'static [&'static str] {
        &PLACEMENT_FIELDS
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>> {
        Ok(vec![
            Field::new(py, "id", &self.id)?,
            Field::new(py, "position", &self.position)?,
            Field::optional(py, "role", self.role.as_ref())?,
            Field::new(py, "order", &self.order)?,
            Field::optional(py, "depth", self.depth)?,
            Field::optional(py, "outlet_name", self.outlet_name.as_ref())?,
            Field::new(py, "message_index", self.message_index)?,
            Field::new(py, "message_count", self.message_count)?,
            Field::optional(py, "part_index", self.part_index)?,
            Field::optional(py, "span", self.span)?.form(Form::Plain),
            Field::optional(py, "gap", self.gap)?,
            Field::optional(py, "requested_gap", self.requested_gap)?,
            Field::new(py, "moved", self.moved())?.default_if(!self.moved()),
            Field::optional(py, "requested_role", self.requested_role.as_ref())?,
            Field::new(py, "block_index", self.block_index)?,
            Field::optional(py, "metadata", self.metadata.as_ref())?,
        ])
    }
}

record_methods! { Placement, hash: all but ["metadata", "role"],
    #[new]
    #[pyo3(signature = (
        *, id, position, role, order, depth, outlet_name, message_index, message_count, part_index, span, gap, requested_gap,
        block_index, metadata=None, moved=None, requested_role=None
    ))]
    #[allow(clippy::too_many_arguments)] // one keyword a field
    fn new(
        id: Py<PyString>,
        position: Py<PyString>,
        role: Option<Py<PyAny>>,
        order: Py<PyAny>,
        depth: Option<i64>,
        outlet_name: Option<Py<PyString>>,
        message_index: usize,
        message_count: usize,
        part_index: Option<usize>,
        span: Option<(usize, usize)>,
        gap: Option<usize>,
        requested_gap: Option<usize>,
        block_index: usize,
        metadata: Option<Py<PyAny>>,
        moved: Option<bool>,
        requested_role: Option<Py<PyString>>,
    ) -> Self {
        // `moved` follows from the gaps; it is taken so that a record can be built again from all of its fields.
        let _ = moved;
        Self {
            id, position, role, order, depth, outlet_name, message_index, message_count, part_index, span, gap, requested_gap,
            requested_role, block_index, metadata,
        }
    }

    #[getter]
    fn id(&self) -> &Py<PyString> {
        &self.id
    }

    #[getter]
    fn position(&self) -> &Py<PyString> {
        &self.position
    }

    #[getter]
    fn role(&self) -> Option<&Py<PyAny>> {
        self.role.as_ref()
    }

    #[getter]
    fn order(&self) -> &Py<PyAny> {
        &self.order
    }

    #[getter]
    fn depth(&self) -> Returned<Option<i64>> {
        Returned(self.depth)
    }

    #[getter]
    fn outlet_name(&self) -> Option<&Py<PyString>> {
        self.outlet_name.as_ref()
    }

    #[getter]
    fn message_index(&self) -> Returned<usize> {
        Returned(self.message_index)
    }

    #[getter]
    fn message_count(&self) -> Returned<usize> {
        Returned(self.message_count)
    }

    #[getter]
    fn part_index(&self) -> Returned<Option<usize>> {
        Returned(self.part_index)
    }

    #[getter]
    fn span(&self) -> Returned<Option<(usize, usize)>> {
        Returned(self.span)
    }

    #[getter]
    fn gap(&self) -> Returned<Option<usize>> {
        Returned(self.gap)
    }

    #[getter]
    fn requested_gap(&self) -> Returned<Option<usize>> {
        Returned(self.requested_gap)
    }

    #[getter]
    fn moved(&self) -> bool {
        self.gap != self.requested_gap
    }

    #[getter]
    fn requested_role(&self) -> Option<&Py<PyString>> {
        self.requested_role.as_ref()
    }

    #[getter]
    fn block_index(&self) -> Returned<usize> {
        Returned(self.block_index)
    }

    #[getter]
    fn metadata(&self) -> Option<&Py<PyAny>> {
        self.metadata.as_ref()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.role)?;
        visit.call(&self.metadata)
    }
}

/// Where an embedded block stands in its host.
pub struct EmbeddedAt {
    /// Which slot it is.
    pub slot: usize,
    /// The host's role.
    pub role: Option<Py<PyAny>>,
    /// Index of the part, in list content.
    pub part_index: Option<usize>,
    /// Code points in the part or text.
    pub span: (usize, usize),
}

/// A marker that was kept: its outlet, and its place in its host.
pub struct KeptMarker {
    /// Index of the outlet in the layout.
    pub outlet: usize,
    /// Its place in the new content.
    pub span: MarkerSpan,
}

/// What the records are built from when they are first asked for.
pub struct Arrangement {
    /// The blocks in input order.
    pub blocks: Vec<Selected>,
    /// Their places in prompt order.
    pub slots: Vec<Slot>,
    /// How many messages each slot made, if some did not make exactly one.
    pub message_counts: Option<Vec<usize>>,
    /// Where the embedded slots stand, in the order of the slots.
    pub embedded: Vec<EmbeddedAt>,
    /// The layout of the input.
    pub layout: Arc<LayoutData>,
    /// The markers that were kept.
    pub kept: Vec<KeptMarker>,
    /// The outlets that no block fills, in layout order.
    pub unfilled: Vec<usize>,
    /// The roles of blocks after the first conversation message, if they were mapped.
    pub role_map: Option<RoleMap>,
}

impl Arrangement {
    fn message_count(&self, slot: usize) -> usize {
        self.message_counts.as_ref().map_or(1, |counts| counts[slot])
    }

    fn output_indices(&self) -> OutputIndices {
        OutputIndices::new(&self.slots, |slot| self.message_count(slot))
    }

    fn placements<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let indices = self.output_indices();
        let mut made = 0;
        let mut placements = Vec::with_capacity(self.slots.len());
        for (index, slot) in self.slots.iter().enumerate() {
            let block = self.blocks[slot.block].data();
            let (message_index, message_count, gap, requested_gap) = match slot.place() {
                Place::Gap { requested, gap } => {
                    let count = self.message_count(index);
                    made += count;
                    (gap + made - count, count, Some(gap), Some(requested))
                }
                Place::Host { message } => (indices.of_message(message), 0, None, None),
            };
            let embedded = self.embedded.binary_search_by_key(&index, |embedded| embedded.slot).ok();
            let embedded = embedded.map(|at| &self.embedded[at]);
            let own_role = block.role.filter(|_| embedded.is_none());
            let role = match (embedded, own_role) {
                (Some(embedded), _) => embedded.role.as_ref().map(|role| role.clone_ref(py)),
                (None, None) => None,
                (None, Some(role)) => {
                    let role = self.role_map.zip(gap).map_or(role, |(map, gap)| map.at(role, gap));
                    Some(python_word(py, role).clone_ref(py).into_any())
                }
            };
            placements.push(Placement {
                id: block.id.clone_ref(py),
                position: python_word(py, block.position).clone_ref(py),
                role,
                order: order_object(py, block.order)?.unbind(),
                depth: block.depth,
                outlet_name: block.outlet_name.as_ref().map(|name| name.clone_ref(py)),
                message_index,
                message_count,
                part_index: embedded.and_then(|embedded| embedded.part_index),
                span: embedded.map(|embedded| embedded.span),
                gap,
                requested_gap,
                requested_role: own_role.map(|role| python_word(py, role).clone_ref(py)),
                block_index: slot.block,
                metadata: block.metadata.as_ref().map(|metadata| metadata.clone_ref(py)),
            });
        }
        new_tuple(py, placements)
    }

    fn layout(&self, py: Python<'_>) -> PyResult<Layout> {
        let indices = self.output_indices();
        let mut core = indices.of_layout(&self.layout.core);
        let mut names = Vec::with_capacity(self.kept.len());
        for kept in &self.kept {
            let message_index = indices.of_message(self.layout.core.outlets[kept.outlet].message_index);
            core.outlets.push(OutletAnchor { message_index, span: Some(kept.span) });
            names.push(self.layout.names[kept.outlet].clone_ref(py));
        }
        Ok(Layout { data: Arc::new(LayoutData::new(py, core, names)?) })
    }
}

/// The new messages and the record of every placement. Records are built when they are first asked for.
///
/// Attributes:
///     messages: a new list. Messages that nothing was embedded in are the same objects as in the input.
///     placements: one `Placement` for each block, in prompt order.
///     unfilled_outlets: names of declared outlets that no block fills, in layout order.
///     layout: the same anchors in `messages`, so that another pass can follow.
#[pyclass(frozen, module = "interleaf")]
pub struct PlacementResult {
    messages: Py<PyList>,
    arrangement: Option<Box<Arrangement>>,
    placements: OnceLock<Py<PyTuple>>,
    layout: OnceLock<Py<Layout>>,
    unfilled_outlets: OnceLock<Py<PyTuple>>,
    /// None as long as there are none.
    findings: Option<Py<PyTuple>>,
}

impl PlacementResult {
    /// The result of a placement.
    pub fn of(messages: Bound<'_, PyList>, arrangement: Arrangement, findings: Vec<Finding>) -> PyResult<Self> {
        let py = messages.py();
        let findings = if findings.is_empty() { None } else { Some(new_tuple(py, findings)?.unbind()) };
        Ok(Self {
            messages: messages.unbind(),
            arrangement: Some(Box::new(arrangement)),
            placements: OnceLock::new(),
            layout: OnceLock::new(),
            unfilled_outlets: OnceLock::new(),
            findings,
        })
    }

    fn findings_of<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        self.findings.as_ref().map_or_else(|| PyTuple::empty(py), |findings| findings.bind(py).clone())
    }

    fn placements_of(&self, py: Python<'_>) -> PyResult<&Py<PyTuple>> {
        built(&self.placements, || match &self.arrangement {
            Some(arrangement) => arrangement.placements(py).map(Bound::unbind),
            None => Ok(PyTuple::empty(py).unbind()),
        })
    }

    fn layout_of(&self, py: Python<'_>) -> PyResult<&Py<Layout>> {
        built(&self.layout, || match &self.arrangement {
            Some(arrangement) => Py::new(py, arrangement.layout(py)?),
            None => Py::new(py, Layout { data: Arc::default() }),
        })
    }

    fn unfilled_of(&self, py: Python<'_>) -> PyResult<&Py<PyTuple>> {
        built(&self.unfilled_outlets, || match &self.arrangement {
            Some(arrangement) => {
                let names = arrangement.unfilled.iter().map(|&outlet| arrangement.layout.names[outlet].bind(py));
                new_tuple(py, names.collect::<Vec<_>>()).map(Bound::unbind)
            }
            None => Ok(PyTuple::empty(py).unbind()),
        })
    }
}

impl Record for PlacementResult {
    fn names() -> &'static [&'static str] {
        &["messages", "placements", "unfilled_outlets", "layout", "findings"]
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>> {
        let unfilled = self.unfilled_of(py)?;
        Ok(vec![
            Field::new(py, "messages", &self.messages)?,
            Field::new(py, "placements", self.placements_of(py)?)?.form(Form::Plain),
            Field::new(py, "unfilled_outlets", unfilled)?.form(Form::Plain).default_if(unfilled.bind(py).is_empty()),
            Field::new(py, "layout", self.layout_of(py)?)?.form(Form::Plain),
            Field::new(py, "findings", self.findings_of(py))?
                .form(Form::PlainIfSet)
                .default_if(self.findings.is_none()),
        ])
    }
}

record_methods! { PlacementResult, hash: no,
    #[new]
    #[pyo3(signature = (*, messages, placements, unfilled_outlets, layout, findings=None))]
    fn new(
        py: Python<'_>,
        messages: Py<PyList>,
        placements: Py<PyTuple>,
        unfilled_outlets: Py<PyTuple>,
        layout: Py<Layout>,
        findings: Option<Py<PyTuple>>,
    ) -> Self {
        Self {
            messages,
            arrangement: None,
            placements: OnceLock::from(placements),
            layout: OnceLock::from(layout),
            unfilled_outlets: OnceLock::from(unfilled_outlets),
            findings: findings.filter(|findings| !findings.bind(py).is_empty()),
        }
    }

    /// For annotations: `PlacementResult[dict[str, str]]`.
    #[classmethod]
    fn __class_getitem__<'py>(class: &Bound<'py, PyType>, item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyGenericAlias>> {
        PyGenericAlias::new(class.py(), class.as_any(), item)
    }

    #[getter]
    fn messages(&self) -> &Py<PyList> {
        &self.messages
    }

    #[getter]
    fn placements(&self, py: Python<'_>) -> PyResult<&Py<PyTuple>> {
        self.placements_of(py)
    }

    #[getter]
    fn unfilled_outlets(&self, py: Python<'_>) -> PyResult<&Py<PyTuple>> {
        self.unfilled_of(py)
    }

    #[getter]
    fn layout(&self, py: Python<'_>) -> PyResult<&Py<Layout>> {
        self.layout_of(py)
    }

    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        self.findings_of(py)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.messages)?;
        visit.call(self.placements.get())?;
        visit.call(self.layout.get())?;
        visit.call(&self.findings)?;
        if let Some(arrangement) = &self.arrangement {
            for selected in &arrangement.blocks {
                match &selected.block {
                    Block::Native(native) => visit.call(native)?,
                    Block::Read(data) => {
                        visit.call(&data.content)?;
                        visit.call(&data.metadata)?;
                    }
                }
            }
            for embedded in &arrangement.embedded {
                visit.call(&embedded.role)?;
            }
        }
        Ok(())
    }
}

/// Which positions and outlets a layout has anchors for.
///
/// Attributes:
///     positions: those of the eight positions, in their order.
///     outlets: names of the outlets, in layout order.
#[pyclass(frozen, module = "interleaf")]
pub struct PlacementCapabilities {
    positions: Py<PyTuple>,
    outlets: Py<PyTuple>,
}

impl PlacementCapabilities {
    /// The capabilities of a layout with these anchors (in the order of its fields) and outlets.
    pub fn of(py: Python<'_>, declared: [bool; 5], names: &[Py<PyString>]) -> PyResult<Self> {
        let [character, examples, conversation, author_note, outlets] = declared;
        let has_anchor = |position: &Position| match position {
            Position::BeforeCharacter | Position::AfterCharacter => character,
            Position::BeforeExamples | Position::AfterExamples => examples,
            Position::AtDepth => conversation,
            Position::AuthorNoteTop | Position::AuthorNoteBottom => author_note,
            Position::Outlet => outlets,
        };
        let positions = Position::ALL.iter().copied().filter(|position| has_anchor(position));
        Ok(Self {
            positions: new_tuple(py, positions.map(|position| python_word(py, position)).collect::<Vec<_>>())?.unbind(),
            outlets: new_tuple(py, names)?.unbind(),
        })
    }
}

impl Record for PlacementCapabilities {
    fn names() -> &'static [&'static str] {
        &["positions", "outlets"]
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>> {
        Ok(vec![
            Field::new(py, "positions", &self.positions)?.form(Form::Plain),
            Field::new(py, "outlets", &self.outlets)?.form(Form::Plain),
        ])
    }
}

record_methods! { PlacementCapabilities, hash: all but [],
    #[new]
    #[pyo3(signature = (*, positions, outlets))]
    fn new(positions: Py<PyTuple>, outlets: Py<PyTuple>) -> Self {
        Self { positions, outlets }
    }

    #[getter]
    fn positions(&self) -> &Py<PyTuple> {
        &self.positions
    }

    #[getter]
    fn outlets(&self) -> &Py<PyTuple> {
        &self.outlets
    }
}
