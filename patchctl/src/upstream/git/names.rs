//! From a name to a commit: tags, branches, abbreviated ids.

use std::collections::HashMap;

use git2::{ErrorCode, Oid};
use semver::Version;

use super::describe::cut_off;
use super::repo::Repo;
use super::store::Store;
use crate::upstream::spec::release_of_name;
use crate::upstream::{RevisionSpec, SourceError};

/// The target of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::upstream) struct Named {
    pub(in crate::upstream) commit: Oid,
    /// The tag, where it was one.
    pub(in crate::upstream) tag: Option<String>,
    /// A branch, which can move.
    pub(in crate::upstream) moving: bool,
}

/// The releases that tags name here, oldest first. Reads no object.
pub(super) fn releases(repo: Repo<'_>) -> Result<Vec<Version>, SourceError> {
    let names = all_tag_names(repo)?;
    Ok(releases_of(names.iter().map(String::as_str)))
}

/// The releases that tags' names stand for, oldest first, pre-releases and builds left out.
pub(super) fn releases_of<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Version> {
    let mut releases: Vec<_> = names.filter_map(release_of_name).filter(is_plain).collect();
    releases.sort();
    releases.dedup();
    releases
}

/// How a release's tag may be called, the likelier name first.
pub(super) fn tags_of(version: &Version) -> [String; 2] {
    [format!("v{version}"), version.to_string()]
}

/// Neither a pre-release nor a build of one's own.
pub(super) fn is_plain(version: &Version) -> bool {
    version.pre.is_empty() && version.build.is_empty()
}

