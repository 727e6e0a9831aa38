//! The overlays' mutants, for `verify --mutants`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::progress::Progress;
use crate::report::{Code, Exit, Finding, MutantRow, ReleaseResult, Report, Status};
use crate::upstream::Working;
use crate::verify::mutants::{Mutant, Tried, mutants_of};
use crate::verify::verifier::Verifier;
use crate::verify::{Level, PatchedTree};

use super::build::metal;

/// Makes every fault in the overlays' own code, one at a time, and tells which check noticed each. The overlays have
/// passed level `run` as they are.
pub(super) fn try_all(
    verifier: &Verifier<'_>,
    tree: PatchedTree<'_>,
    progress: &Arc<dyn Progress>,
    result: &mut ReleaseResult,
    report: &mut Report,
) -> Exit {
    if metal::is_here() {
        let why = "mutants are tried on Linux, where the encoder is built apart from MLX";
        report.not_run_on(Level::Mutants.name(), why.to_owned(), None, &result.release);
        return Exit::Surroundings;
    }
    let tried = mutants_of(tree).and_then(|mutants| {
        let all = mutants.len();
        let what = format!("trying {all} mutants on {}", result.release);
        let working = Working::on(progress, &what);
        let done = AtomicUsize::new(0);
        let told = |_: &Tried<'_>| {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            working.step(&format!("{done} of {all}"));
        };
        let tried = verifier.trial(tree)?.run(&mutants, &told)?;
        Ok(tell(&tried, result, report))
    });
    tried.unwrap_or_else(|error| {
        let (why, level) = (error.to_string(), Level::Mutants.name());
        report.not_run_on(level, why, error.finding.help.clone(), &result.release);
        Exit::Surroundings
    })
}

fn tell(tried: &[Tried<'_>], result: &mut ReleaseResult, report: &mut Report) -> Exit {
    Level::Mutants.name().clone_into(&mut result.level);
    let mut exit = Exit::Success;
    for one in tried {
        report.mutants.push(row(one, &result.release));
        if one.detection.is_none() {
            result.findings.push(survived(one.mutant));
            result.status = Status::Failed;
            exit = Exit::Check;
        }
    }
    if exit == Exit::Success {
        let line = format!("{} faults in the overlays' code, each noticed", tried.len());
        result.shown.push(line);
    }
    exit
}

fn row(tried: &Tried<'_>, release: &str) -> MutantRow {
    let detection = tried.detection.as_ref();
    MutantRow {
        release: release.to_owned(),
        hunk: tried.mutant.place.clone(),
        line: tried.mutant.line.map(|line| line as u64),
        operator: tried.mutant.operator.to_owned(),
        what: tried.mutant.what.clone(),
        killer: detection.map(|one| one.check.to_owned()),
        scenario: detection.and_then(|one| one.scenario.clone()),
        how: detection.map(|one| one.how.clone()),
        milliseconds: tried.time.as_millis().try_into().unwrap_or(u64::MAX),
    }
}

fn survived(mutant: &Mutant) -> Finding {
    let at = mutant
        .line
        .map(|line| format!(", line {line} of its text"))
        .unwrap_or_default();
    let lines = |sign: char, text: &str| {
        let lines = text.lines().map(|line| format!("{sign} {line}\n"));
        lines.collect::<String>()
    };
    let changed = lines('-', &mutant.was) + &lines('+', &mutant.now);
    Finding::new(Code::MutantSurvived, format!(
            "nothing notices when {}{at}: it compiles, and passes every scenario and random sequence",
            mutant.what
        )).hunk(mutant.place.clone()).help("write a scenario that tells the two apart, or leave the code out if the overlay does not need it").excerpt((!changed.is_empty()).then(|| changed.trim_end().to_owned()))
}
