//! What is written, and what is left alone.

use std::fs;
use std::time::SystemTime;

use super::repository::{Repository, bump, review};
use crate::workspace::{EveryStep, Transaction};

fn modified(repository: &Repository, path: &str) -> SystemTime {
    fs::metadata(repository.root.join(path))
        .unwrap()
        .modified()
        .unwrap()
}

#[test]
fn all_files_are_written_the_deciding_one_last() {
    let repository = Repository::new();
    let preview = bump().preview(&repository.root).unwrap();
    let committed = repository.commit(&bump()).unwrap();
    assert_eq!(
        committed,
        [
            "overlays/mlx/pins.yaml",
            "CMakeLists.txt",
            "tests/old.snap",
            "tests/snapshots/0.32.2/new.snap",
            "overlays/mlx/lock.yaml"
        ]
    );
    assert_eq!(preview, committed);
    assert_eq!(repository.get("overlays/mlx/lock.yaml"), "new lock\n");
    assert_eq!(
        repository.get("tests/snapshots/0.32.2/new.snap"),
        "new snapshot"
    );
    assert!(!repository.root.join("tests/old.snap").exists());
    assert_eq!(repository.left(), Vec::<String>::new());
    assert_eq!(
        repository.get(".patchctl/.gitignore").lines().last(),
        Some("*")
    );
}

#[test]
fn a_second_time_nothing_is_touched() {
    for transaction in [bump(), review()] {
        let repository = Repository::new();
        repository.commit(&transaction).unwrap();
        let before = repository.listing();
        let time = modified(&repository, "overlays/mlx/pins.yaml");
        assert_eq!(repository.commit(&transaction).unwrap(), [""; 0]);
        assert_eq!(repository.listing(), before);
        assert_eq!(modified(&repository, "overlays/mlx/pins.yaml"), time);
    }
}

#[test]
fn an_unchanged_file_is_not_written() {
    let repository = Repository::new();
    let time = modified(&repository, "overlays/mlx/same.yaml");
    repository.commit(&bump()).unwrap();
    assert_eq!(modified(&repository, "overlays/mlx/same.yaml"), time);
}

#[test]
fn a_text_gets_the_old_files_line_ends() {
    for (old, new) in [
        ("a\r\nb\r\n", "x\r\ny\r\n"),
        ("a\r\nb\n", "x\ny\n"),
        ("a\n", "x\ny\n"),
        ("a", "x\ny\n"),
        ("\u{feff}a\r\n", "\u{feff}x\r\ny\r\n"),
        ("\u{feff}", "\u{feff}x\ny\n"),
    ] {
        let repository = Repository::new();
        repository.put("CMakeLists.txt", old);
        let mut transaction = Transaction::new("x", "lock.yaml");
        transaction.text("CMakeLists.txt", "x\ny\n");
        repository.commit(&transaction).unwrap();
        assert_eq!(repository.get("CMakeLists.txt"), new, "{old:?}");
        let mut exact = Transaction::new("x", "lock.yaml");
        exact.bytes("CMakeLists.txt", *b"p\nq\r\n");
        repository.commit(&exact).unwrap();
        assert_eq!(repository.get("CMakeLists.txt"), "p\nq\r\n");
    }
}

#[test]
fn a_byte_order_mark_is_not_doubled() {
    let repository = Repository::new();
    repository.put("CMakeLists.txt", "\u{feff}a\n");
    let mut transaction = Transaction::new("x", "lock.yaml");
    transaction.text("CMakeLists.txt", "\u{feff}b\n");
    repository.commit(&transaction).unwrap();
    assert_eq!(repository.get("CMakeLists.txt"), "\u{feff}b\n");
}

#[test]
fn what_is_written_over_must_be_what_was_read() {
    let repository = Repository::new();
    let mut transaction = Transaction::new("x", "overlays/mlx/lock.yaml");
    transaction
        .replace("CMakeLists.txt", b"set(TAG old)\r\n", *b"1")
        .text("tests/b", "2");
    repository.commit(&transaction).unwrap();
    let before = repository.listing();
    transaction.text("tests/c", "3");
    let error = transaction
        .commit(&repository.lock(), &EveryStep)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "CMakeLists.txt was changed by somebody else meanwhile; every file is as it was"
    );
    assert_eq!(repository.listing(), before);
    let mut gone = Transaction::new("x", "overlays/mlx/lock.yaml");
    gone.replace("tests/none", b"", *b"1");
    assert!(repository.commit(&gone).is_err());
}

#[cfg(unix)]
#[test]
fn permissions_stay_also_when_a_write_is_undone() {
    use std::os::unix::fs::PermissionsExt;

    use super::repository::At;

    let repository = Repository::new();
    let at = repository.root.join("overlays/mlx/pins.yaml");
    for mode in [0o640, 0o444] {
        fs::set_permissions(&at, fs::Permissions::from_mode(mode)).unwrap();
        let steps = At::fail(usize::MAX);
        let lock = repository.lock();
        bump().commit(&lock, &steps).unwrap();
        assert_eq!(
            fs::metadata(&at).unwrap().permissions().mode() & 0o7777,
            mode
        );
        repository.put("overlays/mlx/lock.yaml", "old lock\n");
        let mut again = Transaction::new("x", "overlays/mlx/lock.yaml");
        again
            .text("overlays/mlx/pins.yaml", format!("{mode}"))
            .text("overlays/mlx/lock.yaml", "z");
        let last = {
            let steps = At::fail(usize::MAX);
            let other = Repository::new();
            again.commit(&other.lock(), &steps).unwrap();
            steps.seen.get() - 2
        };
        again.commit(&lock, &At::fail(last)).unwrap_err();
        assert_eq!(
            fs::metadata(&at).unwrap().permissions().mode() & 0o7777,
            mode
        );
        assert_eq!(repository.get("overlays/mlx/pins.yaml"), "new pins\n");
        fs::remove_file(&at).unwrap();
        repository.put("overlays/mlx/pins.yaml", "old pins\n");
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_written_through_and_stays_a_link() {
    use std::os::unix::fs::symlink;
    let repository = Repository::new();
    fs::create_dir(repository.root.join("real")).unwrap();
    repository.put("real/pins.yaml", "old pins\n");
    let link = repository.root.join("overlays/mlx/pins.yaml");
    fs::remove_file(&link).unwrap();
    symlink("../../real/pins.yaml", &link).unwrap();
    symlink("real", repository.root.join("linked")).unwrap();
    let mut transaction = Transaction::new("x", "overlays/mlx/lock.yaml");
    transaction
        .text("overlays/mlx/pins.yaml", "new pins\n")
        .text("linked/deep/er/new.snap", "new\n");
    let committed = repository.commit(&transaction).unwrap();
    assert_eq!(committed, ["real/pins.yaml", "real/deep/er/new.snap"]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(repository.get("real/pins.yaml"), "new pins\n");
    assert_eq!(repository.get("real/deep/er/new.snap"), "new\n");
}
