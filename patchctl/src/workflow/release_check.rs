//! Releases that are newer than the current pin, and a trial landing of the hunks on each.

use semver::Version;

use super::merge_bases;
use super::workspace::Workspace;
use crate::report::{Error, Exit, NotRun, ReleaseResult, Report, Status, counted, short};
use crate::upstream::{Listed, RevisionSpec};
use crate::workspace::release_order;

/// Fills the report: a step a newer release, a result each after those of the pins. Gives [`Exit::Check`] where
/// one of them does not take every hunk as it is.
///
/// # Errors
/// When a source that had answered cannot be read.
pub(super) fn look(workspace: &Workspace<'_>, report: &mut Report) -> Result<Exit, Error> {
    // The cache is no witness of what is new.
    let upstream = workspace.upstream(false);
    let listed = match upstream.list() {
        Ok(listed) => listed,
        Err(error) => {
            report.not_run.push(not_run("upstream", &error));
            return Ok(Exit::Surroundings);
        }
    };
    report.not_run.extend(passed_over(&listed.passed_over));
    let Some(newer) = newer_than_current(workspace, &listed, report) else {
        return Ok(Exit::Success);
    };
    let specs: Vec<RevisionSpec> = newer.iter().cloned().map(RevisionSpec::Release).collect();
    let mut subjects = Vec::new();
    let mut exit = Exit::Success;
    for (release, found) in newer.iter().zip(upstream.resolve_all(&specs)) {
        match found {
            Ok(found) => subjects.push(found),
            Err(error) => {
                report.step("newer", format!("{release}: not looked at"));
                let name = release.to_string();
                report.not_run.push(not_run(&name, &error));
                // A moved tag is upstream's fault, the rest the surroundings'.
                exit = exit.and(error.exit());
            }
        }
    }
    let (outcomes, lost) = merge_bases::locate(workspace, &subjects, &|_| false)?;
    for mut outcome in outcomes.into_iter().rev() {
        exit = exit.and(lost.note(&mut outcome));
        let result = outcome.result;
        report.step("newer", told(&result));
        let lands = !matches!(result.status, Status::Failed | Status::NeedsReview);
        exit = exit.and(Exit::of_check(lands));
        report.results.push(result);
    }
    if let Some(newest) = newer.last() {
        report.next.push(format!("patchctl bump --mlx {newest}"));
    }
    Ok(exit)
}

/// The releases after the current pin's that are not pinned, and a step that says how many there are.
fn newer_than_current(
    workspace: &Workspace<'_>,
    listed: &Listed,
    report: &mut Report,
) -> Option<Vec<Version>> {
    let newest = match listed.releases.last() {
        Some(newest) => format!("the newest is {newest}"),
        None => "there is none".to_owned(),
    };
    let name = listed.source.name();
    let by = match workspace.context.offline {
        true => format!("{name}, as this machine has it (--offline)"),
        false => name,
    };
    let Some(current) = workspace.pins.current() else {
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
        workspace
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
    let commit = short(&result.revision);
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

/// Sources that could not be asked, and may know of newer releases.
pub(super) fn passed_over(sources: &[Error]) -> impl Iterator<Item = NotRun> {
    let not_run = |error: &Error| not_run("upstream", error);
    sources.iter().map(not_run)
}

fn not_run(what: &str, error: &Error) -> NotRun {
    let help = error.advice().map(str::to_owned);
    NotRun::new(what, error.to_string(), help)
}
