//! The repository's own checks: `verify --check` runs one and records what it gave; `verify` and `status` report
//! what is recorded, and `status --require` asks for it.

use camino::Utf8PathBuf;

use crate::report::{
    Check, Code, Error, Exit, Finding, NotRun, Proof, Report, Status, counted, short,
};
use crate::upstream::Working;
use crate::verify::custom_check::{self, Ran};
use crate::workspace::{CHECKS_FOLDER, CheckRecord, CheckedOn, OwnCheck, Transaction};
use crate::yaml::closest;

use super::step_text::host_kind;
use super::workspace::Workspace;
use super::write_session::write;
use super::{Context, Output};

/// Lines of a failed check's output that are shown.
const SHOWN: usize = 40;

/// Runs the check `name` in the root, and records what it gave for the current pin and the overlays.
///
/// # Errors
/// When there is no report to give: no such check, no pin, files that cannot be read or written.
pub(crate) fn run(name: &str, context: &Context) -> Result<Output, Error> {
    let workspace = Workspace::open(context)?;
    let check = find(&workspace, name)?;
    let mut report = Report::new("verify");
    if workspace.pins.current().is_none() {
        return Err(
            Error::usage("there is no current pin that a check could be recorded for")
                .help("make one with `patchctl bump --mlx V`"),
        );
    }
    report.findings.extend(workspace.interrupted()?);
    let Some(on) = checked_on(&workspace).filter(|_| report.findings.is_empty()) else {
        report.findings.extend(workspace.agreement().findings());
        report
            .not_run
            .push(not_run(&workspace, check, DISAGREE.to_owned()));
        return Ok(Output::ending(report, Exit::Check));
    };
    let host = host_kind();
    if let Some(needs) = check.needs.filter(|needs| !needs.allows(&host)) {
        let why = format!("it needs {needs}, this is {host}");
        report.not_run.push(not_run(&workspace, check, why));
        return Ok(Output::ending(report, Exit::Surroundings));
    }
    report.step("check", format!("{name}: {}", check.command));
    let ran = {
        let working = Working::on(&context.progress, &format!("check {name}"));
        let words = check.command.words();
        let mut on_line = |line: &str| working.step(line);
        custom_check::run(&words, &workspace.root, check.count.as_ref(), &mut on_line)
    };
    let ran = match ran {
        Ok(ran) => ran,
        Err(error) => {
            report.checks.push(not_started(check, &error));
            return Ok(Output::ending(report, Exit::Surroundings));
        }
    };
    let record = CheckRecord {
        schema: 1,
        check: name.to_owned(),
        passed: ran.failure().is_none(),
        tests: ran.tests,
        on,
        command: check.command.clone(),
        by: format!("patchctl {}", env!("CARGO_PKG_VERSION")),
        host,
    };
    let mut exit = Exit::of_check(record.passed);
    let mut row = row(&record);
    row.findings.extend(failed(check, &ran));
    report.checks.push(row);
    report.proven.extend(proof(&record));
    exit = exit.and(keep(&record, check, context, &mut report)?);
    Ok(Output::ending(report, exit))
}

/// Writes the record, unless what it is about has changed while the check ran.
fn keep(
    record: &CheckRecord,
    check: &OwnCheck,
    context: &Context,
    report: &mut Report,
) -> Result<Exit, Error> {
    let words = format!("verify --check {}", record.check);
    let mut exit = Exit::Success;
    write(context, &words, false, report, |workspace, report| {
        let same = checked_on(workspace).as_ref() == Some(&record.on)
            && workspace.config.checks.contains(check);
        if !same {
            let message = format!(
                "the pin, an overlay or the check changed while `{}` ran, so nothing was recorded",
                record.check
            );
            let help = format!("run it again: patchctl {words}");
            report
                .findings
                .push(Finding::new(Code::CheckOvertaken, message).help(help));
            exit = Exit::Check;
            return Ok(None);
        }
        let path = workspace.folder().join(record.path());
        let mut transaction = Transaction::new(words.clone(), path.clone());
        transaction.record(path, record.clone());
        Ok(Some(transaction))
    })?;
    Ok(exit)
}

