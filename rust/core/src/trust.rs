//! Which trust may hold which role.

use crate::block::Role;
use crate::fragment::Trust;

/// For each role, the trusts that may hold it; all may until something else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustPolicy {
    // One bit for each trust, in the order of `Trust::ALL`; none of the rules for a role without one.
    rules: [Option<u8>; Role::ALL.len()],
}

impl TrustPolicy {
    /// Any trust in any role.
    pub const OPEN: Self = Self { rules: [None; Role::ALL.len()] };

    /// The same, but with only these trusts in `role`.
    #[must_use]
    pub fn with(mut self, role: Role, trusts: &[Trust]) -> Self {
        let bits = trusts.iter().fold(0, |bits, &trust| bits | 1 << trust as u8);
        self.rules[role as usize] = Some(bits);
        self
    }

    /// Instructions only from those who give them: `system` and `developer` trust in the roles of that name.
    pub fn strict() -> Self {
        let givers = [Trust::System, Trust::Developer];
        Self::OPEN.with(Role::System, &givers).with(Role::Developer, &givers)
    }

    /// The trusts that may hold `role`, in the order of [`Trust::ALL`]; `None` if any may.
    pub fn trusts(self, role: Role) -> Option<impl Iterator<Item = Trust>> {
        let bits = self.rules[role as usize]?;
        Some(Trust::ALL.iter().copied().filter(move |&trust| bits >> trust as u8 & 1 == 1))
    }

    /// Whether `trust` may hold `role`.
    pub fn allows(self, role: Role, trust: Trust) -> bool {
        self.rules[role as usize].is_none_or(|bits| bits >> trust as u8 & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_keeps_instructions_to_those_who_give_them() {
        let policy = TrustPolicy::strict();
        for &role in Role::ALL {
            for &trust in Trust::ALL {
                let instructs = matches!(role, Role::System | Role::Developer);
                let expected = !instructs || matches!(trust, Trust::System | Trust::Developer);
                assert_eq!(policy.allows(role, trust), expected, "{role:?} {trust:?}");
                assert!(TrustPolicy::OPEN.allows(role, trust));
            }
        }
    }

    #[test]
    fn a_rule_lists_its_trusts_in_order_and_once() {
        let policy = TrustPolicy::OPEN.with(Role::User, &[Trust::Tool, Trust::User, Trust::Tool]);
        let trusts: Option<Vec<_>> = policy.trusts(Role::User).map(Iterator::collect);
        assert_eq!(trusts, Some(vec![Trust::User, Trust::Tool]));
        assert!(policy.trusts(Role::System).is_none());
        assert!(!policy.with(Role::User, &[]).allows(Role::User, Trust::User));
    }
}