fn all_tag_names(repo: Repo<'_>) -> Result<Vec<String>, SourceError> {
    let mut names = Vec::new();
    for reference in repo
        .git
        .references_glob("refs/tags/*")
        .map_err(|error| references_error(repo.store, &error))?
    {
        // A damaged one is passed over, as git does, until it is asked for; a name that is not UTF-8 is no release.
        if let Ok(reference) = reference
            && let Ok(name) = reference.shorthand()
        {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// Checks that every reference, and every commit at which a shallow history ends, leads to a commit that is here.
pub(super) fn check_references(store: &Store) -> Result<(), SourceError> {
    let failed = |error: git2::Error| references_error(store, &error);
    store.with(|repo| {
        let mut commits: Vec<Oid> = cut_off(repo.git).into_iter().collect();
        for reference in repo.git.references().map_err(failed)? {
            let target = reference
                .and_then(|it| it.resolve())
                .map_err(failed)?
                .target();
            if let Some(target) = target {
                commits.extend(repo.peel(target)?);
            }
        }
        commits
            .into_iter()
            .try_for_each(|commit| repo.commit(commit).map(|_| ()))
    })
}

/// Every commit that tags name, with the tags' names; annotated tags are followed to their commit.
pub(super) fn tagged_commits(repo: Repo<'_>) -> Result<HashMap<Oid, Vec<String>>, SourceError> {
    let failed = |error: git2::Error| references_error(repo.store, &error);
    let mut tagged: HashMap<Oid, Vec<String>> = HashMap::new();
    for reference in repo.git.references_glob("refs/tags/*").map_err(failed)? {
        let reference = reference.map_err(failed)?;
        // A tag of a tree or a blob, or one whose commit is not here, names no revision.
        let (Ok(commit), Ok(name)) = (reference.peel_to_commit(), reference.shorthand()) else {
            continue;
        };
        tagged.entry(commit.id()).or_default().push(name.to_owned());
    }
    Ok(tagged)
}

/// The commit that `wanted` names here, or what there is instead.
pub(in crate::upstream) fn find(
    repo: Repo<'_>,
    wanted: &RevisionSpec,
) -> Result<Named, SourceError> {
    let found = match wanted {
        RevisionSpec::Release(version) => find_release(repo, version)?,
        RevisionSpec::Latest => match releases(repo)?.last() {
            Some(newest) => find_release(repo, newest)?,
            None => None,
        },
        RevisionSpec::Commit(hex) => match find_commit(repo, hex)? {
            Some(commit) => Some(Named {
                commit,
                tag: None,
                moving: false,
            }),
            // `abcdef1` may be a branch's name.
            None => find_name(repo, hex)?,
        },
        RevisionSpec::Name(name) => find_name(repo, name)?,
    };
    match found {
        Some(found) => Ok(found),
        None => Err(SourceError::NotThere {
            source_name: repo.store.source().into(),
            wanted: wanted.to_string(),
            has: has(repo)?,
        }),
    }
}

/// Returns true if the release has a tag here, and HEAD is another commit.
pub(in crate::upstream) fn tag_elsewhere(
    store: &Store,
    version: &Version,
) -> Result<bool, SourceError> {
    store.with(|repo| {
        let tagged = find_release(repo, version)?;
        let head = find_reference(repo, "HEAD")?;
        Ok(tagged.is_some_and(|tagged| Some(tagged.commit) != head))
    })
}

/// A few of the releases, newest first.
fn has(repo: Repo<'_>) -> Result<String, SourceError> {
    let releases = releases(repo)?;
    if releases.is_empty() {
        let empty = repo
            .git
            .references()
            .is_ok_and(|mut references| references.next().is_none());
        return Ok(if empty {
            "no commits"
        } else {
            "no release tags"
        }
        .into());
    }
    Ok(newest_first(&releases))
}

/// `0.32.1, 0.32.0, 0.31.2 and 29 more`.
pub(in crate::upstream) fn newest_first(releases: &[Version]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<_> = releases
        .iter()
        .rev()
        .take(SHOWN)
        .map(ToString::to_string)
        .collect();
    match releases.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn find_release(repo: Repo<'_>, version: &Version) -> Result<Option<Named>, SourceError> {
    for tag in tags_of(version) {
        if let Some(commit) = find_reference(repo, &format!("refs/tags/{tag}"))? {
            return Ok(Some(Named {
                commit,
                tag: Some(tag),
                moving: false,
            }));
        }
    }
    Ok(None)
}

/// As git looks a name up: a tag, a branch, a branch of `origin` in a plain clone, a remote's branch by its whole name.
fn find_name(repo: Repo<'_>, name: &str) -> Result<Option<Named>, SourceError> {
    // First, or the `HEAD` of `origin` would be found for it.
    if name == "HEAD" || name.starts_with("refs/") {
        let commit = find_reference(repo, name)?;
        return Ok(commit.map(|commit| Named {
            commit,
            tag: None,
            moving: !name.starts_with("refs/tags/"),
        }));
    }
    let places = [
        ("refs/tags/", false),
        ("refs/heads/", true),
        ("refs/remotes/origin/", true),
        ("refs/remotes/", true),
    ];
    for (folder, moving) in places {
        if let Some(commit) = find_reference(repo, &format!("{folder}{name}"))? {
            let tag = (!moving).then(|| name.to_owned());
            return Ok(Some(Named {
                commit,
                tag,
                moving,
            }));
        }
    }
    Ok(None)
}

/// The commit that a reference leads to. Annotated tags are followed: the commit is what gets pinned, always.
fn find_reference(repo: Repo<'_>, name: &str) -> Result<Option<Oid>, SourceError> {
    let reference = match repo.git.find_reference(name) {
        Ok(reference) => reference,
        Err(error) if matches!(error.code(), ErrorCode::NotFound | ErrorCode::InvalidSpec) => {
            return Ok(None);
        }
        Err(error) => return Err(references_error(repo.store, &error)),
    };
    let target = match reference.resolve() {
        Ok(direct) => direct.target(),
        // HEAD before the first commit.
        Err(error) if error.code() == ErrorCode::NotFound => return Ok(None),
        Err(error) => return Err(references_error(repo.store, &error)),
    };
    let Some(target) = target else {
        return Ok(None);
    };
    match repo.peel(target)? {
        Some(commit) => Ok(Some(commit)),
        None => Err(repo.store.unreachable(
            format!(
                "{name} in {} names no commit but a tree or a blob",
                repo.store.path()
            ),
            "name a commit instead",
        )),
    }
}

/// A commit by its id or the beginning of it; an annotated tag's own id leads to its commit.
fn find_commit(repo: Repo<'_>, hex: &str) -> Result<Option<Oid>, SourceError> {
    if hex.is_empty() {
        return Ok(None);
    }
    let whole = Oid::from_str_ext(&format!("{hex:0<40}"), git2::ObjectFormat::Sha1)
        .and_then(|short| repo.git.odb()?.exists_prefix(short, hex.len()));
    let whole = match whole {
        Ok(whole) => whole,
        Err(error) if error.code() == ErrorCode::NotFound => return Ok(None),
        Err(error) if error.code() == ErrorCode::Ambiguous => {
            return Err(repo.store.unreachable(
                format!("several objects in {} begin with {hex}", repo.store.path()),
                "give more digits of the commit's id",
            ));
        }
        Err(error) => return Err(references_error(repo.store, &error)),
    };
    match repo.peel(whole)? {
        Some(commit) => Ok(Some(commit)),
        None => Err(repo.store.unreachable(
            format!("{hex} in {} is no commit", repo.store.path()),
            "give a commit's id",
        )),
    }
}

fn references_error(store: &Store, error: &git2::Error) -> SourceError {
    let path = store.path();
    store.damage(
        format!(
            "the references of {path} cannot be read: {}",
            error.message()
        ),
        format!("`git -C {path} fsck` tells more"),
    )
}
