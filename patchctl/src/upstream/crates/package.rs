//! One package, brought by the user's own cargo and checked against its digest.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use toml_edit::{Document, Item, Table};

use super::table::{Package, Place};
use crate::report::Error;
use crate::store::folder::{self, Take};
use crate::store::{Kind, limits, sha256_hex, unwritable};
use crate::toolchain::process;
use crate::upstream::tool::{self, Failed};
use crate::upstream::{Settings, Working, archive, revision};

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

/// A package on this machine.
pub(super) struct Opened {
    /// Its archive, or its folder where cargo takes it from one (source replacement).
    path: Utf8PathBuf,
    /// The archive's bytes, which have the checksum of the table, and its one folder. Nothing is known of a package that
    /// is a folder.
    archive: Option<(Vec<u8>, String)>,
}

impl Package {
    /// `name version`, as cargo would say it.
    pub(super) fn label(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// `name-version`, as its archive and its folders are called.
    fn stem(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }

    /// Has cargo bring the package, or find it with `--offline`, and opens it.
    ///
    /// cargo's own `metadata` does it: it downloads only what this needs, takes the user's registries and source
    /// replacement, and says where the package lies. (`cargo vendor` leaves `.gitignore` files out, and then a tree's
    /// id can not be compared.)
    pub(super) fn bring(&self, settings: &Settings) -> Result<Opened, Error> {
        let folder = settings.store().path("crates", &self.stem());
        self.write_manifest(&folder)
            .map_err(|error| unwritable(&folder, &error))?;
        let metadata = self.cargo_metadata(&folder, settings)?;
        self.check_lock(&folder)?;
        let version = self.version.to_string();
        let mut packages = metadata.packages.into_iter();
        let found = packages.find(|found| found.name == self.name && found.version == version);
        let Some(Found { manifest_path, .. }) = found else {
            let why = format!("cargo did not bring {}", self.label());
            return Err(unreachable(why, format!("try `cargo fetch` in {folder}")));
        };
        let unpacked = manifest_path.parent().unwrap_or(&manifest_path).to_owned();
        match archive_beside(&unpacked) {
            Some(path) => self.open_archive(path),
            None => Ok(Opened {
                path: unpacked,
                archive: None,
            }),
        }
    }

    /// A workspace of its own, so that nothing around the cache is read.
    fn write_manifest(&self, folder: &Utf8Path) -> io::Result<()> {
        let text = format!(
            "# Made by patchctl to have cargo bring one package.\n[package]\nname = \"patchctl-fetch\"\nversion = \"0.0.0\"\n\
             edition = \"2021\"\npublish = false\n\n[lib]\npath = \"lib.rs\"\n\n[workspace]\n\n[dependencies]\n{} = \"={}\"\n",
            self.name, self.version
        );
        let manifest = folder.join("Cargo.toml");
        if fs_err::read_to_string(&manifest).is_ok_and(|there| there == text) {
            return Ok(());
        }
        fs_err::create_dir_all(folder)?;
        fs_err::write(folder.join("lib.rs"), "")?;
        fs_err::write(manifest, text)
    }

    fn cargo_metadata(&self, folder: &Utf8Path, settings: &Settings) -> Result<Metadata, Error> {
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
        let label = self.label();
        let what = format!("fetching {label} with cargo");
        let working = Working::on(&settings.progress, &what);
        // cargo tells of no progress where it writes to no terminal.
        let silence = settings.stall * 2;
        match tool::run(command, (silence, silence), "packages", &working) {
            Ok(answer) => serde_json::from_slice(&answer).map_err(|error| {
                let why = format!("what cargo says of {label} is not understood: {error}");
                unreachable(why, "update Rust")
            }),
            Err(Failed::NotStarted(why)) => Err(unreachable(
                why,
                "install Rust (https://rustup.rs), or name another source with --source git:PATH-OR-URL or dir:PATH",
            )),
            Err(Failed::Exit(_, stderr)) => Err(self.cargo_failed(&stderr, settings)),
            Err(Failed::Silent(after)) => {
                let after = after.as_secs_f32();
                Err(unreachable(
                    format!("cargo said nothing for {after} s while it fetched {label}"),
                    format!("check the network and the registry: try `cargo fetch` in {folder}"),
                ))
            }
        }
    }

    fn cargo_failed(&self, stderr: &[String], settings: &Settings) -> Error {
        // A damaged archive stops cargo too; then that is what to name.
        if let Some(archive) = self.archive_in(stderr)
            && let Err(damaged) = self.open_archive(archive)
        {
            return damaged;
        }
        let why = format!("cargo cannot bring {}: {}", self.label(), causes(stderr));
        let help = match settings.offline {
            true => "run once without --offline",
            false => {
                "check the network and cargo's configuration: try `cargo fetch` in a small project with this \
                 dependency, or name another source with --source git:PATH-OR-URL or dir:PATH"
            }
        };
        unreachable(why, help)
    }

    /// The archive that cargo was unpacking, by the folder that its lines name.
    fn archive_in(&self, stderr: &[String]) -> Option<Utf8PathBuf> {
        let name = self.stem();
        let quoted = stderr.iter().flat_map(|line| line.split('`'));
        quoted
            .filter(|quoted| quoted.contains("registry"))
            .find_map(|quoted| {
                let mut folders = Utf8Path::new(quoted).ancestors();
                archive_beside(folders.find(|path| path.file_name() == Some(&name))?)
            })
    }

    fn open_archive(&self, path: Utf8PathBuf) -> Result<Opened, Error> {
        let bytes =
            read_archive(&path).map_err(|why| unreachable(why, format!("make {path} readable")))?;
        let digest = sha256_hex(&bytes);
        if digest != self.checksum {
            let (label, checksum) = (self.label(), &self.checksum);
            return Err(unreachable(
                format!(
                    "{path} is truncated or altered: its SHA-256 is {digest}, {label} has {checksum}"
                ),
                format!(
                    "look at it, then remove it and the folder that cargo unpacked from it: cargo downloads {label} again"
                ),
            ));
        }
        Ok(Opened {
            path,
            archive: Some((bytes, self.stem())),
        })
    }

    /// The registry's index and the table must agree on the package.
    fn check_lock(&self, folder: &Utf8Path) -> Result<(), Error> {
        let path = folder.join("Cargo.lock");
        let text = fs_err::read_to_string(&path).unwrap_or_default();
        let lock = Document::parse(text).map_err(|error| {
            let why = format!("{path} is not understood: {error}");
            unreachable(why, format!("remove {path}"))
        })?;
        let version = self.version.to_string();
        let packages = lock.get("package").and_then(Item::as_array_of_tables);
        let found = packages.into_iter().flatten().find(|package| {
            text_at(package, "name") == Some(&self.name)
                && text_at(package, "version") == Some(&version)
        });
        let label = self.label();
        match found.and_then(|package| text_at(package, "checksum")) {
            Some(checksum) if checksum == self.checksum => Ok(()),
            Some(checksum) => Err(unreachable(
                format!(
                    "the registry has another {label}: checksum {checksum}, expected {}",
                    self.checksum
                ),
                "look at cargo's configuration: which registry stands in for crates.io?",
            )),
            None => Err(unreachable(
                format!("{path} has no checksum for {label}"),
                "look at cargo's configuration: the package must come from a registry",
            )),
        }
    }
}

impl Opened {
    /// The place of the package, for errors.
    pub(super) fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Passes on all files at `place`. An error names the file that is to blame.
    pub(super) fn each(&self, place: &Place, take: &mut Take<'_>) -> Result<(), String> {
        let (archive, sha256, root) = match place {
            Place::Folder { folder } => return self.below(folder, take),
            Place::Archive {
                archive,
                sha256,
                root,
            } => (archive, sha256, root),
        };
        let bytes = self.file(archive)?;
        let digest = sha256_hex(&bytes);
        let at = format!("{archive} in {}", self.path);
        if digest != *sha256 {
            return Err(format!(
                "{at} is truncated or altered: its SHA-256 is {digest}, expected {sha256}"
            ));
        }
        archive::unpack(archive, &bytes, root, take).map_err(|why| format!("{at}: {why}"))
    }

