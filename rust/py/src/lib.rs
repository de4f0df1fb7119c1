//! Python bindings of interleaf: they read Python objects, ask `interleaf_core`, and build Python objects.

// What stands before classes and functions here is read by Python's `help`, as text, and not by rustdoc.
#![allow(clippy::doc_markdown, clippy::doc_link_with_quotes)]

mod adapter;
mod assemble;
mod block;
mod blocks;
mod chars;
mod context;
mod counter_call;
mod counts;
mod errors;
mod fields;
mod fragment;
mod host;
mod hosts;
mod json;
mod layout;
mod layout_reading;
mod measure;
mod message;
mod names;
mod number;
mod objects;
mod output;
mod place;
mod placement;
mod plan;
mod record;
mod rendering;
mod replacing;
mod role_option;
mod said;
mod scan;
mod sequence;
mod stable_prefix;
mod tally;
mod token_cache;
mod token_counter;
mod trust;
mod unicode;
mod words;

use pyo3::prelude::*;

/// The native half of the `interleaf` package.
// The records are built on first use and the caller's lists are read in place, both under the interpreter's lock: on a
// free-threaded build the lock is asked for until that has been measured without it.
#[pymodule(gil_used = true)]
mod _interleaf {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::assemble::{assemble_context_plan, assemble_fragments};
    #[pymodule_export]
    use crate::block::ContextBlock;
    #[pymodule_export]
    use crate::chars::count_chars;
    #[pymodule_export]
    use crate::context::{BuiltContext, FragmentUsage, Mutation};
    #[pymodule_export]
    use crate::counts::{CharCount, TokenCount, UnpricedPart};
    #[pymodule_export]
    use crate::fragment::ContextFragment;
    #[pymodule_export]
    use crate::layout::{Conversation, Layout, OutletSpan};
    #[pymodule_export]
    use crate::place::{get_placement_capabilities, place_context_blocks};
    #[pymodule_export]
    use crate::placement::{Placement, PlacementCapabilities, PlacementResult};
    #[pymodule_export]
    use crate::plan::ContextPlan;
    #[pymodule_export]
    use crate::scan::{Finding, scan_content};
    #[pymodule_export]
    use crate::stable_prefix::{StablePrefix, first_difference, stable_prefix};
    #[pymodule_export]
    use crate::token_counter::{TokenCounter, count_text, count_tokens, count_variants};
    #[pymodule_export]
    use crate::trust::TrustPolicy;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let py = module.py();
        // What calls could not make for want of memory is made now.
        crate::names::prepare(py);
        crate::words::prepare(py);
        crate::block::FIELDS.keys(py);
        crate::fragment::FIELDS.keys(py);
        crate::layout_reading::LAYOUT_FIELDS.keys(py);
        crate::layout_reading::CONVERSATION_FIELDS.keys(py);
        crate::layout_reading::SPAN_FIELDS.keys(py);
        crate::plan::FIELDS.keys(py);
        crate::trust::FIELDS.keys(py);
        // PyO3 keeps these two classes, and on Python 3.10 the name of `__name__`, from their first use on.
        py.get_type::<pyo3::types::PyMapping>().name()?;
        py.get_type::<pyo3::types::PySequence>();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
