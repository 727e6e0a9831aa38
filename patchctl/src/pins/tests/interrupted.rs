//! Killed at every step, failing at every step, and changed by others in between.

use std::fs;

use super::repository::{At, Listing, Repository, bump, killed_or, review};
use crate::pins::{
    After, EveryStep, Kept, Outcome, RecoveryError, Transaction, TransactionError, pending, recover,
};

/// The repository before and after `transaction`.
fn old_and_new(transaction: &Transaction) -> (Listing, Listing) {
    let repository = Repository::new();
    let old = repository.listing();
    repository.commit(transaction).unwrap();
    (old, repository.listing())
}

/// A repository in which `transaction` was killed at step `at`; `None` where it has no such step.
fn killed_at(transaction: &Transaction, at: usize) -> Option<Repository> {
    let repository = Repository::new();
    let lock = repository.lock();
    let ended = killed_or(|| transaction.commit(&lock, &At::kill(at)).map(|_| ()));
    match ended {
        None => Some(repository),
        Some(result) => {
            result.unwrap();
            None
        }
    }
}

/// The first step at which `stop` holds of the killed repository.
fn killed_when(transaction: &Transaction, stop: impl Fn(&Repository) -> bool) -> Repository {
    (0..)
        .map(|at| killed_at(transaction, at).expect("such a step"))
        .find(stop)
        .unwrap()
}

#[test]
fn killed_at_any_step_the_repository_is_the_old_or_the_new_one_after_the_next_command() {
    for transaction in [bump(), review()] {
        let (old, new) = old_and_new(&transaction);
        let mut outcomes = Vec::new();
        for at in 0.. {
            let Some(repository) = killed_at(&transaction, at) else {
                break;
            };
            let announced = pending(&repository.root).unwrap();
            let left = repository.listing();
            let recovery = repository.recover();
            let now = repository.listing();
            let expected = match &recovery {
                None => &old,
                Some(recovery) if recovery.outcome == Outcome::Undone => &old,
                Some(_) => &new,
            };
            assert_eq!(&now, expected, "killed at step {at}");
            assert_eq!(repository.left(), Vec::<String>::new(), "step {at}");
            assert_eq!(
                announced.map(|pending| pending.outcome),
                recovery.as_ref().map(|recovery| recovery.outcome),
            );
            if let Some(recovery) = &recovery {
                assert_eq!(recovery.kept, []);
                let differ = |path: &str| left.get(path) != now.get(path);
                for path in &recovery.changed {
                    assert!(differ(path.as_str()), "{path} at step {at}");
                }
            }
            outcomes.push(recovery.map(|recovery| recovery.outcome));
            assert_eq!(repository.recover(), None);
            repository.commit(&transaction).unwrap();
            assert_eq!(repository.listing(), new, "and again, step {at}");
        }
        assert!(outcomes.len() > 15, "{outcomes:?}");
        assert!(outcomes.contains(&Some(Outcome::Undone)));
        assert!(outcomes.contains(&Some(Outcome::Finished)));
        // Once decided, it stays so.
        let decided = outcomes
            .iter()
            .position(|o| *o == Some(Outcome::Finished))
            .unwrap();
        assert!(
            outcomes[decided..]
                .iter()
                .all(|o| *o == Some(Outcome::Finished))
        );
    }
}

#[test]
fn a_recovery_that_is_killed_itself_at_any_step_is_mended_by_the_next() {
    for transaction in [bump(), review()] {
        let (old, new) = old_and_new(&transaction);
        let mut recoveries = 0;
        for at in 0.. {
            let Some(repository) = killed_at(&transaction, at) else {
                break;
            };
            let outcome = pending(&repository.root).unwrap().map(|p| p.outcome);
            for again in 0.. {
                let repository = killed_at(&transaction, at).unwrap();
                let lock = repository.lock();
                if killed_or(|| recover(&lock, &At::kill(again)).map(|_| ())).is_some() {
                    break;
                }
                drop(lock);
                recoveries += 1;
                let recovery = repository.recover();
                assert!(recovery.is_none_or(|recovery| recovery.kept.is_empty()));
                let expected = match outcome {
                    Some(Outcome::Finished) => &new,
                    _ => &old,
                };
                assert_eq!(&repository.listing(), expected, "step {at}, then {again}");
                assert_eq!(repository.left(), Vec::<String>::new());
            }
        }
        assert!(recoveries > 50, "{recoveries}");
    }
}

#[test]
fn a_step_that_fails_leaves_every_file_as_it_was_and_nothing_staged() {
    for transaction in [bump(), review()] {
        let (old, new) = old_and_new(&transaction);
        let mut failed = 0;
        for at in 0.. {
            let repository = Repository::new();
            let steps = At::fail(at);
            let result = transaction.commit(&repository.lock(), &steps);
            if steps.seen.get() <= at {
                break;
            }
            match result {
                Err(error) => {
                    failed += 1;
                    let TransactionError::Failed { step, after, .. } = &error else {
                        panic!("{error}");
                    };
                    assert!(matches!(after, After::Undone), "{error}");
                    assert_eq!(
                        error.to_string(),
                        format!("cannot {step}; every file is as it was")
                    );
                    assert_eq!(repository.listing(), old, "failed at step {at}");
                    assert_eq!(repository.left(), Vec::<String>::new());
                }
                // Behind the decision: what is left to clear away is left to the next command.
                Ok(_) => {
                    assert_eq!(repository.listing(), new, "failed at step {at}");
                    assert_eq!(repository.recover().unwrap().outcome, Outcome::Finished);
                    assert_eq!(repository.listing(), new);
                }
            }
            assert_eq!(repository.recover(), None);
        }
        assert!(failed > 14, "{failed}");
    }
}

