//! What `apply` leaves alone: trees below the one it was given, blocks and edits of somebody else.

use std::fs;
use std::path::PathBuf;

use patchctl_apply::tree::RECORD_FILE;
use serde_json::Value;

use crate::program::Ran;
use crate::support::files::{self, Snapshot};
use crate::support::locked::{DEVICE, PATCHED, Repository, as_schema_1, patched, tree};

const FOREIGN: &str = "int a;\n// patchctl:begin theirs/thing.1 0123456789ab\nint theirs();\n// patchctl:end theirs/thing.1\n";

fn findings(ran: &Ran) -> Vec<Value> {
    let json = ran.json();
    json["results"][0]["findings"].as_array().unwrap().clone()
}

fn codes(ran: &Ran) -> Vec<(String, String)> {
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    findings(ran)
        .iter()
        .map(|finding| (text(finding, "severity"), text(finding, "code")))
        .collect()
}

/// Writes a line into the block of the patched file.
fn edit(tree: &std::path::Path) -> Vec<u8> {
    let text = String::from_utf8(patched()).unwrap();
    let edited = text.replace("wanted = over;", "wanted = over;  // kept by hand");
    assert_ne!(edited, text);
    fs::write(tree.join(PATCHED), &edited).unwrap();
    edited.into_bytes()
}

/// A tree that the lock's earlier form patched: another file, by an overlay that the lock no longer has.
fn patched_by_an_earlier_lock(repository: &Repository) -> PathBuf {
    let tree = repository.lay_out("mlx");
    let lock = repository.path("overlays/mlx/lock.yaml");
    let now = as_schema_1(&fs::read_to_string(&lock).unwrap());
    let commit = repository.upstream.id("0.32.2").to_owned();
    let earlier = now
        .replace("budget/", "older/")
        .replace("id: budget", "id: older")
        .replace("0.32.2", "0.31.2")
        .replace(&commit, &"1".repeat(40));
    let before = patchctl_apply::Lock::parse(now.as_bytes()).unwrap();
    let text = String::from_utf8(patched())
        .unwrap()
        .replace("budget/", "older/");
    let earlier = earlier.replace(
        before.pins[0].files[0].after.as_str(),
        patchctl_apply::BlobId::of(text.as_bytes()).as_str(),
    );
    fs::write(&lock, earlier).unwrap();
    let first = repository.run("apply mlx --mlx 0.31.2");
    assert_eq!(first.status, 0, "{first:?}");
    assert_eq!(fs::read(tree.join(PATCHED)).unwrap(), text.as_bytes());
    fs::write(&lock, now).unwrap();
    tree
}

/// Case 52: a patched tree below the folder, and a block of somebody else's in a file that nothing names.
#[test]
fn other_trees_and_foreign_blocks_stay() {
    let repository = Repository::new();
    let tree = repository.lay_out("mlx");
    let inner = repository.lay_out("mlx/build/_deps/mlx-src");
    fs::write(inner.join(PATCHED), patched()).unwrap();
    fs::write(tree.join("mlx/other.h"), FOREIGN).unwrap();
    let before = Snapshot::of(&tree);
    for line in ["apply mlx", "apply mlx --check", "apply mlx --remove"] {
        let ran = repository.run(&format!("--format json {line}"));
        assert_eq!(ran.status, 0, "{ran:?}");
        let warnings: Vec<String> = findings(&ran)
            .iter()
            .map(|finding| {
                assert_eq!(finding["code"], "foreign-block");
                assert_eq!(finding["severity"], "warning");
                finding["file"].as_str().unwrap().to_owned()
            })
            .collect();
        assert_eq!(
            warnings,
            ["build/_deps/mlx-src/mlx/device.cpp", "mlx/other.h"],
            "{line}"
        );
    }
    assert_eq!(before.differences_in_bytes(&Snapshot::of(&tree)), [""; 0]);
}

