//! The pending reviews on the terminal: upstream's code around each place, and the difference from the
//! pin before. None of it is written anywhere.

use similar::TextDiff;

use crate::report::{Code, Finding, ReleaseResult, Report, Status};
use crate::upstream::{Found, RevisionSpec, Upstream};
use crate::workspace::release_order;
use crate::workspace::snapshots::{Filed, Location, Part, Snapshot, State};

use super::pending_reviews::{Waiting, nothing_waits};
use super::snapshots::Snapshots;

/// Lines of a diff around a change.
const AROUND: usize = 3;

/// Everything needed to show the pending reviews.
struct Showing<'a> {
    snapshots: &'a Snapshots<'a>,
    upstream: Upstream,
    /// Upstream lines before and behind a place.
    lines: usize,
}

/// Adds a result for each snapshot that waits, with findings for each edit, and `lines` of upstream's code before and
/// behind its place.
pub(super) fn show(
    snapshots: &Snapshots<'_>,
    lines: usize,
    waiting: &[Waiting<'_>],
    report: &mut Report,
) {
    if waiting.is_empty() && report.findings.is_empty() {
        nothing_waits(report);
        return;
    }
    let workspace = snapshots.workspace;
    let showing = Showing {
        snapshots,
        upstream: workspace.upstream(true),
        lines,
    };
    for one in waiting {
        report.results.push(showing.result(one));
        report.next.push(format!(
            "what is right is accepted with `patchctl review --accept`, or `--accept OVERLAY/HUNK`; then `{}`. \
             `patchctl review --reject` gives it up",
            workspace.bump_command(&one.snapshot.release, &one.snapshot.commit)
        ));
    }
    report.next.dedup();
}

impl Showing<'_> {
    fn result(&self, one: &Waiting<'_>) -> ReleaseResult {
        let snapshot = one.snapshot;
        let mut findings: Vec<Finding> =
            one.problem(self.snapshots.workspace).into_iter().collect();
        let found = self
            .upstream
            .resolve(&RevisionSpec::Commit(snapshot.commit.clone()));
        if let Err(error) = &found {
            findings.push(
                Finding::new(
                    Code::UpstreamNotShown,
                    format!("upstream's code cannot be shown: {error}"),
                )
                .help(error.advice()),
            );
        }
        let before = self.before(snapshot);
        for (part, place) in one.parts() {
            findings.push(self.place(one, part, place, found.as_ref().ok()));
            findings.push(difference(snapshot, part, before));
        }
        let landed = one.parts().map(|(part, place)| {
            format!(
                "{}/{}: {}, line {} ({})",
                snapshot.overlay,
                part.name(),
                place.scope,
                place.line,
                place.variant
            )
        });
        ReleaseResult {
            status: Status::NeedsReview,
            landed: landed.collect(),
            findings,
            ..ReleaseResult::new(&snapshot.release, &snapshot.commit, "snapshot")
        }
    }

    /// Returns the finding that shows an edit's place with upstream's code around it.
    fn place(
        &self,
        one: &Waiting<'_>,
        part: &Part,
        place: &Location,
        found: Option<&Found>,
    ) -> Finding {
        let under = match place.preprocessor.as_slice() {
            [] => String::new(),
            some => format!(", under {}", some.join(", ")),
        };
        let code = found.and_then(|it| it.source.read(&it.revision, &place.file).ok().flatten());
        let code = code.map(|blob| String::from_utf8_lossy(&blob.bytes).into_owned());
        let above = place.line as usize;
        let first = above.saturating_sub(self.lines).max(1);
        let count = above - first + self.lines;
        let lines = code.map(|code| {
            let lines = code.lines().skip(first - 1).take(count);
            lines.collect::<Vec<_>>().join("\n")
        });
        let lines = lines.filter(|lines| !lines.is_empty());
        Finding::new(Code::ReviewPlace, format!(
                "goes in above line {}, in {}{under}; nobody has reviewed it there (variant {}, shape {})",
                place.line, place.scope, place.variant, place.shape
            )).hunk(format!("{}/{}", one.snapshot.overlay, part.name())).file(place.file.as_str()).line(place.line).help(format!("patchctl review --accept {}", one.hunk(part))).excerpt_from(first as u64, lines)
    }

    /// The snapshot to compare with: this pin's own, else that of the nearest pin below, else above.
    fn before(&self, snapshot: &Snapshot) -> Option<&Snapshot> {
        let files = self.snapshots.files.iter();
        let accepted: Vec<&Snapshot> = files
            .filter(|file| file.state == State::Accepted && !file.awaits_bump())
            .filter_map(Filed::sound)
            .map(|(_, accepted)| accepted)
            .filter(|accepted| accepted.overlay == snapshot.overlay)
            .collect();
        let order = |one: &&&Snapshot| release_order(&one.release);
        let here = release_order(&snapshot.release);
        let below = accepted.iter().filter(|one| order(one) <= here);
        let above = accepted.iter().filter(|one| order(one) > here);
        let nearest = below.max_by_key(order).or(above.min_by_key(order));
        nearest.copied()
    }
}

/// Returns the finding that compares an edit with the same edit on the pin before.
fn difference(snapshot: &Snapshot, part: &Part, before: Option<&Snapshot>) -> Finding {
    let there = before.and_then(|before| Some((before, before.part(&part.name())?)));
    let (message, excerpt) = match there {
        None => (
            "no other pin has this edit; it is".to_owned(),
            Some(part.to_text(true)),
        ),
        Some((before, old)) if old.to_text(false) == part.to_text(false) => {
            let line = old.place.as_ref().map_or(0, |place| place.line);
            let message = format!(
                "does the same thing at the same code as on {}, there above line {line}",
                before.release
            );
            (message, None)
        }
        Some((before, old)) => {
            let (old, new) = (old.to_text(true), part.to_text(true));
            let diff = TextDiff::from_lines(old.as_str(), new.as_str());
            let hunks = diff.unified_diff().context_radius(AROUND).to_string();
            let message = format!("against {}:", before.release);
            (message, Some(hunks))
        }
    };
    Finding::new(Code::ReviewDifference, message)
        .hunk(format!("{}/{}", snapshot.overlay, part.name()))
        .excerpt(excerpt)
}
