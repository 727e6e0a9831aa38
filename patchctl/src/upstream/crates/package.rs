//! One package, brought by the user's own cargo and checked against its digest.

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

use super::opened::{Opened, read_archive};
use super::table::Package;
use crate::store::{Cache, sha256_hex, unwritable};
use crate::toolchain::process::{self, Ended, Limit, Process, whole_lines};
use crate::upstream::settings::Settings;
use crate::upstream::{SourceError, Working};

/// These make cargo behave otherwise than a plain run would, or come from a cargo that runs patchctl.
const SURROUNDINGS: [&str; 17] = [
    "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_BUILD_TARGET_DIR",
    "CARGO_ENCODED_RUSTDOCFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_PATH",
    "CARGO_TARGET_DIR",
    "CARGO_UNSTABLE_DIRECT_MINIMAL_VERSIONS",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOCFLAGS",
    "RUSTFLAGS",
];

impl Package {
    /// `name version`, as cargo would say it.
    pub(super) fn label(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// Has cargo bring the package, or find it with `--offline`, and opens it.
    ///
    /// cargo's own `metadata` does it: it downloads only what this needs, takes the user's registries and source
    /// replacement, and says where the package lies. (`cargo vendor` leaves `.gitignore` files out, and then a tree's
    /// id can not be compared.)
    pub(super) fn bring(&self, settings: &Settings) -> Result<Opened, SourceError> {
        let cache = Cache::new(&settings.cache, &settings.progress);
        let folder = cache.path("crates", &format!("{}-{}", self.name, self.version));
        self.write_manifest(&folder)?;
        let metadata = self.cargo_metadata(&folder, settings)?;
        self.check_lock(&folder)?;
        let manifest = metadata
            .packages
            .into_iter()
            .find(|found| found.name == self.name && found.version == self.version.to_string())
            .map(|found| found.manifest_path)
            .ok_or_else(|| {
                self.unreachable(
                    format!("cargo did not bring {}", self.label()),
                    format!("try `cargo fetch` in {folder}"),
                )
            })?;
        let unpacked = manifest.parent().unwrap_or(&manifest).to_owned();
        match archive_beside(&unpacked) {
            Some(path) => self.open_archive(path),
            None => Ok(Opened::Folder(unpacked)),
        }
    }

    /// A workspace of its own, so that nothing around the cache is read.
    fn write_manifest(&self, folder: &Utf8Path) -> Result<(), SourceError> {
        let text = format!(
            "# Made by patchctl to have cargo bring one package.\n[package]\nname = \"patchctl-fetch\"\nversion = \"0.0.0\"\n\
             edition = \"2021\"\npublish = false\n\n[lib]\npath = \"lib.rs\"\n\n[workspace]\n\n[dependencies]\n{} = \"={}\"\n",
            self.name, self.version
        );
        let failed = |error| unwritable(folder, &error);
        let manifest = folder.join("Cargo.toml");
        if fs_err::read_to_string(&manifest).is_ok_and(|there| there == text) {
            return Ok(());
        }
        fs_err::create_dir_all(folder).map_err(failed)?;
        fs_err::write(folder.join("lib.rs"), "").map_err(failed)?;
        Ok(fs_err::write(manifest, text).map_err(failed)?)
    }

    fn cargo_metadata(
        &self,
        folder: &Utf8Path,
        settings: &Settings,
    ) -> Result<Metadata, SourceError> {
        let mut command = process::command(&settings.cargo, &SURROUNDINGS);
        command
            // cargo and rustup obey the configuration of the folders above the one they are run in. Above this one is
            // none but the machine's, whatever repository the cache may be in.
            .current_dir("/")
            .env("LC_ALL", "C")
            .env("CARGO_TERM_COLOR", "never")
            .args(["metadata", "--format-version", "1", "--manifest-path"])
            .arg(folder.join("Cargo.toml"))
            // Any one platform: without it, dependencies for all platforms would be downloaded too.
            .args(["--filter-platform", "x86_64-unknown-linux-gnu"]);
        if settings.offline {
            command.arg("--offline");
        }
        let working = Working::on(
            &settings.progress,
            &format!("fetching {} with cargo", self.label()),
        );
        // cargo tells of no progress where it writes to no terminal.
        let process = Process {
            command,
            input: b"",
            limit: Limit::Silence {
                first: settings.stall * 2,
                then: settings.stall * 2,
            },
            merged: false,
            line_ends: b"\r\n",
        };
        let ended = process::run(process, &mut |line| {
            if !line.trim().is_empty() {
                working.step(line.trim());
            }
        })
        .map_err(|error| self.not_started(settings, &error))?;
        match ended {
            Ended::Exit { status, stdout, .. } if status.success() => {
                serde_json::from_slice(&stdout).map_err(|error| {
                    self.unreachable(
                        format!(
                            "what cargo says of {} is not understood: {error}",
                            self.label()
                        ),
                        "update Rust",
                    )
                })
            }
            Ended::Exit { stderr, .. } => Err(self.cargo_failed(&whole_lines(&stderr), settings)),
            Ended::Limit { after, .. } => Err(self.unreachable(
                format!(
                    "cargo said nothing for {} s while it fetched {}",
                    after.as_secs_f32(),
                    self.label()
                ),
                format!("check the network and the registry: try `cargo fetch` in {folder}"),
            )),
        }
    }

    fn cargo_failed(&self, stderr: &[String], settings: &Settings) -> SourceError {
        // A damaged archive stops cargo too; then that is what to name.
        if let Some(archive) = self.archive_in(stderr)
            && let Err(damaged) = self.open_archive(archive)
        {
            return damaged;
        }
        let why = causes(stderr);
        let help = if settings.offline {
            "run once without --offline".to_owned()
        } else {
            "check the network and cargo's configuration: try `cargo fetch` in a small project with this dependency, \
             or name another source with --source git:PATH-OR-URL or dir:PATH"
                .to_owned()
        };
        self.unreachable(format!("cargo cannot bring {}: {why}", self.label()), help)
    }

    /// The archive that cargo was unpacking, by the folder that its lines name.
    fn archive_in(&self, stderr: &[String]) -> Option<Utf8PathBuf> {
        let name = format!("{}-{}", self.name, self.version);
        stderr
            .iter()
            .flat_map(|line| line.split('`'))
            .filter(|quoted| quoted.contains("registry"))
            .find_map(|quoted| {
                Utf8Path::new(quoted)
                    .ancestors()
                    .find(|path| path.file_name() == Some(&name))
                    .and_then(archive_beside)
            })
    }

    fn open_archive(&self, path: Utf8PathBuf) -> Result<Opened, SourceError> {
        let bytes = read_archive(&path)
            .map_err(|why| self.unreachable(why, format!("make {path} readable")))?;
        let digest = sha256_hex(&bytes);
        if digest != self.checksum {
            return Err(self.unreachable(
                format!(
                    "{path} is truncated or altered: its SHA-256 is {digest}, {} has {}",
                    self.label(),
                    self.checksum
                ),
                format!("look at it, then remove it and the folder that cargo unpacked from it: cargo downloads {} again", self.label()),
            ));
        }
        Ok(Opened::Archive {
            path,
            bytes,
            root: format!("{}-{}", self.name, self.version),
        })
    }

    /// The registry's index and the table must agree on the package.
    fn check_lock(&self, folder: &Utf8Path) -> Result<(), SourceError> {
        let path = folder.join("Cargo.lock");
        let text = fs_err::read_to_string(&path).unwrap_or_default();
        let lock: toml_edit::Document<String> =
            toml_edit::Document::parse(text).map_err(|error| {
                self.unreachable(
                    format!("{path} is not understood: {error}"),
                    format!("remove {path}"),
                )
            })?;
        let version = self.version.to_string();
        let text = |table: &toml_edit::Table, key: &str| {
            table
                .get(key)
                .and_then(|item| item.as_str())
                .map(str::to_owned)
        };
        let found = lock
            .get("package")
            .and_then(|item| item.as_array_of_tables())
            .into_iter()
            .flatten()
            .find(|table| {
                text(table, "name").as_deref() == Some(&self.name)
                    && text(table, "version").as_deref() == Some(&version)
            })
            .and_then(|table| text(table, "checksum"));
        match found {
            Some(checksum) if checksum == self.checksum => Ok(()),
            Some(checksum) => Err(self.unreachable(
                format!(
                    "the registry has another {}: checksum {checksum}, expected {}",
                    self.label(),
                    self.checksum
                ),
                "look at cargo's configuration: which registry stands in for crates.io?",
            )),
            None => Err(self.unreachable(
                format!("{path} has no checksum for {}", self.label()),
                "look at cargo's configuration: the package must come from a registry",
            )),
        }
    }

    fn not_started(&self, settings: &Settings, error: &std::io::Error) -> SourceError {
        let cargo = settings.cargo.to_string_lossy();
        self.unreachable(
            if error.kind() == std::io::ErrorKind::NotFound {
                format!("there is no `{cargo}` on PATH, and packages are fetched with it")
            } else {
                format!("`{cargo}` cannot be started: {error}")
            },
            "install Rust (https://rustup.rs), or name another source with --source git:PATH-OR-URL or dir:PATH",
        )
    }

    pub(super) fn unreachable(
        &self,
        why: impl Into<String>,
        help: impl Into<String>,
    ) -> SourceError {
        SourceError::Unreachable {
            source_name: "crates".into(),
            why: why.into(),
            help: Some(help.into()),
        }
    }
}

/// The fields that are needed of `cargo metadata`'s answer.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    name: String,
    version: String,
    manifest_path: Utf8PathBuf,
}

