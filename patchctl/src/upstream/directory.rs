//! A folder that holds an upstream tree, as a source. Only a checkout without changes proves a commit.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::{Mutex, OnceLock, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use git2::Oid;
use patchctl_apply::BlobId;
use semver::Version;

use crate::store::tree_rules::inside;
use crate::store::{Kind, folder, limits, write_tree};

use super::git::{Commits, GitSource, Repo, blob_id, find, tag_elsewhere};
use super::revision::{not_there, refused, unreachable};
use super::settings::Settings;
use super::version::{VERSION_HEADER, release_in_header};
use super::{Blob, History, Resolved, RevisionFrom, RevisionSpec, Source, SourceSpec, Working};
use crate::report::{Code, Error};

/// `dir:PATH`.
pub(super) struct DirectorySource {
    root: Utf8PathBuf,
    name: String,
    settings: Settings,
    /// The repository that the folder is a checkout of.
    git: Option<GitSource>,
    /// The folder's files, listed once a process.
    seen: OnceLock<Result<Seen, Error>>,
    /// Files that were read, so that their blobs can be found again.
    read: Mutex<HashMap<BlobId, Utf8PathBuf>>,
}

#[derive(Clone)]
struct Seen {
    revision: Resolved,
    /// The files of HEAD. Set where the folder has each of them as HEAD has it; then the revision is HEAD.
    head: Option<BTreeMap<String, Oid>>,
}

impl DirectorySource {
    pub(super) fn new(root: Utf8PathBuf, settings: Settings) -> Self {
        let name = SourceSpec::Directory(root.clone()).to_string();
        let git = root
            .join(".git")
            .exists()
            .then(|| GitSource::local(&root, settings.clone()));
        Self {
            root,
            name,
            settings,
            git,
            seen: OnceLock::new(),
            read: Mutex::new(HashMap::new()),
        }
    }

    fn seen(&self) -> Result<&Seen, Error> {
        self.seen
            .get_or_init(|| self.look())
            .as_ref()
            .map_err(Clone::clone)
    }

    fn look(&self) -> Result<Seen, Error> {
        if !self.root.is_dir() {
            return Err(self.unreachable(format!("{} is no folder", self.root), "check the path"));
        }
        let claimed = self
            .bytes(Utf8Path::new(VERSION_HEADER))?
            .and_then(|bytes| release_in_header(&bytes));
        let name = self.root.file_name().unwrap_or("folder").to_owned();
        if let Some(git) = &self.git {
            let store = git.store();
            let seen = store.with(|repo| self.look_at_git(repo, claimed.clone(), &name))?;
            if let Some(seen) = seen {
                return Ok(seen);
            }
        }
        match claimed {
            Some(release) => Ok(plain(release, name)),
            None => Err(self.unreachable(
                format!("{} has no {VERSION_HEADER} that names a release", self.root),
                "name the root of an MLX tree; releases before 0.23.2 have no such file: use a git source for them",
            )),
        }
    }

    /// `None` where nothing is committed yet.
    fn look_at_git(
        &self,
        repo: Repo<'_>,
        claimed: Option<Version>,
        name: &str,
    ) -> Result<Option<Seen>, Error> {
        let commit = match find(repo, &RevisionSpec::Name("HEAD".into())) {
            Ok(head) => head.commit,
            Err(error) if error.is(Code::RevisionNotThere) => return Ok(None),
            Err(error) => return Err(error),
        };
        let tree = repo.commit(commit)?.tree_id();
        let what = format!("comparing {} with its commit", self.root);
        let _working = Working::on(&self.settings.progress, &what);
        let files = repo.files(tree)?;
        let mut commits = Commits::new(repo)?;
        if !self.equals(&files) {
            let release = claimed.map_or_else(|| commits.release_of(commit), Ok)?;
            return Ok(Some(plain(release, name.to_owned())));
        }
        let release = commits.release_of(commit)?;
        let seen = plain(release, commits.describe(commit)?);
        Ok(Some(Seen {
            revision: Resolved {
                commit: commit.to_string(),
                commit_from: RevisionFrom::Git,
                is_release: commits.release_at(commit).is_some(),
                tree: Some(tree.to_string()),
                ..seen.revision
            },
            head: Some(files),
        }))
    }

    /// Byte for byte: git's own filters may change line ends, and then the folder is not what the commit holds.
    fn equals(&self, files: &BTreeMap<String, Oid>) -> bool {
        files.iter().all(|(path, id)| {
            let is_link = self.root.join(path).is_symlink();
            let kind = if is_link { Kind::Link } else { Kind::File };
            folder::bytes(&self.root, path, kind)
                .is_ok_and(|bytes| BlobId::of(&bytes) == blob_id(*id))
        })
    }

    /// Returns true if a branch led to it, where `wanted` is what the folder holds; else `None`.
    fn fits(&self, wanted: &RevisionSpec, seen: &Seen) -> Result<Option<bool>, Error> {
        let now = &seen.revision;
        Ok(match wanted {
            RevisionSpec::Latest => Some(false),
            RevisionSpec::Release(version) if *version != now.release => None,
            RevisionSpec::Release(version) => match &self.git {
                // A header says what the next release will be; where the tag is known, the tag decides.
                Some(git) if tag_elsewhere(git.store(), version)? => None,
                _ => Some(false),
            },
            RevisionSpec::Commit(hex) => {
                (!hex.is_empty() && now.commit.starts_with(hex)).then_some(false)
            }
            RevisionSpec::Name(_) => match &self.git {
                Some(git) if seen.head.is_some() => git.store().with(|repo| {
                    let named = find(repo, wanted).ok();
                    let named = named.filter(|named| named.commit.to_string() == now.commit);
                    Ok(named.map(|named| named.is_moving()))
                })?,
                _ => None,
            },
        })
    }

