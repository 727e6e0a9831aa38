//! Packages that carry a tree, with a stand-in for cargo: what is brought, what is altered, what is missing.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use flate2::Compression;
use flate2::write::GzEncoder;
use git2::{ObjectType, Oid};
use patchctl::upstream::{
    CrateRelease, Package, Place, RevisionFrom, Settings, SourceError, SourceSpec, Upstream,
};
use semver::Version;
use sha2::{Digest, Sha256};

use crate::small::{FILE, Scratch, git, refusal, resolve, revision};

const RELEASE: &str = "9.0.0";
const FILES: [(&str, &str); 3] = [
    (FILE, "int packaged;\n"),
    (".gitignore", "build\n"),
    ("README.md", "a tree\n"),
];

/// A registry of one package, its cargo, and a cache.
struct Shop {
    scratch: Scratch,
    row: CrateRelease,
}

impl Shop {
    /// The tree lies in a folder of the package.
    fn with_folder() -> Self {
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
    fn with_archive(damage: impl FnOnce(&mut Vec<u8>)) -> Self {
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

    fn new(files: &[(String, Vec<u8>)], place: Place) -> Self {
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

    fn home(&self) -> Utf8PathBuf {
        self.scratch.path.join("home")
    }

    fn archive(&self) -> Utf8PathBuf {
        self.home().join("registry/cache/index-1/p-1.2.3.crate")
    }

    fn unpacked(&self) -> Utf8PathBuf {
        self.home().join("registry/src/index-1/p-1.2.3")
    }

    /// A cargo that answers `metadata` and counts how often it is asked.
    fn upstream(&self, change: impl FnOnce(&mut Settings)) -> Upstream {
        self.upstream_with(&self.unpacked(), "exit 0", change)
    }

    fn upstream_with(
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
        writeln!(script, "cat > Cargo.lock <<'END'\n{lock}END").unwrap();
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

    fn asked_file(&self) -> Utf8PathBuf {
        self.scratch.path.join("asked")
    }

    fn asked(&self) -> Vec<String> {
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
fn tree_id() -> String {
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

#[test]
fn a_package_gives_the_tables_commit_and_the_tree_that_was_checked() {
    for shop in [Shop::with_folder(), Shop::with_archive(|_| {})] {
        let upstream = shop.upstream(|_| {});
        let found = resolve(&upstream, RELEASE).unwrap();
        assert_eq!(found.revision.commit, shop.row.commit);
        assert_eq!(found.revision.commit_from, RevisionFrom::Table);
        assert_eq!(found.revision.tree, Some(tree_id()));
        assert_eq!(found.revision.source, "crates");
        let blob = found.source.read(&found.revision, FILE.into()).unwrap();
        assert_eq!(blob.unwrap().bytes, b"int packaged;\n");
        let mut paths = found.source.paths(&found.revision).unwrap();
        paths.sort();
        assert_eq!(paths, [".gitignore", "README.md", FILE]);
    }
}

#[test]
fn cargo_is_asked_once_and_never_again_once_the_tree_is_cached() {
    let shop = Shop::with_folder();
    for _ in 0..2 {
        let upstream = shop.upstream(|_| {});
        revision(&upstream, RELEASE);
        revision(&upstream, &"c".repeat(12));
    }
    let [asked] = &shop.asked()[..] else {
        panic!("{:?}", shop.asked())
    };
    assert!(asked.starts_with("metadata"), "{asked}");
    // What cargo keeps may go: the cache stands alone, also offline.
    fs_err::remove_dir_all(shop.home()).unwrap();
    revision(&shop.upstream(|settings| settings.offline = true), RELEASE);
}

#[test]
fn offline_is_passed_on_to_cargo() {
    let shop = Shop::with_folder();
    let offline = |settings: &mut Settings| settings.offline = true;
    let end = "echo 'error: no matching package' >&2; exit 101";
    let upstream = shop.upstream_with(&shop.unpacked(), end, offline);
    let error = refusal(&upstream, RELEASE);
    assert!(error.to_string().contains("no matching package"), "{error}");
    assert!(error.help().unwrap().contains("--offline"));
    assert!(shop.asked()[0].ends_with("--offline"));
}

#[test]
fn a_truncated_or_altered_archive_is_named_not_used_and_left_alone() {
    for truncate in [true, false] {
        let shop = Shop::with_folder();
        let mut bytes = fs_err::read(shop.archive()).unwrap();
        if truncate {
            bytes.truncate(bytes.len() / 2);
        } else {
            bytes[20] ^= 1;
        }
        fs_err::write(shop.archive(), &bytes).unwrap();
        // Twice: what failed once is not taken for cached.
        for _ in 0..2 {
            let error = refusal(&shop.upstream(|_| {}), RELEASE);
            let text = error.to_string();
            assert!(text.contains(shop.archive().as_str()), "{text}");
            assert!(text.contains("truncated or altered"), "{text}");
            assert!(error.help().unwrap().contains("remove"));
        }
        assert_eq!(fs_err::read(shop.archive()).unwrap(), bytes);
    }
}

#[test]
fn an_archive_that_stops_cargo_is_named_too() {
    let shop = Shop::with_folder();
    fs_err::write(shop.archive(), "cut").unwrap();
    let end = format!(
        "echo 'error: failed to unpack `{}/vendor/mlx/x`' >&2; exit 101",
        shop.unpacked()
    );
    let error = refusal(&shop.upstream_with(&shop.unpacked(), &end, |_| {}), RELEASE);
    assert!(
        error.to_string().contains(shop.archive().as_str()),
        "{error}"
    );
    assert!(
        error.to_string().contains("truncated or altered"),
        "{error}"
    );
}

#[test]
fn a_tree_with_another_id_is_refused() {
    let mut shop = Shop::with_folder();
    shop.row.tree = "0".repeat(40);
    let error = refusal(&shop.upstream(|_| {}), RELEASE);
    assert!(
        error.to_string().contains("does not hold the tree"),
        "{error}"
    );
    assert!(error.to_string().contains(&tree_id()), "{error}");
}

#[test]
fn a_truncated_archive_in_a_package_is_named() {
    let shop = Shop::with_archive(|bytes| bytes.truncate(bytes.len() - 10));
    let error = refusal(&shop.upstream(|_| {}), RELEASE);
    let text = error.to_string();
    assert!(text.contains("vendor/mlx.tar.gz in"), "{text}");
    assert!(text.contains("truncated or altered"), "{text}");
}

#[test]
fn another_checksum_in_the_registry_is_refused() {
    let shop = Shop::with_folder();
    let mut row = shop.row.clone();
    row.package.checksum = "0".repeat(64);
    let upstream = shop.upstream(|settings| settings.crates = vec![row]);
    let error = refusal(&upstream, RELEASE);
    assert!(
        error
            .to_string()
            .contains("the registry has another p 1.2.3"),
        "{error}"
    );
}

#[test]
fn a_folder_made_by_cargo_vendor_is_proven_by_the_ids_of_what_that_leaves_out() {
    let mut shop = Shop::with_folder();
    let vendored = shop.scratch.path.join("vendor/p");
    fs_err::create_dir_all(vendored.parent().unwrap()).unwrap();
    fs_err::rename(shop.unpacked(), &vendored).unwrap();
    fs_err::remove_file(vendored.join("vendor/mlx/.gitignore")).unwrap();
    let error = refusal(&shop.upstream_with(&vendored, "exit 0", |_| {}), RELEASE);
    assert!(
        error.to_string().contains("does not hold the tree"),
        "{error}"
    );
    let ignored = Oid::hash_object(ObjectType::Blob, b"build\n").unwrap();
    shop.row
        .left_out
        .insert(".gitignore".into(), ignored.to_string());
    let upstream = shop.upstream_with(&vendored, "exit 0", |_| {});
    let found = resolve(&upstream, RELEASE).unwrap();
    let paths = found.source.paths(&found.revision).unwrap();
    assert_eq!(paths, ["README.md", FILE]);
    let into = shop.scratch.path.join("tree");
    found.source.materialise(&found.revision, &into).unwrap();
    assert!(into.join(FILE).is_file());
    // One byte elsewhere, and the folder proves nothing.
    fs_err::write(vendored.join("vendor/mlx/README.md"), "another\n").unwrap();
    fs_err::remove_dir_all(shop.scratch.path.join("cache")).unwrap();
    assert!(resolve(&shop.upstream_with(&vendored, "exit 0", |_| {}), RELEASE).is_err());
}

#[test]
fn what_the_cache_lost_is_named_as_what_to_remove() {
    let shop = Shop::with_folder();
    revision(&shop.upstream(|_| {}), RELEASE);
    let objects = shop.scratch.path.join("cache/crates/objects.git");
    let blob = Oid::hash_object(ObjectType::Blob, b"int packaged;\n").unwrap();
    let hex = blob.to_string();
    let file = objects.join("objects").join(&hex[..2]).join(&hex[2..]);
    let whole = fs_err::read(&file).unwrap();
    fs_err::remove_file(&file).unwrap();
    for cut in [whole.len() / 2, 0] {
        fs_err::write(&file, &whole[..cut]).unwrap();
        let found = resolve(&shop.upstream(|_| {}), RELEASE).unwrap();
        let error = found.source.read(&found.revision, FILE.into()).unwrap_err();
        assert!(error.to_string().contains(&hex), "{error}");
        assert!(
            error.help().unwrap().contains(&format!("remove {objects}")),
            "{error}"
        );
    }
}

#[test]
fn without_cargo_the_error_says_what_to_install() {
    let shop = Shop::with_folder();
    let upstream = shop.upstream(|settings| settings.cargo = "patchctl-no-such-cargo".into());
    let error = refusal(&upstream, RELEASE);
    assert!(
        error
            .to_string()
            .contains("no `patchctl-no-such-cargo` on PATH"),
        "{error}"
    );
    assert!(error.help().unwrap().contains("rustup"));
}

#[test]
fn what_no_package_carries_is_refused_with_what_they_carry() {
    let shop = Shop::with_folder();
    let upstream = shop.upstream(|_| {});
    let error = refusal(&upstream, "0.32.4");
    assert!(
        error
            .to_string()
            .contains("it has 9.0.0, 0.32.2, 0.32.0, 0.31.2"),
        "{error}"
    );
    assert!(matches!(
        refusal(&upstream, "main"),
        SourceError::NotThere { .. }
    ));
    assert!(shop.asked().is_empty());
    assert_eq!(upstream.releases().unwrap().len(), 4);
}

#[test]
fn a_commit_that_the_lock_knows_otherwise_is_an_alarm() {
    let shop = Shop::with_folder();
    let upstream = shop.upstream(|settings| {
        let release = Version::parse(RELEASE).unwrap();
        settings.known_commits.insert(release, "d".repeat(40));
    });
    assert!(matches!(
        refusal(&upstream, RELEASE),
        SourceError::TagMoved { .. }
    ));
}

#[test]
fn two_at_once_fill_the_cache_once() {
    let shop = Shop::with_folder();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let upstream = shop.upstream(|_| {});
            scope.spawn(move || revision(&upstream, RELEASE));
        }
    });
    assert_eq!(shop.asked().len(), 1);
    let objects = shop.scratch.path.join("cache/crates/objects.git");
    git(&["-C", objects.as_str(), "fsck", "--strict", "--no-dangling"]);
}
