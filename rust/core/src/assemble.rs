//! From fragments to messages: which share one, what they measure, and which are over their budget.

use std::ops::Range;

use crate::block::Role;
use crate::fragment::{Budget, Lifetime, Trust};

/// What decides about one fragment.
#[derive(Clone, Copy, Debug)]
pub struct FragmentKey {
    /// Who vouches for it.
    pub trust: Trust,
    /// How long it stays the same.
    pub lifetime: Lifetime,
    /// Who says it.
    pub role: Role,
    /// Its own budget.
    pub max_chars: Budget,
    /// Length in the plan's unit.
    pub chars: u64,
    /// Length in code points.
    pub code_points: usize,
}

/// The messages that fragments become.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Assembly {
    /// The fragments of each message.
    pub messages: Vec<Range<usize>>,
    /// Characters of all fragments.
    pub fragment_chars: u64,
    /// Characters of all separators between fragments of one message.
    pub separator_chars: u64,
    /// How many leading messages hold nothing but `static` fragments.
    pub static_messages: usize,
    /// How many leading messages hold nothing but `static` and `session` fragments.
    pub session_messages: usize,
    /// The fragments that are over their own budget.
    pub over_budget: Vec<usize>,
}

/// Groups fragments into messages, in the order given; neighbours of one role and one trust share a message if `merge` is set.
/// `separator_chars` is the length of one separator in the plan's unit.
pub fn assemble(fragments: &[FragmentKey], merge: bool, separator_chars: u64) -> Assembly {
    let mut result = Assembly::default();
    result.messages.reserve(fragments.len());
    let mut longest_lived = Lifetime::Static;
    for (index, fragment) in fragments.iter().enumerate() {
        result.fragment_chars = result.fragment_chars.saturating_add(fragment.chars);
        if !fragment.max_chars.allows(fragment.chars) {
            result.over_budget.push(index);
        }
        let joins = merge
            && index > 0
            && (fragments[index - 1].role, fragments[index - 1].trust) == (fragment.role, fragment.trust);
        match result.messages.last_mut() {
            Some(message) if joins => {
                message.end = index + 1;
                result.separator_chars = result.separator_chars.saturating_add(separator_chars);
            }
            _ => result.messages.push(index..index + 1),
        }
        // Lifetimes are declared from the longest to the shortest, so the greatest so far decides about a prefix.
        longest_lived = longest_lived.max(fragment.lifetime);
        let whole = result.messages.len();
        let still_growing = |counted: usize, allowed: bool| {
            if allowed {
                whole
            } else {
                // A message that ended before this fragment stays counted; the one it joined is no longer pure.
                counted.min(whole - 1)
            }
        };
        result.static_messages = still_growing(result.static_messages, longest_lived == Lifetime::Static);
        result.session_messages = still_growing(result.session_messages, longest_lived <= Lifetime::Session);
    }
    result
}

impl Assembly {
    /// The message of each fragment, and its span there in code points.
    pub fn spans(&self, fragments: &[FragmentKey], separator_code_points: usize) -> Vec<(usize, Range<usize>)> {
        let mut spans = Vec::with_capacity(fragments.len());
        for (message, members) in self.messages.iter().enumerate() {
            let mut start = 0;
            for fragment in &fragments[members.clone()] {
                let end = start + fragment.code_points;
                spans.push((message, start..end));
                start = end + separator_code_points;
            }
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragment(role: Role, trust: Trust, lifetime: Lifetime, chars: u64) -> FragmentKey {
        FragmentKey {
            trust,
            lifetime,
            role,
            max_chars: Budget::Chars(3),
            chars,
            code_points: usize::try_from(chars).unwrap_or(0),
        }
    }

    fn of_lifetimes(lifetimes: &[Lifetime]) -> Vec<FragmentKey> {
        lifetimes.iter().map(|&lifetime| fragment(Role::User, Trust::User, lifetime, 1)).collect()
    }

    #[test]
    fn neighbours_merge_by_role_and_trust() {
        let fragments = [
            fragment(Role::User, Trust::External, Lifetime::Turn, 1),
            fragment(Role::User, Trust::User, Lifetime::Turn, 2),
            fragment(Role::User, Trust::User, Lifetime::Turn, 3),
            fragment(Role::Assistant, Trust::User, Lifetime::Turn, 4),
        ];
        let merged = assemble(&fragments, true, 2);
        assert_eq!(merged.messages, [0..1, 1..3, 3..4]);
        assert_eq!((merged.fragment_chars, merged.separator_chars), (10, 2));
        assert_eq!(merged.over_budget, [3]);
        assert_eq!(merged.spans(&fragments, 2), [(0, 0..1), (1, 0..2), (1, 4..7), (2, 0..4)]);
        assert_eq!(merged.spans(&fragments, 3)[2], (1, 5..8));
        let apart = assemble(&fragments, false, 2);
        assert_eq!(apart.messages.len(), 4);
        assert_eq!(apart.separator_chars, 0);
    }

    #[test]
    fn leading_messages_are_counted_whole() {
        use Lifetime::{Session, Static, Turn};
        let counts = |lifetimes: &[Lifetime], merge| {
            let result = assemble(&of_lifetimes(lifetimes), merge, 0);
            (result.static_messages, result.session_messages)
        };
        assert_eq!(counts(&[], false), (0, 0));
        assert_eq!(counts(&[Static, Session, Turn], false), (1, 2));
        assert_eq!(counts(&[Static, Turn, Static, Session], false), (1, 1));
        assert_eq!(counts(&[Session, Static], false), (0, 2));
        assert_eq!(counts(&[Static, Static], false), (2, 2));
        // Merged, the one message is as short-lived as its shortest-lived fragment.
        assert_eq!(counts(&[Static, Session], true), (0, 1));
        assert_eq!(counts(&[Static, Turn, Static], true), (0, 0));
        assert_eq!(counts(&[Static, Static], true), (1, 1));
    }

    #[test]
    fn exactly_at_the_budget_is_within_it() {
        assert!(Budget::Chars(3).allows(3));
        assert!(!Budget::Chars(3).allows(4));
        assert!(Budget::Unlimited.allows(u64::MAX));
        assert!(Lifetime::Static < Lifetime::Session && Lifetime::Session < Lifetime::Turn);
    }
}
