//! Trees that are brought into the wanted state.

use std::fs;

use patchctl_apply::markers::{insertion, replacement};
use patchctl_apply::tree::{Goal, Mode, Obstacle, Options, run};
use patchctl_apply::{BlobId, FileState, LockedFile, splice};

use crate::tree_case::{Case, DEVICE, EVENT, block, words};

#[test]
fn a_clean_tree_becomes_applied_and_clean_again() {
    let case = Case::new();
    let report = case.run(Mode::Apply).unwrap();
    assert_eq!(
        words(&report),
        [
            ("metal/device.cpp", "clean", true),
            ("event.cpp", "clean", true)
        ]
    );
    assert!(report.holds());
    let patched = case.get("metal/device.cpp");
    assert_eq!(BlobId::of(&patched), case.lock.pins[0].files[0].after);
    assert!(
        case.get("event.cpp")
            .ends_with(b"int y;\r\n// patchctl:end budget/event.1")
    );

    let report = case.run(Mode::Remove).unwrap();
    assert_eq!(report.files[0].was, FileState::Applied);
    assert_eq!(report.files[0].goal, Goal::Clean);
    assert_eq!(case.get("metal/device.cpp"), DEVICE);
    assert_eq!(case.get("event.cpp"), EVENT);
}

#[test]
fn applying_twice_changes_nothing_and_keeps_the_files_times() {
    let case = Case::new();
    case.run(Mode::Apply).unwrap();
    let before = case.listing();
    let report = case.run(Mode::Apply).unwrap();
    assert_eq!(
        words(&report),
        [
            ("metal/device.cpp", "applied", false),
            ("event.cpp", "applied", false)
        ]
    );
    assert!(report.holds());
    assert_eq!(case.listing(), before);
    case.run(Mode::Remove).unwrap();
    let before = case.listing();
    case.run(Mode::Remove).unwrap();
    assert_eq!(case.listing(), before);
}

#[test]
fn a_tree_that_is_half_applied_is_finished_and_its_finished_file_not_touched() {
    let case = Case::new();
    case.run(Mode::Apply).unwrap();
    case.put("event.cpp", EVENT);
    let before = case.listing();
    let report = case.run(Mode::Apply).unwrap();
    assert_eq!(
        words(&report),
        [
            ("metal/device.cpp", "applied", false),
            ("event.cpp", "clean", true)
        ]
    );
    let touched: Vec<String> = case
        .listing()
        .into_iter()
        .zip(before)
        .filter(|(now, before)| now != before)
        .map(|(now, _)| now.0)
        .collect();
    assert_eq!(
        touched,
        [case.dir.path().join("event.cpp").display().to_string()]
    );
}

#[test]
fn a_check_tells_the_states_and_writes_nothing() {
    let case = Case::new();
    let before = case.listing();
    let report = case.run(Mode::Check).unwrap();
    assert!(!report.holds());
    assert_eq!(
        words(&report),
        [
            ("metal/device.cpp", "clean", false),
            ("event.cpp", "clean", false)
        ]
    );
    assert_eq!(case.listing(), before);

    case.run(Mode::Apply).unwrap();
    assert!(case.run(Mode::Check).unwrap().holds());

    case.put("event.cpp", b"other");
    fs::remove_file(case.dir.path().join("metal/device.cpp")).unwrap();
    let report = case.run(Mode::Check).unwrap();
    assert!(!report.holds());
    assert_eq!(
        words(&report),
        [
            ("metal/device.cpp", "missing", false),
            ("event.cpp", "foreign", false)
        ]
    );
}

#[test]
fn a_dry_run_tells_what_it_would_write_and_writes_nothing() {
    let case = Case::new();
    let before = case.listing();
    let options = Options {
        dry_run: true,
        ..Options::default()
    };
    let report = case.run_with(Mode::Apply, options).unwrap();
    assert!(
        report
            .files
            .iter()
            .all(|file| file.differs && !file.written)
    );
    assert!(!report.holds());
    assert_eq!(case.listing(), before);
}

