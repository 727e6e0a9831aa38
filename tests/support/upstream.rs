//! Git repositories to carry overlays onto, made without git's own idea of files: the bytes go in as they are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use git2::build::TreeUpdateBuilder;
use git2::{FileMode, ObjectType, Oid, Repository, Signature, Time};

use super::files::Files;

/// The first commit's time: 2024-01-01, in seconds. Each later one is a day after.
const START: i64 = 1_704_067_200;
const DAY: i64 = 86_400;

/// How tags are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tags {
    /// A name for the commit, as MLX's are.
    #[default]
    Lightweight,
    /// An object of its own, with its own id, that points to the commit.
    Annotated,
}

/// A bare repository whose branch `main` grows by one commit at a time. The same calls give the same ids.
pub struct Upstream {
    path: PathBuf,
    commits: BTreeMap<String, String>,
    count: i64,
}

impl Upstream {
    /// An empty repository at `path`, which must not be there.
    pub fn new(path: &Path) -> Self {
        let repository = Repository::init_bare(path).unwrap();
        repository.set_head("refs/heads/main").unwrap();
        Self {
            path: path.to_owned(),
            commits: BTreeMap::new(),
            count: 0,
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// As `--source` takes it.
    pub fn source(&self) -> String {
        format!("git:{}", self.path.display())
    }

    /// Makes a commit on `main` whose tree is `files` and nothing else; gives its id.
    pub fn commit(&mut self, name: &str, subject: &str, files: &Files) -> String {
        let repository = Repository::open_bare(&self.path).unwrap();
        let mut update = TreeUpdateBuilder::new();
        for (path, bytes) in files {
            let blob = repository.blob(bytes).unwrap();
            update.upsert(path.as_str(), blob, FileMode::Blob);
        }
        let empty = repository.treebuilder(None).unwrap().write().unwrap();
        let empty = repository.find_tree(empty).unwrap();
        let tree = update.create_updated(&repository, &empty).unwrap();
        let tree = repository.find_tree(tree).unwrap();
        let parent = repository
            .refname_to_id("refs/heads/main")
            .ok()
            .map(|id| repository.find_commit(id).unwrap());
        let parents: Vec<_> = parent.iter().collect();
        let who = self.signature();
        let id = repository
            .commit(
                Some("refs/heads/main"),
                &who,
                &who,
                subject,
                &tree,
                &parents,
            )
            .unwrap();
        self.count += 1;
        self.commits.insert(name.to_owned(), id.to_string());
        id.to_string()
    }

    /// Tags the commit named `name`.
    pub fn tag(&self, name: &str, tag: &str, tags: Tags) {
        let repository = Repository::open_bare(&self.path).unwrap();
        let id = Oid::from_str(self.id(name)).unwrap();
        let commit = repository
            .find_object(id, Some(ObjectType::Commit))
            .unwrap();
        match tags {
            Tags::Lightweight => repository.tag_lightweight(tag, &commit, false),
            Tags::Annotated => repository.tag(tag, &commit, &self.signature(), tag, false),
        }
        .unwrap();
    }

    /// The id of the commit that was made as `name`.
    pub fn id(&self, name: &str) -> &str {
        self.commits
            .get(name)
            .unwrap_or_else(|| panic!("no commit named {name}"))
    }

    /// The names of the commits that were made.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.commits.keys().map(String::as_str)
    }

    /// Runs git on the repository and gives what it printed.
    pub fn git(&self, arguments: &[&str]) -> String {
        git(&self.path, arguments)
    }

    /// Puts a clone in the repository's place that has one tag and none of the history before it.
    pub fn make_shallow(&self, tag: &str) {
        let whole = self.path.with_extension("whole");
        std::fs::rename(&self.path, &whole).unwrap();
        let from = format!("file://{}", whole.display());
        let to = self.path.to_str().unwrap();
        let arguments = [
            "clone", "--quiet", "--bare", "--depth", "1", "--branch", tag, &from, to,
        ];
        git(whole.parent().unwrap(), &arguments);
        git(&self.path, &["remote", "remove", "origin"]);
        std::fs::remove_dir_all(whole).unwrap();
    }

    fn signature(&self) -> Signature<'static> {
        let time = Time::new(START + self.count * DAY, 0);
        Signature::new("Upstream", "upstream@example.invalid", &time).unwrap()
    }
}

/// Runs git in `folder`, away from the machine's configuration, and gives its standard output.
pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args([
            "-c",
            "core.autocrlf=false",
            "-c",
            "advice.detachedHead=false",
        ])
        .args([
            "-c",
            "user.name=Upstream",
            "-c",
            "user.email=upstream@example.invalid",
        ])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("LC_ALL", "C")
        .output()
        .expect("git is on PATH");
    assert!(
        output.status.success(),
        "git {}: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout)
        .unwrap()
        .trim_end()
        .to_owned()
}
