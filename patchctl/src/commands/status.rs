//! `patchctl status`: the facts of a repository at a glance, offline.

use super::args::examples;
use super::project::Project;
use super::{CommandError, Context, Output, facts};
use crate::exit::Exit;
use crate::report::{Report, Severity};

/// Show overlays, pins, lock and places at a glance; offline, writes nothing
///
/// One line a fact: the overlays with their digests and whether the lock holds those, the pins (the current
/// one first) with what was proven where, the reviewed shapes, every place where the pin is written, and
/// whether an interrupted bump waits to be finished. Looks at the repository's files only: `verify` looks at
/// upstream.
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct StatusArgs {
    /// Exit with status 1 when pins, lock, overlays and places disagree
    #[arg(long)]
    pub check: bool,
}

const EXAMPLES: &str = "\
Examples:
  patchctl status
  In CI, fail when pin, lock and overlays disagree:
    patchctl status --check";

/// Gathers the facts.
///
/// # Errors
/// When there is no report to give: the root or its YAML files cannot be read.
pub fn run(args: &StatusArgs, context: &Context) -> Result<Output, CommandError> {
    let project = Project::open(context)?;
    let mut report = Report::new("status");
    facts::gather(&project, &mut report)?;
    let results = report.results.iter().flat_map(|result| &result.findings);
    let disagrees = results
        .chain(&report.findings)
        .any(|finding| finding.severity == Severity::Error);
    let exit = match args.check && disagrees {
        true => Exit::Check,
        false => Exit::Success,
    };
    Ok(Output::ending(report, exit))
}
