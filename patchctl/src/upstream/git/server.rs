//! A server, asked by the user's own git, which runs so that nothing around it changes what comes.

use std::collections::BTreeMap;
use std::io;
use std::process::Command;

use camino::Utf8Path;
use git2::Oid;
use semver::Version;

use super::names::{References, newest_first, releases_of};
use crate::report::Error;
use crate::store::unwritable;
use crate::toolchain::process;
use crate::upstream::revision::unreachable;
use crate::upstream::tool::{self, Failed};
use crate::upstream::{RevisionSpec, Settings, Working};

/// The list of `git rev-parse --local-env-vars`, and the like: they point git at another repository.
const DISCOVERY: [&str; 20] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DEFAULT_HASH",
    "GIT_DIR",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// The user's configuration stays in force for proxies, credentials and certificates; these settings of it
/// would run programs, remove what is kept here, or take long.
const OVERRIDES: [&str; 14] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "fetch.prune=false",
    "fetch.pruneTags=false",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    "fetch.unpackLimit=1",
    "gc.auto=0",
    "maintenance.auto=false",
    // A URL that is a command to run: a configuration file must not be able to do that.
    "protocol.ext.allow=never",
    "protocol.version=2",
    // Under a thousand bytes a second for ten seconds is a connection that hangs.
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=10",
    "advice.detachedHead=false",
];

/// A server that git can fetch from.
pub(super) struct Server {
    pub(super) settings: Settings,
    /// The source's name, without credentials.
    pub(super) name: String,
    /// With credentials, if it has any: never shown.
    pub(super) url: String,
}

impl Server {
    /// Lists the references.
    pub(super) fn list(&self) -> Result<Listing, Error> {
        let what = format!("asking {} what it has", self.name);
        let working = Working::on(&self.settings.progress, &what);
        let arguments = ["ls-remote", "--tags", "--heads", "--", &self.url];
        Ok(Listing::read(&self.run(None, &arguments, &working)?))
    }

    /// Runs git, on the repository at `git_dir` where there is one. The first answer of a server must come soon; a transfer
    /// may take long, but not stand still.
    pub(super) fn run(
        &self,
        git_dir: Option<&Utf8Path>,
        arguments: &[&str],
        working: &Working,
    ) -> Result<Vec<u8>, Error> {
        let stall = self.settings.stall;
        let first = git_dir.map_or(self.settings.first_answer, |_| stall);
        let command = self.command(git_dir, arguments);
        let (why, help) = match tool::run(command, (first, stall), "URLs", working) {
            Ok(answer) => return Ok(answer),
            Err(Failed::Exit(status, stderr)) => {
                return Err(self.failed(git_dir, &stderr, &status.to_string()));
            }
            Err(Failed::NotStarted(why)) => (
                why,
                "install git (`apt install git`, `brew install git`, https://git-scm.com), or name a source that \
                 needs none: --source git:PATH (a repository on this machine), crates or dir:PATH"
                    .to_owned(),
            ),
            Err(Failed::Silent(after)) => (
                format!("no answer within {} s", after.as_secs_f32()),
                format!(
                    "check the network and the proxy with `git ls-remote {}`, or name another source with --source",
                    self.shown_url()
                ),
            ),
        };
        Err(unreachable(&self.name, why, help))
    }

    fn shown_url(&self) -> &str {
        self.name.strip_prefix("git:").unwrap_or(&self.name)
    }

    fn command(&self, git_dir: Option<&Utf8Path>, arguments: &[&str]) -> Command {
        let mut command = process::command(&self.settings.git, &DISCOVERY);
        command
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C");
        for setting in OVERRIDES {
            command.args(["-c", setting]);
        }
        // Both are named, so that no repository around the working directory is looked at.
        match git_dir {
            Some(git_dir) => command.current_dir(git_dir).args(["--git-dir", "."]),
            None => command.current_dir("/").env("GIT_DIR", "/nonexistent"),
        };
        command.args(arguments);
        command
    }

    fn failed(&self, git_dir: Option<&Utf8Path>, stderr: &[String], status: &str) -> Error {
        let why = reason(stderr)
            .unwrap_or_else(|| format!("git ended with {status}"))
            .replace(&self.url, self.shown_url());
        if let (Some(path), Some(kind)) = (git_dir, cache_at_fault(&why)) {
            return unwritable(path, &io::Error::new(kind, why));
        }
        let help = format!(
            "try `git ls-remote {}` by hand, or name another source with --source",
            self.shown_url()
        );
        unreachable(&self.name, why, help)
    }
}

/// The kind of failure, where the cache failed and not the server.
fn cache_at_fault(why: &str) -> Option<io::ErrorKind> {
    let kinds = [
        ("No space left on device", io::ErrorKind::StorageFull),
        ("Read-only file system", io::ErrorKind::ReadOnlyFilesystem),
        ("insufficient permission", io::ErrorKind::PermissionDenied),
    ];
    let mut kinds = kinds.into_iter();
    kinds.find_map(|(text, kind)| why.contains(text).then_some(kind))
}

/// The line that tells most: git's own `fatal:` or `error:`, and the words of the other side.
fn reason(stderr: &[String]) -> Option<String> {
    let said = |prefix: &str| {
        stderr
            .iter()
            .find_map(|line| line.strip_prefix(prefix).map(|rest| rest.trim().to_owned()))
    };
    let own = said("fatal:").or_else(|| said("error:"));
    match (own, said("remote:")) {
        (Some(own), Some(remote)) => Some(format!("{own} ({remote})")),
        (Some(one), None) | (None, Some(one)) => Some(one),
        (None, None) => stderr.last().cloned(),
    }
}

