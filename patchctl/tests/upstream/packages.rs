//! Packages that carry a tree, with a stand-in for cargo: what is brought, what is altered, what is missing.

use git2::{ObjectType, Oid};
use patchctl::upstream::{RevisionFrom, Settings};
use semver::Version;

use crate::shop::{RELEASE, Shop, tree_id};
use crate::small::{FILE, git, refusal, resolve, revision};

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
    assert!(error.advice().unwrap().contains("--offline"));
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
            assert!(error.advice().unwrap().contains("remove"));
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
fn a_damaged_cache_is_filled_again_and_offline_is_named() {
    let shop = Shop::with_folder();
    revision(&shop.upstream(|_| {}), RELEASE);
    let objects = shop.scratch.path.join("cache/crates/objects.git");
    let blob = Oid::hash_object(ObjectType::Blob, b"int packaged;\n").unwrap();
    let hex = blob.to_string();
    let file = objects.join("objects").join(&hex[..2]).join(&hex[2..]);
    let whole = fs_err::read(&file).unwrap();
    for cut in [whole.len() / 2, 0] {
        fs_err::remove_file(&file).unwrap();
        fs_err::write(&file, &whole[..cut]).unwrap();
        let offline = shop.upstream(|settings| settings.offline = true);
        let found = resolve(&offline, RELEASE).unwrap();
        let error = found.source.read(&found.revision, FILE.into()).unwrap_err();
        assert!(error.to_string().contains(&hex), "{error}");
        assert!(
            error
                .advice()
                .unwrap()
                .contains(&format!("remove {objects}")),
            "{error}"
        );
        let found = resolve(&shop.upstream(|_| {}), RELEASE).unwrap();
        let read = found.source.read(&found.revision, FILE.into()).unwrap();
        assert_eq!(read.unwrap().bytes, b"int packaged;\n");
    }
    assert_eq!(shop.asked().len(), 3);
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
    assert!(error.advice().unwrap().contains("rustup"));
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
    assert_eq!(refusal(&upstream, "main").code(), "revision-not-there");
    assert!(shop.asked().is_empty());
    assert_eq!(upstream.list().unwrap().releases.len(), 4);
}

#[test]
fn a_commit_that_the_lock_knows_otherwise_is_an_alarm() {
    let shop = Shop::with_folder();
    let upstream = shop.upstream(|settings| {
        let release = Version::parse(RELEASE).unwrap();
        settings.known_commits.insert(release, "d".repeat(40));
    });
    assert_eq!(refusal(&upstream, RELEASE).code(), "tag-moved");
}

#[test]
fn two_at_once_fill_the_cache_once() {
    let shop = Shop::with_folder();
    // All before the first is asked: a program that runs cannot be written.
    let all: Vec<_> = (0..4).map(|_| shop.upstream(|_| {})).collect();
    std::thread::scope(|scope| {
        for upstream in all {
            scope.spawn(move || revision(&upstream, RELEASE));
        }
    });
    assert_eq!(shop.asked().len(), 1);
    let objects = shop.scratch.path.join("cache/crates/objects.git");
    git(&["-C", objects.as_str(), "fsck", "--strict", "--no-dangling"]);
}
