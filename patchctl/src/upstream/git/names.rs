//! From a name to a commit: tags, branches, abbreviated ids.

use std::collections::{HashMap, HashSet};

use git2::{ErrorCode, Oid, Repository};
use semver::Version;

use super::repo::Repo;
use super::store::Store;
use crate::report::Error;
use crate::upstream::RevisionSpec;
use crate::upstream::revision::not_there;
use crate::upstream::spec::release_of_name;

/// The target of a name.
pub(in crate::upstream) struct Named {
    pub(in crate::upstream) commit: Oid,
    /// The reference; none for a commit's id.
    pub(super) reference: Option<String>,
}

impl Named {
    /// The tag, where it was one.
    pub(super) fn tag(&self) -> Option<&str> {
        self.reference.as_deref()?.strip_prefix("refs/tags/")
    }

    /// Returns true for a branch, which can move.
    pub(in crate::upstream) fn is_moving(&self) -> bool {
        self.reference.is_some() && self.tag().is_none()
    }
}

/// The references of a repository or of a server.
pub(super) trait References {
    /// The commit that the reference leads to, by its whole name; `None` where there is none.
    fn commit_of(&self, reference: &str) -> Result<Option<Oid>, Error>;

    /// The releases that tags name, oldest first.
    fn releases(&self) -> Result<Vec<Version>, Error>;

    /// What `wanted` names, as git looks a name up: a tag, a branch, a branch of `origin` in a plain clone, a remote's
    /// branch by its whole name.
    fn named(&self, wanted: &RevisionSpec) -> Result<Option<Named>, Error> {
        let references: Vec<String> = match wanted {
            RevisionSpec::Latest => match self.releases()?.pop() {
                Some(newest) => return self.named(&RevisionSpec::Release(newest)),
                None => return Ok(None),
            },
            RevisionSpec::Release(version) => {
                vec![
                    format!("refs/tags/v{version}"),
                    format!("refs/tags/{version}"),
                ]
            }
            // First, or the `HEAD` of `origin` would be found for it.
            RevisionSpec::Name(name) if name == "HEAD" || name.starts_with("refs/") => {
                vec![name.clone()]
            }
            // `abcdef1` may be a branch's name.
            RevisionSpec::Name(name) | RevisionSpec::Commit(name) => {
                let folders = ["tags", "heads", "remotes/origin", "remotes"];
                folders.map(|folder| format!("refs/{folder}/{name}")).into()
            }
        };
        for reference in references {
            if let Some(commit) = self.commit_of(&reference)? {
                let reference = Some(reference);
                return Ok(Some(Named { commit, reference }));
            }
        }
        Ok(None)
    }
}

impl References for Repo<'_> {
    /// Annotated tags are followed: the commit is what gets pinned, always.
    fn commit_of(&self, name: &str) -> Result<Option<Oid>, Error> {
        let reference = match self.git.find_reference(name) {
            Ok(reference) => reference,
            Err(error) if matches!(error.code(), ErrorCode::NotFound | ErrorCode::InvalidSpec) => {
                return Ok(None);
            }
            Err(error) => return Err(references_error(self.store, &error)),
        };
        let target = match reference.resolve() {
            Ok(direct) => direct.target(),
            // HEAD before the first commit.
            Err(error) if error.code() == ErrorCode::NotFound => return Ok(None),
            Err(error) => return Err(references_error(self.store, &error)),
        };
        let Some(target) = target else {
            return Ok(None);
        };
        let no_commit = || {
            let path = self.store.path();
            let why = format!("{name} in {path} names no commit but a tree or a blob");
            self.store.unreachable(why, "name a commit instead")
        };
        Ok(Some(self.peel(target)?.ok_or_else(no_commit)?))
    }

    /// Reads no object.
    fn releases(&self) -> Result<Vec<Version>, Error> {
        let tags = self.git.references_glob("refs/tags/*");
        let tags = tags.map_err(|error| references_error(self.store, &error))?;
        // A damaged one is passed over, as git does, until it is asked for; a name that is not UTF-8 is no release.
        let names = tags.filter_map(|tag| Some(tag.ok()?.shorthand().ok()?.to_owned()));
        Ok(releases_of(names))
    }
}

