//! A repository with one locked pin, made without a bump, and an upstream that has it.

use std::path::PathBuf;

use patchctl_apply::markers::{Block, Comment, Digest12, EditName, insertion};
use patchctl_apply::{BlobId, Lock, LockedFile, LockedOverlay, LockedPin, RevisionFrom, splice};
use tempfile::TempDir;

use super::files::{self, Files};
use super::upstream::{Tags, Upstream};
use crate::program::{Ran, patchctl, ran};

/// Upstream's file.
pub const DEVICE: &str = "int budget() {\n  int wanted = 50;\n  return wanted;\n}\n";
/// Its path in the tree.
pub const PATCHED: &str = "mlx/device.cpp";

/// A repository with one locked pin, and an upstream that has it.
pub struct Repository {
    /// Holds the upstream, the repository and the cache.
    pub dir: TempDir,
    /// Has the pin's tag.
    pub upstream: Upstream,
}

impl Repository {
    /// With the pin 0.32.2, current and locked.
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut upstream = Upstream::new(&dir.path().join("upstream.git"));
        let commit = upstream.commit("0.32.2", "Release", &tree());
        upstream.tag("0.32.2", "v0.32.2", Tags::Lightweight);
        let root = dir.path().join("repository");
        let config =
            "schema: 1\nupstream:\n  name: mlx\n  sources: [crates]\noverlays: overlays/mlx\n";
        let pins = format!(
            "schema: 1\ncurrent: 0.32.2\npins:\n  - release: 0.32.2\n    revision: {commit}\n"
        );
        let lock = Lock {
            pins: vec![pin(&commit)],
            ..Lock::default()
        };
        let mut written = lock.to_yaml().unwrap();
        if crate::program::is_another() {
            written = as_schema_1(&written);
        }
        let texts = [
            ("patchctl.yaml", config.to_owned()),
            ("overlays/mlx/pins.yaml", pins),
            ("overlays/mlx/lock.yaml", written),
        ];
        let texts = texts.map(|(path, text)| (path.to_owned(), text.into_bytes()));
        files::write(&root, &Files::from(texts));
        Self { dir, upstream }
    }

    /// A path in the repository.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("repository").join(name)
    }

    /// Upstream's files in the folder `name`.
    pub fn lay_out(&self, name: &str) -> PathBuf {
        files::write(&self.path(name), &tree());
        self.path(name)
    }

    /// Runs patchctl with the words of `line`.
    pub fn run(&self, line: &str) -> Ran {
        ran(self.command().args(line.split_whitespace()))
    }

    /// patchctl in the repository, with the upstream as its source.
    pub fn command(&self) -> assert_cmd::Command {
        let mut command = patchctl(&self.path(""));
        command.env("PATCHCTL_CACHE", self.dir.path().join("cache"));
        command.args(["--source", &self.upstream.source()]);
        command
    }
}

/// Upstream's tree.
pub fn tree() -> Files {
    let files = [(PATCHED, DEVICE), ("mlx/version.h", "#define MLX 1\n")];
    let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    Files::from(files)
}

fn pin(commit: &str) -> LockedPin {
    let block = Block {
        edit: EditName::parse("budget/read.1").unwrap(),
        digest: Digest12::new("0123456789ab").unwrap(),
        comment: Comment::default(),
    };
    let upstream = DEVICE.as_bytes();
    let at = DEVICE.find("  return").unwrap();
    let text = "  if (over > 0) wanted = over;\n";
    let splices = vec![insertion(upstream, at, &block, text).unwrap()];
    LockedPin {
        release: "0.32.2".to_owned(),
        revision: commit.to_owned(),
        revision_from: RevisionFrom::Git,
        source: "git".to_owned(),
        tree: None,
        overlays: vec![LockedOverlay {
            id: "budget".to_owned(),
            digest: "ab".repeat(32),
        }],
        files: vec![LockedFile {
            path: PATCHED.to_owned(),
            before: BlobId::of(upstream),
            after: BlobId::of(&splice(PATCHED, upstream, &splices).unwrap()),
            splices,
        }],
        proven: vec![],
        lowered_from: None,
    }
}

/// Upstream's file with the overlay.
pub fn patched() -> Vec<u8> {
    let file = &pin("").files[0];
    file.patch(DEVICE.as_bytes()).unwrap()
}

/// A lock without the digests of its entries, as before schema 2, so that it can be edited.
pub fn as_schema_1(lock: &str) -> String {
    let lock = lock.replacen("schema: 3\n", "schema: 1\n", 1);
    let lines = lock.split_inclusive('\n');
    lines
        .filter(|line| !line.starts_with("  entry_digest: "))
        .collect()
}
