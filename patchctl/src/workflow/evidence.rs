//! The measurements that the overlays name, compared with the current pin.

use super::workspace::Workspace;
use crate::overlay::{Evidence, Overlay};
use crate::report::{Code, Finding, Report};
use crate::workspace::{Pin, release_order};

/// A step for each record, a warning for each that is not there, and a note for each overlay whose newest
/// measurement is not of the current pin.
pub(super) fn tell(workspace: &Workspace<'_>, report: &mut Report) {
    for overlay in workspace.overlays.as_slice() {
        for evidence in &overlay.evidence {
            report.step("evidence", told(overlay, evidence));
            if !workspace.root.join(&evidence.record).is_file() {
                report.findings.push(missing(workspace, overlay, evidence));
            }
        }
        if let Some(pin) = workspace.pins.current()
            && is_behind(overlay, pin)
        {
            report.findings.push(behind(workspace, overlay, pin));
        }
    }
}

/// `budget: docs/measurements.md, on 0.32.2: tokens/s on an M3 Ultra`.
fn told(overlay: &Overlay, evidence: &Evidence) -> String {
    let on = match &evidence.mlx {
        Some(release) => format!("on {release}"),
        None => "release not recorded".to_owned(),
    };
    let place = evidence.place();
    format!("{}: {place}, {on}: {}", overlay.id, evidence.what)
}

/// Returns true if nothing was measured on the pin's release or a later one. An overlay that does not claim the pin, or
/// names no record, has nothing to be behind with.
fn is_behind(overlay: &Overlay, pin: &Pin) -> bool {
    let order = release_order(&pin.release);
    let claims = order
        .as_ref()
        .is_some_and(|(release, _)| overlay.claims(release));
    let mut measured = overlay.evidence.iter().filter_map(|it| it.mlx.as_ref());
    claims
        && !overlay.evidence.is_empty()
        && !measured.any(|release| Some((release.clone(), 0)) >= order)
}

fn behind(workspace: &Workspace<'_>, overlay: &Overlay, pin: &Pin) -> Finding {
    let newest = overlay.evidence.iter().max_by_key(|it| it.mlx.as_ref());
    let (on, record) = match newest {
        Some(Evidence { mlx: Some(on), .. }) => (on.to_string(), newest),
        _ => ("a release that its record does not name".to_owned(), newest),
    };
    let record = record.map_or(String::new(), |it| format!(" ({})", it.place()));
    Finding::new(
        Code::EvidenceBehind,
        format!(
            "what `{}` does was last measured on {on}{record}; the current pin is {}",
            overlay.id, pin.release
        ),
    )
    .file(workspace.overlay_file(&overlay.id))
    .help(format!(
        "measure it again on {}, and add the record to the overlay's `evidence`",
        pin.release
    ))
}

fn missing(workspace: &Workspace<'_>, overlay: &Overlay, evidence: &Evidence) -> Finding {
    Finding::new(
        Code::EvidenceMissing,
        format!("the record {} is not there", evidence.record),
    )
    .file(workspace.overlay_file(&overlay.id))
    .help("correct the path, which is from the repository's root")
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::overlay::load;

    fn overlay(keys: &str) -> Overlay {
        let text = format!(
            "schema: 1\noverlay: x\ntitle: t\nwhy: w\nfile: a.cpp\n{keys}\nhunks:\n  - id: h\n    edits:\n      \
             - {{ at: {{ function: f, position: before }}, insert: \"int a;\\n\" }}\n"
        );
        load(Utf8Path::new("x.yaml"), text.as_bytes()).unwrap()
    }

    fn on(releases: &[&str]) -> Overlay {
        let one = |mlx: &&str| format!("{{ record: r.md, {mlx} what: w }}");
        let list: Vec<String> = releases.iter().map(one).collect();
        overlay(&format!("evidence: [{}]", list.join(", ")))
    }

    fn pin(release: &str) -> Pin {
        Pin {
            release: release.to_owned(),
            revision: String::new(),
        }
    }

    #[test]
    fn evidence_of_older_releases_is_behind() {
        for (releases, current, behind) in [
            (&["mlx: 1.0.0,"][..], "1.0.0", false),
            (&["mlx: 1.0.0,"], "1.0.1", true),
            (&["mlx: 1.0.1,"], "1.0.0", false),
            (&["mlx: 1.0.0,", "mlx: 1.0.1,"], "1.0.1", false),
            (&["mlx: 1.0.0,", ""], "1.0.1", true),
            (&[""], "1.0.0", true),
            (&[], "1.0.0", false),
            (&["mlx: 1.0.0,"], "v1.0.0-3-gabcdef1", true),
        ] {
            let what = format!("{releases:?} {current}");
            assert_eq!(is_behind(&on(releases), &pin(current)), behind, "{what}");
        }
        let unclaimed = "releases: '<1'\nevidence: [{ record: r.md, mlx: 0.9.0, what: w }]";
        assert!(!is_behind(&overlay(unclaimed), &pin("1.0.0")));
    }
}