    fn below(&self, inner: &str, take: &mut Take<'_>) -> Result<(), String> {
        let passed_on = match &self.archive {
            Some((bytes, root)) => {
                archive::unpack(".crate", bytes, &format!("{root}/{inner}"), take)
            }
            None => folder::each(&self.path.join(inner), take).map_err(|error| error.to_string()),
        };
        passed_on.map_err(|why| format!("{}: {why}", self.path))
    }

    fn file(&self, inner: &str) -> Result<Vec<u8>, String> {
        if self.archive.is_none() {
            return read_archive(&self.path.join(inner));
        }
        let mut found = None;
        self.below(inner, &mut |path, kind, bytes| {
            if path.is_empty() && kind != Kind::Link {
                found = Some(bytes.to_vec());
            }
            Ok(())
        })?;
        found.ok_or_else(|| format!("{} has no {inner}", self.path))
    }
}

/// The bytes of a package or of an archive in one.
fn read_archive(path: &Utf8Path) -> Result<Vec<u8>, String> {
    folder::read(path, limits::ARCHIVE).map_err(|error| error.to_string())
}

fn unreachable(why: String, help: impl Into<String>) -> Error {
    revision::unreachable("crates", why, help)
}

fn text_at<'a>(table: &'a Table, key: &str) -> Option<&'a str> {
    table.get(key).and_then(Item::as_str)
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
    let index = unpacked.parent()?;
    let src = index.parent().filter(|it| it.file_name() == Some("src"))?;
    let cache = src.with_file_name("cache").join(index.file_name()?);
    let archive = cache.join(format!("{}.crate", unpacked.file_name()?));
    archive.is_file().then_some(archive)
}

/// cargo's error and its causes in one line.
fn causes(stderr: &[String]) -> String {
    let first = stderr.iter().position(|line| line.starts_with("error"));
    let begin = first.unwrap_or(0);
    let lines = stderr[begin..].iter();
    let lines = lines.map(|line| line.trim_start_matches("error:").trim());
    let lines: Vec<_> = lines
        .filter(|line| !line.is_empty() && *line != "Caused by:")
        .collect();
    match lines[..] {
        [] => "it gave no reason".into(),
        _ => lines.join(": "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archive_lies_beside_unpacked_package() {
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
    fn causes_of_cargo_are_one_line() {
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
