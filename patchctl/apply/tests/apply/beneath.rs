//! Paths below a root: both ways of opening them give the same results.
#![cfg(unix)]

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use patchctl_apply::beneath::{Error, Kind, Root, read_file};
use tempfile::TempDir;

/// A root with a file, a folder and links, and a folder outside of it.
struct Place {
    dir: TempDir,
    root: Root,
}

impl Place {
    fn new(part_by_part: bool) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["root/folder/inner", "outside"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        fs::write(dir.path().join("root/folder/file"), "inside").unwrap();
        fs::write(dir.path().join("outside/file"), "outside").unwrap();
        let root = Root::open(&dir.path().join("root")).unwrap();
        let root = if part_by_part {
            root.part_by_part()
        } else {
            root
        };
        let place = Self { dir, root };
        place.link("../outside", "out");
        place.link("folder", "same");
        place.link("../../outside/file", "folder/link");
        place.link("/nowhere", "dangling");
        place
    }

    fn link(&self, target: &str, name: &str) {
        symlink(target, self.path(name)).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("root").join(name)
    }

    fn outside(&self) -> Vec<(String, String)> {
        let entries = fs::read_dir(self.dir.path().join("outside")).unwrap();
        entries
            .map(|entry| {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                (name, fs::read_to_string(path).unwrap())
            })
            .collect()
    }
}

/// Runs `test` by `openat2`, where the kernel has it, and part by part.
fn both(test: impl Fn(&Place)) {
    for part_by_part in [false, true] {
        let place = Place::new(part_by_part);
        test(&place);
        assert_eq!(
            place.outside(),
            [("file".to_owned(), "outside".to_owned())],
            "part by part: {part_by_part}"
        );
    }
}

fn is_link(error: Error, at: &Path) {
    let Error::Unexpected { path, found, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!((path.as_path(), *found), (at, Kind::Link));
}

#[test]
fn files_are_read_written_and_removed() {
    both(|place| {
        let root = &place.root;
        assert_eq!(root.read("folder/file", 6).unwrap(), b"inside");
        root.replace("folder/file", b"new").unwrap();
        root.replace("folder/inner/other", b"other").unwrap();
        assert_eq!(
            fs::read_to_string(place.path("folder/file")).unwrap(),
            "new"
        );
        root.rename("folder/inner/other", "folder/inner/renamed")
            .unwrap();
        assert_eq!(root.read("folder/inner/renamed", 100).unwrap(), b"other");
        let names: Vec<_> = root
            .list("folder")
            .unwrap()
            .into_iter()
            .map(|entry| (entry.name.into_string().unwrap(), entry.kind))
            .collect();
        assert_eq!(
            names,
            [
                ("file".to_owned(), Kind::File),
                ("inner".to_owned(), Kind::Folder),
                ("link".to_owned(), Kind::Link)
            ]
        );
        root.create_folders("a/b/c").unwrap();
        root.create_folders("a/b/c").unwrap();
        assert_eq!(root.kind("a/b/c").unwrap(), Some(Kind::Folder));
        assert_eq!(root.kind("a/x/c").unwrap(), None);
        assert_eq!(root.read_if_there("a/x/c", 1).unwrap(), None);
        root.remove_file("folder/link").unwrap();
        root.remove_file("folder/link").unwrap();
        root.remove_all("folder").unwrap();
        root.remove_all("same").unwrap();
        root.remove_folder("a/b/c").unwrap();
        assert_eq!(root.kind("folder").unwrap(), None);
        assert_eq!(root.kind("a/b/c").unwrap(), None);
        assert_eq!(root.below("a").unwrap().list("").unwrap()[0].name, "b");
    });
}

#[test]
fn no_link_on_the_way_is_followed() {
    both(|place| {
        let root = &place.root;
        for (link, below) in [("out", "out/file"), ("same", "same/file")] {
            let at = place.path(link);
            is_link(root.read(below, 100).unwrap_err(), &at);
            is_link(root.kind(below).unwrap_err(), &at);
            is_link(root.list(link).unwrap_err(), &at);
            is_link(root.replace(below, b"x").unwrap_err(), &at);
            is_link(root.write_new(below, b"x", None).unwrap_err(), &at);
            is_link(root.lock_file(below).unwrap_err(), &at);
            is_link(root.create_folders(link).unwrap_err(), &at);
            let deeper = format!("{link}/new");
            is_link(root.create_folders(&deeper).unwrap_err(), &at);
            is_link(root.remove_file(below).unwrap_err(), &at);
            is_link(root.remove_all(below).unwrap_err(), &at);
            is_link(root.remove_folder(below).unwrap_err(), &at);
            is_link(root.rename("folder/file", below).unwrap_err(), &at);
            is_link(root.rename(below, "taken").unwrap_err(), &at);
            is_link(root.make_link(below, Path::new("x")).unwrap_err(), &at);
            is_link(root.sync_folder_of(below).unwrap_err(), &at);
            is_link(root.below(link).unwrap_err(), &at);
        }
    });
}

#[test]
fn no_link_in_a_files_place_is_followed() {
    both(|place| {
        for link in ["folder/link", "dangling"] {
            let at = place.path(link);
            is_link(place.root.read(link, 100).unwrap_err(), &at);
            is_link(place.root.open_file(link).unwrap_err(), &at);
            is_link(place.root.replace(link, b"x").unwrap_err(), &at);
            is_link(place.root.lock_file(link).unwrap_err(), &at);
            place.root.write_new(link, b"in its place", None).unwrap();
            assert_eq!(fs::read_to_string(at).unwrap(), "in its place");
        }
    });
}

#[test]
fn a_path_that_is_not_relative_is_refused() {
    both(|place| {
        for path in [
            "..",
            "../outside/file",
            "folder/../file",
            "./folder/file",
            "/etc/passwd",
        ] {
            let error = place.root.read(path, 100).unwrap_err();
            assert!(matches!(error, Error::Escapes { .. }), "{path}: {error}");
            let error = place.root.create_folders(path).unwrap_err();
            assert!(matches!(error, Error::Escapes { .. }), "{path}: {error}");
        }
        for error in [
            place.root.read("", 100).unwrap_err(),
            place.root.remove_all("").unwrap_err(),
        ] {
            assert!(matches!(error, Error::Escapes { .. }), "{error}");
        }
    });
}

#[test]
fn a_link_below_the_root_is_resolved_where_that_is_asked_for() {
    both(|place| {
        place.link("folder/file", "inner");
        for path in ["inner", "same/file"] {
            assert_eq!(place.root.read_resolved(path, 100).unwrap(), b"inside");
        }
        for path in ["out/file", "folder/link"] {
            assert!(matches!(
                place.root.read_resolved(path, 100),
                Err(Error::Unexpected {
                    found: Kind::Link,
                    ..
                })
            ));
        }
        assert!(
            place
                .root
                .read_resolved("dangling", 100)
                .unwrap_err()
                .is_missing()
        );
    });
}

#[test]
fn the_root_itself_may_be_a_link() {
    let place = Place::new(false);
    let root = Root::open(&place.path("out")).unwrap();
    assert_eq!(root.read("file", 100).unwrap(), b"outside");
}

#[test]
fn a_read_stops_at_its_limit() {
    both(|place| {
        let error = place.root.read("folder/file", 5).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "{} has more than 5 bytes, the limit for this file",
                place.path("folder/file").display()
            )
        );
    });
}

