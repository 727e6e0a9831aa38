//! A folder that holds an upstream tree.

use camino::{Utf8Path, Utf8PathBuf};
use patchctl::upstream::{RevisionFrom, Settings, SourceSpec, Upstream};
use semver::Version;

use crate::small::{FILE, Small, git, header, refusal, resolve, revision};

/// A folder with a tree that no git knows.
fn plain() -> (crate::small::Scratch, Utf8PathBuf, Upstream) {
    let scratch = crate::small::Scratch::new();
    let root = scratch.path.join("mlx-0.32.4");
    write(&root, FILE, "int plain;\n");
    write(&root, "mlx/version.h", header(4).1.unwrap());
    let upstream = upstream(&root);
    (scratch, root, upstream)
}

fn write(root: &Utf8Path, path: &str, text: &str) {
    let place = root.join(path);
    fs_err::create_dir_all(place.parent().unwrap()).unwrap();
    fs_err::write(place, text).unwrap();
}

fn upstream(root: &Utf8Path) -> Upstream {
    Upstream::new(
        vec![SourceSpec::Directory(root.to_owned())],
        Settings::new(root.join("../cache")),
    )
}

/// A checkout of v0.32.4.
fn checkout() -> (Small, Utf8PathBuf) {
    let (small, _) = Small::with_releases();
    let root = small.scratch.path.join("checkout");
    git(&["clone", "-q", small.path().as_str(), root.as_str()]);
    git(&["-C", root.as_str(), "checkout", "-q", "v0.32.4"]);
    (small, root)
}

#[test]
fn a_folder_proves_no_commit_and_shows_no_path() {
    let (_keep, root, upstream) = plain();
    let found = resolve(&upstream, "0.32.4").unwrap();
    let revision = &found.revision;
    assert_eq!(revision.commit, "");
    assert_eq!(revision.commit_from, RevisionFrom::Directory);
    assert_eq!(revision.release, Version::new(0, 32, 4));
    assert_eq!(revision.described, "mlx-0.32.4");
    assert_eq!(revision.source, "dir");
    assert!(!revision.is_release);
    assert!(!format!("{revision:?}").contains(root.as_str()));
    let blob = found.source.read(revision, FILE.into()).unwrap().unwrap();
    assert_eq!(blob.bytes, b"int plain;\n");
    assert_eq!(upstream.read_blob(&blob.id), Some(blob.bytes));
    assert_eq!(
        found.source.read(revision, "mlx/none".into()).unwrap(),
        None
    );
    assert_eq!(
        found.source.paths(revision).unwrap(),
        [FILE, "mlx/version.h"]
    );
    assert_eq!(upstream.list().unwrap().releases, [Version::new(0, 32, 4)]);
}

#[test]
fn a_folder_has_the_one_release_that_its_header_names() {
    let (_keep, _, upstream) = plain();
    assert_eq!(
        revision(&upstream, "latest").release,
        Version::new(0, 32, 4)
    );
    let error = refusal(&upstream, "0.32.1");
    assert!(error.to_string().contains("0.32.4, by its"), "{error}");
    assert_eq!(refusal(&upstream, "main").code(), "revision-not-there");
    assert_eq!(refusal(&upstream, "846d1762").code(), "revision-not-there");
}

#[test]
fn a_folder_that_is_no_tree_is_refused() {
    let (_keep, root, _) = plain();
    for bad in [root.join("mlx/backend"), root.join("none"), root.join(FILE)] {
        let error = refusal(&upstream(&bad), "0.32.4");
        assert_eq!(error.code(), "source-unreachable", "{error}");
        assert!(error.to_string().contains(bad.as_str()), "{error}");
    }
}

#[test]
fn a_checkout_without_changes_is_its_commit() {
    let (small, root) = checkout();
    // What a build leaves behind is no change.
    write(&root, "build/out.o", "x");
    let four = small.repository.refname_to_id("refs/tags/v0.32.4").unwrap();
    let upstream = upstream(&root);
    for text in ["0.32.4", "latest", &four.to_string()] {
        let found = revision(&upstream, text);
        assert_eq!(found.commit, four.to_string());
        assert_eq!(found.commit_from, RevisionFrom::Git);
        assert_eq!(found.described, "v0.32.4");
        assert!(found.is_release && found.tree.is_some());
    }
    let found = resolve(&upstream, "0.32.4").unwrap();
    let paths = found.source.paths(&found.revision).unwrap();
    assert!(!paths.iter().any(|path| path.starts_with("build")));
    let into = small.scratch.path.join("tree");
    found.source.materialise(&found.revision, &into).unwrap();
    assert!(into.join(FILE).is_file() && !into.join("build").exists());
    assert!(upstream.history().is_some());
}

