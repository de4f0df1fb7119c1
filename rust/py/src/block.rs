//! `ContextBlock`, and the mapping form of a block.

use interleaf_core::block::{Order, Position, Role};
use interleaf_core::error::{Class, Code};
use interleaf_core::outlet::{holds_marker, is_outlet_name};
use interleaf_core::place::IdPrefix;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use crate::errors::{found, refuse};
use crate::fields::{Fields, Refuser, require_mapping};
use crate::number::{read_int, read_order};
use crate::objects::{IntoObject, Returned, is_mapping};
use crate::record::{Field, Form, Record, record_methods};
use crate::unicode::{exact, hash, quoted, text};
use crate::words::{one_of, python_word, read_word};

const ID: usize = 0;
const POSITION: usize = 1;
const CONTENT: usize = 2;
const ROLE: usize = 3;
const ORDER: usize = 4;
const DEPTH: usize = 5;
const OUTLET_NAME: usize = 6;
const METADATA: usize = 7;
const FIELD_COUNT: usize = 8;

type Values<'py> = [Option<Bound<'py, PyAny>>; FIELD_COUNT];

/// The keys of a block.
pub static FIELDS: Fields<FIELD_COUNT> = Fields::new(
    Class::Block,
    ["id", "position", "content", "role", "order", "depth", "outlet_name", "metadata"],
    &[("outletName", OUTLET_NAME)],
);

/// A checked block.
pub struct BlockData {
    /// Not empty, encodable, and an exact `str`.
    pub id: Py<PyString>,
    /// Python's hash of the id.
    pub id_hash: u64,
    /// The beginning of the id, as blocks are sorted by it.
    pub id_prefix: IdPrefix,
    /// Where it is to stand.
    pub position: Position,
    /// The text as given.
    pub content: Py<PyString>,
    /// Whether it holds a marker, which the text of an outlet must not; asked once, and of outlet blocks alone.
    pub holds_marker: bool,
    /// Always there for positions that make messages.
    pub role: Option<Role>,
    /// 0 unless given.
    pub order: Order,
    /// Always there for `at_depth`.
    pub depth: Option<i64>,
    /// Always there for `outlet`.
    pub outlet_name: Option<Py<PyString>>,
    /// Whatever was given.
    pub metadata: Option<Py<PyAny>>,
}

/// An id: a `str` that is not empty and can be encoded as UTF-8.
pub fn read_id<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyString>>> {
    let Ok(string) = object.cast::<PyString>() else { return Ok(None) };
    let id = exact(string)?;
    let view = text(&id)?;
    let valid = !view.is_empty() && !view.has_surrogate();
    Ok(valid.then_some(id))
}

/// What is expected of an id, for messages.
pub const EXPECTED_ID: &str = "a str that is not empty and can be encoded as UTF-8";

