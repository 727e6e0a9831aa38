//! The upstream commits and file changes between the current pin and a bump's target, for the report.

use crate::patch::paths;
use crate::report::{Bump, BumpedFile, Distance, Error, Named, UpstreamCommit, UpstreamDid};
use crate::upstream::Found;
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
    if let Some(from) = bump.from.as_ref().map(|from| from.revision.clone()) {
        bump.range_unknown = between(subject, &from, &mut bump).err();
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

/// Fills in the distance and the commits between. Gives the reason where they are not known.
fn between(subject: &Found, from: &str, bump: &mut Bump) -> Result<(), String> {
    let history = subject.source.history();
    let history = history.ok_or_else(|| format!("{} has no history", subject.source.name()))?;
    let why = |error: Error| error.to_string();
    let to = &subject.revision.commit;
    let (commits, files) = history.distance(from, to).map_err(why)?;
    let mut touching: Vec<UpstreamCommit> = Vec::new();
    for file in &bump.files {
        let path = file.path.as_str().into();
        for commit in history.touching(from, to, path).map_err(why)? {
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
    bump.range = Some(Distance { commits, files });
    bump.upstream_commits = touching;
    Ok(())
}
