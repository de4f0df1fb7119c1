//! Outlet markers as a scan sees them: of any name that an outlet can have.

use crate::text::Unit;

const OPEN: &[u8] = b"{{outlet::";

fn holds<U: Unit>(units: &[U], at: usize, bytes: &[u8]) -> bool {
    let Some(head) = at.checked_add(bytes.len()).and_then(|end| units.get(at..end)) else { return false };
    head.iter().zip(bytes).all(|(&unit, &byte)| unit.into() == u32::from(byte))
}

/// Where the marker that begins at `at` ends, if one does. It ends at the next `{{` at the latest, which no name holds.
pub fn read<U: Unit>(units: &[U], at: usize) -> Option<usize> {
    if !holds(units, at, OPEN) {
        return None;
    }
    let name = at + OPEN.len();
    let mut end = name;
    while end < units.len() {
        if holds(units, end, b"}}") {
            // `{{outlet::}}` names nothing; `{{outlet::}}}` is the marker of `}`.
            let end = if end == name { end + 1 } else { end };
            return holds(units, end, b"}}").then_some(end + 2);
        }
        if holds(units, end, b"{{") {
            return None;
        }
        end += 1;
    }
    None
}