impl BlockData {
    /// Checks the values of a block, field by field.
    fn from_values(values: &Values<'_>, path: &dyn Fn() -> String) -> PyResult<Self> {
        let nameless = Refuser { fields: &FIELDS, noun: "block", path, id: None };
        let Some(id) = &values[ID] else { return Err(nameless.missing(ID, EXPECTED_ID)) };
        let Some(id) = read_id(id)? else {
            return Err(nameless.refuse(ID, Code::InvalidId, found(id), EXPECTED_ID));
        };
        let refuser = Refuser { id: Some(&id), ..nameless };
        let Some(position) = &values[POSITION] else { return Err(refuser.missing(POSITION, one_of::<Position>())) };
        let Some(position) = read_word::<Position>(position)? else {
            return Err(refuser.refuse(POSITION, Code::InvalidPosition, found(position), one_of::<Position>()));
        };
        let Some(content) = &values[CONTENT] else { return Err(refuser.missing(CONTENT, "a str")) };
        let Ok(content) = content.cast::<PyString>() else {
            return Err(refuser.refuse(CONTENT, Code::InvalidType, found(content), "a str"));
        };
        let role = match &values[ROLE] {
            Some(role) => match read_word::<Role>(role)? {
                Some(role) => Some(role),
                None => return Err(refuser.refuse(ROLE, Code::InvalidRole, found(role), one_of::<Role>())),
            },
            None if position.is_embedded() => None,
            None => {
                let expected = format!("{}, for a block {} makes a message", one_of::<Role>(), position.as_str());
                return Err(refuser.missing(ROLE, expected));
            }
        };
        let order = match &values[ORDER] {
            None => Order::Int(0),
            Some(order) => read_order(order)?.ok_or_else(|| {
                refuser.refuse(ORDER, Code::InvalidOrder, found(order), "an int of 64 bits or a finite float")
            })?,
        };
        let expected_depth = "an int of 0 or more that fits 64 bits";
        let depth = match &values[DEPTH] {
            Some(depth) => match read_int(depth)?.fitting().filter(|&depth| depth >= 0) {
                Some(depth) => Some(depth),
                None => return Err(refuser.refuse(DEPTH, Code::InvalidDepth, found(depth), expected_depth)),
            },
            None if position == Position::AtDepth => return Err(refuser.missing(DEPTH, expected_depth)),
            None => None,
        };
        let outlet_name = match &values[OUTLET_NAME] {
            Some(name) => match read_outlet_name(name)? {
                Some(name) => Some(name),
                None => {
                    return Err(refuser.refuse(
                        OUTLET_NAME,
                        Code::InvalidOutletName,
                        found(name),
                        EXPECTED_OUTLET_NAME,
                    ));
                }
            },
            None if position == Position::Outlet => return Err(refuser.missing(OUTLET_NAME, EXPECTED_OUTLET_NAME)),
            None => None,
        };
        Ok(Self {
            id_hash: hash(&id)?,
            id_prefix: IdPrefix::of(text(&id)?),
            id: id.clone().unbind(),
            position,
            holds_marker: position == Position::Outlet && holds_marker(text(content)?),
            content: content.clone().unbind(),
            role,
            order,
            depth,
            outlet_name: outlet_name.map(Bound::unbind),
            metadata: values[METADATA].as_ref().map(|metadata| metadata.clone().unbind()),
        })
    }

    /// Reads the mapping form.
    pub fn from_mapping(mapping: &Bound<'_, PyAny>, path: &dyn Fn() -> String) -> PyResult<Self> {
        Self::from_values(&FIELDS.read(mapping, path)?, path)
    }

    /// "block "lore"", for messages.
    #[cold]
    pub fn name(&self, py: Python<'_>) -> String {
        format!("block {}", quoted(self.id.bind(py)))
    }

    /// The order as the Python number it was given as.
    pub fn python_order<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        order_object(py, self.order)
    }
}

