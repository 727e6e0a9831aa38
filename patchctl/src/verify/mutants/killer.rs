//! What noticed a mutant.

use std::fmt;

use crate::toolchain::ToolError;
use crate::verify::compile::ProvidedFault;
use crate::verify::run::{Diagnosis, Mismatch, Setting};

/// The first check that failed on a mutant.
#[derive(Debug, Clone, PartialEq)]
pub enum Killer {
    /// The overlay's own code, compiled alone.
    OwnCode(ToolError),
    /// The compiler or linker, on the patched tree.
    Build(ToolError),
    /// A provided name is not there, or hidden.
    Provided(ProvidedFault),
    /// A scenario.
    Scenario {
        /// The first that failed.
        name: String,
        /// The first difference that it saw.
        saw: Mismatch,
        /// What all that failed have in common.
        diagnosis: Option<Diagnosis>,
    },
    /// A random sequence on which it parts from upstream.
    Sequence(Setting),
    /// The driver said what it never says.
    Driver(ToolError),
}

impl Killer {
    /// Its name in reports, kebab-case.
    pub fn name(&self) -> &'static str {
        match self {
            Self::OwnCode(_) => "own-code",
            Self::Build(_) => "build",
            Self::Provided(_) => "provided",
            Self::Scenario { .. } => "scenario",
            Self::Sequence(_) => "sequence",
            Self::Driver(_) => "driver",
        }
    }
}

impl fmt::Display for Killer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OwnCode(error) => write!(out, "own code alone: {}", first_error(error)),
            Self::Build(error) => write!(out, "build: {}", first_error(error)),
            Self::Provided(fault) => write!(out, "provided names: {fault}"),
            Self::Scenario {
                name,
                saw,
                diagnosis,
            } => {
                write!(out, "scenario {name}: {saw}")?;
                match diagnosis {
                    Some(diagnosis) => write!(out, " ({diagnosis})"),
                    None => Ok(()),
                }
            }
            Self::Sequence(setting) => {
                write!(out, "random sequence on {}", setting.architecture)?;
                if let Some(ops) = setting.max_ops {
                    write!(out, ", ops limit {ops}")?;
                }
                match setting.budget {
                    Some(budget) => write!(out, ", override at {budget}"),
                    None => write!(out, ", override at 0"),
                }
            }
            Self::Driver(error) => error.fmt(out),
        }
    }
}

/// What a compiler says in its first error, without the place: the code there is not what is in the overlay.
fn first_error(error: &ToolError) -> String {
    let output = error.output.as_deref().unwrap_or_default();
    let said = output.lines().find_map(|line| {
        let (_, said) = line.split_once("error: ")?;
        Some(said.trim().to_owned())
    });
    said.unwrap_or_else(|| error.to_string())
}
