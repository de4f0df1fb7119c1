//! The option `mid_conversation_roles`.

use interleaf_core::block::Role;
use interleaf_core::error::{Class, Code};
use pyo3::prelude::*;

use crate::errors::{found, refuse};
use crate::objects::as_mapping;
use crate::words::{one_of, read_word};

const NAME: &str = "mid_conversation_roles";

/// Reads the option: a mapping from roles to roles.
pub fn read_role_changes(option: &Bound<'_, PyAny>) -> PyResult<Vec<(Role, Role)>> {
    let Some(mapping) = as_mapping(option)? else { return Err(refused(option)) };
    let mut changes = Vec::new();
    for from in mapping.keys()?.iter() {
        let to = mapping.get_item(&from)?;
        let read = |role: &Bound<'_, PyAny>| read_word::<Role>(role)?.ok_or_else(|| refused(role));
        changes.push((read(&from)?, read(&to)?));
    }
    Ok(changes)
}

#[cold]
fn refused(value: &Bound<'_, PyAny>) -> PyErr {
    let expected = format!("a mapping from roles to roles, each {}", one_of::<Role>());
    refuse(Class::Option, Code::InvalidOption, NAME, found(value), expected)
}