/// The tags and branches of a server, annotated tags followed to their commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Listing(pub(super) BTreeMap<String, Oid>);

impl Listing {
    /// Reads `git ls-remote`'s lines: an id, a tab, a name; a name with `^{}` is the commit of the tag before it.
    fn read(bytes: &[u8]) -> Self {
        let mut listing = Self::default();
        for line in String::from_utf8_lossy(bytes).lines() {
            let Some((id, name)) = line.split_once('\t') else {
                continue;
            };
            let Ok(id) = Oid::from_str(id) else { continue };
            let name = name.strip_suffix("^{}").unwrap_or(name);
            listing.0.insert(name.to_owned(), id);
        }
        listing
    }

    /// The names below `refs/tags/` or another folder.
    pub(super) fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .keys()
            .filter_map(move |name| name.strip_prefix(folder))
    }

    /// The server's own name of a reference: `origin/main` is its `main`.
    pub(super) fn own_name(&self, reference: &str) -> String {
        match self.0.contains_key(reference) {
            true => reference.to_owned(),
            false => reference.replacen("refs/heads/origin/", "refs/heads/", 1),
        }
    }

    /// The alternatives to `wanted`: releases, newest first, and branches where one was asked for.
    pub(super) fn summary(&self, wanted: &RevisionSpec) -> String {
        const SHOWN: usize = 5;
        let releases = newest_first(&releases_of(self.below("refs/tags/")));
        let branches: Vec<_> = self.below("refs/heads/").take(SHOWN).collect();
        let branches = branches.join(", ");
        let wants_branch = matches!(wanted, RevisionSpec::Name(_));
        match (releases.is_empty(), branches.is_empty()) {
            (true, true) => "no tags and no branches".into(),
            (true, false) => format!("no release tags, branches {branches}"),
            (false, false) if wants_branch => {
                format!("branches {branches} and releases {releases}")
            }
            (false, _) => releases,
        }
    }
}

impl References for Listing {
    fn commit_of(&self, reference: &str) -> Result<Option<Oid>, Error> {
        Ok(self.0.get(&self.own_name(reference)).copied())
    }

    fn releases(&self) -> Result<Vec<Version>, Error> {
        Ok(releases_of(self.below("refs/tags/")))
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use super::*;

    fn server() -> Server {
        Server {
            settings: Settings::new("unused"),
            name: "git:https://example.com/mlx".into(),
            url: "https://name:secret@example.com/mlx".into(),
        }
    }

    #[test]
    fn surroundings_of_git_change_nothing() {
        let git = server();
        let command = git.command(Some(Utf8Path::new("/cache/x.git")), &["fetch"]);
        let environment: Vec<_> = command.get_envs().collect();
        let set = |name: &str, value: Option<&str>| {
            environment.contains(&(OsStr::new(name), value.map(OsStr::new)))
        };
        for (name, value) in [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("LC_ALL", "C"),
        ] {
            assert!(set(name, Some(value)), "{name}");
        }
        for name in [
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_INDEX_FILE",
            "GIT_OBJECT_DIRECTORY",
            "GIT_ALTERNATE_OBJECT_DIRECTORIES",
            "GIT_COMMON_DIR",
            "GIT_CONFIG_COUNT",
            "GIT_CONFIG_PARAMETERS",
        ] {
            assert!(set(name, None), "{name}");
        }
        let arguments: Vec<_> = command.get_args().filter_map(OsStr::to_str).collect();
        for setting in ["core.hooksPath=/dev/null", "fetch.prune=false"] {
            assert!(arguments.contains(&setting), "{setting}");
        }
        assert_eq!(command.get_current_dir(), Some(Path::new("/cache/x.git")));
    }

    #[test]
    fn credentials_are_not_shown() {
        let git = server();
        let line = "fatal: repository 'https://name:secret@example.com/mlx' not found".to_owned();
        let error = git.failed(None, &[line], "exit status: 128");
        let shown = format!("{error} {error:?}");
        assert!(
            shown.contains("not found") && !shown.contains("secret"),
            "{shown}"
        );
    }

    #[test]
    fn reason_of_git_is_found() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            reason(&lines(
                "warning: x\nfatal: unable to access 'u': Could not resolve host: h\n"
            )),
            Some("unable to access 'u': Could not resolve host: h".into())
        );
        assert_eq!(
            reason(&lines(
                "remote: Repository not found.\nfatal: repository 'u' not found"
            )),
            Some("repository 'u' not found (Repository not found.)".into())
        );
        assert_eq!(reason(&[]), None);
    }

    #[test]
    fn annotated_tag_leads_to_its_commit() {
        let tag = "1".repeat(40);
        let commit = "2".repeat(40);
        let text = format!(
            "{commit}\trefs/heads/main\n{tag}\trefs/tags/v0.32.4\n{commit}\trefs/tags/v0.32.4^{{}}\n\
             {commit}\trefs/tags/v0.33.0-rc1\nwarning: nothing\n"
        );
        let listing = Listing::read(text.as_bytes());
        let release = Version::new(0, 32, 4);
        let wanted = RevisionSpec::Release(release.clone());
        let named = listing.named(&wanted).unwrap().unwrap();
        assert_eq!(named.tag(), Some("v0.32.4"));
        assert_eq!(named.commit.to_string(), commit);
        assert_eq!(listing.releases().unwrap(), [release]);
        assert_eq!(listing.below("refs/heads/").count(), 1);
    }
}
