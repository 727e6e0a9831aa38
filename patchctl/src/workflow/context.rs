//! The context of every command: the surroundings, without its own options.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::report::{Code, Error};
use crate::store::Cache;
use crate::toolchain::System;
use crate::upstream::{Progress, Settings, SourceSpec};
use crate::workspace::{CONFIG_FILE, Steps};

/// The surroundings, read once at the edge: no command looks at the environment itself.
#[derive(Clone)]
pub struct Context {
    /// The folder that patchctl was started in.
    pub start: Utf8PathBuf,
    /// `--root`.
    pub root: Option<Utf8PathBuf>,
    /// `--offline`: the network may not be used.
    pub offline: bool,
    /// `--source`, in order; empty where `patchctl.yaml` decides. Relative paths are from `start` already.
    pub sources: Vec<SourceSpec>,
    /// The folder for everything that can be made again: sources, unpacked trees, tools.
    pub cache: Utf8PathBuf,
    /// Told about what takes long.
    pub progress: Arc<dyn Progress>,
    /// Starts compilers and what they make, without the user's environment.
    pub programs: System,
    /// Told before each durable step of a writing command.
    pub steps: Arc<dyn Steps + Send + Sync>,
}

impl Context {
    /// The root: `--root`, else the nearest folder upwards that holds `patchctl.yaml`.
    ///
    /// # Errors
    /// When there is none; the error names where it was looked for.
    pub fn root(&self) -> Result<Utf8PathBuf, Error> {
        if let Some(root) = &self.root {
            let root = self.start.join(root);
            return if is_root(&root) {
                Ok(root)
            } else {
                Err(
                    Error::new(Code::NoRoot, format!("{root} holds no patchctl.yaml"))
                        .help("--root names the folder in which patchctl.yaml stands"),
                )
            };
        }
        self.start
            .ancestors()
            .find(|folder| is_root(folder))
            .map(Utf8Path::to_owned)
            .ok_or_else(|| {
                let message = format!(
                    "there is no patchctl.yaml in {} or any folder above it",
                    self.start
                );
                Error::new(Code::NoRoot, message).help(
                    "run patchctl inside a repository that has one, or name its folder with --root DIR",
                )
            })
    }

    /// The sources' settings; what depends on the lock is left to the caller.
    pub fn source_settings(&self) -> Settings {
        Settings {
            offline: self.offline,
            progress: Arc::clone(&self.progress),
            ..Settings::new(&*self.cache)
        }
    }

    /// The cache.
    pub(super) fn store(&self) -> Cache {
        Cache::new(&self.cache, &self.progress)
    }

    /// A path of the command line, which is relative to where patchctl was started.
    pub fn path(&self, given: &Utf8Path) -> Utf8PathBuf {
        self.start.join(given)
    }
}

fn is_root(folder: &Utf8Path) -> bool {
    folder.join(CONFIG_FILE).is_file()
}
