//! What cannot be written, and who is in the way.

use std::fs;
use std::time::Duration;

use super::repository::{Repository, bump};
use crate::report::Error;
use crate::workspace::{Holder, RepoLock, Transaction, holder};

/// That a transaction with this write fails, and that nothing is other than before.
fn refused(repository: &Repository, change: impl Fn(&mut Transaction)) -> Error {
    let mut transaction = bump();
    change(&mut transaction);
    let before = repository.listing();
    let error = repository.commit(&transaction).unwrap_err();
    assert_eq!(repository.listing(), before);
    assert_eq!(repository.left(), Vec::<String>::new());
    assert!(error.advice().is_some());
    error
}

#[test]
fn a_path_that_leaves_the_repository_is_refused() {
    let repository = Repository::new();
    for path in ["../x", "/x", "a/../../x", ".git/config", ".patchctl/x", ""] {
        let error = refused(&repository, |transaction| {
            transaction.text(path, "x");
        });
        let own = || format!("{path} is in patchctl's own folder");
        let expected = patchctl_apply::check_tree_path(path)
            .err()
            .unwrap_or_else(own);
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_folder_in_a_files_place_is_refused() {
    let repository = Repository::new();
    for (path, expected) in [
        ("tests", "expected a file at tests, found a folder"),
        (
            "CMakeLists.txt/x",
            "found a file where one of its folders should be",
        ),
    ] {
        let error = refused(&repository, |transaction| {
            transaction.text(path, "x");
        });
        assert!(error.to_string().contains(expected), "{error}");
    }
    let error = refused(&repository, |transaction| {
        transaction.delete("tests");
    });
    assert!(
        error.to_string().starts_with("expected a file at"),
        "{error}"
    );
}

#[test]
fn two_writes_to_one_file_are_refused() {
    let repository = Repository::new();
    let error = refused(&repository, |transaction| {
        transaction.text("CMakeLists.txt", "x");
    });
    assert_eq!(error.to_string(), "CMakeLists.txt is to be written twice");
}

#[cfg(unix)]
#[test]
fn bad_links_are_refused() {
    use std::os::unix::fs::symlink;
    let repository = Repository::new();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("file"), "theirs").unwrap();
    let at = |name: &str| repository.root.join(name);
    symlink(elsewhere.path().join("file"), at("out")).unwrap();
    symlink(elsewhere.path(), at("outdir")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    symlink("CMakeLists.txt", at("link")).unwrap();
    fs::create_dir(at(".git")).unwrap();
    symlink(".git", at("git")).unwrap();
    symlink(".patchctl", at("state")).unwrap();
    fs::create_dir(at(".patchctl")).unwrap();
    for path in [
        "out",
        "outdir/file",
        "outdir/new/file",
        "git/config",
        "state/journal.json",
    ] {
        let error = refused(&repository, |transaction| {
            transaction.text(path, "x");
        });
        assert!(
            error
                .to_string()
                .contains(" is a link out of the repository, to "),
            "{path}: {error}"
        );
    }
    let error = refused(&repository, |transaction| {
        transaction.text("dangling", "x");
    });
    assert_eq!(
        error.to_string(),
        "dangling is a link to nowhere, which is not there"
    );
    let error = refused(&repository, |transaction| {
        transaction.text("link", "x");
    });
    assert!(
        error.to_string().ends_with(" is to be written twice"),
        "{error}"
    );
    let error = refused(&repository, |transaction| {
        transaction.delete("dangling");
    });
    assert!(
        error.to_string().contains("is a link: deleting it"),
        "{error}"
    );
    assert_eq!(
        fs::read_to_string(elsewhere.path().join("file")).unwrap(),
        "theirs"
    );
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
}

#[test]
fn a_taken_staging_name_changes_no_file() {
    let repository = Repository::new();
    let taken = repository.root.join("overlays/mlx/.lock.yaml.patchctl-new");
    fs::create_dir(&taken).unwrap();
    let before = repository.listing();
    let error = repository.commit(&bump()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("cannot stage overlays/mlx/lock.yaml"),
        "{error}"
    );
    assert_eq!(repository.listing(), before);
    assert_eq!(repository.left(), Vec::<String>::new());
    fs::remove_dir(&taken).unwrap();
    repository.commit(&bump()).unwrap();
}

#[test]
fn a_second_writer_is_told_who_holds_the_lock() {
    let repository = Repository::new();
    let held = RepoLock::acquire(
        &repository.root,
        "bump --mlx\n0.32.2",
        Duration::ZERO,
        &mut |_| {},
    )
    .unwrap();
    let expected = |holder: Option<&Holder>| {
        let holder = holder.unwrap();
        assert_eq!(holder.pid, std::process::id());
        assert_eq!(holder.command, "bump --mlx 0.32.2");
        assert!(holder.seconds() < 3600);
    };
    assert_eq!(
        holder(&repository.root).unwrap().unwrap().command,
        "bump --mlx 0.32.2"
    );
    let mut told = 0;
    let wait = Duration::from_millis(400);
    let error = RepoLock::acquire(&repository.root, "x", wait, &mut |holder| {
        expected(holder);
        told += 1;
    })
    .unwrap_err();
    assert_eq!(told, 1);
    let who = format!("`bump --mlx 0.32.2`, process {}, for ", std::process::id());
    assert!(error.to_string().contains(&who), "{error}");
    assert!(error.advice().is_some());

    // It gets its turn.
    let root = repository.root.clone();
    let (waits, waiting) = std::sync::mpsc::channel();
    let waiter = std::thread::spawn(move || {
        let wait = Duration::from_secs(600);
        RepoLock::acquire(&root, "y", wait, &mut |_| waits.send(()).unwrap()).map(|_| ())
    });
    waiting.recv().unwrap();
    drop(held);
    waiter.join().unwrap().unwrap();
    assert_eq!(holder(&repository.root), None);
    assert_eq!(repository.get(".patchctl/lock"), "");
}

#[cfg(unix)]
#[test]
fn a_state_folder_is_no_link_and_no_file() {
    let elsewhere = tempfile::tempdir().unwrap();
    let repository = Repository::new();
    let at = repository.root.join(".patchctl");
    std::os::unix::fs::symlink(elsewhere.path(), &at).unwrap();
    let acquire = || RepoLock::acquire(&repository.root, "x", Duration::ZERO, &mut |_| {});
    let unusable = || {
        let error = acquire().map(|_| ()).unwrap_err().to_string();
        error.starts_with(".patchctl is not taken for")
    };
    assert!(unusable());
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    fs::remove_file(&at).unwrap();
    repository.put(".patchctl", "");
    assert!(unusable());
}