/// The Python number of an order.
pub fn order_object(py: Python<'_>, order: Order) -> PyResult<Bound<'_, PyAny>> {
    match order {
        Order::Int(int) => int.into_object(py),
        Order::Float(float) => float.into_object(py),
    }
}

/// What is expected of an outlet's name, for messages.
pub const EXPECTED_OUTLET_NAME: &str = "a str that is not empty and contains neither {{ nor }}";

/// The name of an outlet, as an exact `str`.
pub fn read_outlet_name<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyString>>> {
    let Ok(string) = object.cast::<PyString>() else { return Ok(None) };
    let name = exact(string)?;
    let valid = is_outlet_name(text(&name)?);
    Ok(valid.then_some(name))
}

/// A block of the input: a native one is kept as it is, a mapping is read once.
pub enum Block {
    /// Already checked.
    Native(Py<ContextBlock>),
    /// Read from a mapping. Boxed, so that a list of native blocks stays a list of pointers.
    Read(Box<BlockData>),
}

impl Block {
    /// Reads one item of `blocks`.
    pub fn read(item: &Bound<'_, PyAny>, path: &dyn Fn() -> String) -> PyResult<Self> {
        if let Ok(native) = item.cast_exact::<ContextBlock>() {
            return Ok(Self::Native(native.clone().unbind()));
        }
        if is_mapping(item)? {
            return Ok(Self::Read(Box::new(BlockData::from_mapping(item, path)?)));
        }
        Err(refuse(Class::Block, Code::InvalidType, path(), found(item), "a ContextBlock or a mapping"))
    }

    /// The checked block.
    pub fn data(&self) -> &BlockData {
        match self {
            Self::Native(native) => &native.get().data,
            Self::Read(data) => data,
        }
    }
}

/// A piece of context that was already selected, with the position where it should stand.
///
/// Checked once when it is built, immutable, and reusable in any number of calls.
///
/// Args:
///     id: not empty, unique in a call, encodable as UTF-8.
///     position: one of the eight positions.
///     content: the text; may be empty, and may hold lone surrogates.
///     role: `system`, `developer`, `user` or `assistant`. Required for the positions that make messages of their own; an
///         embedded block takes the role of its host.
///     order: an int of 64 bits or a finite float, 0 unless given. Blocks of one place stand in ascending order, then by id.
///     depth: an int of 0 or more, in conversation messages from the end. Required for `at_depth`.
///     outlet_name: the name of the outlet. Required for `outlet`.
///     metadata: anything; carried to the placement and never read.
///
/// Raises:
///     BlockError: a field is missing or wrong; its `path` is the bare field.
///
/// >>> from interleaf import ContextBlock
/// >>> lore = ContextBlock(id="gate", position="at_depth", depth=4, role="system", content="The gate is shut.")
/// >>> lore
/// ContextBlock(id='gate', position='at_depth', content='The gate is shut.', role='system', depth=4)
/// >>> lore.replace(depth=1).depth
/// 1
#[pyclass(frozen, module = "interleaf")]
pub struct ContextBlock {
    /// The checked block.
    pub data: BlockData,
}

impl Record for ContextBlock {
    fn names() -> &'static [&'static str] {
        &FIELDS.names
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Vec<Field<'py>>> {
        let data = &self.data;
        Ok(vec![
            Field::new(py, "id", &data.id)?,
            Field::new(py, "position", python_word(py, data.position))?,
            Field::new(py, "content", &data.content)?,
            Field::optional(py, "role", data.role.map(|role| python_word(py, role)))?,
            Field::new(py, "order", data.python_order(py)?)?.default_if(matches!(data.order, Order::Int(0))),
            Field::optional(py, "depth", data.depth)?,
            Field::optional(py, "outlet_name", data.outlet_name.as_ref())?,
            Field::optional(py, "metadata", data.metadata.as_ref())?.form(Form::AsIs),
        ])
    }
}

record_methods! { ContextBlock, hash: all but ["metadata"],
    #[new]
    #[pyo3(signature = (*, id=None, position=None, content=None, role=None, order=None, depth=None, outlet_name=None, metadata=None), text_signature = "(*, id, position, content, role=None, order=None, depth=None, outlet_name=None, metadata=None)")]
    #[allow(clippy::too_many_arguments)] // one keyword a field
    fn new<'py>(
        id: Option<Bound<'py, PyAny>>,
        position: Option<Bound<'py, PyAny>>,
        content: Option<Bound<'py, PyAny>>,
        role: Option<Bound<'py, PyAny>>,
        order: Option<Bound<'py, PyAny>>,
        depth: Option<Bound<'py, PyAny>>,
        outlet_name: Option<Bound<'py, PyAny>>,
        metadata: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let values = [id, position, content, role, order, depth, outlet_name, metadata];
        Ok(Self { data: BlockData::from_values(&values, &String::new)? })
    }

    /// A block from its mapping form, in snake_case or camelCase.
    #[classmethod]
    fn from_dict(_class: &Bound<'_, PyType>, mapping: &Bound<'_, PyAny>) -> PyResult<Self> {
        require_mapping(mapping, Class::Block, "", "a mapping")?;
        Ok(Self { data: BlockData::from_mapping(mapping, &String::new)? })
    }

    #[getter]
    fn id(&self) -> &Py<PyString> {
        &self.data.id
    }

    #[getter]
    fn position(&self, py: Python<'_>) -> &'static Py<PyString> {
        python_word(py, self.data.position)
    }

    #[getter]
    fn content(&self) -> &Py<PyString> {
        &self.data.content
    }

    #[getter]
    fn role(&self, py: Python<'_>) -> Option<&'static Py<PyString>> {
        self.data.role.map(|role| python_word(py, role))
    }

    #[getter]
    fn order<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.data.python_order(py)
    }

    #[getter]
    fn depth(&self) -> Returned<Option<i64>> {
        Returned(self.data.depth)
    }

    #[getter]
    fn outlet_name(&self) -> Option<&Py<PyString>> {
        self.data.outlet_name.as_ref()
    }

    #[getter]
    fn metadata(&self) -> Option<&Py<PyAny>> {
        self.data.metadata.as_ref()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.data.content)?;
        visit.call(&self.data.metadata)
    }
}
