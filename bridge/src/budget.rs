//! The unit in which all of this counts.

use std::fmt;

/// An input budget of a command buffer: how many mebi-elements of distinct inputs (`data_size() >> 20`,
/// elements and not bytes) it may take before MLX commits it. Always positive; "none" is an `Option`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InputBudget(i32);

impl InputBudget {
    /// What decode wants on chips that gain from it: nearly the whole gain is there, and 4000 adds none
    /// (the sweep for command-r7b on an M1 Ultra).
    pub const DECODE: Self = Self(1000);

    /// A budget of `mebi_elements`; `None` unless that is positive, since MLX's override reads 0 or less
    /// as "no override".
    pub const fn new(mebi_elements: i32) -> Option<Self> {
        if mebi_elements > 0 {
            Some(Self(mebi_elements))
        } else {
            None
        }
    }

    /// The number of mebi-elements, from 1 to [`i32::MAX`].
    pub const fn get(self) -> i32 {
        self.0
    }
}

impl fmt::Display for InputBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
