//! `patchctl review`: shows the diffs that wait for a person, and records what the person says.

use super::args::{HunkName, examples};
use super::project::Project;
use super::showing::Showing;
use super::snapshots::Snapshots;
use super::waiting::{accept, reject, waiting};
use super::writing::{Writing, preview};
use super::{CommandError, Context, Output};
use crate::exit::Exit;
use crate::pins::Transaction;
use crate::report::{Report, Severity, Status};

/// Show the diffs that wait to be reviewed, and accept or reject them
///
/// A bump that cannot prove where a hunk landed writes a pending snapshot of the overlay's diff and nothing
/// else. This command shows each hunk that waits: upstream's code around the place, read from a source for the
/// eye only, and what differs from the snapshot of the pin before. --accept records the hunks in reviewed.yaml and
/// makes the snapshot the accepted one; the bump, run again, then goes through. `cargo insta review` does as well:
/// the next bump finds the accepted snapshot, compares it with what it carries, and takes it as the review.
///
/// Ends with 0 when nothing waits, and with 1 when something does.
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct ReviewArgs {
    /// Only the snapshots of this release, or of this commit as git describes it
    #[arg(long, value_name = "V")]
    pub mlx: Option<String>,

    /// Record that this hunk was looked at and is right where it lands; without a name, each that waits
    ///
    /// `overlay/hunk`, the hunk's id where it is unique, or `all`. May be given several times.
    #[arg(long, value_name = "HUNK|all", num_args = 0..=1, default_missing_value = "all")]
    pub accept: Vec<HunkName>,

    /// Remove the pending snapshots; nothing is recorded
    #[arg(long, conflicts_with = "accept")]
    pub reject: bool,

    /// Show N upstream lines before and behind each place
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub context: usize,

    /// With --accept or --reject, list what would be written and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

impl ReviewArgs {
    /// The command's words, for messages and for whoever waits.
    pub(super) fn words(&self) -> String {
        let release = self.mlx.iter().map(|release| format!(" --mlx {release}"));
        let accept = self.accept.iter().map(|hunk| format!(" --accept {hunk}"));
        let reject = self.reject.then(|| " --reject".to_owned());
        let words: String = release.chain(accept).chain(reject).collect();
        format!("review{words}")
    }
}

const EXAMPLES: &str = "\
Examples:
  Show what waits:
    patchctl review
  Accept all of it, or one hunk:
    patchctl review --accept
    patchctl review --accept decode-input-budget/commit-check
  Give a bump up:
    patchctl review --reject";

/// Shows, accepts or rejects.
///
/// # Errors
/// When the root or its files cannot be read, a hunk that is named does not wait, the repository is held by
/// another command, or a file cannot be written.
pub fn run(args: &ReviewArgs, context: &Context) -> Result<Output, CommandError> {
    let mut report = Report::new("review");
    let project = Project::open(context)?;
    if args.accept.is_empty() && !args.reject {
        let snapshots = Snapshots::open(&project)?;
        report.findings.extend(project.pending()?);
        let waiting = waiting(&snapshots, args.mlx.as_deref(), &mut report);
        let showing = Showing {
            context,
            snapshots: &snapshots,
            lines: args.context,
        };
        showing.show(&waiting, &mut report);
        return Ok(ending(report));
    }
    if args.dry_run {
        if let Some(transaction) = settle(args, &project, &mut report)? {
            preview(&project.root, &transaction, &mut report)?;
        }
        return Ok(ending(report));
    }
    let writing = Writing::begin(context, &args.words(), &mut report)?;
    // What was read before the repository was held may be other by now.
    let project = Project::open(context)?;
    if let Some(transaction) = settle(args, &project, &mut report)? {
        writing.commit(&transaction, &mut report)?;
    }
    Ok(ending(report))
}

/// What is to be written; nothing where something is in the way, which the report then says.
fn settle(
    args: &ReviewArgs,
    project: &Project,
    report: &mut Report,
) -> Result<Option<Transaction>, CommandError> {
    let snapshots = Snapshots::open(project)?;
    match args.reject {
        true => Ok(reject(args, &snapshots, report)),
        false => {
            let waiting = waiting(&snapshots, args.mlx.as_deref(), report);
            accept(args, &snapshots, &waiting, report)
        }
    }
}

fn ending(report: Report) -> Output {
    let mut results = report.results.iter();
    let mut findings = report.findings.iter();
    let is_open = results.any(|result| result.status != Status::Passed)
        || findings.any(|finding| finding.severity == Severity::Error);
    let exit = match is_open {
        true => Exit::Check,
        false => Exit::Success,
    };
    Output::ending(report, exit)
}
