//! A repository that uses patchctl, in a folder of its own, with its own home and cache.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use super::files::{Files, Snapshot};
use super::outcome::Outcome;
use super::upstream::Upstream;
use crate::program;

/// A run that takes this long hangs. Nothing is measured by it.
const HANGS_AFTER: Duration = Duration::from_secs(300);

/// The repository, and beside it the home, the cache and the upstream. All of it goes when dropped.
pub struct Scratch {
    dir: TempDir,
    cache: PathBuf,
    source: Option<String>,
    environment: Environment,
}

/// What a run sees of the machine's environment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Environment {
    /// `PATH` alone.
    None,
    /// All of it, for runs that start cargo.
    Whole,
}

impl Scratch {
    /// A repository with a `patchctl.yaml` and the folder `overlays`, and nothing else.
    pub fn new() -> Self {
        let dir = tempfile::Builder::new()
            .prefix("patchctl-")
            .tempdir()
            .unwrap();
        let scratch = Self {
            cache: dir.path().join("cache"),
            dir,
            source: None,
            environment: Environment::None,
        };
        fs::create_dir(scratch.home()).unwrap();
        scratch.write("patchctl.yaml", CONFIG);
        fs::create_dir(scratch.path("overlays")).unwrap();
        scratch
    }

    /// A new, empty upstream next to the repository; runs get it as their `--source`.
    pub fn upstream(&mut self) -> Upstream {
        let upstream = Upstream::new(&self.beside("upstream.git"));
        self.source = Some(upstream.source());
        upstream
    }

    /// Sets the `--source` of every run.
    pub fn set_source(&mut self, source: Option<String>) {
        self.source = source;
    }

    /// The repository's folder.
    pub fn root(&self) -> PathBuf {
        self.dir.path().join("repository")
    }

    /// A path in the repository.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root().join(relative)
    }

    /// A path outside the repository that goes with it.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The user's home, which holds their git configuration.
    pub fn home(&self) -> PathBuf {
        self.beside("home")
    }

    /// patchctl's cache.
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// Moves patchctl's cache.
    pub fn set_cache(&mut self, cache: PathBuf) {
        self.cache = cache;
    }

    /// Lets runs see the machine's own environment: its home and cargo's configuration.
    pub fn with_the_machines_environment(mut self) -> Self {
        self.environment = Environment::Whole;
        self
    }

    /// Writes a file of the repository.
    pub fn write(&self, relative: &str, text: impl AsRef<[u8]>) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes files of the repository.
    pub fn write_all(&self, folder: &str, files: &Files) {
        super::files::write(&self.path(folder), files);
    }

    /// A file of the repository, as text.
    pub fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.path(relative))
            .unwrap_or_else(|error| panic!("{relative}: {error}"))
    }

    fn variables(&self) -> Vec<(OsString, OsString)> {
        let mut variables: Vec<_> = match self.environment {
            Environment::Whole => std::env::vars_os().collect(),
            Environment::None => {
                let path = std::env::var_os("PATH").unwrap_or_default();
                vec![("PATH".into(), path), ("HOME".into(), self.home().into())]
            }
        };
        variables.push(("PATCHCTL_CACHE".into(), self.cache().into()));
        variables
    }

    /// Runs `patchctl` in the repository with the words of `line`; in JSON, unless they ask for another form.
    pub fn run(&self, line: &str) -> Outcome {
        self.run_with(line, |_| {})
    }

    /// As [`Scratch::run`], after `change` has had its way with the command.
    pub fn run_with(&self, line: &str, change: impl FnOnce(&mut assert_cmd::Command)) -> Outcome {
        let mut command = self.start(program::path());
        command.args(self.arguments(line));
        change(&mut command);
        self.finish(line, command)
    }

    /// As [`Scratch::run`], by way of another program that takes the command line as its last words.
    pub fn run_through(&self, program: &[&str], line: &str) -> Outcome {
        let mut command = self.start(program[0]);
        command
            .args(&program[1..])
            .arg(program::path())
            .args(self.arguments(line));
        self.finish(line, command)
    }

    /// Starts `patchctl` with the words of `line` and does not wait for it.
    pub fn spawn(&self, line: &str) -> Child {
        let mut command = std::process::Command::new(program::path());
        command
            .env_clear()
            .envs(self.variables())
            .current_dir(self.root())
            .args(self.arguments(line))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().expect("the binary can be run")
    }

    fn start(&self, program: impl AsRef<OsStr>) -> assert_cmd::Command {
        let mut command = assert_cmd::Command::new(program);
        command
            .env_clear()
            .envs(self.variables())
            .current_dir(self.root());
        command
    }

    fn arguments(&self, line: &str) -> Vec<String> {
        let mut arguments = Vec::new();
        if !line.contains("--format") {
            arguments.extend(["--format".to_owned(), "json".to_owned()]);
        }
        if let Some(source) = &self.source {
            arguments.extend(["--source".to_owned(), source.clone()]);
        }
        arguments.extend(line.split_whitespace().map(str::to_owned));
        arguments
    }

    fn finish(&self, line: &str, mut command: assert_cmd::Command) -> Outcome {
        let output = command
            .timeout(HANGS_AFTER)
            .output()
            .expect("the program can be run");
        Outcome {
            command: line.to_owned(),
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
        }
    }

    /// Everything in the repository but `.patchctl/`, which holds the lock file and is never committed.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::without(&self.root(), &[".patchctl"])
    }
}

/// Names an upstream that nobody has, so that a run which forgot its `--source` fails at once.
const CONFIG: &str = "\
schema: 1
upstream:
  name: quill
  sources:
    - git: /nowhere/quill.git
overlays: overlays
";

/// Copies a file's or folder's bytes to another place.
pub fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        super::files::write(to, &super::files::read(from));
    } else {
        fs::copy(from, to).unwrap();
    }
}