/// Puts every own check into the report: as it is recorded for the current pin and the overlays as they are, else
/// as not run. Gives [`Exit::Check`] where one is recorded as failed.
///
/// # Errors
/// When a record cannot be read.
pub(super) fn standing(workspace: &Workspace<'_>, report: &mut Report) -> Result<Exit, Error> {
    let mut exit = Exit::Success;
    report.findings.extend(retired(workspace)?);
    if workspace.config.checks.is_empty() || workspace.pins.current().is_none() {
        return Ok(exit);
    }
    let on = checked_on(workspace);
    for check in &workspace.config.checks {
        let (records, why) = recorded(workspace, check, on.as_ref())?;
        if records.is_empty() {
            report.not_run.push(not_run(workspace, check, why));
        }
        for record in &records {
            report.checks.push(row(record));
            report.proven.extend(proof(record));
            if !record.passed {
                exit = Exit::Check;
            }
        }
    }
    Ok(exit)
}

/// A note for each record of a check that is no longer there.
fn retired(workspace: &Workspace<'_>) -> Result<Vec<Finding>, Error> {
    let files = CheckRecord::files(&workspace.root, workspace.folder())?;
    let known = |name: &str| workspace.config.checks.iter().any(|it| it.name == name);
    let retired = files.into_iter().filter(|(check, ..)| !known(check));
    let findings = retired.map(|(check, _, file)| {
        let message = format!("patchctl.yaml has no check `{check}`, of which this is a record");
        Finding::new(Code::CheckRetired, message)
            .file(file.into_string())
            .help("delete it")
    });
    Ok(findings.collect())
}

/// Gives a finding for each of the checks `names` that is not recorded as passed for the current pin and the
/// overlays as they are.
///
/// # Errors
/// When there is no such check, and when a record cannot be read.
pub(super) fn require(workspace: &Workspace<'_>, names: &[String]) -> Result<Vec<Finding>, Error> {
    let on = checked_on(workspace);
    let release = workspace.pins.current_release().unwrap_or("any pin");
    let mut findings = Vec::new();
    for name in names {
        let check = find(workspace, name)?;
        let (records, why) = recorded(workspace, check, on.as_ref())?;
        let why = match records.iter().find(|record| !record.passed) {
            Some(failed) => format!("it failed on {}", failed.host),
            None if records.is_empty() => why,
            None => continue,
        };
        findings.push(
            Finding::new(
                Code::CheckRequired,
                format!(
                    "`{name}` has not passed for {release} with the overlays as they are: {why}"
                ),
            )
            .file(crate::workspace::CONFIG_FILE.to_owned())
            .help(how_to_get(workspace, check)),
        );
    }
    Ok(findings)
}

fn find<'p>(workspace: &'p Workspace<'_>, name: &str) -> Result<&'p OwnCheck, Error> {
    let checks = &workspace.config.checks;
    let names: Vec<&str> = checks.iter().map(|check| check.name.as_str()).collect();
    checks
        .iter()
        .find(|check| check.name == name)
        .ok_or_else(|| {
            let help = match (closest(name, names.iter().copied()), names.as_slice()) {
                (_, []) => "patchctl.yaml has no `checks:`".to_owned(),
                (Some(near), _) => {
                    format!("did you mean `{near}`? The checks: {}", names.join(", "))
                }
                (None, _) => format!("the checks: {}", names.join(", ")),
            };
            Error::usage(format!("there is no check `{name}`")).help(help)
        })
}

const DISAGREE: &str = "pins, lock and overlays do not agree";