/// Case 52: also where the block stands in a file of the lock.
#[test]
fn a_foreign_block_in_a_file_of_the_lock_is_refused() {
    let repository = Repository::new();
    let tree = repository.lay_out("mlx");
    let with_theirs = FOREIGN.replace("int a;\n", DEVICE);
    fs::write(tree.join(PATCHED), &with_theirs).unwrap();
    for line in [
        "apply mlx",
        "apply mlx --remove",
        "apply mlx --discard-edits",
        "apply mlx --remove --discard-edits",
    ] {
        let refused = repository.run(&format!("--format json {line}"));
        let expected = [("error".to_owned(), "foreign-block".to_owned())];
        assert_eq!(
            (refused.status, codes(&refused).as_slice()),
            (1, expected.as_slice())
        );
        assert_eq!(fs::read_to_string(tree.join(PATCHED)).unwrap(), with_theirs);
    }
}

/// Case 54: with and without the record that tells what was written.
#[test]
fn edited_block_is_kept_until_discarded() {
    for recorded in [true, false] {
        let repository = Repository::new();
        let tree = repository.lay_out("mlx");
        repository.run("apply mlx");
        if !recorded {
            let _ = fs::remove_file(tree.join(RECORD_FILE));
        }
        let edited = edit(&tree);
        for line in ["apply mlx", "apply mlx --remove", "apply mlx --dry-run"] {
            let refused = repository.run(&format!("--format json {line}"));
            assert_eq!(refused.status, 1, "{line}");
            let finding = &findings(&refused)[0];
            assert_eq!(
                (&finding["code"], &finding["line"]),
                (&"edited-block".into(), &3.into())
            );
            let excerpt = finding["excerpt"].as_str().unwrap();
            assert!(excerpt.contains("// kept by hand"), "{excerpt}");
            assert_eq!(fs::read(tree.join(PATCHED)).unwrap(), edited, "{line}");
        }
        let check = repository.run("--format json apply mlx --check");
        assert_eq!(
            (check.status, &findings(&check)[0]["code"]),
            (1, &"stale-tree".into())
        );
        assert_eq!(check.json()["next"], Value::Null);

        let discarded = repository.run("--format json apply mlx --discard-edits");
        assert_eq!(discarded.status, 0, "{discarded:?}");
        let lost = &findings(&discarded)[0];
        assert_eq!(
            (&lost["code"], &lost["severity"]),
            (&"edited-block".into(), &"warning".into())
        );
        assert!(
            lost["excerpt"]
                .as_str()
                .unwrap()
                .contains("// kept by hand")
        );
        assert_eq!(fs::read(tree.join(PATCHED)).unwrap(), patched());
    }
}

/// The record takes an older pin's overlays off, which the lock no longer has.
#[test]
fn an_older_pins_tree_is_cleaned_by_its_record() {
    let repository = Repository::new();
    let folder = patched_by_an_earlier_lock(&repository);
    let mut command = repository.command();
    command
        .args(["--offline", "apply", "--remove", "mlx"])
        .env("PATH", "");
    let off = crate::program::ran(&mut command);
    assert_eq!(off.status, 0, "{off:?}");
    assert!(off.stdout.contains("passed  0.31.2"), "{}", off.stdout);
    assert_eq!(files::read(&folder), tree());
}

#[test]
fn a_retired_overlay_gives_way_by_the_record() {
    let repository = Repository::new();
    let folder = patched_by_an_earlier_lock(&repository);
    assert_eq!(repository.run("apply mlx").status, 0);
    assert_eq!(fs::read(folder.join(PATCHED)).unwrap(), patched());
}

#[test]
fn a_damaged_record_is_named() {
    let repository = Repository::new();
    let tree = repository.lay_out("mlx");
    fs::write(tree.join(RECORD_FILE), "{\"files\": [").unwrap();
    let damaged = repository.run("--format json apply mlx");
    assert_eq!(damaged.status, 1);
    assert_eq!(damaged.json()["findings"][0]["code"], "tree-record");
    assert_eq!(fs::read_to_string(tree.join(PATCHED)).unwrap(), DEVICE);
}
