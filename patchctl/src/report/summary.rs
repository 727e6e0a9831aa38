//! The summary in one line.

use super::style::{DOUBTFUL, counted, once, paint, status_word, visible};
use super::{Finding, Report, Status};

/// `3 releases: 2 passed, 1 needs review; 1 check: 1 passed; not run: compile (clang is not installed)`, with
/// colours; nothing where there is nothing to count.
pub(super) fn summary_line(report: &Report) -> Option<String> {
    let mut parts = Vec::new();
    let results = report.results.iter().map(|result| result.status).collect();
    let checks = report.checks.iter().map(|check| check.status).collect();
    parts.extend(outcomes("release", results));
    parts.extend(outcomes("check", checks));
    if !report.not_run.is_empty() {
        parts.push(format!("not run: {}", not_run(report)));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The advice for what was not run, each once.
pub(super) fn advice(report: &Report) -> Vec<&String> {
    once(report.not_run.iter().filter_map(|it| it.help.as_ref()))
}

/// The outcome of the whole: the part that decided the exit status.
pub(super) fn verdict(report: &Report) -> Status {
    let results = report.results.iter().map(|result| result.status);
    let all: Vec<Status> = results
        .chain(report.checks.iter().map(|check| check.status))
        .collect();
    if report.ok {
        return Status::Passed;
    }
    if all.contains(&Status::Failed) || report.findings.iter().any(Finding::is_error) {
        return Status::Failed;
    }
    if all.contains(&Status::NeedsReview) {
        return Status::NeedsReview;
    }
    if all.contains(&Status::NotRun)
        || !report.not_run.is_empty() && !all.contains(&Status::Unsupported)
    {
        return Status::NotRun;
    }
    match all.contains(&Status::Unsupported) {
        true => Status::Unsupported,
        false => Status::Failed,
    }
}

/// `3 releases: 2 passed, 1 needs review`; nothing where there is none.
fn outcomes(noun: &str, statuses: Vec<Status>) -> Option<String> {
    let words = [
        Status::Passed,
        Status::NeedsReview,
        Status::Failed,
        Status::NotRun,
        Status::Unsupported,
    ];
    let words: Vec<String> = words
        .into_iter()
        .filter_map(|status| {
            let of_it = statuses.iter().filter(|one| **one == status).count();
            (of_it > 0).then(|| {
                let (word, style) = status_word(status);
                paint(style, format!("{of_it} {word}"))
            })
        })
        .collect();
    let count = counted(statuses.len(), noun);
    (!statuses.is_empty()).then(|| format!("{count}: {}", words.join(", ")))
}

/// The levels and checks that were not run, grouped by reason: `compile, run (clang is not installed)`.
fn not_run(report: &Report) -> String {
    type Because<'a> = (&'a str, &'a [String]);
    let mut reasons: Vec<(Because<'_>, Vec<&str>)> = Vec::new();
    for it in &report.not_run {
        let because = (&*it.why, &*it.on);
        match reasons.iter_mut().find(|(other, _)| *other == because) {
            Some((_, whats)) => whats.push(&it.what),
            None => reasons.push((because, vec![&it.what])),
        }
    }
    let texts = reasons.iter().map(|((why, on), whats)| {
        let whats = paint(DOUBTFUL, whats.join(", "));
        let on = match on.len() {
            some if some > 0 && some < report.results.len() => format!(" on {}", on.join(", ")),
            _ => String::new(),
        };
        format!("{whats}{} ({})", visible(&on), visible(why))
    });
    texts.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{NotRun, ReleaseResult};

    fn ended(ok: bool, statuses: &[Status], lacks_a_level: bool) -> Status {
        let result = |status: &Status| ReleaseResult {
            status: *status,
            landed: vec![],
            findings: vec![],
            ..ReleaseResult::new("1.0.0", "", "run")
        };
        let mut report = Report {
            ok,
            results: statuses.iter().map(result).collect(),
            ..Report::new("verify")
        };
        report.not_run.extend(lacks_a_level.then(|| NotRun {
            on: Vec::new(),
            what: "run".to_owned(),
            why: "no clang".to_owned(),
            help: None,
        }));
        verdict(&report)
    }

    #[test]
    fn the_worst_that_was_found_names_the_end() {
        use Status::{Failed, NeedsReview, NotRun, Passed, Unsupported};
        assert_eq!(ended(true, &[Passed, NotRun], true), Passed);
        assert_eq!(ended(false, &[Passed, NeedsReview, Failed], true), Failed);
        assert_eq!(ended(false, &[Passed, NeedsReview], true), NeedsReview);
        assert_eq!(ended(false, &[Passed], true), NotRun);
        assert_eq!(ended(false, &[Passed, NotRun], false), NotRun);
        assert_eq!(ended(false, &[Unsupported], true), Unsupported);
        assert_eq!(ended(false, &[], false), Failed);
    }
}
