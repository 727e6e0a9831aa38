//! What others do to the files before, while and after writes are made.

use std::fs;

use super::interrupted::{killed_when, old_and_new};
use super::repository::{At, Repository, bump, killed_or, review};
use crate::workspace::{EveryStep, Kept, Outcome, Transaction, pending, recover};

#[test]
fn a_file_changed_after_the_kill_is_kept() {
    let repository = killed_when(&bump(), |r| r.get("overlays/mlx/pins.yaml") == "new pins\n");
    repository.put("overlays/mlx/pins.yaml", "mine\n");
    let recovery = repository.recover().unwrap();
    let before = ".patchctl/kept/overlays+mlx+pins.yaml.1";
    assert_eq!(
        recovery.kept,
        [Kept {
            path: "overlays/mlx/pins.yaml".into(),
            before: Some(before.into())
        }]
    );
    assert_eq!(repository.get("overlays/mlx/pins.yaml"), "mine\n");
    assert_eq!(repository.get(before), "old pins\n");
    let mut old = Repository::new().listing();
    old.insert(
        "overlays/mlx/pins.yaml".to_owned(),
        Some(b"mine\n".to_vec()),
    );
    assert_eq!(repository.listing(), old);
    assert_eq!(repository.recover(), None);

    // A second such time does not overwrite what was laid aside.
    let lock = repository.lock();
    let mut again = Transaction::new("again", "overlays/mlx/lock.yaml");
    again
        .text("overlays/mlx/pins.yaml", "theirs\n")
        .text("CMakeLists.txt", "z\n");
    let at = (0..).find(|at| {
        assert!(killed_or(|| again.commit(&lock, &At::kill(*at)).map(|_| ())).is_none());
        let written = repository.get("overlays/mlx/pins.yaml") == "theirs\n";
        if !written {
            recover(&lock, &EveryStep).unwrap();
        }
        written
    });
    assert!(at.is_some());
    repository.put("overlays/mlx/pins.yaml", "mine again\n");
    let recovery = recover(&lock, &EveryStep).unwrap().unwrap();
    assert_eq!(
        recovery.kept[0].before.as_ref().unwrap(),
        ".patchctl/kept/overlays+mlx+pins.yaml.2"
    );
    assert_eq!(repository.get(before), "old pins\n");
}

#[test]
fn a_change_before_the_replacement_is_kept() {
    let repository = killed_when(&bump(), |r| r.get("overlays/mlx/pins.yaml") == "new pins\n");
    assert_eq!(repository.get("CMakeLists.txt"), "set(TAG old)\r\n");
    repository.put("CMakeLists.txt", "mine\n");
    let recovery = repository.recover().unwrap();
    assert_eq!(recovery.kept, []);
    assert_eq!(recovery.changed, ["overlays/mlx/pins.yaml"]);
    assert_eq!(repository.get("CMakeLists.txt"), "mine\n");
}

#[test]
fn a_change_after_the_decision_is_kept() {
    let decided = |r: &Repository| r.get("overlays/mlx/lock.yaml") == "new lock\n";
    let repository = killed_when(&bump(), decided);
    repository.put("overlays/mlx/pins.yaml", "mine\n");
    let recovery = repository.recover().unwrap();
    assert_eq!(
        (recovery.outcome, recovery.kept),
        (Outcome::Finished, vec![])
    );
    assert_eq!(repository.get("overlays/mlx/pins.yaml"), "mine\n");
    assert_eq!(repository.get("CMakeLists.txt"), "set(TAG new)\r\n");

    // Also where the deciding file itself was changed.
    let repository = killed_when(&bump(), decided);
    repository.put("overlays/mlx/lock.yaml", "mine\n");
    assert_eq!(repository.recover().unwrap().outcome, Outcome::Finished);
    assert_eq!(repository.get("overlays/mlx/pins.yaml"), "new pins\n");

    // And before the decision a change to it does not decide.
    let repository = killed_when(&bump(), |r| r.get("overlays/mlx/pins.yaml") == "new pins\n");
    repository.put("overlays/mlx/lock.yaml", "mine\n");
    assert_eq!(repository.recover().unwrap().outcome, Outcome::Undone);
    assert_eq!(repository.get("overlays/mlx/lock.yaml"), "mine\n");
    assert_eq!(repository.get("overlays/mlx/pins.yaml"), "old pins\n");
}

#[test]
fn a_change_to_a_made_or_deleted_file_is_kept() {
    let made = "tests/snapshots/0.32.2/new.snap";
    let repository = killed_when(&bump(), |r| r.root.join(made).is_file());
    repository.put(made, "mine\n");
    repository.put("tests/old.snap", "mine, too\n");
    let recovery = repository.recover().unwrap();
    assert_eq!(recovery.outcome, Outcome::Undone);
    assert_eq!(
        recovery.kept,
        [Kept {
            path: made.into(),
            before: None
        }]
    );
    assert_eq!(repository.get(made), "mine\n");
    assert_eq!(repository.get("tests/old.snap"), "mine, too\n");
}

