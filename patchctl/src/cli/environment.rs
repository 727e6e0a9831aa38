//! Everything that patchctl takes from its environment, read here and nowhere else.

use std::io::IsTerminal;
use std::sync::Arc;

use anstream::ColorChoice;
use camino::Utf8PathBuf;

use super::Global;
use super::args::{Color, Format};
use super::progress::{Moving, Notes};
use crate::report::{Code, Error, OrError};
use crate::toolchain::System;
use crate::upstream::{Progress, Quiet};
use crate::workflow::Context;

/// The variables and facts that matter, as they were at the start.
#[derive(Debug, Clone)]
pub struct Environment {
    start: Result<Utf8PathBuf, String>,
    cache: Option<Utf8PathBuf>,
    home: Option<Utf8PathBuf>,
    xdg_cache: Option<Utf8PathBuf>,
    no_color: bool,
    clicolor: Option<bool>,
    clicolor_force: bool,
    dumb: bool,
    stdout_is_terminal: bool,
    stderr_is_terminal: bool,
    programs: System,
    pub(super) workspace: Option<Utf8PathBuf>,
    pub(super) step_summary: Option<Utf8PathBuf>,
    abort_at: Option<u64>,
}

impl Environment {
    /// Reads the process's environment.
    pub fn read() -> Self {
        // By the conventions of no-color.org and bixense.com/clicolors an empty value is an unset one.
        let text = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let path = |name: &str| text(name).map(Utf8PathBuf::from);
        Self {
            start: start(),
            cache: path("PATCHCTL_CACHE"),
            home: path("HOME"),
            xdg_cache: path("XDG_CACHE_HOME"),
            no_color: text("NO_COLOR").is_some(),
            clicolor: text("CLICOLOR").map(|value| value != "0"),
            clicolor_force: text("CLICOLOR_FORCE").is_some_and(|value| value != "0"),
            dumb: text("TERM").is_none_or(|value| value == "dumb"),
            stdout_is_terminal: std::io::stdout().is_terminal(),
            stderr_is_terminal: std::io::stderr().is_terminal(),
            workspace: path("GITHUB_WORKSPACE"),
            step_summary: path("GITHUB_STEP_SUMMARY"),
            programs: System {
                path: std::env::var_os("PATH").unwrap_or_default(),
                temporary: std::env::temp_dir().into(),
            },
            abort_at: text("PATCHCTL_TEST_ABORT_AT").and_then(|value| value.parse().ok()),
        }
    }

    /// Returns the context of a command.
    ///
    /// # Errors
    /// When there is no folder to start from, or none for the cache.
    pub fn context(&self, global: &Global) -> Result<Context, Error> {
        let start = self
            .start
            .clone()
            .map_err(std::io::Error::other)
            .or_error(Code::Io, || "cannot tell the current folder".to_owned())?;
        let sources = global.sources.iter();
        let sources = sources.map(|source| source.clone().relative_to(&start));
        Ok(Context {
            cache: start.join(self.cache_folder()?),
            root: global.root.clone(),
            offline: global.offline,
            sources: sources.collect(),
            progress: self.progress(global),
            programs: self.programs.clone(),
            steps: super::abort_at::steps(self.abort_at),
            start,
        })
    }

    /// The receiver of progress: a moving line for a person at a terminal, notes for a log, nothing where a program
    /// reads.
    fn progress(&self, global: &Global) -> Arc<dyn Progress> {
        let notes = Notes::new(self.stderr_colors(global.color));
        match global.format {
            Format::Json => Arc::new(Quiet),
            Format::Human | Format::Markdown if self.stderr_is_terminal && !self.dumb => {
                Arc::new(Moving::new(notes))
            }
            Format::Human | Format::Markdown | Format::Github => Arc::new(notes),
        }
    }

