//! Vocabularies of fragments, and their budgets.

use crate::block::vocabulary;

vocabulary! {
    /// Who vouches for a fragment.
    Trust {
        /// The operator.
        System = "system",
        /// The developer.
        Developer = "developer",
        /// The person.
        User = "user",
        /// A tool's result.
        Tool = "tool",
        /// Anything from outside.
        External = "external",
    }
}

vocabulary! {
    /// How long a fragment stays the same.
    Lifetime {
        /// In every request.
        Static = "static",
        /// Within one session.
        Session = "session",
        /// In this turn only.
        Turn = "turn",
    }
}

/// How much a fragment or a whole input may measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// That many characters, in the unit of the plan.
    Chars(u64),
    /// No limit.
    Unlimited,
}

impl Budget {
    /// Whether `chars` are within it.
    pub fn allows(self, chars: u64) -> bool {
        match self {
            Self::Chars(limit) => chars <= limit,
            Self::Unlimited => true,
        }
    }
}