#[test]
fn a_file_changed_meanwhile_is_not_overwritten() {
    struct Meddle<'a>(&'a Repository, &'a str);
    impl crate::workspace::Steps for Meddle<'_> {
        fn reached(&self, step: &str) -> std::io::Result<()> {
            if step == self.1 {
                self.0.put("CMakeLists.txt", "mine\n");
            }
            Ok(())
        }
    }
    for step in [
        "keep CMakeLists.txt",
        "write overlays/mlx/pins.yaml",
        "write CMakeLists.txt",
    ] {
        let repository = Repository::new();
        let error = bump()
            .commit(&repository.lock(), &Meddle(&repository, step))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "CMakeLists.txt was changed by somebody else meanwhile; every file is as it was"
        );
        let mut old = Repository::new().listing();
        old.insert("CMakeLists.txt".to_owned(), Some(b"mine\n".to_vec()));
        assert_eq!(repository.listing(), old, "{step}");
    }
    // Changed behind its own replacement: kept, and said.
    let repository = Repository::new();
    let error = review()
        .commit(
            &repository.lock(),
            &Meddle(&repository, "decide with the journal"),
        )
        .map(|_| ());
    error.unwrap();
    let repository = Repository::new();
    struct MeddleAndFail<'a>(Meddle<'a>);
    impl crate::workspace::Steps for MeddleAndFail<'_> {
        fn reached(&self, step: &str) -> std::io::Result<()> {
            self.0.reached(step)?;
            if step == self.0.1 {
                return Err(std::io::ErrorKind::StorageFull.into());
            }
            Ok(())
        }
    }
    let steps = MeddleAndFail(Meddle(&repository, "decide with the journal"));
    let error = review().commit(&repository.lock(), &steps).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot decide with the journal; somebody changed CMakeLists.txt; every other file is as it was"
    );
    assert_eq!(repository.get("CMakeLists.txt"), "mine\n");
    assert_eq!(repository.get("overlays/mlx/pins.yaml"), "old pins\n");
}

#[test]
fn lost_undo_bytes_are_an_error_with_advice() {
    let repository = killed_when(&bump(), |r| r.get("CMakeLists.txt").contains("new"));
    fs::remove_dir_all(repository.root.join(".patchctl/undo")).unwrap();
    let before = repository.listing();
    let error = recover(&repository.lock(), &EveryStep).unwrap_err();
    let expected = "cannot be put back: its old bytes are missing from .patchctl";
    assert!(error.to_string().ends_with(expected), "{error}");
    assert!(error.advice().unwrap().contains("version control"));
    assert_eq!(repository.listing(), before);
    // The way out that the help names.
    fs::remove_dir_all(repository.root.join(".patchctl")).unwrap();
    assert_eq!(repository.recover(), None);
    repository.commit(&bump()).unwrap();
    assert_eq!(repository.listing(), old_and_new(&bump()).1);
}

#[test]
fn a_bad_journal_is_refused() {
    for (journal, expected) in [
        ("{", "is damaged"),
        ("{\"schema\": 1}", "missing field"),
        ("{\"schema\": 2, \"shards\": []}", "has schema 2"),
        (
            r#"{"schema":1,"phase":"ready","command":"x","decides":false,"folders":[],"files":[{"path":"../x","old":null,"new":null}]}"#,
            "may leave the tree",
        ),
        (
            r#"{"schema":1,"phase":"staging","command":"x","decides":false,"folders":["../x"],"files":[]}"#,
            "may leave the tree",
        ),
    ] {
        let repository = Repository::new();
        drop(repository.lock());
        repository.put(".patchctl/journal.json", journal);
        let before = repository.listing();
        for error in [
            pending(&repository.root).unwrap_err(),
            recover(&repository.lock(), &EveryStep).unwrap_err(),
        ] {
            assert!(error.to_string().contains(expected), "{error}");
            assert!(error.advice().is_some());
        }
        assert!(bump().commit(&repository.lock(), &EveryStep).is_err());
        assert_eq!(repository.listing(), before);
    }
}

#[test]
fn a_killed_recovery_knows_what_it_put_back() {
    let replaced = |r: &Repository| r.get("overlays/mlx/pins.yaml") == "new pins\n";
    for again in 0.. {
        let repository = killed_when(&bump(), replaced);
        repository.put("CMakeLists.txt", "mine\n");
        let lock = repository.lock();
        let ended = killed_or(|| recover(&lock, &At::kill(again)).map(|_| ()));
        drop(lock);
        if ended.is_some() {
            assert!(again > 5);
            break;
        }
        let recovery = repository.recover();
        assert!(
            recovery.is_none_or(|recovery| recovery.kept.is_empty()),
            "{again}"
        );
        assert_eq!(repository.get("CMakeLists.txt"), "mine\n");
        assert_eq!(repository.get("overlays/mlx/pins.yaml"), "old pins\n");
    }
}

#[test]
fn a_lost_replacement_is_made_again() {
    let decided = |r: &Repository| r.get("overlays/mlx/lock.yaml") == "new lock\n";
    let repository = killed_when(&bump(), decided);
    repository.put("overlays/mlx/pins.yaml", "old pins\n");
    repository.put("overlays/mlx/.pins.yaml.patchctl-new", "new pins\n");
    let recovery = repository.recover().unwrap();
    assert_eq!(recovery.outcome, Outcome::Finished);
    assert_eq!(recovery.changed, ["overlays/mlx/pins.yaml"]);
    assert_eq!(repository.listing(), old_and_new(&bump()).1);
}

#[test]
fn leftovers_without_a_journal_do_not_matter() {
    let repository = Repository::new();
    fs::create_dir_all(repository.root.join(".patchctl/undo")).unwrap();
    for path in [
        ".patchctl/undo/0",
        ".patchctl/journal.new",
        "overlays/mlx/.pins.yaml.patchctl-new",
    ] {
        repository.put(path, "half");
    }
    repository.commit(&bump()).unwrap();
    assert_eq!(repository.listing(), old_and_new(&bump()).1);
    assert_eq!(repository.left(), Vec::<String>::new());
}
