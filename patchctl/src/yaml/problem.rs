//! What keeps a file from being a tree, and the bounds that keep a hostile one cheap.

use crate::report::Code;

/// The most nodes that a file may have once its aliases are written out.
pub(super) const MAX_NODES: usize = 20_000;
/// The most bytes of text that its nodes may hold, aliases written out.
pub(super) const MAX_TEXT: usize = 4 << 20;
/// How deep lists and maps may nest.
pub(super) const MAX_DEPTH: usize = 32;

/// What keeps a file from being a tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum YamlProblem {
    /// The system said so.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// Over [`super::MAX_BYTES`].
    #[error("the file has {bytes} bytes, over the limit of {}", super::MAX_BYTES)]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// Bytes that are no UTF-8.
    #[error("the file is not UTF-8 from here on")]
    NotUtf8,
    /// A control character that is no white space.
    #[error("a control character stands here")]
    ControlCharacter,
    /// Nothing but comments and white space.
    #[error("the file is empty, expected a map")]
    Empty,
    /// No YAML.
    #[error("this is no YAML: {0}")]
    Syntax(String),
    /// A tab where YAML wants spaces.
    #[error("a tab in the indentation, expected spaces")]
    Tab,
    /// A second `---`.
    #[error("a second YAML document begins here, expected one")]
    SecondDocument,
    /// The same key twice in one map.
    #[error("the key `{key}` is here twice, first on line {first}")]
    DuplicateKey {
        /// The key.
        key: String,
        /// The line of the first.
        first: u64,
    },
    /// A list or map as a key.
    #[error("a key must be plain text")]
    ComplexKey,
    /// `!tag`
    #[error("tags (`!…`) are not supported")]
    Tag,
    /// An alias inside the node that it names.
    #[error("this alias stands inside what it names")]
    SelfAlias,
    /// Aliases that would write the file out many times over, or a file of many small nodes.
    #[error(
        "the file grows over the limit of {MAX_NODES} values or {MAX_TEXT} bytes of text when its aliases are written out"
    )]
    Grows,
    /// Lists in lists in lists.
    #[error("lists and maps nest deeper than {MAX_DEPTH}")]
    TooDeep,
}

impl super::Problem for YamlProblem {
    fn code(&self) -> Code {
        match self {
            Self::Unreadable(_) => Code::FileUnreadable,
            Self::TooLarge { .. } => Code::FileTooLarge,
            Self::NotUtf8 | Self::ControlCharacter => Code::FileNotText,
            Self::Empty => Code::YamlEmpty,
            Self::DuplicateKey { .. } => Code::YamlDuplicateKey,
            Self::SelfAlias | Self::Grows | Self::TooDeep => Code::YamlBomb,
            Self::Syntax(_) | Self::Tab | Self::SecondDocument | Self::ComplexKey | Self::Tag => {
                Code::YamlSyntax
            }
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::TooLarge { .. } => "split it, or check that it is the file you mean",
            Self::NotUtf8 => "save it as UTF-8",
            Self::ControlCharacter => {
                "remove it; in a double-quoted text it can be written as an escape"
            }
            Self::Syntax(text) if text.contains("mapping values are not allowed") => {
                "a text that holds `: ` or begins with a sign of YAML's needs quotes"
            }
            Self::Tab => "indent with spaces",
            Self::SecondDocument => {
                "one file is one document: remove the `---`, or make it a file of its own"
            }
            Self::DuplicateKey { .. } => "keep one of them",
            Self::Tag => "remove it; quotes make a number a text",
            Self::SelfAlias | Self::Grows | Self::TooDeep => "write the values out",
            Self::Unreadable(_) | Self::Empty | Self::Syntax(_) | Self::ComplexKey => return None,
        };
        Some(help.to_owned())
    }

    fn is_surroundings(&self) -> bool {
        matches!(self, Self::Unreadable(_))
    }
}