/// Fails at a step and at all that follow: nothing can be put back.
struct From(At);

impl crate::pins::Steps for From {
    fn reached(&self, step: &str) -> std::io::Result<()> {
        self.0.reached(step)?;
        if self.0.seen.get() > self.0.at {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }
}

#[test]
fn where_undoing_fails_too_the_error_says_so_and_the_next_command_undoes() {
    let (old, _) = old_and_new(&bump());
    let mut not_undone = 0;
    for at in 0.. {
        let repository = Repository::new();
        let steps = From(At::fail(at));
        let result = bump().commit(&repository.lock(), &steps);
        let Err(error) = result else { break };
        let TransactionError::Failed { after, .. } = &error else {
            panic!("{error}");
        };
        if let After::NotUndone(RecoveryError::Failed { .. }) = after {
            not_undone += 1;
            assert!(
                error.to_string().contains("not all could be undone"),
                "{error}"
            );
        }
        repository.recover();
        assert_eq!(repository.listing(), old, "from step {at}");
        assert_eq!(repository.left(), Vec::<String>::new());
    }
    assert!(not_undone > 10, "{not_undone}");
}

#[test]
fn a_new_command_does_not_write_over_an_interrupted_one() {
    let repository = killed_when(&bump(), |r| r.get("overlays/mlx/pins.yaml") == "new pins\n");
    let before = repository.listing();
    let error = repository.commit(&review()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "an interrupted `bump --mlx 0.32.2` is to be finished or undone first"
    );
    assert_eq!(repository.listing(), before);
}

#[test]
fn what_is_pending_is_told_without_changing_anything() {
    let repository = killed_when(&bump(), |r| r.get("overlays/mlx/pins.yaml") == "new pins\n");
    let before = (repository.listing(), repository.left());
    let found = pending(&repository.root).unwrap().unwrap();
    assert_eq!(found.command, "bump --mlx 0.32.2");
    assert_eq!(found.outcome, Outcome::Undone);
    assert_eq!(found.running, None);
    assert_eq!(found.files.len(), 5);
    assert_eq!((repository.listing(), repository.left()), before);

    let lock = repository.lock();
    let found = pending(&repository.root).unwrap().unwrap();
    assert_eq!(found.running.unwrap().unwrap().command, "test");
    drop(lock);
    assert_eq!(pending(&Repository::new().root).unwrap(), None);
}

#[test]
fn a_file_that_somebody_changed_after_the_kill_is_kept_and_its_old_text_laid_aside() {
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
fn a_change_to_a_file_that_was_not_yet_replaced_is_simply_kept() {
    let repository = killed_when(&bump(), |r| r.get("overlays/mlx/pins.yaml") == "new pins\n");
    assert_eq!(repository.get("CMakeLists.txt"), "set(TAG old)\r\n");
    repository.put("CMakeLists.txt", "mine\n");
    let recovery = repository.recover().unwrap();
    assert_eq!(recovery.kept, []);
    assert_eq!(recovery.changed, ["overlays/mlx/pins.yaml"]);
    assert_eq!(repository.get("CMakeLists.txt"), "mine\n");
}

#[test]
fn changes_after_the_decision_are_kept_and_the_rest_is_finished() {
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
fn a_change_to_a_file_that_the_interrupted_command_made_or_deleted_is_kept() {
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
fn a_file_that_somebody_changes_while_the_writes_are_made_is_never_overwritten() {
    struct Meddle<'a>(&'a Repository, &'a str);
    impl crate::pins::Steps for Meddle<'_> {
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
    impl crate::pins::Steps for MeddleAndFail<'_> {
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
fn where_the_kept_bytes_are_gone_nothing_is_touched_and_the_error_says_what_to_do() {
    let repository = killed_when(&bump(), |r| r.get("CMakeLists.txt").contains("new"));
    fs::remove_dir_all(repository.root.join(".patchctl/undo")).unwrap();
    let before = repository.listing();
    let error = recover(&repository.lock(), &EveryStep).unwrap_err();
    assert!(
        matches!(error, RecoveryError::NothingKept { .. }),
        "{error}"
    );
    assert!(error.help().contains("version control"));
    assert_eq!(repository.listing(), before);
    // The way out that the help names.
    fs::remove_dir_all(repository.root.join(".patchctl")).unwrap();
    assert_eq!(repository.recover(), None);
    repository.commit(&bump()).unwrap();
    assert_eq!(repository.listing(), old_and_new(&bump()).1);
}

#[test]
fn a_journal_that_is_damaged_newer_or_leaves_the_repository_is_refused() {
    for (journal, expected) in [
        ("{", "is damaged"),
        ("{\"schema\": 1}", "missing field"),
        ("{\"schema\": 2, \"shards\": []}", "has schema 2"),
        (
            r#"{"schema":1,"phase":"ready","command":"x","decides":false,"folders":[],"files":[{"path":"../x","old":null,"new":null}]}"#,
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
            assert!(!error.help().is_empty());
        }
        assert!(bump().commit(&repository.lock(), &EveryStep).is_err());
        assert_eq!(repository.listing(), before);
    }
}
