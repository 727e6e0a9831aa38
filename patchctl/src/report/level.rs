//! The levels of proof.

/// A level of proof, from the one that needs nothing to the one that shows most. `docs/levels.md` says what each shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Anchors, premises, markers, take-off.
    Structure,
    /// The overlays' own code, the patched files, the names that the overlays provide.
    Compile,
    /// MLX's encoder, driven through scenarios and random sequences.
    Run,
    /// Each fault in the overlays' own code is noticed by a level below.
    Mutants,
}

impl Level {
    /// Every level, in order.
    pub const ALL: [Self; 4] = [Self::Structure, Self::Compile, Self::Run, Self::Mutants];

    /// The name, as typed and as the lock has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Structure => "structure",
            Self::Compile => "compile",
            Self::Run => "run",
            Self::Mutants => "mutants",
        }
    }

    /// The level with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}
