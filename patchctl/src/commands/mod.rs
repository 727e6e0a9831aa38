//! One file a command: its arguments with their help, and what it does over the domain.

pub(crate) mod apply;
mod args;
mod bases;
pub(crate) mod bump;
mod carrying;
pub(crate) mod completions;
mod context;
pub(crate) mod diff;
mod error;
mod facts;
mod levels;
mod locked;
pub(crate) mod man;
mod materialise;
mod output;
mod project;
pub(crate) mod schema;
pub(crate) mod status;
mod telling;
mod tree;
pub(crate) mod verify;
mod writing;

pub use apply::ApplyArgs;
pub use args::{Color, CommitRange, Format, HunkName, Level};
pub(crate) use args::{EXIT_STATUS, source};
pub use bump::BumpArgs;
pub use completions::CompletionsArgs;
pub use context::Context;
pub use diff::DiffArgs;
pub use error::CommandError;
pub use man::ManArgs;
pub use output::Output;
pub use schema::SchemaArgs;
pub use status::StatusArgs;
pub use verify::VerifyArgs;