#[test]
fn a_checkout_with_any_change_proves_no_commit() {
    let (_small, root) = checkout();
    // Not the file that an overlay changes, and of the same length: only the bytes tell.
    write(&root, "README.md", "THREE\n");
    let found = revision(&upstream(&root), "0.32.4");
    assert_eq!(found.commit, "");
    assert_eq!(found.commit_from, RevisionFrom::Directory);
    assert_eq!(found.described, "checkout");
}

#[test]
fn a_checkout_of_another_commit_is_not_the_release_that_its_header_names() {
    let (small, root) = checkout();
    let two = small
        .repository
        .revparse_single("v0.32.4~2")
        .unwrap()
        .id()
        .to_string();
    git(&["-C", root.as_str(), "checkout", "-q", &two]);
    let error = refusal(&upstream(&root), "0.32.4");
    assert!(error.to_string().contains("v0.32.1-1-g"), "{error}");
    assert_eq!(revision(&upstream(&root), &two).commit, two);
}

#[test]
fn a_file_that_changes_after_the_commit_was_told_is_noticed() {
    let (_small, root) = checkout();
    let upstream = upstream(&root);
    let found = resolve(&upstream, "0.32.4").unwrap();
    write(&root, FILE, "int changed;\n");
    let error = found.source.read(&found.revision, FILE.into()).unwrap_err();
    assert!(error.to_string().contains("changed while"), "{error}");
}

#[test]
fn a_folder_in_which_nothing_is_committed_yet_is_a_plain_folder() {
    let (_keep, root, _) = plain();
    git(&["init", "-q", root.as_str()]);
    let found = revision(&upstream(&root), "0.32.4");
    assert_eq!(found.commit_from, RevisionFrom::Directory);
}

#[test]
fn a_path_that_leaves_the_folder_is_refused() {
    let (_keep, root, upstream) = plain();
    let found = resolve(&upstream, "0.32.4").unwrap();
    for path in [
        "../secret",
        "/etc/passwd",
        "mlx/../../secret",
        ".git/config",
    ] {
        let read = found.source.read(&found.revision, path.into());
        assert!(read.is_err(), "{path}");
    }
    assert!(root.is_dir());
}

#[cfg(unix)]
#[test]
fn a_link_that_leaves_the_folder_is_refused_and_one_that_stays_is_followed() {
    use fs_err::os::unix::fs::symlink;
    let (keep, root, upstream) = plain();
    fs_err::create_dir(keep.path.join("outside")).unwrap();
    write(&keep.path, "outside/secret.cpp", "secret\n");
    symlink("../../outside/secret.cpp", root.join("mlx/out.cpp")).unwrap();
    symlink("../../outside", root.join("mlx/folder")).unwrap();
    symlink("version.h", root.join("mlx/in.h")).unwrap();
    let found = resolve(&upstream, "0.32.4").unwrap();
    for path in ["mlx/out.cpp", "mlx/folder/secret.cpp"] {
        let error = found.source.read(&found.revision, path.into()).unwrap_err();
        assert!(error.to_string().contains("leads out"), "{error}");
    }
    let inside = found.source.read(&found.revision, "mlx/in.h".into());
    assert!(inside.unwrap().is_some());
    let into = keep.path.join("copy");
    assert!(found.source.materialise(&found.revision, &into).is_err());
    assert!(!into.exists());
}

#[test]
fn a_folder_is_copied_whole() {
    let (keep, _, upstream) = plain();
    let found = resolve(&upstream, "0.32.4").unwrap();
    let into = keep.path.join("copy");
    found.source.materialise(&found.revision, &into).unwrap();
    assert_eq!(
        fs_err::read_to_string(into.join(FILE)).unwrap(),
        "int plain;\n"
    );
}