    /// A file's bytes; `None` where there is none. A link that leaves the folder is refused.
    fn bytes(&self, path: &Utf8Path) -> Result<Option<Vec<u8>>, Error> {
        let clean = inside(path.as_str())
            .map_err(|why| self.unreachable(format!("{path} {why}"), "name a file of the tree"))?;
        let failed = |error: io::Error| self.unread(&error);
        let real = match self.root.join(&clean).canonicalize_utf8() {
            Ok(real) => real,
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => return Ok(None),
                _ => return Err(failed(error)),
            },
        };
        let root = self.root.canonicalize_utf8().map_err(failed)?;
        if !real.starts_with(&root) {
            return Err(self.unreachable(
                format!("{path} leads out of {} through a symbolic link", self.root),
                "put the file itself there: what is outside is no part of the tree",
            ));
        }
        if !real.is_file() {
            return Ok(None);
        }
        folder::read(&real, limits::TEXT).map(Some).map_err(failed)
    }

    /// A file, which must still be HEAD's where the revision is HEAD.
    fn file(&self, at: &Resolved, path: &Utf8Path) -> Result<Option<Blob>, Error> {
        let found = self.bytes(path)?.map(|bytes| Blob {
            id: BlobId::of(&bytes),
            bytes,
        });
        if let (false, Some(head)) = (at.commit.is_empty(), &self.seen()?.head) {
            let expected = head.get(path.as_str()).map(|id| blob_id(*id));
            if let Some(expected) = expected
                && found.as_ref().map(|blob| &blob.id) != Some(&expected)
            {
                return Err(self.unreachable(
                    format!("{path} in {} was changed while patchctl ran", self.root),
                    "run it again when nothing changes the folder",
                ));
            }
        }
        if let Some(blob) = &found {
            self.lock_read().insert(blob.id.clone(), path.to_owned());
        }
        Ok(found)
    }

    fn lock_read(&self) -> std::sync::MutexGuard<'_, HashMap<BlobId, Utf8PathBuf>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn copy(&self, into: &Utf8Path) -> Result<(), Error> {
        let failed = |error: io::Error| self.unread(&error);
        let tree = folder::tree(&self.root).map_err(failed)?;
        write_tree(into, &tree, |path, kind, _| {
            folder::bytes(&self.root, path, kind).map_err(failed)
        })
    }

    fn unread(&self, error: &io::Error) -> Error {
        match error.kind() {
            // Not the system's word but a limit's.
            io::ErrorKind::Other => refused(&self.name, error),
            _ => self.unreachable(error.to_string(), format!("make {} readable", self.root)),
        }
    }

    fn unreachable(&self, why: String, help: impl Into<String>) -> Error {
        unreachable(&self.name, why, help)
    }
}

/// A folder of which only the release is known.
fn plain(release: Version, described: String) -> Seen {
    Seen {
        revision: Resolved {
            commit: String::new(),
            commit_from: RevisionFrom::Directory,
            release,
            is_release: false,
            described,
            tree: None,
            source: "dir".into(),
            moving: false,
        },
        head: None,
    }
}

impl Source for DirectorySource {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn resolve(&self, wanted: &RevisionSpec) -> Result<Resolved, Error> {
        let seen = self.seen()?;
        let now = &seen.revision;
        let Some(moving) = self.fits(wanted, seen)? else {
            let has = match &seen.head {
                Some(_) => now.described.clone(),
                None => format!("{}, by its {VERSION_HEADER}", now.release),
            };
            return Err(not_there(&self.name, wanted, has));
        };
        if now.is_release {
            let (tag, commit) = (&now.described, &now.commit);
            self.settings
                .check_not_moved(&self.name, &now.release, tag, commit)?;
        }
        Ok(Resolved {
            moving,
            ..now.clone()
        })
    }

    fn at_hand(&self, wanted: &RevisionSpec) -> Option<Resolved> {
        self.resolve(wanted).ok()
    }

    fn releases(&self) -> Result<Vec<Version>, Error> {
        let release = self.seen()?.revision.release.clone();
        Ok(Some(release)
            .into_iter()
            .filter(|it| it.pre.is_empty())
            .collect())
    }

    fn blob_id(&self, at: &Resolved, path: &Utf8Path) -> Result<Option<BlobId>, Error> {
        Ok(self.file(at, path)?.map(|blob| blob.id))
    }

    fn read(&self, at: &Resolved, path: &Utf8Path) -> Result<Option<Blob>, Error> {
        self.file(at, path)
    }

    fn read_blob(&self, id: &BlobId) -> Option<Vec<u8>> {
        let known = self.lock_read().get(id).cloned();
        known
            .and_then(|path| self.bytes(&path).ok().flatten())
            .filter(|bytes| BlobId::of(bytes) == *id)
            .or_else(|| self.git.as_ref()?.read_blob(id))
    }

    fn paths(&self, _at: &Resolved) -> Result<Vec<String>, Error> {
        if let Some(head) = &self.seen()?.head {
            return Ok(head.keys().cloned().collect());
        }
        let files = folder::files(&self.root).map_err(|error| self.unread(&error))?;
        Ok(files.into_iter().map(|(path, _)| path).collect())
    }

    fn materialise(&self, at: &Resolved, into: &Utf8Path) -> Result<(), Error> {
        // HEAD's tree has none of the build products that lie about in a checkout.
        if let (Some(git), Some(_)) = (&self.git, &at.tree) {
            return git.materialise(at, into);
        }
        let what = format!("copying {} into {into}", self.root);
        let _working = Working::on(&self.settings.progress, &what);
        self.copy(into)
    }

    fn history(&self) -> Option<&dyn History> {
        self.git.as_ref().and_then(GitSource::history)
    }
}
