//! Roles that are not welcome after the first message of a conversation, and the roles that blocks there get instead.

use crate::block::Role;
use crate::layout::Layout;

/// What becomes of the roles of blocks that land after the first conversation message.
#[derive(Clone, Copy, Debug)]
pub struct RoleMap {
    /// By role.
    roles: [Role; Role::ALL.len()],
    /// Index of the first conversation message.
    first: usize,
}

impl RoleMap {
    /// The map for this layout; none if it has no conversation message, for then nothing lands after one.
    pub fn of(layout: &Layout, changes: &[(Role, Role)]) -> Option<Self> {
        let first = layout.conversation.as_ref()?.message_indices.iter().next()?;
        let mut roles = [Role::System; Role::ALL.len()];
        roles.copy_from_slice(Role::ALL);
        for &(from, to) in changes {
            roles[from as usize] = to;
        }
        Some(Self { roles, first })
    }

    /// The role that a block of `role` has at this gap.
    pub fn at(&self, role: Role, gap: usize) -> Role {
        if gap > self.first { self.roles[role as usize] } else { role }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Conversation, MessageIndices};

    #[test]
    fn only_what_lands_after_the_first_conversation_message_is_mapped() {
        let conversation = |indices: &[usize]| Layout {
            conversation: Some(Conversation {
                message_indices: indices.iter().copied().collect::<MessageIndices>(),
                empty_index: Some(0),
            }),
            ..Layout::default()
        };
        let changes = [(Role::System, Role::User), (Role::User, Role::Assistant)];
        let map = RoleMap::of(&conversation(&[2, 5]), &changes);
        let at = |role, gap| map.map(|map| map.at(role, gap));
        assert_eq!([2, 3, 6].map(|gap| at(Role::System, gap)), [Role::System, Role::User, Role::User].map(Some));
        assert_eq!(at(Role::User, 3), Some(Role::Assistant));
        assert_eq!(at(Role::Developer, 3), Some(Role::Developer));
        assert!(RoleMap::of(&conversation(&[]), &changes).is_none());
        assert!(RoleMap::of(&Layout::default(), &changes).is_none());
    }
}