/// `registry/cache/<index>/<package>.crate` for `registry/src/<index>/<package>`, where there is one.
fn archive_beside(unpacked: &Utf8Path) -> Option<Utf8PathBuf> {
    let package = unpacked.file_name()?;
    let index = unpacked.parent()?;
    let src = index.parent()?;
    if src.file_name() != Some("src") {
        return None;
    }
    let archive = src
        .parent()?
        .join("cache")
        .join(index.file_name()?)
        .join(format!("{package}.crate"));
    archive.is_file().then_some(archive)
}

/// cargo's error and its causes in one line.
fn causes(stderr: &[String]) -> String {
    let begin = stderr
        .iter()
        .position(|line| line.starts_with("error"))
        .unwrap_or(0);
    let lines: Vec<_> = stderr[begin..]
        .iter()
        .map(|line| line.trim_start_matches("error:").trim())
        .filter(|line| !line.is_empty() && *line != "Caused by:")
        .collect();
    if lines.is_empty() {
        "it gave no reason".into()
    } else {
        lines.join(": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archive_is_found_beside_what_cargo_unpacked_from_it() {
        let home = tempfile::tempdir().unwrap();
        let home = Utf8Path::from_path(home.path()).unwrap();
        let cache = home.join("registry/cache/index-1");
        fs_err::create_dir_all(&cache).unwrap();
        fs_err::write(cache.join("p-1.0.0.crate"), "x").unwrap();
        let unpacked = home.join("registry/src/index-1/p-1.0.0");
        assert_eq!(archive_beside(&unpacked), Some(cache.join("p-1.0.0.crate")));
        assert_eq!(archive_beside(&home.join("vendor/p-1.0.0")), None);
    }

    #[test]
    fn cargos_causes_are_one_line() {
        let lines: Vec<_> =
            "Updating index\nerror: failed to download `p v1`\nCaused by:\nunexpected end of file"
                .lines()
                .map(str::to_owned)
                .collect();
        assert_eq!(
            causes(&lines),
            "failed to download `p v1`: unexpected end of file"
        );
    }
}
