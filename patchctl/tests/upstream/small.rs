//! A small upstream in a git repository, and ways to damage it.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use camino::{Utf8Path, Utf8PathBuf};
use git2::{ObjectType, Oid, Repository, Signature, Time};
use patchctl::report::Error;
use patchctl::upstream::{Found, Progress, Resolved, RevisionSpec, Settings, SourceSpec, Upstream};
use tempfile::TempDir;

pub const FILE: &str = "mlx/backend/metal/device.cpp";

/// A folder of its own, removed at the end.
pub struct Scratch {
    _folder: TempDir,
    pub path: Utf8PathBuf,
}

impl Scratch {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        Self {
            _folder: folder,
            path,
        }
    }
}

/// A repository that is written without a checkout; each commit is an hour after the one before.
pub struct Small {
    pub scratch: Scratch,
    pub repository: Repository,
    hours: i64,
}

impl Small {
    pub fn new() -> Self {
        let scratch = Scratch::new();
        let mut options = git2::RepositoryInitOptions::new();
        options
            .bare(true)
            .initial_head("main")
            .external_template(false);
        let place = scratch.path.join("upstream.git");
        let repository = Repository::init_opts(&place, &options).unwrap();
        Self {
            scratch,
            repository,
            hours: 0,
        }
    }

    /// v0.32.1, a commit that changes the file and raises the header, one that does not touch it, v0.32.4.
    pub fn with_releases() -> (Self, [Oid; 4]) {
        let mut small = Self::new();
        let one = small.commit(&[(FILE, Some("int one;\n")), header(1)]);
        small.tag("v0.32.1", one);
        let two = small.commit(&[(FILE, Some("int two;\n")), header(4)]);
        let three = small.commit(&[("README.md", Some("three\n"))]);
        let four = small.commit(&[(FILE, Some("int four;\n"))]);
        small.tag("v0.32.4", four);
        (small, [one, two, three, four])
    }

    pub fn path(&self) -> &Utf8Path {
        Utf8Path::from_path(self.repository.path()).unwrap()
    }

    /// As a `file://` URL.
    pub fn url(&self) -> String {
        format!("file://{}", self.path())
    }

    /// On `main`, after what is there.
    pub fn commit(&mut self, changes: &[(&str, Option<&str>)]) -> Oid {
        let parent = self.repository.refname_to_id("refs/heads/main").ok();
        let parents: Vec<_> = parent.into_iter().collect();
        self.commit_on("refs/heads/main", &parents, changes)
    }

    /// On any branch and after any parents; the first one's tree is what changes.
    pub fn commit_on(
        &mut self,
        branch: &str,
        parents: &[Oid],
        changes: &[(&str, Option<&str>)],
    ) -> Oid {
        self.hours += 1;
        let repository = &self.repository;
        let parents: Vec<_> = parents
            .iter()
            .map(|id| repository.find_commit(*id).unwrap())
            .collect();
        let before = match parents.first() {
            Some(parent) => parent.tree().unwrap(),
            None => {
                let empty = repository.treebuilder(None).unwrap().write().unwrap();
                repository.find_tree(empty).unwrap()
            }
        };
        let mut update = git2::build::TreeUpdateBuilder::new();
        for (path, text) in changes {
            match text {
                Some(text) => {
                    let blob = repository.blob(text.as_bytes()).unwrap();
                    update.upsert(*path, blob, git2::FileMode::Blob);
                }
                None => {
                    update.remove(*path);
                }
            }
        }
        let tree = update.create_updated(repository, &before).unwrap();
        let tree = repository.find_tree(tree).unwrap();
        let author = self.author();
        let message = format!("Change number {}\n\nWith a body.\n", self.hours);
        let parents: Vec<_> = parents.iter().collect();
        let commit = repository
            .commit(None, &author, &author, &message, &tree, &parents)
            .unwrap();
        repository.reference(branch, commit, true, "").unwrap();
        commit
    }