#[test]
fn blocks_of_another_lock_are_taken_off_first() {
    let case = Case::new();
    let stale = [
        insertion(
            DEVICE,
            14,
            &block("budget/read.1", "ffffffffffff"),
            "int old;\n",
        )
        .unwrap(),
        insertion(
            DEVICE,
            DEVICE.len(),
            &block("retired/h.1", "0123456789ab"),
            "z\n",
        )
        .unwrap(),
    ];
    case.apply_earlier(vec![LockedFile {
        path: "metal/device.cpp".to_owned(),
        before: BlobId::of(DEVICE),
        after: BlobId::of(&splice("", DEVICE, &stale).unwrap()),
        splices: stale.to_vec(),
    }]);
    let report = case.run(Mode::Check).unwrap();
    let FileState::Stale { blocks } = &report.files[0].was else {
        panic!("{report:?}");
    };
    assert_eq!(blocks.len(), 2);
    assert_eq!(blocks[1].edit.overlay(), "retired");

    let report = case.run(Mode::Apply).unwrap();
    assert_eq!(words(&report)[0], ("metal/device.cpp", "stale", true));
    assert_eq!(
        BlobId::of(&case.get("metal/device.cpp")),
        case.lock.pins[0].files[0].after
    );
}

#[test]
fn a_change_that_stands_there_twice_is_mended() {
    let case = Case::new();
    let twice = vec![case.lock.pins[0].files[0].splices[0].clone(); 2];
    case.put("metal/device.cpp", &splice("", DEVICE, &twice).unwrap());
    case.run(Mode::Apply).unwrap();
    assert_eq!(
        BlobId::of(&case.get("metal/device.cpp")),
        case.lock.pins[0].files[0].after
    );
}

#[test]
fn a_replacement_is_applied_and_removed() {
    let mut case = Case::new();
    let splices = replacement(
        DEVICE,
        29..42,
        &block("budget/r.1", "0123456789ab"),
        "  return 7;\n",
    )
    .unwrap();
    let file = &mut case.lock.pins[0].files[0];
    file.after = BlobId::of(&splice("", DEVICE, &splices).unwrap());
    file.splices = splices.to_vec();
    case.run(Mode::Apply).unwrap();
    let patched = String::from_utf8(case.get("metal/device.cpp")).unwrap();
    assert!(
        patched
            .contains("#if 0 // patchctl:was\n  return 50;\n#else // patchctl:now\n  return 7;\n"),
        "{patched}"
    );
    case.run(Mode::Remove).unwrap();
    assert_eq!(case.get("metal/device.cpp"), DEVICE);
}

