//! What is done to an overlay's code to make it faulty.

use std::fmt;

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// All edits of a hunk are left out.
    DropHunk,
    /// The edit is left out.
    DropEdit,
    /// A statement, definition or preprocessor line is left out.
    DropStatement,
    /// An attribute is left out.
    DropAttribute,
    /// A comparison is inverted, or its border moved.
    Comparison,
    /// `&&` for `||`, a `!` left out, `false` for `true`.
    Logic,
    /// `-` for `+`, `<<` for `>>`.
    Arithmetic,
    /// Another integer.
    Number,
    /// A condition that always holds, or never.
    Condition,
    /// One arm of a `?:`, or the other one.
    Arms,
    /// Another name that is known there is read or written.
    Name,
    /// A variable that all threads share becomes each thread's own.
    ThreadLocal,
    /// A function that does nothing.
    EmptyBody,
    /// A function that does nothing when it is given 0.
    IgnoresZero,
    /// A function that always gives the same.
    Constant,
}

impl Operator {
    /// Its name in reports, kebab-case.
    pub fn name(self) -> &'static str {
        match self {
            Self::DropHunk => "drop-hunk",
            Self::DropEdit => "drop-edit",
            Self::DropStatement => "drop-statement",
            Self::DropAttribute => "drop-attribute",
            Self::Comparison => "comparison",
            Self::Logic => "logic",
            Self::Arithmetic => "arithmetic",
            Self::Number => "number",
            Self::Condition => "condition",
            Self::Arms => "arms",
            Self::Name => "name",
            Self::ThreadLocal => "thread-local",
            Self::EmptyBody => "empty-body",
            Self::IgnoresZero => "ignores-zero",
            Self::Constant => "constant",
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