    fn author(&self) -> Signature<'static> {
        let time = Time::new(1_700_000_000 + self.hours * 3600, 0);
        Signature::new("Someone", "someone@example.com", &time).unwrap()
    }

    pub fn tag(&self, name: &str, commit: Oid) {
        let name = format!("refs/tags/{name}");
        self.repository.reference(&name, commit, true, "").unwrap();
    }

    /// Gives the tag's own id.
    pub fn annotated_tag(&self, name: &str, commit: Oid) -> Oid {
        let object = self.repository.find_object(commit, None).unwrap();
        self.repository
            .tag(name, &object, &self.author(), "A release.", true)
            .unwrap()
    }

    /// The file of a loose object.
    pub fn object(&self, id: Oid) -> Utf8PathBuf {
        let hex = id.to_string();
        self.path().join("objects").join(&hex[..2]).join(&hex[2..])
    }

    pub fn blob_of(&self, commit: Oid, path: &str) -> Oid {
        let tree = self.repository.find_commit(commit).unwrap().tree().unwrap();
        let entry = tree.get_path(Path::new(path)).unwrap();
        assert_eq!(entry.kind(), Some(ObjectType::Blob));
        entry.id()
    }

    /// What git itself calls a revision.
    pub fn describe(&self, revision: &str) -> String {
        let path = self.path().as_str();
        git(&["-C", path, "describe", "--tags", "--abbrev=7", revision])
    }

    /// With this repository as the only source.
    pub fn upstream(&self) -> Upstream {
        self.upstream_with(|_| {})
    }

    pub fn upstream_with(&self, change: impl FnOnce(&mut Settings)) -> Upstream {
        let mut settings = Settings::new(self.scratch.path.join("cache"));
        change(&mut settings);
        Upstream::new(vec![SourceSpec::GitPath(self.path().to_owned())], settings)
    }
}

/// `mlx/version.h` of 0.32.`patch`.
pub fn header(patch: u64) -> (&'static str, Option<&'static str>) {
    let text = match patch {
        1 => {
            "#define MLX_VERSION_MAJOR 0\n#define MLX_VERSION_MINOR 32\n#define MLX_VERSION_PATCH 1\n"
        }
        4 => {
            "#define MLX_VERSION_MAJOR 0\n#define MLX_VERSION_MINOR 32\n#define MLX_VERSION_PATCH 4\n"
        }
        other => panic!("no header for {other}"),
    };
    ("mlx/version.h", Some(text))
}

pub fn resolve(upstream: &Upstream, text: &str) -> Result<Found, Error> {
    let wanted: RevisionSpec = text.parse().unwrap();
    upstream.resolve(&wanted)
}

pub fn revision(upstream: &Upstream, text: &str) -> Resolved {
    resolve(upstream, text)
        .unwrap_or_else(|error| panic!("{error}"))
        .revision
}

/// A git repository at `path` as the only source, with a cache that is not used.
pub fn upstream_at(path: &Utf8Path) -> Upstream {
    let settings = Settings::new(path.join("no-cache"));
    Upstream::new(vec![SourceSpec::GitPath(path.to_owned())], settings)
}

/// The one error of an upstream with one source.
pub fn refusal(upstream: &Upstream, text: &str) -> Error {
    let [source] = upstream.sources() else {
        panic!("{} sources", upstream.sources().len())
    };
    let error = source.resolve(&text.parse().unwrap()).unwrap_err();
    assert!(resolve(upstream, text).is_err());
    error
}

/// Runs the git that tests of fetching need anyway.
pub fn git(arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "protocol.file.allow=always"])
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Keeps what it is told.
#[derive(Default)]
pub struct Heard(Mutex<Vec<String>>);

impl Heard {
    pub fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    pub fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// How many of the lines hold `text`.
    pub fn count(&self, text: &str) -> usize {
        self.lines()
            .iter()
            .filter(|line| line.contains(text))
            .count()
    }
}

impl Progress for Heard {
    fn start(&self, what: &str) {
        self.0.lock().unwrap().push(what.to_owned());
    }
    fn done(&self) {}
    fn note(&self, what: &str) {
        self.0.lock().unwrap().push(format!("note: {what}"));
    }
}
