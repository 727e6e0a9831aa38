//! What can be wrong with the meaning of a decode model.

use crate::report::Code;
use crate::yaml::Problem;

/// A mistake in one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeProblem {
    /// A list or a text with nothing in it.
    #[error("{0}")]
    Nothing(&'static str),
    /// Two ops of one name.
    #[error("the op `{name}` is here twice in this layer, first on line {first}")]
    Twice {
        /// The name.
        name: String,
        /// The line of the first.
        first: u64,
    },
    /// A name that is no op that could be meant.
    #[error("`{name}` is {what}")]
    UnknownName {
        /// The name.
        name: String,
        /// `no op before this one in its layer`
        what: &'static str,
        /// What may be meant.
        help: Option<String>,
    },
    /// Keys that say nothing beside, or without, each other.
    #[error("{why}")]
    Clash {
        /// What is wrong.
        why: &'static str,
        /// What to write.
        help: &'static str,
    },
    /// Numbers that do not fit each other, or are too large for MLX.
    #[error("{0}")]
    BadSize(String),
    /// An architecture whose last letter says nothing to MLX.
    #[error("`{0}` is no GPU architecture as Metal names them")]
    BadArchitecture(String),
}

impl Problem for DecodeProblem {
    fn code(&self) -> Code {
        match self {
            Self::Nothing(_) => Code::DecodeNothingThere,
            Self::Twice { .. } => Code::DecodeOpTwice,
            Self::UnknownName { .. } => Code::DecodeUnknownOp,
            Self::Clash { .. } => Code::DecodeKeysClash,
            Self::BadSize(_) => Code::DecodeBadSize,
            Self::BadArchitecture(_) => Code::DecodeBadArchitecture,
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::UnknownName { help, .. } => help.clone(),
            Self::Clash { help, .. } => Some((*help).to_owned()),
            Self::BadArchitecture(_) => Some(
                "write one such as `applegpu_g13d` (M1 Ultra) or `applegpu_g16s` (M4 Max)"
                    .to_owned(),
            ),
            Self::Nothing(_) | Self::Twice { .. } | Self::BadSize(_) => None,
        }
    }
}
