//! Killed at every step, and failing at every step.

use super::repository::{At, Listing, Repository, bump, killed_or, review};
use crate::workspace::{Outcome, Transaction, pending, recover};

/// The repository before and after `transaction`.
pub fn old_and_new(transaction: &Transaction) -> (Listing, Listing) {
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
pub fn killed_when(transaction: &Transaction, stop: impl Fn(&Repository) -> bool) -> Repository {
    (0..)
        .map(|at| killed_at(transaction, at).expect("such a step"))
        .find(stop)
        .unwrap()
}

#[test]
fn killed_at_any_step_it_is_the_old_or_the_new() {
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
fn a_killed_recovery_is_finished_by_the_next() {
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
fn a_failed_step_changes_no_file() {
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
                    let step = steps.failed.borrow();
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

impl crate::workspace::Steps for From {
    fn reached(&self, step: &str) -> std::io::Result<()> {
        self.0.reached(step)?;
        if self.0.seen.get() > self.0.at {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }
}

#[test]
fn a_failed_undo_is_told_and_made_good() {
    let (old, _) = old_and_new(&bump());
    let mut not_undone = 0;
    for at in 0.. {
        let repository = Repository::new();
        let steps = From(At::fail(at));
        let result = bump().commit(&repository.lock(), &steps);
        let Err(error) = result else { break };
        let message = error.to_string();
        assert!(message.starts_with("cannot "), "{message}");
        if !message.ends_with("every file is as it was") {
            not_undone += 1;
            let expected = "; and not all could be undone: cannot ";
            assert!(message.contains(expected), "{message}");
        }
        repository.recover();
        assert_eq!(repository.listing(), old, "from step {at}");
        assert_eq!(repository.left(), Vec::<String>::new());
    }
    assert!(not_undone > 10, "{not_undone}");
}

#[test]
fn an_interrupted_command_prevents_writes() {
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
fn pending_changes_nothing() {
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

/// A command that was killed before it had a journal, or after it had removed it.
#[test]
fn kept_bytes_without_a_journal_are_cleared() {
    let repository = Repository::new();
    let undo = repository.root.join(".patchctl/undo");
    std::fs::create_dir_all(&undo).unwrap();
    std::fs::write(undo.join("0"), "old\n").unwrap();
    assert_eq!(repository.recover(), None);
    assert!(!undo.exists());
}
