//! Where things that can be made again are kept, and how several processes share the place.
//!
//! `git/<name>-<digest>.git` holds what was fetched from a URL, `crates/objects.git` the trees that packages
//! carry, `crates/fetch/<package>-<version>` the manifests that cargo is run with, `carried/` their archives,
//! unpacked. Whatever is there is whole: it is made in a temporary sibling and renamed.

use std::fs::{File, TryLockError};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};

use super::tree_writer::unwritable;
use super::{Progress, SourceError, Working};

/// The cache's layout.
#[derive(Clone)]
pub(super) struct Cache {
    root: Utf8PathBuf,
    progress: Arc<dyn Progress>,
}

/// Held while an entry is made or changed; let go when dropped, and by the system when the process dies.
pub(super) struct Lock {
    _file: File,
}

impl Cache {
    pub(super) fn new(root: &Utf8Path, progress: &Arc<dyn Progress>) -> Self {
        Self {
            root: root.to_owned(),
            progress: Arc::clone(progress),
        }
    }

    /// The repository for a URL: readable, and never the same for two URLs.
    pub(super) fn git(&self, url: &str) -> Utf8PathBuf {
        let tail = url.trim_end_matches('/').trim_end_matches(".git");
        let name: String = tail
            .rsplit(['/', ':'])
            .next()
            .unwrap_or_default()
            .chars()
            .filter(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(*letter))
            .collect();
        let digest = &sha256_hex(url.as_bytes())[..12];
        self.root.join("git").join(format!("{name}-{digest}.git"))
    }

    /// The objects of all trees that packages carry.
    pub(super) fn crates(&self) -> Utf8PathBuf {
        self.root.join("crates/objects.git")
    }

    /// The folder of the manifest that asks for one version of one package.
    pub(super) fn manifest(&self, package: &str, version: &semver::Version) -> Utf8PathBuf {
        self.root
            .join("crates/fetch")
            .join(format!("{package}-{version}"))
    }

    /// An archive that a package carries, unpacked; named after its bytes.
    pub(super) fn carried(&self, name: &str, sha256: &str) -> Utf8PathBuf {
        let digest = sha256.get(..12).unwrap_or(sha256);
        self.root.join("carried").join(format!("{name}-{digest}"))
    }

    /// Takes the lock of an entry. Waits while another process has it, and says so.
    pub(super) fn lock(&self, entry: &Utf8Path) -> Result<Lock, SourceError> {
        let path = Utf8PathBuf::from(format!("{entry}.patchctl-lock"));
        let failed = |error| unwritable(&path, &error);
        if let Some(parent) = path.parent() {
            fs_err::create_dir_all(parent).map_err(failed)?;
        }
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let _waiting = Working::on(
                    &self.progress,
                    &format!("waiting for another patchctl that fills {entry}"),
                );
                file.lock().map_err(failed)?;
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        Ok(Lock { _file: file })
    }

    /// Makes an empty bare repository at `path` where there is none.
    pub(super) fn ensure_repository(&self, path: &Utf8Path) -> Result<(), SourceError> {
        if path.exists() {
            return Ok(());
        }
        let failed = |error| unwritable(path, &error);
        let parent = path.parent().unwrap_or(&self.root);
        fs_err::create_dir_all(parent).map_err(failed)?;
        let folder = tempfile::Builder::new()
            .prefix(".patchctl-")
            .tempdir_in(parent)
            .map_err(failed)?;
        let made = folder.path().join("new.git");
        // No template: it could bring hooks.
        let mut options = git2::RepositoryInitOptions::new();
        options
            .bare(true)
            .external_template(false)
            .initial_head("main");
        git2::Repository::init_opts(&made, &options).map_err(|error| {
            unwritable(path, &std::io::Error::other(error.message().to_owned()))
        })?;
        fs_err::rename(&made, path).map_err(failed)
    }
}

/// In lower-case hex.
pub(super) fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::upstream::Quiet;

    fn cache() -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        let progress: Arc<dyn Progress> = Arc::new(Quiet);
        (folder, Cache::new(&root, &progress))
    }

    #[test]
    fn two_urls_never_share_a_repository_and_the_name_can_be_read() {
        let (_keep, cache) = cache();
        let one = cache.git("https://github.com/ml-explore/mlx");
        let other = cache.git("https://github.com/someone/mlx");
        assert_ne!(one, other);
        for path in [one, other, cache.git("git@github.com:ml-explore/mlx.git")] {
            assert!(path.file_name().unwrap().starts_with("mlx-"), "{path}");
        }
    }

    #[test]
    fn a_second_taker_of_a_lock_waits_for_the_first() {
        let (_keep, cache) = cache();
        let entry = cache.crates();
        let first = cache.lock(&entry).unwrap();
        let (sender, events) = channel();
        let second = {
            let (cache, entry, sender) = (cache.clone(), entry.clone(), sender.clone());
            std::thread::spawn(move || {
                let _lock = cache.lock(&entry).unwrap();
                sender.send("second has it").unwrap();
            })
        };
        // Whatever the second does, it cannot have the lock before this word.
        sender.send("first lets go").unwrap();
        drop(first);
        second.join().unwrap();
        assert_eq!(
            events.try_iter().collect::<Vec<_>>(),
            ["first lets go", "second has it"]
        );
    }

    #[test]
    fn a_repository_is_made_once_and_left_alone_afterwards() {
        let (_keep, cache) = cache();
        let path = cache.crates();
        cache.ensure_repository(&path).unwrap();
        fs_err::write(path.join("mine"), "x").unwrap();
        cache.ensure_repository(&path).unwrap();
        assert!(path.join("mine").is_file());
        assert!(!path.join("hooks").join("pre-commit.sample").exists());
        assert_eq!(fs_err::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_cache_that_is_a_file_is_named() {
        let (_keep, cache) = cache();
        fs_err::write(cache.root.join("crates"), "x").unwrap();
        let error = cache.lock(&cache.crates()).err().unwrap();
        assert!(error.to_string().contains("crates"), "{error}");
        assert!(error.help().is_some());
    }
}
