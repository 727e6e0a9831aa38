//! Upstreams that mean harm, through the program.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use git2::{ObjectType, Oid};

use crate::support::locked::{DEVICE, Repository, as_schema_1};

/// An entry of a raw tree object: its mode as it is written, its name, its object.
type Entry<'a> = (&'a str, &'a [u8], Oid);

const FILE: &str = "100644";
const LINK: &str = "120000";
const FOLDER: &str = "40000";

/// Writes objects as they are: git itself would refuse most of these.
struct Raw(git2::Repository);

impl Raw {
    fn of(repository: &Repository) -> Self {
        Self(git2::Repository::open_bare(repository.upstream.path()).unwrap())
    }

    fn object(&self, kind: ObjectType, bytes: &[u8]) -> Oid {
        self.0.odb().unwrap().write(kind, bytes).unwrap()
    }

    fn blob(&self, bytes: &[u8]) -> Oid {
        self.object(ObjectType::Blob, bytes)
    }

    fn tree(&self, entries: &[Entry<'_>]) -> Oid {
        let mut bytes = Vec::new();
        for (mode, name, id) in entries {
            bytes.extend_from_slice(mode.as_bytes());
            bytes.push(b' ');
            bytes.extend_from_slice(name);
            bytes.push(0);
            bytes.extend_from_slice(id.as_bytes());
        }
        self.object(ObjectType::Tree, &bytes)
    }

    /// `mlx/` as the pin wants it.
    fn mlx(&self) -> Oid {
        let file = self.blob(DEVICE.as_bytes());
        self.tree(&[(FILE, b"device.cpp", file)])
    }

    /// A loose object that claims to have `size` bytes.
    fn claimed_blob(&self, size: u64) -> Oid {
        let id = Oid::from_str(&"5".repeat(40)).unwrap();
        let folder = self.0.path().join("objects/55");
        fs::create_dir_all(&folder).unwrap();
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        write!(zlib, "blob {size}\0").unwrap();
        zlib.write_all(&[0; 4096]).unwrap();
        fs::write(folder.join("5".repeat(38)), zlib.finish().unwrap()).unwrap();
        id
    }
}

/// A repository whose pin is a commit with the tree that `make` makes.
fn with_tree(make: impl FnOnce(&Raw) -> Oid) -> Repository {
    let repository = Repository::new();
    let raw = Raw::of(&repository);
    let root = make(&raw);
    let commit = format!(
        "tree {root}\nauthor a <a@b> 1700000000 +0000\ncommitter a <a@b> 1700000000 +0000\n\nRelease\n"
    );
    let commit = raw.object(ObjectType::Commit, commit.as_bytes());
    let tag = "refs/tags/v0.32.2";
    raw.0.reference(tag, commit, true, "").unwrap();
    let known = repository.upstream.id("0.32.2").to_owned();
    for file in ["overlays/mlx/lock.yaml", "overlays/mlx/pins.yaml"] {
        let path = repository.path(file);
        let text = as_schema_1(&fs::read_to_string(&path).unwrap());
        fs::write(&path, text.replace(&known, &commit.to_string())).unwrap();
    }
    repository
}

/// All below `folder` but the cache and upstream; links are not followed.
pub(crate) fn everything(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            if path == folder.join("cache") || path == folder.join("upstream.git") {
                continue;
            }
            let kind = fs::symlink_metadata(&path).unwrap();
            if kind.is_dir() {
                open.push(path.clone());
            }
            let bytes = kind.is_file().then(|| fs::read(&path).unwrap());
            found.insert(path, bytes);
        }
    }
    found
}

/// Materialises and expects that upstream is refused and nothing is written, in the repository and around it.
fn refused(repository: &Repository, name: &str) -> String {
    let before = everything(repository.dir.path());
    let began = Instant::now();
    for line in ["apply --materialise build/mlx", "apply --materialise"] {
        let ran = repository.run(line);
        assert_eq!(ran.status, 1, "{name}: {ran:?}");
        let now = everything(repository.dir.path());
        let new: Vec<_> = now
            .keys()
            .filter(|path| !before.contains_key(*path))
            .collect();
        // The folder that was to hold the tree may be there, empty.
        assert!(
            new.iter().all(|path| path.ends_with("build")),
            "{name}: {new:?}"
        );
        let trees = repository.dir.path().join("cache/trees");
        assert!(!trees.exists(), "{name}");
    }
    assert!(began.elapsed() < Duration::from_secs(20), "{name}");
    let json = repository.run("--format json apply --materialise");
    let finding = &json.json()["findings"][0];
    assert_eq!(finding["code"], "upstream-refused", "{name}: {json:?}");
    assert!(finding["help"].as_str().unwrap().contains("limits"));
    finding["message"].as_str().unwrap().to_owned()
}

/// A link and a folder of one name: links in the folder land behind the link, and one of them leads out of the tree.
fn twin_trap(raw: &Raw) -> Oid {
    let config = raw.blob(b"[build]\nrustc-wrapper = \"./trap\"\n");
    let evil = raw.tree(&[(FILE, b"config.toml", config)]);
    let planted = raw.tree(&[(LINK, b".cargo", raw.blob(b"evil"))]);
    // `a/b/c/d` leads to the tree's root, `a/b/c/d/e` from there four folders up.
    let twin = raw.tree(&[
        (LINK, b"e", raw.blob(b"../../../..")),
        (FOLDER, b"e", planted),
    ]);
    let inner = raw.tree(&[(LINK, b"d", raw.blob(b"../../..")), (FOLDER, b"d", twin)]);
    let inner = raw.tree(&[(FOLDER, b"c", inner)]);
    let inner = raw.tree(&[(FOLDER, b"b", inner)]);
    raw.tree(&[
        (FOLDER, b"a", inner),
        (FOLDER, b"evil", evil),
        (FOLDER, b"mlx", raw.mlx()),
    ])
}

