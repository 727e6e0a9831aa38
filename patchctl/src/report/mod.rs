//! One model of what a command found, and several renderers. Knows only findings.

mod code;
mod diff;
mod error;
mod exit;
mod finding;
mod frame;
mod github;
mod grouped;
mod human;
mod json;
mod level;
mod markdown;
mod measured;
mod model;
mod mutants;
mod page;
mod pages;
mod rows;
mod severity;
mod style;
mod summary;

pub(crate) use code::Code;
pub use diff::render_diff;
pub use error::Error;
pub(crate) use error::OrError;
pub use exit::Exit;
pub use finding::Finding;
pub(crate) use finding::Text;
pub use github::{render_github, render_github_text};
pub use human::{render_error, render_human, render_note};
pub use json::{render_json, render_json_text};
pub use level::Level;
pub use markdown::{render_markdown, render_markdown_text};
pub use model::{
    Bump, BumpedFile, Check, Distance, Measured, MutantRow, Named, NotRun, Proof, ReleaseResult,
    Report, SCHEMA, Step, UpstreamCommit, UpstreamDid,
};
pub use page::Page;
pub(crate) use pages::findings_page;
pub use severity::{Severity, Status};
pub(crate) use style::{counted, first_lines, short, visible};
