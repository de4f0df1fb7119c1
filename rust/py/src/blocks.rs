//! The blocks of one call: read in order, checked against each other and the layout, and told when they cannot be placed.

use std::cmp::Ordering;

use interleaf_core::block::Position;
use interleaf_core::error::{Class, Code, Refusal, nearest};
use interleaf_core::id_set::IdSet;
use interleaf_core::place::{BlockKey, BlockKeys};
use interleaf_core::scratch::Scratch;
use pyo3::prelude::*;

use crate::block::{Block, BlockData};
use crate::errors::raise;
use crate::layout_reading::LayoutData;
use crate::sequence::Items;
use crate::unicode::{same_text, text};

/// The blocks of the input, read in order.
pub struct Blocks<'py> {
    /// The objects as given, for `render_block`; empty unless there is such a callback.
    pub given: Vec<Bound<'py, PyAny>>,
    /// The checked blocks.
    pub read: Vec<Selected>,
}

/// A block of the call.
pub struct Selected {
    /// As it was given.
    pub block: Block,
    /// The place of its outlet in the layout; 0 if it goes into none.
    pub outlet: usize,
}

impl Selected {
    /// Its checked fields.
    pub fn data(&self) -> &BlockData {
        self.block.data()
    }
}

/// More outlets than most layouts have.
const USUAL_OUTLETS: usize = 16;

/// What blocks are checked against.
struct Checks<'a> {
    layout: &'a LayoutData,
    /// By the number of the position, so that nothing depends on the position but an address.
    declared: [bool; Position::ALL.len()],
    ids: IdSet,
}

impl<'py> Blocks<'py> {
    /// Reads the `blocks` argument.
    pub fn read(blocks: &Bound<'py, PyAny>, layout: &LayoutData, keep_given: bool) -> PyResult<Self> {
        let items = Items::of(blocks)?;
        let count = items.len();
        let mut result = Self { given: Vec::new(), read: Vec::with_capacity(count) };
        let mut checks = Checks { layout, declared: layout.core.declared(), ids: IdSet::with_capacity(count) };
        let mut index = 0;
        while let Some(item) = items.get(index) {
            let block = Block::read(&item, &|| format!("blocks[{index}]"))?;
            result.check(block, index, &mut checks, blocks.py())?;
            if keep_given {
                result.given.push(item);
            }
            index += 1;
        }
        Ok(result)
    }

    /// Checks a block against those before it and against the layout, and keeps it.
    fn check(&mut self, block: Block, index: usize, checks: &mut Checks<'_>, py: Python<'_>) -> PyResult<()> {
        let data = block.data();
        let layout = checks.layout;
        let same = |before: usize| same_text(self.read[before].data().id.bind(py), data.id.bind(py));
        if let Some(before) = checks.ids.insert(data.id_hash, index, same) {
            return Err(refuse_duplicate(py, data, index, before));
        }
        let outlet = match (data.position, &data.outlet_name) {
            (Position::Outlet, Some(name)) => match layout.outlet(py, name)? {
                Some(outlet) => outlet,
                None => return Err(refuse_unknown_outlet(py, data, index, layout)),
            },
            (position, _) if checks.declared[position as usize] => 0,
            _ => return Err(refuse_anchor(py, data, index, layout)),
        };
        self.read.push(Selected { block, outlet });
        Ok(())
    }

    /// Whether any block has such a position.
    pub fn use_position(&self, wanted: impl Fn(Position) -> bool) -> bool {
        self.read.iter().any(|block| wanted(block.data().position))
    }
}

/// The blocks as the core asks about them.
pub struct Keys<'a, 'py> {
    /// The blocks.
    pub blocks: &'a Blocks<'py>,
    /// The interpreter, for looking at ids.
    pub py: Python<'py>,
}

impl BlockKeys for Keys<'_, '_> {
    fn count(&self) -> usize {
        self.blocks.read.len()
    }

    fn key(&self, block: usize) -> BlockKey {
        let selected = &self.blocks.read[block];
        let data = selected.data();
        BlockKey {
            position: data.position,
            depth: data.depth.map_or(0, i64::unsigned_abs),
            order: data.order,
            id_prefix: data.id_prefix,
            outlet: selected.outlet,
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

/// The outlets that no block fills, in layout order.
pub fn unfilled_outlets(blocks: &Blocks<'_>, layout: &LayoutData) -> Vec<usize> {
    let mut filled: Scratch<bool, USUAL_OUTLETS> = Scratch::new(false, layout.names.len());
    for selected in blocks.read.iter().filter(|selected| selected.data().position == Position::Outlet) {
        filled[selected.outlet] = true;
    }
    (0..filled.len()).filter(|&outlet| !filled[outlet]).collect()
}
