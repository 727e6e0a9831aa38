//! The report of an applied, checked or cleaned tree.

use camino::Utf8Path;
use patchctl_apply::FileState;
use patchctl_apply::markers::Block;
use patchctl_apply::tree::{
    FileReport, ForeignBlocks, Goal, LostBlock, Mode, Obstacle, Problem, TreeReport,
};

use crate::report::{Code, Finding, ReleaseResult, Report, Severity, Status};

/// The command, which is also the level of results about trees.
const COMMAND: &str = "apply";

/// The report of a tree that could be looked at. `tree` is its name as it was given.
pub(super) fn found(tree: &Utf8Path, outcome: &TreeReport, mode: Mode, dry_run: bool) -> Report {
    let mut report = Report {
        dry_run,
        ..Report::new(COMMAND)
    };
    for file in &outcome.files {
        report.step(word(file, mode, dry_run), describe(file));
    }
    let files = outcome.files.iter();
    let mut findings: Vec<Finding> = match mode {
        Mode::Check => files.filter_map(check).collect(),
        Mode::Apply | Mode::Remove => files.flat_map(discarded).collect(),
    };
    report.ok = mode != Mode::Check || findings.is_empty();
    // A file that is somebody else's has its own help, and stands in the way of the others.
    let applies = |finding: &Finding| matches!(finding.code, Code::CleanTree | Code::StaleTree);
    let edited = outcome.files.iter().any(|file| !file.lost.is_empty());
    if !report.ok && !edited && findings.iter().all(applies) {
        report.next = vec![format!("patchctl apply {tree}")];
    }
    findings.extend(outcome.foreign.iter().map(foreign));
    let changes = outcome.files.iter();
    let changes = changes.filter(|file| mode != Mode::Check && file.differs);
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
/// `of` is its release and commit.
pub(super) fn refused(of: (&str, &str), problems: &[Problem]) -> Report {
    let findings = problems.iter().map(|problem| {
        let finding = Finding::new(code(&problem.obstacle), problem.obstacle.to_string())
            .file(problem.path.clone())
            .help(problem.obstacle.help());
        match &problem.obstacle {
            Obstacle::Edited(lost) => showing(lost, finding),
            _ => finding,
        }
    });
    Report {
        ok: false,
        results: vec![ReleaseResult {
            status: Status::Failed,
            findings: findings.collect(),
            ..ReleaseResult::new(of.0, of.1, COMMAND)
        }],
        ..Report::new(COMMAND)
    }
}

/// The finding with the block as it stands.
fn showing(lost: &LostBlock, finding: Finding) -> Finding {
    let line = lost.line as u64;
    finding.line(line).excerpt_from(line, lost.text.as_str())
}

/// The lines that a file has lost, or would lose, because it was asked for.
fn discarded(file: &FileReport) -> impl Iterator<Item = Finding> + '_ {
    file.lost.iter().map(|lost| {
        let obstacle = Obstacle::Edited(lost.clone());
        Finding::new(code(&obstacle), format!("{obstacle}, and is discarded"))
            .severity(Severity::Warning)
            .file(file.path.clone())
            .line(lost.line as u64)
            .excerpt(lost.text.as_str())
    })
}

/// A file with blocks that are not ours.
fn foreign(file: &ForeignBlocks) -> Finding {
    let message = match &file.blocks {
        Ok(blocks) => format!(
            "neither the lock nor the tree's record knows its blocks: {}",
            edits(blocks)
        ),
        Err(error) => format!("neither the lock nor the tree's record knows its markers: {error}"),
    };
    Finding::new(Code::ForeignBlock, message)
        .severity(Severity::Warning)
        .file(file.path.clone())
        .help("they were left as they are; remove them by hand if they are not wanted")
}

/// Returns a word for the file's change.
fn word(file: &FileReport, mode: Mode, dry_run: bool) -> &'static str {
    match (mode, file.goal) {
        (Mode::Check, _) => file.was.word(),
        _ if !file.differs => "unchanged",
        (_, Goal::Applied) if dry_run => "would patch",
        (_, Goal::Clean) if dry_run => "would restore",
        (_, Goal::Applied) => "patched",
        (_, Goal::Clean) => "restored",
    }
}

fn edits(blocks: &[Block]) -> String {
    let edits: Vec<String> = blocks.iter().map(|it| it.edit.to_string()).collect();
    edits.join(", ")
}

fn describe(file: &FileReport) -> String {
    match &file.was {
        FileState::Stale { blocks } => format!("{} (it had {})", file.path, edits(blocks)),
        _ => file.path.clone(),
    }
}

/// Returns the finding of `--check` for a file that differs from the lock.
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
            let edits = edits(blocks);
            let message = if file.listed {
                format!("its blocks are not the lock's: it has {edits}")
            } else {
                format!("it has blocks of an overlay that the pin does not carry: {edits}")
            };
            match file.lost.first() {
                None => (Code::StaleTree, message, apply),
                Some(lost) => {
                    let lost = Obstacle::Edited(lost.clone());
                    let message = format!("{message}; {lost}");
                    (Code::StaleTree, message, Some(lost.help()))
                }
            }
        }
        FileState::Foreign(foreign) => obstacle(Obstacle::Foreign(foreign.clone())),
        FileState::Broken(error) => obstacle(Obstacle::Broken(error.clone())),
        FileState::Missing => obstacle(Obstacle::Missing),
    };
    let finding = Finding::new(code, message)
        .file(file.path.clone())
        .help(help);
    Some(match file.lost.first() {
        Some(lost) => showing(lost, finding),
        None => finding,
    })
}

/// The stable code of what is wrong with a file of a tree.
fn code(obstacle: &Obstacle) -> Code {
    match obstacle {
        Obstacle::Escapes(_) => Code::PathLeavesTree,
        Obstacle::Missing => Code::FileMissing,
        Obstacle::Foreign(_) | Obstacle::NotRemovable => Code::ForeignTree,
        Obstacle::Broken(_) => Code::BrokenMarkers,
        Obstacle::Edited(lost) if lost.foreign => Code::ForeignBlock,
        Obstacle::Edited(_) => Code::EditedBlock,
        Obstacle::Symlink(_) => Code::SymlinkInTree,
        Obstacle::NotAFile { .. } => Code::NotAFile,
        Obstacle::TooLarge { .. } | Obstacle::Unreadable(_) => Code::FileUnreadable,
    }
}
