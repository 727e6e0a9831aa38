//! A folder that holds an upstream tree, as a source. Only a checkout without changes proves a commit.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::{Mutex, OnceLock, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use git2::Oid;
use patchctl_apply::BlobId;
use semver::Version;

use crate::store::tree_rules::inside;
use crate::store::{GitTree, Kind, folder, limits, write_tree};

use super::git::{GitSource, Releases, Repo, blob_id, find, tag_elsewhere};
use super::settings::Settings;
use super::version::{VERSION_HEADER, release_in_header};
use super::{
    Blob, History, Resolved, RevisionFrom, RevisionSpec, Source, SourceError, SourceSpec, Working,
};

/// `dir:PATH`.
pub(super) struct DirectorySource {
    root: Utf8PathBuf,
    name: String,
    settings: Settings,
    /// The repository that the folder is a checkout of.
    git: Option<GitSource>,
    /// The folder's files, listed once a process.
    seen: OnceLock<Result<Seen, SourceError>>,
    /// Files that were read, so that their blobs can be found again.
    read: Mutex<HashMap<BlobId, Utf8PathBuf>>,
}

#[derive(Clone)]
struct Seen {
    release: Version,
    described: String,
    is_release: bool,
    /// Set where every file that HEAD has is here as HEAD has it.
    head: Option<Head>,
}

#[derive(Clone)]
struct Head {
    commit: Oid,
    tree: Oid,
    files: BTreeMap<String, Oid>,
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

    fn seen(&self) -> Result<&Seen, SourceError> {
        self.seen
            .get_or_init(|| self.look())
            .as_ref()
            .map_err(Clone::clone)
    }

