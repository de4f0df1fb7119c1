//! Fragments against the originals they claim to be.

use crate::assemble::FragmentKey;
use crate::id_set::IdSet;
use crate::text::Text;

/// What an audit compares of a fragment besides its value.
#[derive(Clone, Copy, Debug)]
pub struct AuditKey<'a> {
    /// Its id.
    pub id: Text<'a>,
    /// Hash of the id, equal for equal ids.
    pub id_hash: u64,
    /// Its source.
    pub source_id: Text<'a>,
    /// Its other fields.
    pub fields: FragmentKey,
}

/// A kind of difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    /// An original is not among the fragments.
    Removed,
    /// A field differs.
    FieldChanged,
    /// The value differs and may not.
    ValueChanged,
    /// A fragment is no original.
    Added,
    /// The fragments stand in another order.
    Reordered,
}

impl ViolationKind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::FieldChanged => "field_changed",
            Self::ValueChanged => "value_changed",
            Self::Added => "added",
            Self::Reordered => "reordered",
        }
    }
}

/// Which list a violation's fragment is named from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// An original, by index.
    Original(usize),
    /// A fragment, by index.
    Fragment(usize),
}

/// One difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What kind of difference.
    pub kind: ViolationKind,
    /// Of which fragment.
    pub named: Named,
    /// Which field, if one.
    pub field: Option<&'static str>,
}

/// What only the caller can compare, by the indices of an original and a fragment.
pub trait Comparison {
    /// Whether the budgets are the same number.
    fn same_max_chars(&self, original: usize, fragment: usize) -> bool;
    /// Whether the values are the same.
    fn same_value(&self, original: usize, fragment: usize) -> bool;
    /// Whether the original's value may change.
    fn may_change(&self, original: usize) -> bool;
}

