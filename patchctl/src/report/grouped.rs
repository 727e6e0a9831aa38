//! Each finding once: thirty releases that fail alike are one thing to mend.

use super::{Finding, Report, Severity, Status};

/// A finding, and where it holds.
pub(super) struct Grouped<'a> {
    pub finding: &'a Finding,
    /// The result's status, where that says more than the severity.
    pub status: Option<Status>,
    /// The releases that have it; none for a finding that is about no release.
    pub releases: Vec<&'a str>,
}

/// The findings of the results, then those of the checks, then the report's own.
pub(super) fn grouped(report: &Report) -> Vec<Grouped<'_>> {
    let mut seen: Vec<Grouped<'_>> = Vec::new();
    for result in &report.results {
        for finding in &result.findings {
            let status = telling(result.status, finding.severity);
            let known = seen
                .iter_mut()
                .find(|known| known.status == status && alike(known.finding, finding));
            match known {
                Some(known) => known.releases.push(&result.release),
                None => seen.push(Grouped {
                    finding,
                    status,
                    releases: vec![&result.release],
                }),
            }
        }
    }
    let of_no_release = |finding, status| Grouped {
        finding,
        status,
        releases: Vec::new(),
    };
    for check in &report.checks {
        let of_it = check.findings.iter();
        seen.extend(of_it.map(|it| of_no_release(it, telling(check.status, it.severity))));
    }
    seen.extend(report.findings.iter().map(|it| of_no_release(it, None)));
    seen
}

/// The same thing to mend, if perhaps on another line.
fn alike(one: &Finding, other: &Finding) -> bool {
    let anywhere = |finding: &Finding| Finding {
        line: None,
        excerpt_line: None,
        ..finding.clone()
    };
    anywhere(one) == anywhere(other)
}

/// An error where something needs review or was not run is no failure.
fn telling(status: Status, severity: Severity) -> Option<Status> {
    let says_more = matches!(status, Status::NeedsReview | Status::NotRun);
    (says_more && severity == Severity::Error).then_some(status)
}

/// The word that a finding begins with.
pub(super) fn word(grouped: &Grouped<'_>) -> Option<&'static str> {
    match grouped.status {
        Some(Status::NeedsReview) => Some("review"),
        Some(Status::NotRun) => Some("not run"),
        _ => None,
    }
}
