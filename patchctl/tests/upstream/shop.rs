//! A registry of one package that carries a tree, and a stand-in for cargo that hands it out.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use flate2::Compression;
use flate2::write::GzEncoder;
use patchctl::upstream::{CrateRelease, Package, Place, Settings, SourceSpec, Upstream};
use semver::Version;
use sha2::{Digest, Sha256};

use crate::small::{FILE, Scratch};

pub const RELEASE: &str = "9.0.0";
const FILES: [(&str, &str); 3] = [
    (FILE, "int packaged;\n"),
    (".gitignore", "build\n"),
    ("README.md", "a tree\n"),
];

/// A registry of one package, its cargo, and a cache.
pub struct Shop {
    pub scratch: Scratch,
    pub row: CrateRelease,
}

impl Shop {
    /// The tree lies in a folder of the package.
    pub fn with_folder() -> Self {
        let files = FILES.map(|(path, text)| {
            let path = format!("p-1.2.3/vendor/mlx/{path}");
            (path, text.as_bytes().to_vec())
        });
        Self::new(
            &files,
            Place::Folder {
                folder: "vendor/mlx".into(),
            },
        )
    }

    /// The tree lies in an archive of the package; `damage` comes before that is packed.
    pub fn with_archive(damage: impl FnOnce(&mut Vec<u8>)) -> Self {
        let inner = FILES.map(|(path, text)| (format!("mlx-9/{path}"), text.as_bytes().to_vec()));
        let mut bytes = tar_gz(&inner);
        let sha256 = sha256(&bytes);
        damage(&mut bytes);
        let files = [("p-1.2.3/vendor/mlx.tar.gz".to_owned(), bytes)];
        let place = Place::Archive {
            archive: "vendor/mlx.tar.gz".into(),
            sha256,
            root: "mlx-9".into(),
        };
        Self::new(&files, place)
    }

    pub fn new(files: &[(String, Vec<u8>)], place: Place) -> Self {
        let scratch = Scratch::new();
        let archive = tar_gz(files);
        let shop = Self {
            row: CrateRelease {
                release: Version::parse(RELEASE).unwrap(),
                commit: "c".repeat(40),
                tree: tree_id(),
                package: Package {
                    name: "p".into(),
                    version: Version::new(1, 2, 3),
                    checksum: sha256(&archive),
                },
                place,
                left_out: BTreeMap::new(),
            },
            scratch,
        };
        for (path, bytes) in files {
            let at = shop.home().join("registry/src/index-1").join(path);
            fs_err::create_dir_all(at.parent().unwrap()).unwrap();
            fs_err::write(at, bytes).unwrap();
        }
        let at = shop.archive();
        fs_err::create_dir_all(at.parent().unwrap()).unwrap();
        fs_err::write(at, archive).unwrap();
        shop
    }

    pub fn home(&self) -> Utf8PathBuf {
        self.scratch.path.join("home")
    }

    pub fn archive(&self) -> Utf8PathBuf {
        self.home().join("registry/cache/index-1/p-1.2.3.crate")
    }

    pub fn unpacked(&self) -> Utf8PathBuf {
        self.home().join("registry/src/index-1/p-1.2.3")
    }

    /// A cargo that answers `metadata` and counts how often it is asked.
    pub fn upstream(&self, change: impl FnOnce(&mut Settings)) -> Upstream {
        self.upstream_with(&self.unpacked(), "exit 0", change)
    }

    pub fn upstream_with(
        &self,
        unpacked: &Utf8Path,
        end: &str,
        change: impl FnOnce(&mut Settings),
    ) -> Upstream {
        let lock = format!(
            "version = 4\n[[package]]\nname = \"p\"\nversion = \"1.2.3\"\nsource = \"registry+x\"\nchecksum = \"{}\"\n",
            self.row.package.checksum
        );
        let answer = format!(
            r#"{{"packages":[{{"name":"p","version":"1.2.3","manifest_path":"{unpacked}/Cargo.toml"}}]}}"#
        );
        let mut script = String::from("#!/bin/sh\n");
        writeln!(script, "echo \"$@\" >> {}", self.asked_file()).unwrap();
        // cargo is told where the manifest is, and keeps its lock there.
        script.push_str("while [ \"$1\" != --manifest-path ]; do shift; done\n");
        writeln!(script, "cat > \"${{2%/*}}/Cargo.lock\" <<'END'\n{lock}END").unwrap();
        writeln!(script, "cat <<'END'\n{answer}\nEND\n{end}").unwrap();
        let cargo = self.scratch.path.join("fake-cargo");
        fs_err::write(&cargo, script).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::Permissions::from_mode(0o755);
            fs_err::set_permissions(&cargo, mode).unwrap();
        }
        let mut settings = Settings::new(self.scratch.path.join("cache"));
        settings.cargo = cargo.into_string().into();
        settings.crates = vec![self.row.clone()];
        change(&mut settings);
        Upstream::new(vec![SourceSpec::Crates], settings)
    }

    pub fn asked_file(&self) -> Utf8PathBuf {
        self.scratch.path.join("asked")
    }

    pub fn asked(&self) -> Vec<String> {
        let text = fs_err::read_to_string(self.asked_file()).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn tar_gz(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o644);
        header.set_size(bytes.len() as u64);
        tar.append_data(&mut header, path, bytes.as_slice())
            .unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap()
}

/// As git computes it.
pub fn tree_id() -> String {
    let scratch = Scratch::new();
    let repository = git2::Repository::init_bare(scratch.path.as_std_path()).unwrap();
    let empty = repository.treebuilder(None).unwrap().write().unwrap();
    let mut update = git2::build::TreeUpdateBuilder::new();
    for (path, text) in FILES {
        let blob = repository.blob(text.as_bytes()).unwrap();
        update.upsert(path, blob, git2::FileMode::Blob);
    }
    let empty = repository.find_tree(empty).unwrap();
    update
        .create_updated(&repository, &empty)
        .unwrap()
        .to_string()
}
