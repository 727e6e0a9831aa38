//! A bump's steps in words, a line each.

use std::fmt::Write;

use patchctl_apply::{LockedPin, Proven};

use crate::patch::Verdict;
use crate::report::{Code, Finding, Proof, Status, counted, short};
use crate::upstream::Found;
use crate::verify::run::suite_digest;
use crate::verify::{Level, Outcome};

pub(super) fn resolved(found: &Found) -> String {
    let revision = &found.revision;
    let mut what = format!(
        "{} ({}) from {}",
        revision.described,
        short(&revision.commit),
        found.source.name()
    );
    for error in &found.passed_over {
        let _ = write!(what, "; {error}");
    }
    what
}

pub(super) fn carried(outcome: &Outcome) -> String {
    let edits = outcome.landings.len();
    let files = outcome.files.len();
    match outcome.result.status {
        Status::Unsupported => "no overlay claims this release".to_owned(),
        Status::Failed => format!("{} found, others not", counted(edits, "place")),
        _ => format!(
            "{} of {} into {}",
            counted(edits, "edit"),
            counted(outcome.overlays.len(), "overlay"),
            counted(files, "file")
        ),
    }
}

pub(super) fn proved(outcome: &Outcome) -> String {
    let some = |wanted: fn(&Verdict) -> bool| {
        let verdicts = outcome.landings.iter().map(|(_, verdict)| verdict);
        Some(verdicts.filter(|it| wanted(it)).count()).filter(|count| *count > 0)
    };
    let parts = [
        some(|it| *it == Verdict::Reviewed)
            .map(|count| format!("{} of a reviewed shape", counted(count, "landing"))),
        some(|it| matches!(it, Verdict::Merged(_)))
            .map(|count| format!("{count} confirmed by a three-way merge")),
        some(|it| *it == Verdict::Locked).map(|count| format!("{count} as the lock has them")),
        some(|it| !it.is_accepted()).map(|count| format!("{count} to be reviewed")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match (parts.is_empty(), outcome.result.status) {
        (true, _) => "nothing".to_owned(),
        (false, Status::Failed) => format!("structure fails: {}", parts.join(", ")),
        (false, _) => format!("structure: {}", parts.join(", ")),
    }
}

/// Returns the proofs of a release, for the report.
pub(super) fn proofs(release: &str, proven: &[Proven]) -> impl Iterator<Item = Proof> {
    let suite = suite_digest();
    proven.iter().map(move |proven| Proof {
        release: release.to_owned(),
        level: proven.level.clone(),
        host: proven.host.clone(),
        by: proven.by.clone(),
        suite: proven.suite.clone(),
        older_suite: Level::named(&proven.level) >= Some(Level::Run)
            && proven.suite.as_ref() != Some(&suite),
    })
}

/// Returns the finding of a pin that was proven to a higher level before it was locked anew.
pub(super) fn proof_lowered(pin: &LockedPin) -> Option<Finding> {
    let lost = pin.lowered_from.as_ref()?;
    let reached = pin.proven.last().map_or("none", |proven| &proven.level);
    let message = format!(
        "{} was locked at level {lost}; what is locked now is proven to level {reached}",
        pin.release
    );
    let finding = Finding::new(Code::ProofLowered, message).help(format!(
        "prove it where the tools are: patchctl bump --mlx {} --level {lost}",
        pin.release
    ));
    Some(finding)
}

/// Operating system and processor, as the lock names a kind of host.
pub(super) fn host_kind() -> String {
    let processor = match std::env::consts::ARCH {
        "aarch64" => "arm64",
        other => other,
    };
    format!("{}-{processor}", std::env::consts::OS)
}
