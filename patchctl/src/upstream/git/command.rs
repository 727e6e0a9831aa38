//! The user's own git, run so that nothing around it changes what comes.

use std::io;
use std::process::Command;
use std::time::Duration;

use camino::Utf8Path;

use crate::store::unwritable;
use crate::toolchain::process::{self, Ended, Limit, Process, whole_lines};
use crate::upstream::settings::Settings;
use crate::upstream::{SourceError, Working};

/// What `git rev-parse --local-env-vars` lists, and the like: they point git at another repository.
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

/// One run of git.
pub(super) struct Git<'a> {
    pub(super) settings: &'a Settings,
    /// For errors.
    pub(super) source: &'a str,
    /// With credentials, if it has any: never shown.
    pub(super) url: &'a str,
    /// For errors: what can be tried by hand.
    pub(super) shown_url: &'a str,
}

impl Git<'_> {
    /// Asks a server; its first answer must come soon.
    pub(super) fn ask(&self, arguments: &[&str]) -> Result<Vec<u8>, SourceError> {
        let first = self.settings.first_answer;
        self.run(None, arguments, first, None)
    }

    /// Brings objects into the repository at `git_dir`; may take long, but not stand still.
    pub(super) fn fetch(
        &self,
        git_dir: &Utf8Path,
        arguments: &[&str],
        working: &Working,
    ) -> Result<(), SourceError> {
        let first = self.settings.stall;
        self.run(Some(git_dir), arguments, first, Some(working))?;
        Ok(())
    }

    fn run(
        &self,
        git_dir: Option<&Utf8Path>,
        arguments: &[&str],
        first: Duration,
        working: Option<&Working>,
    ) -> Result<Vec<u8>, SourceError> {
        let command = self.command(git_dir, arguments);
        let process = Process {
            command,
            input: b"",
            limit: Limit::Silence {
                first,
                then: self.settings.stall,
            },
            merged: false,
            line_ends: b"\r\n",
        };
        let ended = process::run(process, &mut |line| {
            if let (Some(working), false) = (working, line.trim().is_empty()) {
                working.step(line.trim());
            }
        })
        .map_err(|error| self.not_started(&error))?;
        match ended {
            Ended::Exit { status, stdout, .. } if status.success() => Ok(stdout),
            Ended::Exit { status, stderr, .. } => {
                Err(self.failed(git_dir, &whole_lines(&stderr), &status.to_string()))
            }
            Ended::Limit { after, .. } => Err(SourceError::Unreachable {
                source_name: self.source.into(),
                why: format!("no answer within {} s", after.as_secs_f32()),
                help: Some(format!(
                    "check the network and the proxy with `git ls-remote {}`, or name another source with --source",
                    self.shown_url
                )),
            }),
        }
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

    fn not_started(&self, error: &io::Error) -> SourceError {
        let git = self.settings.git.to_string_lossy();
        let missing = error.kind() == io::ErrorKind::NotFound;
        SourceError::Unreachable {
            source_name: self.source.into(),
            why: if missing {
                format!("there is no `{git}` on PATH, and URLs are fetched with it")
            } else {
                format!("`{git}` cannot be started: {error}")
            },
            help: Some(
                "install git (`apt install git`, `brew install git`, https://git-scm.com), or name a source that \
                 needs none: --source git:PATH (a repository on this machine), crates or dir:PATH"
                    .into(),
            ),
        }
    }

    fn failed(&self, git_dir: Option<&Utf8Path>, stderr: &[String], status: &str) -> SourceError {
        let why = what_git_says(stderr)
            .unwrap_or_else(|| format!("git ended with {status}"))
            .replace(self.url, self.shown_url);
        if let (Some(path), Some(kind)) = (git_dir, cache_at_fault(&why)) {
            return unwritable(path, &io::Error::new(kind, why)).into();
        }
        SourceError::Unreachable {
            source_name: self.source.into(),
            why,
            help: Some(format!(
                "try `git ls-remote {}` by hand, or name another source with --source",
                self.shown_url
            )),
        }
    }
}

/// Where it is the cache that failed and not the server.
fn cache_at_fault(why: &str) -> Option<io::ErrorKind> {
    let has = |text: &str| why.contains(text);
    if has("No space left on device") {
        Some(io::ErrorKind::StorageFull)
    } else if has("Read-only file system") {
        Some(io::ErrorKind::ReadOnlyFilesystem)
    } else if has("insufficient permission") {
        Some(io::ErrorKind::PermissionDenied)
    } else {
        None
    }
}

/// The line that tells most: git's own `fatal:` or `error:`, and what the other side said.
fn what_git_says(stderr: &[String]) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use super::*;

    #[test]
    fn nothing_around_git_decides_which_repository_it_works_on_or_what_it_runs() {
        let settings = Settings::new("unused");
        let git = Git {
            settings: &settings,
            source: "git:u",
            url: "https://name:secret@example.com/mlx",
            shown_url: "https://example.com/mlx",
        };
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
    fn credentials_of_a_url_are_not_shown() {
        let settings = Settings::new("unused");
        let git = Git {
            settings: &settings,
            source: "git:https://example.com/mlx",
            url: "https://name:secret@example.com/mlx",
            shown_url: "https://example.com/mlx",
        };
        let line = "fatal: repository 'https://name:secret@example.com/mlx' not found".to_owned();
        let error = git.failed(None, &[line], "exit status: 128");
        let shown = format!("{error} {error:?}");
        assert!(
            shown.contains("not found") && !shown.contains("secret"),
            "{shown}"
        );
    }

    #[test]
    fn gits_own_reason_is_found_among_its_lines() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            what_git_says(&lines(
                "warning: x\nfatal: unable to access 'u': Could not resolve host: h\n"
            )),
            Some("unable to access 'u': Could not resolve host: h".into())
        );
        assert_eq!(
            what_git_says(&lines(
                "remote: Repository not found.\nfatal: repository 'u' not found"
            )),
            Some("repository 'u' not found (Repository not found.)".into())
        );
        assert_eq!(what_git_says(&[]), None);
    }
}
