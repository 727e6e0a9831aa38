//! `apply`: from a lock to a patched tree, and what a reader is told.

use std::fs;
use std::path::PathBuf;

use patchctl_apply::BlobId;

use crate::program::{Ran, ran};
use crate::support::files::{self, Files, Snapshot};
use crate::support::locked::{DEVICE, PATCHED, Repository, as_schema_1, patched, tree};

fn codes(ran: &Ran) -> Vec<String> {
    let json = ran.json();
    let results = json["results"].as_array().unwrap().iter();
    let lists = results.map(|result| &result["findings"]);
    lists
        .chain([&json["findings"]])
        .flat_map(|list| list.as_array().cloned().unwrap_or_default())
        .map(|finding| finding["code"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_tree_is_patched_once_and_then_left_alone() {
    let repository = Repository::new();
    let tree = repository.lay_out("mlx");
    let first = repository.run("apply mlx");
    assert_eq!((first.status, first.stderr.as_str()), (0, ""), "{first:?}");
    let expected = format!(
        "patched  {PATCHED}\n\npassed  0.32.2  {}  apply\n\nchanged: {PATCHED}\n\n1 release: 1 passed\n",
        &repository.upstream.id("0.32.2")[..12]
    );
    assert_eq!(first.stdout, expected);
    assert_eq!(fs::read(tree.join(PATCHED)).unwrap(), patched());
    let before = Snapshot::of(&tree);
    let second = repository.run("apply mlx");
    assert_eq!(second.status, 0);
    assert!(second.stdout.starts_with("unchanged  mlx/device.cpp\n"));
    assert_eq!(before.differences(&Snapshot::of(&tree)), [""; 0]);
}

#[test]
fn tree_is_patched_without_tools_or_network() {
    let repository = Repository::new();
    let tree = repository.lay_out("mlx");
    let mut command = repository.command();
    command.args(["--offline", "apply", "mlx"]).env("PATH", "");
    assert_eq!(ran(&mut command).status, 0);
    assert_eq!(fs::read(tree.join(PATCHED)).unwrap(), patched());
}

#[test]
fn a_pin_that_is_named_needs_the_lock_alone() {
    let repository = Repository::new();
    let tree = repository.lay_out("mlx");
    fs::write(repository.path("overlays/mlx/pins.yaml"), "pins: 3\n").unwrap();
    fs::write(repository.path("overlays/mlx/budget.yaml"), "hunks: 3\n").unwrap();
    assert_eq!(repository.run("apply mlx").status, 2);
    let named = repository.run("apply mlx --mlx v0.32.2");
    assert_eq!(named.status, 0, "{named:?}");
    assert_eq!(fs::read(tree.join(PATCHED)).unwrap(), patched());
}

#[test]
fn check_names_each_file_that_differs() {
    let repository = Repository::new();
    let tree = repository.lay_out("mlx");
    let before = Snapshot::of(&tree);
    let clean = repository.run("--format json apply mlx --check");
    assert_eq!(
        (clean.status, codes(&clean)),
        (1, vec!["clean-tree".to_owned()])
    );
    assert_eq!(clean.json()["results"][0]["findings"][0]["file"], PATCHED);
    assert_eq!(clean.json()["next"][0], "patchctl apply mlx");
    assert_eq!(clean.json()["changed"], serde_json::Value::Null);
    assert_eq!(before.differences(&Snapshot::of(&tree)), [""; 0]);

    repository.run("apply mlx");
    assert_eq!(repository.run("apply mlx --check").status, 0);

    let half = String::from_utf8(patched())
        .unwrap()
        .replace("over > 0", "over");
    fs::write(tree.join(PATCHED), half).unwrap();
    let stale = repository.run("--format json apply mlx --check");
    assert_eq!(
        (stale.status, codes(&stale)),
        (1, vec!["stale-tree".to_owned()])
    );

    fs::write(tree.join(PATCHED), "int budget();\n").unwrap();
    let foreign = repository.run("--format json apply mlx --check");
    assert_eq!(
        (foreign.status, codes(&foreign)),
        (1, vec!["foreign-tree".to_owned()])
    );
    assert_eq!(foreign.json()["next"], serde_json::Value::Null);

    fs::remove_file(tree.join(PATCHED)).unwrap();
    let gone = repository.run("--format json apply mlx --check");
    assert_eq!(
        (gone.status, codes(&gone)),
        (1, vec!["file-missing".to_owned()])
    );
}

#[test]
fn removal_gives_upstreams_bytes_back() {
    let repository = Repository::new();
    let tree = repository.lay_out("mlx");
    repository.run("apply mlx");
    let off = repository.run("apply mlx --remove");
    assert_eq!(off.status, 0);
    assert!(
        off.stdout.starts_with("restored  mlx/device.cpp\n"),
        "{off:?}"
    );
    assert_eq!(files::read(&tree), self::tree());
}

#[test]
fn a_dry_run_says_what_it_would_do_and_does_not() {
    let repository = Repository::new();
    let tree = repository.lay_out("mlx");
    let before = Snapshot::of(&tree);
    let dry = repository.run("--format json apply mlx --dry-run");
    assert_eq!(dry.status, 0);
    assert_eq!(dry.json()["steps"][0]["name"], "would patch");
    assert_eq!(dry.json()["changed"][0], PATCHED);
    assert_eq!(dry.json()["dry_run"], true);
    let said = repository.run("apply mlx --dry-run").stdout;
    assert!(said.contains("\nwould change: mlx/device.cpp\n"), "{said}");
    assert_eq!(before.differences(&Snapshot::of(&tree)), [""; 0]);
}

#[test]
fn foreign_file_is_refused_and_shown() {
    let repository = Repository::new();
    let tree = repository.lay_out("mlx");
    fs::write(tree.join(PATCHED), "int budget();\n").unwrap();
    let before = Snapshot::of(&tree);
    let refused = repository.run("apply mlx");
    assert_eq!(refused.status, 1);
    let said = format!(
        "error[foreign-tree]: expected upstream's blob {}",
        BlobId::of(DEVICE.as_bytes())
    );
    assert!(refused.stdout.contains(&said), "{}", refused.stdout);
    assert!(
        refused.stdout.contains(" --> mlx/device.cpp\nhelp: "),
        "{}",
        refused.stdout
    );
    assert_eq!(before.differences(&Snapshot::of(&tree)), [""; 0]);
}

#[test]
fn wrong_request_is_2_and_missing_tree_is_3() {
    let repository = Repository::new();
    repository.lay_out("mlx");
    for (line, status, code) in [
        ("apply mlx --mlx 0.33.0", 2, "no-such-pin"),
        ("diff --mlx 0.33.0", 2, "no-such-pin"),
        ("apply nowhere", 3, "no-tree"),
    ] {
        let wrong = repository.run(&format!("--format json {line}"));
        assert_eq!(
            (wrong.status, codes(&wrong)),
            (status, vec![code.to_owned()]),
            "{line}"
        );
    }
    fs::write(
        repository.path("overlays/mlx/lock.yaml"),
        "schema: 1\npins: 3\n",
    )
    .unwrap();
    let damaged = repository.run("--format json apply mlx");
    assert_eq!(
        (damaged.status, codes(&damaged)),
        (2, vec!["lock-damaged".to_owned()])
    );
    assert_eq!(
        damaged.json()["findings"][0]["file"],
        "overlays/mlx/lock.yaml"
    );
    assert_eq!(damaged.json()["findings"][0]["line"], 2);
    fs::remove_file(repository.path("overlays/mlx/lock.yaml")).unwrap();
    let missing = repository.run("apply mlx");
    assert_eq!(missing.status, 3);
    assert!(
        missing.stderr.contains("\nhelp: nothing is locked yet"),
        "{}",
        missing.stderr
    );
}

#[test]
fn whole_tree_is_made_from_a_source() {
    let repository = Repository::new();
    let made = repository.run("apply --materialise build/mlx");
    assert_eq!(made.status, 0, "{made:?}");
    let mut expected = tree();
    expected.insert(PATCHED.to_owned(), patched());
    assert_eq!(
        files::read_tree(&repository.path("build")),
        prefixed("mlx", &expected)
    );

    let before = Snapshot::of(&repository.path("build"));
    let again = repository.run("apply --materialise build/mlx");
    assert_eq!(again.status, 2);
    assert!(again.stderr.contains("is not empty"), "{}", again.stderr);
    assert_eq!(
        before.differences(&Snapshot::of(&repository.path("build"))),
        [""; 0]
    );

    fs::create_dir(repository.path("empty")).unwrap();
    assert_eq!(repository.run("apply --materialise empty").status, 0);
    assert_eq!(files::read_tree(&repository.path("empty")), expected);
}

fn prefixed(folder: &str, files: &Files) -> Files {
    let named = files
        .iter()
        .map(|(path, bytes)| (format!("{folder}/{path}"), bytes.clone()));
    named.collect()
}

#[test]
fn cached_tree_is_named_by_revision_and_digest() {
    let repository = Repository::new();
    let tree_in_cache = |made: &Ran| -> PathBuf {
        let trees = repository.dir.path().join("cache/trees");
        let mut names = fs::read_dir(trees).unwrap();
        let only = names.next().unwrap().unwrap().path();
        assert!(names.next().is_none(), "{made:?}");
        only
    };
    let made = repository.run("apply --materialise");
    assert_eq!(made.status, 0, "{made:?}");
    let tree = tree_in_cache(&made);
    let revision = &repository.upstream.id("0.32.2")[..12];
    let name = tree.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with(&format!("{revision}-")), "{name}");
    assert!(made.stdout.contains(name), "{}", made.stdout);

    let before = Snapshot::of(&tree);
    let again = repository.run("--offline apply --materialise");
    assert_eq!(again.status, 0);
    assert!(again.stdout.starts_with("at hand"), "{}", again.stdout);
    assert_eq!(
        before.differences(&Snapshot::of(&tree_in_cache(&again))),
        [""; 0]
    );

    // Another overlay is another tree.
    let lock = repository.path("overlays/mlx/lock.yaml");
    let other = as_schema_1(&fs::read_to_string(&lock).unwrap())
        .replace(&"ab".repeat(32), &"cd".repeat(32));
    fs::write(&lock, other).unwrap();
    assert_eq!(repository.run("apply --materialise").status, 0);
    assert_eq!(fs::read_dir(tree.parent().unwrap()).unwrap().count(), 2);
}

#[test]
fn unknown_revision_leaves_nothing_behind() {
    let repository = Repository::new();
    let lock = repository.path("overlays/mlx/lock.yaml");
    let real = repository.upstream.id("0.32.2");
    let unknown = as_schema_1(&fs::read_to_string(&lock).unwrap()).replace(real, &"0".repeat(40));
    fs::write(&lock, unknown).unwrap();
    let failed = repository.run("--format json apply --materialise build/mlx");
    assert_eq!(
        (failed.status, codes(&failed)),
        (3, vec!["no-source".to_owned()])
    );
    assert!(!repository.path("build").exists());
}
