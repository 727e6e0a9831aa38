//! Releases that are newer than the current pin, and a trial landing of the hunks on each.

use semver::Version;

use super::project::Project;
use super::{Context, WorkflowError, merge_bases};
use crate::report::Exit;
use crate::report::counted;
use crate::report::{NotRun, ReleaseResult, Report, Status};
use crate::upstream::{Listed, RevisionSpec, SourceError, UpstreamError};
use crate::workspace::release_order;

/// Fills the report: a step a newer release, a result each after those of the pins. Gives [`Exit::Check`] where
/// one of them does not take every hunk as it is.
///
/// # Errors
/// When a source that had answered cannot be read.
pub(super) fn look(
    project: &Project,
    context: &Context,
    report: &mut Report,
) -> Result<Exit, WorkflowError> {
    // The cache is no witness of what is new.
    let upstream = project.upstream(context, false);
    let listed = match upstream.list() {
        Ok(listed) => listed,
        Err(error) => {
            report.not_run.push(not_run("upstream", &error));
            return Ok(Exit::Surroundings);
        }
    };
    report
        .not_run
        .extend(listed.passed_over.iter().map(passed_over));
    let Some(newer) = newer_than_current(project, &listed, context, report) else {
        return Ok(Exit::Success);
    };
    let specs: Vec<RevisionSpec> = newer.iter().cloned().map(RevisionSpec::Release).collect();
    let mut subjects = Vec::new();
    let mut exit = Exit::Success;
    for (release, found) in newer.iter().zip(upstream.resolve_all(&specs)) {
        match found {
            Ok(found) => subjects.push(found),
            Err(error) => exit = exit.and(not_brought(report, release, &error)),
        }
    }
    let located = merge_bases::locate(project, context, &subjects, &|_| false)?;
    let mut outcomes: Vec<_> = located.outcomes.iter().collect();
    outcomes.reverse();
    for outcome in outcomes {
        let mut result = outcome.result.clone();
        let lost = located.lost(outcome);
        if !lost.is_empty() {
            exit = exit.and(Exit::Surroundings);
        }
        result.findings.extend(lost);
        report.step("newer", told(&result));
        if matches!(result.status, Status::Failed | Status::NeedsReview) {
            exit = exit.and(Exit::Check);
        }
        report.results.push(result);
    }
    if let Some(newest) = newer.last() {
        report.next.push(format!("patchctl bump --mlx {newest}"));
    }
    Ok(exit)
}

/// The releases after the current pin's that are not pinned, and a step that says how many there are.
fn newer_than_current(
    project: &Project,
    listed: &Listed,
    context: &Context,
    report: &mut Report,
) -> Option<Vec<Version>> {
    let newest = match listed.releases.last() {
        Some(newest) => format!("the newest is {newest}"),
        None => "there is none".to_owned(),
    };
    let name = listed.source.name();
    let by = match context.offline {
        true => format!("{name}, as this machine has it (--offline)"),
        false => name,
    };
    let Some(current) = project.pins.current() else {
        report.step(
            "upstream",
            format!("nothing is pinned to compare with; {newest}, says {by}"),
        );
        return None;
    };
    let order = release_order(&current.release);
    let later = |release: &&Version| order < Some(((*release).clone(), 0));
    let later = listed.releases.iter().filter(later).cloned();
    // A pin has its result already, and `verify --all-pins`.
    let pinned = |release: &Version| {
        project
            .pins
            .all()
            .iter()
            .any(|pin| pin.version().as_ref() == Some(release))
    };
    let (pinned, newer): (Vec<Version>, Vec<Version>) = later.partition(pinned);
    let what = match newer.len() {
        0 => format!("no release is newer than {}", current.release),
        count => format!(
            "{} newer than {}",
            counted(count, "release"),
            current.release
        ),
    };
    let besides = match pinned.len() {
        0 => String::new(),
        count => format!(", {count} more pinned already"),
    };
    report.step("upstream", format!("{what}{besides}; {newest}, says {by}"));
    Some(newer)
}

/// `0.32.4 (5a…): every hunk lands`.
fn told(result: &ReleaseResult) -> String {
    let commit = result.revision.get(..12).unwrap_or(&result.revision);
    let landed = counted(result.landed.len(), "edit");
    let open = counted(result.findings.len(), "finding");
    let what = match result.status {
        Status::Passed => format!("every hunk lands ({landed})"),
        Status::NeedsReview => format!("needs review ({landed}, {open})"),
        Status::Failed => format!("does not carry every hunk ({open})"),
        Status::Unsupported => "no overlay claims it".to_owned(),
        Status::NotRun => "not looked at".to_owned(),
    };
    format!("{} ({commit}): {what}", result.release)
}

/// A source that could not be asked, and may know of newer releases.
pub(super) fn passed_over(error: &SourceError) -> NotRun {
    NotRun::new(
        "upstream",
        error.to_string(),
        error.help().map(str::to_owned),
    )
}

/// A release that is listed and cannot be had: a moved tag is upstream's fault, the rest the surroundings'.
fn not_brought(report: &mut Report, release: &Version, error: &UpstreamError) -> Exit {
    report.step("newer", format!("{release}: not looked at"));
    report.not_run.push(not_run(&release.to_string(), error));
    match error.is_surroundings() {
        true => Exit::Surroundings,
        false => Exit::Check,
    }
}

fn not_run(what: &str, error: &UpstreamError) -> NotRun {
    NotRun::new(what, error.to_string(), error.help().map(str::to_owned))
}
