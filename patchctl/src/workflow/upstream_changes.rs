//! The upstream commits and file changes between the current pin and a bump's target, for the report.

use crate::patch::paths;
use crate::report::{Bump, BumpedFile, Distance, Named, UpstreamCommit, UpstreamDid};
use crate::upstream::{Found, SourceError};
use crate::verify::Outcome;

use super::workspace::Workspace;

/// From the current pin to `subject`. What its source cannot tell is said to be unknown: a report fails no bump.
pub(super) fn moved(workspace: &Workspace<'_>, subject: &Found, outcome: &Outcome) -> Bump {
    let from = workspace.pins.current().map(|pin| Named {
        release: pin.release.clone(),
        revision: pin.revision.clone(),
    });
    let mut bump = Bump {
        to: Named {
            release: outcome.result.release.clone(),
            revision: subject.revision.commit.clone(),
        },
        range: None,
        range_unknown: None,
        files: files(workspace, subject, outcome),
        upstream_commits: Vec::new(),
        from,
    };
    if let Some(from) = bump.from.clone() {
        match between(subject, &from.revision, &bump.files) {
            Ok(Some((range, commits))) => {
                bump.range = Some(range);
                bump.upstream_commits = commits;
            }
            Ok(None) => {
                bump.range_unknown = Some(format!("{} has no history", subject.source.name()));
            }
            Err(error) => bump.range_unknown = Some(error.to_string()),
        }
    }
    bump
}

fn files(workspace: &Workspace<'_>, subject: &Found, outcome: &Outcome) -> Vec<BumpedFile> {
    let current = workspace.current();
    let paths = paths(workspace.overlays.as_slice());
    let files = paths.into_iter().map(|path| {
        let locked = current.and_then(|pin| pin.files.iter().find(|file| file.path == path));
        let now = subject.source.blob_id(&subject.revision, &path);
        let upstream = match (locked, now) {
            (_, Err(_)) => UpstreamDid::NotKnown,
            (_, Ok(None)) => UpstreamDid::Removed,
            (None, Ok(Some(_))) => UpstreamDid::New,
            (Some(locked), Ok(Some(now))) if locked.before == now => UpstreamDid::Nothing,
            (Some(_), Ok(Some(_))) => UpstreamDid::Changed,
        };
        let landings = outcome.landings.iter();
        BumpedFile {
            edits: landings.filter(|(it, _)| it.file == path).count(),
            path: path.into_string(),
            upstream,
        }
    });
    files.collect()
}

type Between = (Distance, Vec<UpstreamCommit>);

fn between(
    subject: &Found,
    from: &str,
    files: &[BumpedFile],
) -> Result<Option<Between>, SourceError> {
    let Some(history) = subject.source.history() else {
        return Ok(None);
    };
    let to = &subject.revision.commit;
    let (commits, changed) = history.distance(from, to)?;
    let mut touching: Vec<UpstreamCommit> = Vec::new();
    for file in files {
        for commit in history.touching(from, to, file.path.as_str().into())? {
            match touching.iter_mut().find(|it| it.revision == commit.commit) {
                Some(known) => known.files.push(file.path.clone()),
                None => touching.push(UpstreamCommit {
                    revision: commit.commit,
                    described: commit.described,
                    subject: commit.subject,
                    files: vec![file.path.clone()],
                }),
            }
        }
    }
    let range = Distance {
        commits,
        files: changed,
    };
    Ok(Some((range, touching)))
}