#[cfg(unix)]
#[test]
fn a_files_permissions_stay() {
    use std::os::unix::fs::PermissionsExt;
    let case = Case::new();
    let at = case.dir.path().join("event.cpp");
    for mode in [0o444, 0o755] {
        fs::set_permissions(&at, fs::Permissions::from_mode(mode)).unwrap();
        case.run(Mode::Apply).unwrap();
        assert_eq!(
            fs::metadata(&at).unwrap().permissions().mode() & 0o7777,
            mode
        );
        case.run(Mode::Remove).unwrap();
        assert_eq!(
            fs::metadata(&at).unwrap().permissions().mode() & 0o7777,
            mode
        );
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_is_hard_linked_elsewhere_is_not_changed_there() {
    let case = Case::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let other = elsewhere.path().join("event.cpp");
    // Package managers link the files of their caches into the trees that they make.
    if fs::hard_link(case.dir.path().join("event.cpp"), &other).is_err() {
        fs::hard_link(
            case.dir.path().join("event.cpp"),
            case.dir.path().join("same"),
        )
        .unwrap();
    }
    case.run(Mode::Apply).unwrap();
    let kept = if other.exists() {
        fs::read(other).unwrap()
    } else {
        case.get("same")
    };
    assert_eq!(kept, EVENT);
}

#[test]
fn what_a_killed_run_staged_is_taken_away_by_the_next() {
    let case = Case::new();
    case.put(".event.cpp.patchctl-new", b"half");
    case.put("metal/.device.cpp.patchctl-new", b"half");
    case.run(Mode::Apply).unwrap();
    assert_eq!(case.listing().len(), 3);
    case.put("metal/.device.cpp.patchctl-new", b"half");
    case.run(Mode::Apply).unwrap();
    assert_eq!(case.listing().len(), 3);
}

#[test]
fn a_tree_inside_of_a_git_repository_is_applied_like_any_other() {
    let outer = tempfile::tempdir().unwrap();
    fs::create_dir(outer.path().join(".git")).unwrap();
    fs::write(outer.path().join(".gitignore"), "*\n").unwrap();
    let case = Case::new();
    let inner = outer.path().join("mlx");
    fs::create_dir_all(inner.join("metal")).unwrap();
    fs::write(inner.join("metal/device.cpp"), DEVICE).unwrap();
    fs::write(inner.join("event.cpp"), EVENT).unwrap();
    let report = run(
        &case.lock,
        &case.lock.pins[0],
        &inner,
        Mode::Apply,
        Options::default(),
    )
    .unwrap();
    assert_eq!(report.written().count(), 2);
    assert_ne!(fs::read(inner.join("event.cpp")).unwrap(), EVENT);
}

#[test]
fn a_file_with_the_locks_bytes_is_applied_also_where_they_do_not_come_off() {
    for patched in ["int mine;\n", "// patchctl:end a/b.1\n"] {
        let mut case = Case::new();
        case.put("event.cpp", patched.as_bytes());
        case.lock.pins[0].files[1].after = BlobId::of(patched.as_bytes());
        assert_eq!(
            words(&case.run(Mode::Apply).unwrap())[1],
            ("event.cpp", "applied", false)
        );
        let (path, obstacle, _) = case.only_problem(Mode::Remove);
        assert_eq!(path, "event.cpp");
        assert!(matches!(obstacle, Obstacle::NotRemovable), "{obstacle}");
    }
}

#[test]
fn a_file_that_the_pin_does_not_change_is_applied_and_removed_as_it_is() {
    let mut case = Case::new();
    case.lock.pins[0].files[1].after = BlobId::of(EVENT);
    case.lock.pins[0].files[1].splices.clear();
    case.run(Mode::Apply).unwrap();
    assert!(case.run(Mode::Check).unwrap().holds());
    let report = case.run(Mode::Remove).unwrap();
    assert_eq!(words(&report)[1], ("event.cpp", "applied", false));
}

#[cfg(unix)]
#[test]
fn a_files_owner_stays() {
    use std::os::unix::fs::{MetadataExt, chown};
    let case = Case::new();
    let at = case.dir.path().join("event.cpp");
    // Only root may give a file away; for others it is their own, and stays so.
    let _ = chown(&at, Some(1), Some(1));
    let owner = |at| fs::metadata(at).map(|m| (m.uid(), m.gid())).unwrap();
    let before = owner(&at);
    case.run(Mode::Apply).unwrap();
    assert_eq!(owner(&at), before);
}

#[test]
fn a_writer_waits_for_another_one_in_the_same_tree() {
    let case = Case::new();
    let held = fs::File::open(case.dir.path()).unwrap();
    held.lock().unwrap();
    let (begins, begun) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            begins.send(()).unwrap();
            case.run(Mode::Apply).map(|_| ())
        });
        begun.recv().unwrap();
        for _ in 0..50 {
            assert_eq!(case.get("event.cpp"), EVENT);
        }
        drop(held);
        waiter.join().unwrap().unwrap();
    });
    assert_ne!(case.get("event.cpp"), EVENT);
}