    fn look(&self) -> Result<Seen, SourceError> {
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
            Some(release) => Ok(Seen {
                release,
                described: name,
                is_release: false,
                head: None,
            }),
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
    ) -> Result<Option<Seen>, SourceError> {
        let wanted = RevisionSpec::Name("HEAD".into());
        let commit = match find(repo, &wanted) {
            Ok(head) => head.commit,
            Err(SourceError::NotThere { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let tree = repo.commit(commit)?.tree_id();
        let _working = Working::on(
            &self.settings.progress,
            &format!("comparing {} with its commit", self.root),
        );
        let files = repo.files(tree)?;
        let mut releases = Releases::new(repo)?;
        if !self.equals(&files) {
            let release = match claimed {
                Some(release) => release,
                None => releases.of(repo, commit)?,
            };
            return Ok(Some(Seen {
                release,
                described: name.to_owned(),
                is_release: false,
                head: None,
            }));
        }
        Ok(Some(Seen {
            release: releases.of(repo, commit)?,
            described: releases.describe(repo, commit)?,
            is_release: releases.is_release(commit),
            head: Some(Head {
                commit,
                tree,
                files,
            }),
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

    /// The commit and whether a branch led to it, where `wanted` is what the folder holds.
    fn fits(&self, wanted: &RevisionSpec, seen: &Seen) -> Result<Option<bool>, SourceError> {
        let head = seen.head.as_ref();
        Ok(match wanted {
            RevisionSpec::Latest => Some(false),
            RevisionSpec::Release(version) if *version != seen.release => None,
            RevisionSpec::Release(version) => match &self.git {
                // A header says what the next release will be; where the tag is known, the tag decides.
                Some(git) if tag_elsewhere(git.store(), version)? => None,
                _ => Some(false),
            },
            RevisionSpec::Commit(hex) => head
                .is_some_and(|head| !hex.is_empty() && head.commit.to_string().starts_with(hex))
                .then_some(false),
            RevisionSpec::Name(_) => match (&self.git, head) {
                (Some(git), Some(head)) => git.store().with(|repo| {
                    Ok(find(repo, wanted)
                        .ok()
                        .filter(|named| named.commit == head.commit)
                        .map(|named| named.moving))
                })?,
                _ => None,
            },
        })
    }

    /// A file's bytes; `None` where there is none. A link that leaves the folder is refused.
    fn bytes(&self, path: &Utf8Path) -> Result<Option<Vec<u8>>, SourceError> {
        let clean = inside(path.as_str())
            .map_err(|why| self.unreachable(format!("{path} {why}"), "name a file of the tree"))?;
        let failed = |error: io::Error| self.unread(&error);
        let real = match self.root.join(&clean).canonicalize_utf8() {
            Ok(real) => real,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Ok(None);
            }
            Err(error) => return Err(failed(error)),
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
        let size = fs_err::metadata(&real).map_err(failed)?.len();
        if size > limits::TEXT {
            return Err(self.refused(limits::too_large(real.as_str(), size, limits::TEXT)));
        }
        fs_err::read(&real).map(Some).map_err(failed)
    }

    /// A file, which must still be HEAD's where the revision is HEAD.
    fn file(&self, at: &Resolved, path: &Utf8Path) -> Result<Option<Blob>, SourceError> {
        let found = self.bytes(path)?.map(|bytes| Blob {
            id: BlobId::of(&bytes),
            bytes,
        });
        if let (false, Some(head)) = (at.commit.is_empty(), &self.seen()?.head) {
            let expected = head.files.get(path.as_str()).map(|id| blob_id(*id));
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

    fn copy(&self, into: &Utf8Path) -> Result<(), SourceError> {
        let mut tree = GitTree::default();
        let mut kinds = HashMap::new();
        let mut hash = |kind, bytes: &[u8]| Oid::hash_object(kind, bytes);
        for (path, kind) in folder::files(&self.root).map_err(|error| self.unread(&error))? {
            let bytes =
                folder::bytes(&self.root, &path, kind).map_err(|error| self.unread(&error))?;
            tree.keep(&path, kind, &bytes, &mut hash)
                .map_err(|why| self.refused(why))?;
            kinds.insert(path, kind);
        }
        write_tree(into, &tree, |path, _| {
            let kind = kinds.get(path).copied().unwrap_or(Kind::File);
            folder::bytes(&self.root, path, kind).map_err(|error| self.unread(&error))
        })
    }

    fn refused(&self, why: String) -> SourceError {
        SourceError::Refused {
            source_name: self.name.clone(),
            why,
        }
    }

    fn unread(&self, error: &io::Error) -> SourceError {
        match error.kind() {
            // Not the system's word but a limit's.
            io::ErrorKind::Other => self.refused(error.to_string()),
            _ => self.unreachable(error.to_string(), format!("make {} readable", self.root)),
        }
    }

    fn unreachable(&self, why: impl Into<String>, help: impl Into<String>) -> SourceError {
        SourceError::Unreachable {
            source_name: self.name.clone(),
            why: why.into(),
            help: Some(help.into()),
        }
    }
}

impl Source for DirectorySource {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn resolve(&self, wanted: &RevisionSpec) -> Result<Resolved, SourceError> {
        let seen = self.seen()?;
        let Some(moving) = self.fits(wanted, seen)? else {
            return Err(SourceError::NotThere {
                source_name: self.name(),
                wanted: wanted.to_string(),
                has: match &seen.head {
                    Some(_) => seen.described.clone(),
                    None => format!("{}, by its {VERSION_HEADER}", seen.release),
                },
            });
        };
        let commit = seen.head.as_ref().map(|head| head.commit.to_string());
        if seen.is_release
            && let Some(commit) = &commit
        {
            self.settings
                .check_not_moved(&self.name, &seen.release, &seen.described, commit)?;
        }
        Ok(Resolved {
            commit_from: match commit {
                Some(_) => RevisionFrom::Git,
                None => RevisionFrom::Directory,
            },
            commit: commit.unwrap_or_default(),
            release: seen.release.clone(),
            is_release: seen.is_release,
            described: seen.described.clone(),
            tree: seen.head.as_ref().map(|head| head.tree.to_string()),
            source: "dir".into(),
            moving,
        })
    }

    fn at_hand(&self, wanted: &RevisionSpec) -> Option<Resolved> {
        self.resolve(wanted).ok()
    }

    fn releases(&self) -> Result<Vec<Version>, SourceError> {
        let release = &self.seen()?.release;
        Ok(if release.pre.is_empty() {
            vec![release.clone()]
        } else {
            Vec::new()
        })
    }

    fn blob_id(&self, at: &Resolved, path: &Utf8Path) -> Result<Option<BlobId>, SourceError> {
        Ok(self.file(at, path)?.map(|blob| blob.id))
    }

    fn read(&self, at: &Resolved, path: &Utf8Path) -> Result<Option<Blob>, SourceError> {
        self.file(at, path)
    }

    fn read_blob(&self, id: &BlobId) -> Option<Vec<u8>> {
        let known = self.lock_read().get(id).cloned();
        known
            .and_then(|path| self.bytes(&path).ok().flatten())
            .filter(|bytes| BlobId::of(bytes) == *id)
            .or_else(|| self.git.as_ref()?.read_blob(id))
    }

    fn paths(&self, _at: &Resolved) -> Result<Vec<String>, SourceError> {
        if let Some(head) = &self.seen()?.head {
            return Ok(head.files.keys().cloned().collect());
        }
        let files = folder::files(&self.root).map_err(|error| self.unread(&error))?;
        Ok(files.into_iter().map(|(path, _)| path).collect())
    }

    fn materialise(&self, at: &Resolved, into: &Utf8Path) -> Result<(), SourceError> {
        // HEAD's tree has none of the build products that lie about in a checkout.
        if let (Some(git), Some(_)) = (&self.git, &at.tree) {
            return git.materialise(at, into);
        }
        let _working = Working::on(
            &self.settings.progress,
            &format!("copying {} into {into}", self.root),
        );
        self.copy(into)
    }

    fn history(&self) -> Option<&dyn History> {
        self.git.as_ref().and_then(GitSource::history)
    }
}