#[test]
fn special_files_are_not_opened() {
    both(|place| {
        let _socket = UnixListener::bind(place.path("socket")).unwrap();
        let mkfifo = std::process::Command::new("mkfifo")
            .arg(place.path("fifo"))
            .status();
        assert!(mkfifo.unwrap().success());
        for name in ["socket", "fifo"] {
            for error in [
                place.root.read(name, 100).unwrap_err(),
                place.root.lock_file(name).unwrap_err(),
                place.root.replace(name, b"x").unwrap_err(),
                read_file(&place.path(name), 100).unwrap_err(),
            ] {
                assert!(
                    matches!(
                        error,
                        Error::Unexpected {
                            found: Kind::Special,
                            ..
                        }
                    ),
                    "{error}"
                );
            }
        }
    });
}

#[test]
fn a_lock_file_keeps_its_bytes() {
    both(|place| {
        drop(place.root.lock_file("folder/file").unwrap());
        assert_eq!(
            fs::read_to_string(place.path("folder/file")).unwrap(),
            "inside"
        );
        drop(place.root.lock_file("folder/new").unwrap());
        assert_eq!(fs::read(place.path("folder/new")).unwrap(), b"");
    });
}

#[test]
fn a_replaced_file_keeps_its_permissions_and_its_hard_links_their_bytes() {
    both(|place| {
        let path = place.path("folder/file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        fs::hard_link(&path, place.path("other")).unwrap();
        place.root.replace("folder/file", b"new").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o640);
        assert_eq!(fs::read_to_string(place.path("other")).unwrap(), "inside");
        assert_eq!(place.root.list("folder").unwrap().len(), 3);
    });
}

#[test]
fn a_missing_path_is_told_from_a_file_in_a_folders_place() {
    both(|place| {
        assert!(place.root.read("none/file", 1).unwrap_err().is_missing());
        let error = place.root.read("folder/file/deeper", 1).unwrap_err();
        assert!(
            matches!(
                error,
                Error::Unexpected {
                    expected: Kind::Folder,
                    found: Kind::File,
                    ..
                }
            ),
            "{error}"
        );
        let error = io::Error::from(place.root.read("none", 1).unwrap_err());
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    });
}

#[test]
fn a_tree_deeper_than_a_path_may_be_long_is_removed() {
    both(|place| {
        let mut root = place.root.below("").unwrap();
        for _ in 0..40 {
            let name = "d".repeat(200);
            root.create_folders(&name).unwrap();
            root = root.below(&name).unwrap();
        }
        place.root.remove_all("d".repeat(200)).unwrap();
        assert_eq!(place.root.kind("d".repeat(200)).unwrap(), None);
    });
}

#[test]
fn a_folder_swapped_for_a_link_meanwhile_leads_nowhere() {
    both(|place| {
        let folder = place.root.below("folder").unwrap();
        fs::rename(place.path("folder"), place.path("moved")).unwrap();
        symlink("../outside", place.path("folder")).unwrap();
        folder.replace("file", b"still inside").unwrap();
        assert_eq!(
            fs::read_to_string(place.path("moved/file")).unwrap(),
            "still inside"
        );
    });
}
