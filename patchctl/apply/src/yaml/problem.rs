//! The limits of a file, and the faults that keep it from being a tree.

/// Limits that keep a hostile file cheap to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file.
    pub bytes: u64,
    /// Values in the file once its aliases are written out.
    pub values: usize,
    /// Bytes of text in those values.
    pub text: usize,
    /// Nesting of lists and maps.
    pub depth: usize,
}

impl Limits {
    /// For files that a person writes: an overlay of a few hunks has a few kilobytes.
    pub const FORM: Self = Self {
        bytes: 1 << 20,
        values: 20_000,
        text: 4 << 20,
        depth: 32,
    };
    /// For the lock: one pin of an overlay of a hundred lines takes about 10 kB.
    pub const LOCK: Self = Self {
        bytes: 16 << 20,
        values: 200_000,
        text: 16 << 20,
        depth: 32,
    };
}

/// A fault that keeps a file from being a tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum YamlProblem {
    /// The system refused to read it.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// Over the limit of bytes.
    #[error("the file has {bytes} bytes, over the limit of {limit}")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// See [`Limits::bytes`].
        limit: u64,
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
        "the file grows over the limit of {} values or {} bytes of text when its aliases are written out",
        .0.values,
        .0.text
    )]
    Grows(Limits),
    /// Lists in lists in lists.
    #[error("lists and maps nest deeper than {}", .0.depth)]
    TooDeep(Limits),
}