/// A set of the ids of `keys`, by index.
pub fn index_ids(keys: &[AuditKey<'_>]) -> IdSet {
    let mut set = IdSet::with_capacity(keys.len());
    for (index, key) in keys.iter().enumerate() {
        // Ids are unique within a list, so nothing is compared.
        set.insert(key.id_hash, index, |_| false);
    }
    set
}

fn same_id(left: &AuditKey<'_>, right: &AuditKey<'_>) -> bool {
    left.id_hash == right.id_hash && left.id == right.id
}

/// For each key of `keys`, the index of its id in `others`.
fn matches(keys: &[AuditKey<'_>], others: &[AuditKey<'_>]) -> Vec<Option<usize>> {
    // Nothing added, removed or moved is the common case, and needs no set.
    if keys.len() == others.len() && keys.iter().zip(others).all(|(key, other)| same_id(key, other)) {
        return (0..keys.len()).map(Some).collect();
    }
    let set = index_ids(others);
    keys.iter().map(|key| set.find(key.id_hash, |index| same_id(key, &others[index]))).collect()
}

/// All differences: of the originals in their order, then what was added, then the first fragment out of order.
pub fn audit(originals: &[AuditKey<'_>], fragments: &[AuditKey<'_>], comparison: &impl Comparison) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut report = |kind, named, field| violations.push(Violation { kind, named, field });
    let of_originals = matches(originals, fragments);
    for (original, &found) in of_originals.iter().enumerate() {
        let named = Named::Original(original);
        let Some(fragment) = found else {
            report(ViolationKind::Removed, named, None);
            continue;
        };
        let (before, after) = (&originals[original], &fragments[fragment]);
        let fields = [
            ("source_id", before.source_id == after.source_id),
            ("trust", before.fields.trust == after.fields.trust),
            ("lifetime", before.fields.lifetime == after.fields.lifetime),
            ("role", before.fields.role == after.fields.role),
            ("max_chars", comparison.same_max_chars(original, fragment)),
        ];
        for (field, same) in fields {
            if !same {
                report(ViolationKind::FieldChanged, named, Some(field));
            }
        }
        if !comparison.same_value(original, fragment) && !comparison.may_change(original) {
            report(ViolationKind::ValueChanged, named, None);
        }
    }
    let of_fragments = matches(fragments, originals);
    for (fragment, found) in of_fragments.iter().enumerate() {
        if found.is_none() {
            report(ViolationKind::Added, Named::Fragment(fragment), None);
        }
    }
    // Among the ids in both, originals in their order meet fragments in theirs; where they first part, the fragment is named.
    let common_originals = of_originals.iter().enumerate().filter_map(|(original, found)| found.map(|_| original));
    let common_fragments = of_fragments.iter().enumerate().filter_map(|(fragment, found)| Some((fragment, (*found)?)));
    let first_moved = common_originals.zip(common_fragments).find(|&(expected, (_, original))| expected != original);
    if let Some((_, (fragment, _))) = first_moved {
        report(ViolationKind::Reordered, Named::Fragment(fragment), None);
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Role;
    use crate::fragment::{Budget, Lifetime, Trust};

    struct Values<'a> {
        originals: &'a [i32],
        fragments: &'a [i32],
        mutable: &'a [usize],
    }

    impl Comparison for Values<'_> {
        fn same_max_chars(&self, _: usize, _: usize) -> bool {
            true
        }

        fn same_value(&self, original: usize, fragment: usize) -> bool {
            self.originals[original] == self.fragments[fragment]
        }

        fn may_change(&self, original: usize) -> bool {
            self.mutable.contains(&original)
        }
    }

    fn keys(ids: &str) -> Vec<AuditKey<'_>> {
        let fields = FragmentKey {
            trust: Trust::User,
            lifetime: Lifetime::Turn,
            role: Role::User,
            max_chars: Budget::Unlimited,
            chars: 0,
            code_points: 0,
        };
        ids.as_bytes()
            .chunks(1)
            .map(|id| AuditKey { id: Text::One(id), id_hash: u64::from(id[0]) % 2, source_id: Text::One(b"s"), fields })
            .collect()
    }

    fn run(originals: &str, fragments: &str) -> Vec<(ViolationKind, Named)> {
        let values = Values { originals: &[0; 9], fragments: &[0; 9], mutable: &[] };
        audit(&keys(originals), &keys(fragments), &values)
            .iter()
            .map(|violation| (violation.kind, violation.named))
            .collect()
    }

    #[test]
    fn additions_removals_and_order() {
        use Named::{Fragment, Original};
        use ViolationKind::{Added, Removed, Reordered};
        assert_eq!(run("abc", "abc"), []);
        assert_eq!(run("", ""), []);
        assert_eq!(run("abc", "ac"), [(Removed, Original(1))]);
        assert_eq!(run("ac", "abc"), [(Added, Fragment(1))]);
        assert_eq!(run("abc", "acb"), [(Reordered, Fragment(1))]);
        assert_eq!(run("abc", "cad"), [(Removed, Original(1)), (Added, Fragment(2)), (Reordered, Fragment(0))]);
        assert_eq!(run("", "a"), [(Added, Fragment(0))]);
        // Dropping and adding alone move nothing.
        assert_eq!(run("abcd", "xbd"), [(Removed, Original(0)), (Removed, Original(2)), (Added, Fragment(0))]);
    }

    #[test]
    fn kinds_are_called_by_their_words() {
        use ViolationKind::{Added, FieldChanged, Removed, Reordered, ValueChanged};
        let words = [Removed, FieldChanged, ValueChanged, Added, Reordered].map(ViolationKind::as_str);
        assert_eq!(words, ["removed", "field_changed", "value_changed", "added", "reordered"]);
    }

    #[test]
    fn fields_and_values() {
        let originals = keys("ab");
        let mut fragments = keys("ab");
        fragments[1].fields.trust = Trust::System;
        fragments[1].source_id = Text::One(b"t");
        let values = Values { originals: &[1, 2], fragments: &[9, 9], mutable: &[0] };
        let found = audit(&originals, &fragments, &values);
        let expected = [
            (ViolationKind::FieldChanged, Some("source_id")),
            (ViolationKind::FieldChanged, Some("trust")),
            (ViolationKind::ValueChanged, None),
        ];
        assert_eq!(found.iter().map(|violation| (violation.kind, violation.field)).collect::<Vec<_>>(), expected);
        assert!(found.iter().all(|violation| violation.named == Named::Original(1)));
    }
}