/// Returns the pin and overlays that a check is run for now; `None` if the repository's files disagree.
fn checked_on(workspace: &Workspace<'_>) -> Option<CheckedOn> {
    let locked = workspace.locked(workspace.pins.current_release()?)?;
    let agreement = workspace.agreement();
    let agrees =
        agreement.pins_and_lock().is_empty() && agreement.lock_and_overlays(locked).is_empty();
    agrees.then(|| locked.into())
}

/// Looks the records of a check up that are for `on`, as the check is now; where there is none, gives the reason.
fn recorded(
    workspace: &Workspace<'_>,
    check: &OwnCheck,
    on: Option<&CheckedOn>,
) -> Result<(Vec<CheckRecord>, String), Error> {
    let Some(on) = on else {
        return Ok((Vec::new(), DISAGREE.to_owned()));
    };
    let mut why = "it has not been run".to_owned();
    let mut records = CheckRecord::load(&workspace.root, workspace.folder(), &check.name)?;
    records.retain(|record| match record.outdated(check, on) {
        None => true,
        Some(outdated) => {
            why = outdated;
            false
        }
    });
    Ok((records, why))
}

fn not_run(workspace: &Workspace<'_>, check: &OwnCheck, why: String) -> NotRun {
    let help = match why == DISAGREE {
        true => "`patchctl status --check` says what to do".to_owned(),
        false => how_to_get(workspace, check),
    };
    NotRun::new(&check.name, why, Some(help))
}

fn how_to_get(workspace: &Workspace<'_>, check: &OwnCheck) -> String {
    let command = format!("patchctl verify --check {}", check.name);
    match check.needs {
        Some(needs) => format!(
            "run `{command}` on {needs}, and bring its record here: {}/{CHECKS_FOLDER}/{}.*.yaml",
            workspace.folder(),
            check.name
        ),
        None => format!("run `{command}`"),
    }
}

/// `128 tests on macos-arm64, for 0.32.2 (1f8e74e3f12f)`.
fn row(record: &CheckRecord) -> Check {
    let tests = match record.tests {
        Some(tests) => format!("{} ", counted(tests as usize, "test")),
        None => String::new(),
    };
    let commit = short(&record.on.revision);
    Check {
        name: record.check.clone(),
        status: match record.passed {
            true => Status::Passed,
            false => Status::Failed,
        },
        what: format!(
            "{tests}on {}, for {} ({commit})",
            record.host, record.on.release
        ),
        findings: Vec::new(),
    }
}

fn proof(record: &CheckRecord) -> Option<Proof> {
    record.passed.then(|| Proof {
        release: record.on.release.clone(),
        level: record.check.clone(),
        host: record.host.clone(),
        by: record.by.clone(),
        suite: None,
        older_suite: false,
    })
}

fn failed(check: &OwnCheck, ran: &Ran) -> Option<Finding> {
    let failure = ran.failure()?;
    let shown = &ran.last[ran.last.len().saturating_sub(SHOWN)..];
    let code = match ran.status.success() {
        true => Code::CheckRanNothing,
        false => Code::CheckFailed,
    };
    Some(Finding::new(code, format!("`{}` {failure}", check.name)).help(match (ran.status.success(), &check.count) {
            (true, Some(count)) => format!(
                "`{count}` found no test in what it printed: see that the tests are built, and that the pattern is theirs"
            ),
            _ => format!("by itself, in the root: {}", check.command),
        }).excerpt(Some(shown.join("\n")).filter(|text| !text.is_empty())))
}

fn not_started(check: &OwnCheck, error: &std::io::Error) -> Check {
    let words = check.command.words();
    let program = Utf8PathBuf::from(words.first().copied().unwrap_or_default());
    Check {
        name: check.name.clone(),
        status: Status::NotRun,
        what: "could not be started".to_owned(),
        findings: vec![
            Finding::new(
                Code::CheckNotStarted,
                format!("`{program}` could not be started: {error}"),
            )
            .help("install it, or correct `command` in patchctl.yaml"),
        ],
    }
}