/// The releases that tags' names stand for, oldest first, pre-releases and builds left out.
pub(super) fn releases_of(names: impl Iterator<Item = impl AsRef<str>>) -> Vec<Version> {
    let releases = names.filter_map(|name| release_of_name(name.as_ref()));
    let mut releases: Vec<_> = releases.filter(is_plain).collect();
    releases.sort();
    releases.dedup();
    releases
}

/// Neither a pre-release nor a build of one's own.
pub(super) fn is_plain(version: &Version) -> bool {
    version.pre.is_empty() && version.build.is_empty()
}

/// Checks that every reference, and every commit at which a shallow history ends, leads to a commit that is here.
pub(super) fn check_references(store: &Store) -> Result<(), Error> {
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
pub(super) fn tagged_commits(repo: Repo<'_>) -> Result<HashMap<Oid, Vec<String>>, Error> {
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

/// The commit that `wanted` names here. The error says what there is instead.
pub(in crate::upstream) fn find(repo: Repo<'_>, wanted: &RevisionSpec) -> Result<Named, Error> {
    if let RevisionSpec::Commit(hex) = wanted
        && let Some(commit) = find_commit(repo, hex)?
    {
        let reference = None;
        return Ok(Named { commit, reference });
    }
    match repo.named(wanted)? {
        Some(found) => Ok(found),
        None => Err(not_there(&repo.store.source, wanted, has(repo)?)),
    }
}

/// Returns true if the release has a tag here, and HEAD is another commit.
pub(in crate::upstream) fn tag_elsewhere(store: &Store, version: &Version) -> Result<bool, Error> {
    store.with(|repo| {
        let tagged = repo.named(&RevisionSpec::Release(version.clone()))?;
        let head = repo.commit_of("HEAD")?;
        Ok(tagged.is_some_and(|tagged| Some(tagged.commit) != head))
    })
}

/// A few of the releases, newest first.
fn has(repo: Repo<'_>) -> Result<String, Error> {
    let releases = repo.releases()?;
    if !releases.is_empty() {
        return Ok(newest_first(&releases));
    }
    let references = repo.git.references();
    let has = match references.is_ok_and(|mut references| references.next().is_none()) {
        true => "no commits",
        false => "no release tags",
    };
    Ok(has.into())
}

/// `0.32.1, 0.32.0, 0.31.2 and 29 more`.
pub(in crate::upstream) fn newest_first(releases: &[Version]) -> String {
    const SHOWN: usize = 5;
    let shown = releases.iter().rev().take(SHOWN);
    let shown: Vec<_> = shown.map(ToString::to_string).collect();
    let shown = shown.join(", ");
    match releases.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// A commit by its id or the beginning of it; an annotated tag's own id leads to its commit.
fn find_commit(repo: Repo<'_>, hex: &str) -> Result<Option<Oid>, Error> {
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
    let no_commit = || {
        let why = format!("{hex} in {} is no commit", repo.store.path());
        repo.store.unreachable(why, "give a commit's id")
    };
    Ok(Some(repo.peel(whole)?.ok_or_else(no_commit)?))
}

/// The commits that the `shallow` file lists.
pub(super) fn cut_off(repository: &Repository) -> HashSet<Oid> {
    let text = fs_err::read_to_string(repository.commondir().join("shallow")).unwrap_or_default();
    text.lines()
        .filter_map(|line| Oid::from_str(line).ok())
        .collect()
}

fn references_error(store: &Store, error: &git2::Error) -> Error {
    let path = store.path();
    store.damage(
        format!(
            "the references of {path} cannot be read: {}",
            error.message()
        ),
        format!("`git -C {path} fsck` tells more"),
    )
}