    /// `PATCHCTL_CACHE`, else `patchctl` in the user's cache folder.
    fn cache_folder(&self) -> Result<Utf8PathBuf, Error> {
        if let Some(cache) = &self.cache {
            return Ok(cache.clone());
        }
        // The XDG base directory specification: a relative path is to be ignored.
        let xdg = self.xdg_cache.clone().filter(|path| path.is_absolute());
        xdg.or_else(|| self.home.as_ref().map(|home| home.join(".cache")))
            .map(|folder| folder.join("patchctl"))
            .ok_or_else(|| {
                Error::usage("there is no folder for the cache: HOME is not set")
                    .help("set PATCHCTL_CACHE to a folder that may be written")
            })
    }

    /// Returns the colour choice for standard output.
    pub fn stdout_colors(&self, asked: Color) -> ColorChoice {
        self.colors(asked, self.stdout_is_terminal)
    }

    /// Returns the colour choice for standard error.
    pub fn stderr_colors(&self, asked: Color) -> ColorChoice {
        self.colors(asked, self.stderr_is_terminal)
    }

    /// `--color` decides; then `NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR`; then the terminal.
    fn colors(&self, asked: Color, terminal: bool) -> ColorChoice {
        let wanted = match asked {
            Color::Always => true,
            Color::Never => false,
            Color::Auto if self.no_color => false,
            Color::Auto if self.clicolor_force => true,
            Color::Auto => terminal && !self.dumb && self.clicolor != Some(false),
        };
        if wanted {
            ColorChoice::Always
        } else {
            ColorChoice::Never
        }
    }
}

fn start() -> Result<Utf8PathBuf, String> {
    let folder = std::env::current_dir().map_err(|error| error.to_string())?;
    Utf8PathBuf::from_path_buf(folder)
        .map_err(|folder| format!("{} is not UTF-8", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terminal() -> Environment {
        Environment {
            start: Ok("/somewhere".into()),
            cache: None,
            home: Some("/home/me".into()),
            xdg_cache: None,
            no_color: false,
            clicolor: None,
            clicolor_force: false,
            dumb: false,
            stdout_is_terminal: true,
            stderr_is_terminal: true,
            workspace: None,
            step_summary: None,
            programs: System {
                path: "/bin".into(),
                temporary: "/tmp".into(),
            },
            abort_at: None,
        }
    }

    #[test]
    fn colours_are_for_terminals_by_default() {
        let colored = |environment: &Environment, asked| {
            environment.stdout_colors(asked) == ColorChoice::Always
        };
        let on = terminal();
        let off = Environment {
            stdout_is_terminal: false,
            ..terminal()
        };
        assert!(colored(&on, Color::Auto));
        assert!(!colored(&on, Color::Never));
        assert!(!colored(&off, Color::Auto));
        assert!(colored(&off, Color::Always));
        let no_color = |env: Environment| Environment {
            no_color: true,
            ..env
        };
        assert!(!colored(&no_color(on.clone()), Color::Auto));
        assert!(colored(&no_color(on), Color::Always));
        let forced = Environment {
            clicolor_force: true,
            ..off
        };
        assert!(colored(&forced, Color::Auto));
        assert!(!colored(&no_color(forced), Color::Auto));
        let clicolor_0 = Environment {
            clicolor: Some(false),
            ..terminal()
        };
        assert!(!colored(&clicolor_0, Color::Auto));
        let dumb = Environment {
            dumb: true,
            ..terminal()
        };
        assert!(!colored(&dumb, Color::Auto));
    }

    #[test]
    fn cache_folder_by_precedence() {
        let folder = |environment: Environment| environment.cache_folder().ok();
        assert_eq!(folder(terminal()), Some("/home/me/.cache/patchctl".into()));
        let xdg = |path: &str| Environment {
            xdg_cache: Some(path.into()),
            ..terminal()
        };
        assert_eq!(folder(xdg("/caches")), Some("/caches/patchctl".into()));
        assert_eq!(
            folder(xdg("relative")),
            Some("/home/me/.cache/patchctl".into())
        );
        let named = Environment {
            cache: Some("here".into()),
            ..xdg("/caches")
        };
        assert_eq!(folder(named), Some("here".into()));
        let homeless = Environment {
            home: None,
            ..terminal()
        };
        assert_eq!(folder(homeless), None);
    }
}