#[test]
fn a_link_and_a_folder_of_one_name_plant_nothing() {
    let message = refused(&with_tree(twin_trap), "twins");
    assert!(message.contains("\"d\" stands there twice"), "{message}");
}

#[test]
fn trees_that_fsck_refuses_are_not_written() {
    for (entries, why) in [
        (&[(FOLDER, &b".GIT"[..])][..], "taken for .git"),
        (&[(FOLDER, b".git")], "taken for .git"),
        (&[(FOLDER, b"git~1")], "taken for .git"),
        (&[(FOLDER, b".git ")], "taken for .git"),
        (&[(FOLDER, b".g\xe2\x80\x8cit")], "taken for .git"),
        (&[(FOLDER, b"..")], "no name"),
        (&[(FILE, b"")], "no name"),
        (&[(FILE, b"a/b")], "slash"),
        (&[("040000", b"a")], "mode"),
        (&[("100666", b"a")], "mode"),
        (&[(FILE, b"b"), (FILE, b"a")], "order"),
        (&[(FILE, b"a"), (FILE, b"a")], "twice"),
        (
            &[(FOLDER, b"A"), (LINK, b"a")],
            "one name on some file systems",
        ),
        (
            &[(FOLDER, b"A"), (FOLDER, b"a")],
            "one name on some file systems",
        ),
        (
            &[(LINK, b"e\xcc\x81"), (LINK, b"\xc3\xa9")],
            "one name on some file systems",
        ),
        (&[(FILE, b"\xff")], "not UTF-8"),
        (&[(FILE, b"a\\b")], "backslash"),
    ] {
        let names: Vec<_> = entries
            .iter()
            .map(|(mode, name)| (mode, String::from_utf8_lossy(name)))
            .collect();
        let repository = with_tree(|raw| beside_mlx(raw, entries));
        let message = refused(&repository, &format!("{names:?}"));
        assert!(message.contains(why), "{names:?}: {message}");
    }
}

/// The entries as they are, and `mlx` where it belongs.
fn beside_mlx(raw: &Raw, entries: &[(&str, &[u8])]) -> Oid {
    let blob = raw.blob(b"x");
    let inner = raw.tree(&[(FILE, b"x", blob)]);
    let mut all: Vec<(&str, &[u8], Oid)> = Vec::new();
    for (mode, name) in entries {
        let id = if mode.ends_with("40000") { inner } else { blob };
        all.push((mode, name, id));
    }
    let at = all.iter().position(|(_, name, _)| *name > &b"mlx"[..]);
    all.insert(at.unwrap_or(all.len()), (FOLDER, b"mlx", raw.mlx()));
    raw.tree(&all)
}

#[test]
fn links_that_leave_the_tree_are_not_made() {
    for target in ["../x", "/etc/passwd", "mlx/../../x", ""] {
        let root = with_tree(|raw| {
            let link = raw.blob(target.as_bytes());
            raw.tree(&[(LINK, b"link", link), (FOLDER, b"mlx", raw.mlx())])
        });
        assert!(refused(&root, target).contains("leads out"));
    }
}

#[test]
fn a_huge_file_is_refused_by_its_header() {
    let huge = with_tree(|raw| {
        let huge = raw.claimed_blob(1 << 30);
        raw.tree(&[(FILE, b"huge", huge), (FOLDER, b"mlx", raw.mlx())])
    });
    let message = refused(&huge, "huge");
    assert!(
        message.contains("has 1073741824 bytes, the limit is 67108864"),
        "{message}"
    );
}

#[test]
fn ten_objects_are_no_tree_of_ten_billion_files() {
    let bomb = with_tree(|raw| {
        let mut inner = raw.blob(b"x");
        let mut mode = FILE;
        for _ in 0..10 {
            let names: Vec<String> = (0..10).map(|digit| digit.to_string()).collect();
            let entries: Vec<Entry<'_>> = names
                .iter()
                .map(|name| (mode, name.as_bytes(), inner))
                .collect();
            inner = raw.tree(&entries);
            mode = FOLDER;
        }
        raw.tree(&[(FOLDER, b"bomb", inner), (FOLDER, b"mlx", raw.mlx())])
    });
    let message = refused(&bomb, "bomb");
    assert!(message.contains("100000 entries"), "{message}");
}

#[test]
fn deep_nesting_is_refused() {
    let deep = with_tree(|raw| {
        let mut inner = raw.tree(&[(FILE, b"x", raw.blob(b"x"))]);
        for _ in 0..3000 {
            inner = raw.tree(&[(FOLDER, b"d", inner)]);
        }
        raw.tree(&[(FOLDER, b"deep", inner), (FOLDER, b"mlx", raw.mlx())])
    });
    let message = refused(&deep, "deep");
    assert!(
        message.contains("101 folders deep, the limit is 100"),
        "{message}"
    );
}
