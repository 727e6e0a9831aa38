//! What was found in a tree, as a report.

use camino::Utf8Path;
use patchctl_apply::tree::{FileReport, Goal, Mode, Obstacle, Problem, TreeReport};
use patchctl_apply::{FileState, LockedPin};

use crate::report::{Code, Finding, ReleaseResult, Report, Status, Step};

/// The command, which is also the level of results about trees.
const COMMAND: &str = "apply";

/// The report of a tree that could be looked at. `tree` is its name as it was given.
pub(super) fn found(tree: &Utf8Path, outcome: &TreeReport, mode: Mode, dry_run: bool) -> Report {
    let mut report = Report {
        dry_run,
        ..Report::new(COMMAND)
    };
    report.steps = outcome
        .files
        .iter()
        .map(|file| Step {
            name: word(file, mode, dry_run),
            what: describe(file),
        })
        .collect();
    let findings: Vec<Finding> = match mode {
        Mode::Check => outcome.files.iter().filter_map(check).collect(),
        Mode::Apply | Mode::Remove => Vec::new(),
    };
    report.ok = findings.is_empty();
    // A file that is somebody else's has its own help, and stands in the way of the others.
    let applies = |finding: &Finding| matches!(finding.code, Code::CleanTree | Code::StaleTree);
    if !report.ok && findings.iter().all(applies) {
        report.next = vec![format!("patchctl apply {tree}")];
    }
    let changes = outcome.files.iter().filter(|file| match mode {
        Mode::Check => false,
        Mode::Apply | Mode::Remove => file.differs,
    });
    report.changed = changes.map(|file| file.path.clone()).collect();
    report.results = vec![ReleaseResult {
        status: if report.ok {
            Status::Passed
        } else {
            Status::Failed
        },
        findings,
        ..ReleaseResult::new(&outcome.release, &outcome.revision, COMMAND)
    }];
    report
}

/// The report of a tree with files that stand in the way: nothing was written.
pub(super) fn refused(pin: &LockedPin, problems: &[Problem]) -> Report {
    let findings = problems.iter().map(|problem| {
        Finding::new(code(&problem.obstacle), problem.obstacle.to_string())
            .file(problem.path.clone())
            .help(problem.obstacle.help())
    });
    Report {
        ok: false,
        results: vec![ReleaseResult {
            status: Status::Failed,
            findings: findings.collect(),
            ..ReleaseResult::new(&pin.release, &pin.revision, COMMAND)
        }],
        ..Report::new(COMMAND)
    }
}

/// What was done to a file, in a word.
fn word(file: &FileReport, mode: Mode, dry_run: bool) -> String {
    let done = match (mode, file.goal) {
        (Mode::Check, _) => return file.was.word().to_owned(),
        _ if !file.differs => return "unchanged".to_owned(),
        (_, Goal::Applied) if dry_run => "would patch",
        (_, Goal::Clean) if dry_run => "would restore",
        (_, Goal::Applied) => "patched",
        (_, Goal::Clean) => "restored",
    };
    done.to_owned()
}

fn describe(file: &FileReport) -> String {
    match &file.was {
        FileState::Stale { blocks } => {
            let edits: Vec<String> = blocks.iter().map(|it| it.edit.to_string()).collect();
            format!("{} (it had {})", file.path, edits.join(", "))
        }
        _ => file.path.clone(),
    }
}

/// What `--check` has to say of a file that is not as the lock says.
fn check(file: &FileReport) -> Option<Finding> {
    let apply = Some("patchctl apply brings it there".to_owned());
    let obstacle = |obstacle: Obstacle| {
        let help = Some(obstacle.help());
        (code(&obstacle), obstacle.to_string(), help)
    };
    let (code, message, help) = match &file.was {
        FileState::Applied => return None,
        FileState::Clean => (
            Code::CleanTree,
            "the overlays are not applied".to_owned(),
            apply,
        ),
        FileState::Stale { blocks } => {
            let edits: Vec<String> = blocks.iter().map(|it| it.edit.to_string()).collect();
            let edits = edits.join(", ");
            let message = if file.listed {
                format!("its blocks are not the lock's: it has {edits}")
            } else {
                format!("it has blocks of an overlay that the pin does not carry: {edits}")
            };
            (Code::StaleTree, message, apply)
        }
        FileState::Foreign(foreign) => obstacle(Obstacle::Foreign(foreign.clone())),
        FileState::Broken(error) => obstacle(Obstacle::Broken(error.clone())),
        FileState::Missing => obstacle(Obstacle::Missing),
    };
    Some(
        Finding::new(code, message)
            .file(file.path.clone())
            .help(help),
    )
}

/// The stable code of what is wrong with a file of a tree.
fn code(obstacle: &Obstacle) -> Code {
    match obstacle {
        Obstacle::Escapes(_) => Code::PathLeavesTree,
        Obstacle::Missing => Code::FileMissing,
        Obstacle::Foreign(_) | Obstacle::NotRemovable => Code::ForeignTree,
        Obstacle::Broken(_) => Code::BrokenMarkers,
        Obstacle::Symlink(_) => Code::SymlinkInTree,
        Obstacle::NotAFile { .. } => Code::NotAFile,
        Obstacle::Unreadable(_) => Code::FileUnreadable,
    }
}
