//! From a name to a commit: tags, branches, abbreviated ids.

use std::collections::HashMap;

use git2::{ErrorCode, Oid, Repository};
use semver::Version;

use super::describe::cut_off;
use super::store::Store;
use crate::upstream::spec::release_of_name;
use crate::upstream::{RevisionSpec, SourceError};

/// What a name led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::upstream) struct Named {
    pub(in crate::upstream) commit: Oid,
    /// The tag, where it was one.
    pub(in crate::upstream) tag: Option<String>,
    /// A branch, which can move.
    pub(in crate::upstream) moving: bool,
}

/// The releases that tags name here, oldest first. Reads no object.
pub(super) fn releases(
    store: &Store,
    repository: &Repository,
) -> Result<Vec<Version>, SourceError> {
    let names = all_tag_names(store, repository)?;
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

fn all_tag_names(store: &Store, repository: &Repository) -> Result<Vec<String>, SourceError> {
    let mut names = Vec::new();
    for reference in repository
        .references_glob("refs/tags/*")
        .map_err(|error| references_error(store, &error))?
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
    store.with(|repository| {
        let mut commits: Vec<Oid> = cut_off(repository).into_iter().collect();
        for reference in repository.references().map_err(failed)? {
            let target = reference
                .and_then(|it| it.resolve())
                .map_err(failed)?
                .target();
            if let Some(target) = target {
                commits.extend(store.peel(repository, target)?);
            }
        }
        commits
            .into_iter()
            .try_for_each(|commit| store.commit(repository, commit).map(|_| ()))
    })
}

/// Every commit that tags name, with the tags' names; annotated tags are followed to their commit.
pub(super) fn tagged_commits(
    store: &Store,
    repository: &Repository,
) -> Result<HashMap<Oid, Vec<String>>, SourceError> {
    let failed = |error: git2::Error| references_error(store, &error);
    let mut tagged: HashMap<Oid, Vec<String>> = HashMap::new();
    for reference in repository.references_glob("refs/tags/*").map_err(failed)? {
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
    store: &Store,
    repository: &Repository,
    wanted: &RevisionSpec,
) -> Result<Named, SourceError> {
    let found = match wanted {
        RevisionSpec::Release(version) => find_release(store, repository, version)?,
        RevisionSpec::Latest => match releases(store, repository)?.last() {
            Some(newest) => find_release(store, repository, newest)?,
            None => None,
        },
        RevisionSpec::Commit(hex) => match find_commit(store, repository, hex)? {
            Some(commit) => Some(Named {
                commit,
                tag: None,
                moving: false,
            }),
            // `abcdef1` may be a branch's name.
            None => find_name(store, repository, hex)?,
        },
        RevisionSpec::Name(name) => find_name(store, repository, name)?,
    };
    match found {
        Some(found) => Ok(found),
        None => Err(SourceError::NotThere {
            source_name: store.source().into(),
            wanted: wanted.to_string(),
            has: has(store, repository)?,
        }),
    }
}

/// Whether the release has a tag here, and HEAD is another commit.
pub(in crate::upstream) fn tag_elsewhere(
    store: &Store,
    version: &Version,
) -> Result<bool, SourceError> {
    store.with(|repository| {
        let tagged = find_release(store, repository, version)?;
        let head = find_reference(store, repository, "HEAD")?;
        Ok(tagged.is_some_and(|tagged| Some(tagged.commit) != head))
    })
}

/// What there is, newest first, a few.
fn has(store: &Store, repository: &Repository) -> Result<String, SourceError> {
    let releases = releases(store, repository)?;
    if releases.is_empty() {
        let empty = repository
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

fn find_release(
    store: &Store,
    repository: &Repository,
    version: &Version,
) -> Result<Option<Named>, SourceError> {
    for tag in tags_of(version) {
        if let Some(commit) = find_reference(store, repository, &format!("refs/tags/{tag}"))? {
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
fn find_name(
    store: &Store,
    repository: &Repository,
    name: &str,
) -> Result<Option<Named>, SourceError> {
    // First, or the `HEAD` of `origin` would be found for it.
    if name == "HEAD" || name.starts_with("refs/") {
        let commit = find_reference(store, repository, name)?;
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
        if let Some(commit) = find_reference(store, repository, &format!("{folder}{name}"))? {
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
fn find_reference(
    store: &Store,
    repository: &Repository,
    name: &str,
) -> Result<Option<Oid>, SourceError> {
    let reference = match repository.find_reference(name) {
        Ok(reference) => reference,
        Err(error) if matches!(error.code(), ErrorCode::NotFound | ErrorCode::InvalidSpec) => {
            return Ok(None);
        }
        Err(error) => return Err(references_error(store, &error)),
    };
    let target = match reference.resolve() {
        Ok(direct) => direct.target(),
        // HEAD before the first commit.
        Err(error) if error.code() == ErrorCode::NotFound => return Ok(None),
        Err(error) => return Err(references_error(store, &error)),
    };
    let Some(target) = target else {
        return Ok(None);
    };
    match store.peel(repository, target)? {
        Some(commit) => Ok(Some(commit)),
        None => Err(store.unreachable(
            format!(
                "{name} in {} names no commit but a tree or a blob",
                store.path()
            ),
            "name a commit instead",
        )),
    }
}

/// A commit by its id or the beginning of it; an annotated tag's own id leads to its commit.
fn find_commit(
    store: &Store,
    repository: &Repository,
    hex: &str,
) -> Result<Option<Oid>, SourceError> {
    if hex.is_empty() {
        return Ok(None);
    }
    let whole = Oid::from_str_ext(&format!("{hex:0<40}"), git2::ObjectFormat::Sha1)
        .and_then(|short| repository.odb()?.exists_prefix(short, hex.len()));
    let whole = match whole {
        Ok(whole) => whole,
        Err(error) if error.code() == ErrorCode::NotFound => return Ok(None),
        Err(error) if error.code() == ErrorCode::Ambiguous => {
            return Err(store.unreachable(
                format!("several objects in {} begin with {hex}", store.path()),
                "give more digits of the commit's id",
            ));
        }
        Err(error) => return Err(references_error(store, &error)),
    };
    match store.peel(repository, whole)? {
        Some(commit) => Ok(Some(commit)),
        None => Err(store.unreachable(
            format!("{hex} in {} is no commit", store.path()),
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
