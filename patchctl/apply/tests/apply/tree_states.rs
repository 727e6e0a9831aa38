//! Trees that are brought into the wanted state.

use std::fs;

use patchctl_apply::markers::{insertion, replacement};
use patchctl_apply::tree::{Goal, Leftovers, Mode, Options, run};
use patchctl_apply::{BlobId, FileState, splice};

use crate::tree_case::{Case, DEVICE, EVENT, block, locked, pin, words};

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
    case.put("metal/device.cpp", &splice("", DEVICE, &stale).unwrap());
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

#[test]
fn what_a_retired_overlay_left_is_found_and_taken_off() {
    let case = Case::new();
    let old = insertion(b"a\nb", 3, &block("retired/h.1", "0123456789ab"), "x\n").unwrap();
    case.put("metal/old.metal", &splice("", b"a\nb", &[old]).unwrap());
    case.put("metal/clean.h", b"// nothing of patchctl: here\n");

    let report = case.run(Mode::Check).unwrap();
    assert_eq!(report.files.len(), 3);
    let options = Options {
        leftovers: Leftovers::Named,
        ..Options::default()
    };
    assert_eq!(case.run_with(Mode::Check, options).unwrap().files.len(), 2);

    let report = case.run(Mode::Apply).unwrap();
    assert_eq!(words(&report)[2], ("metal/old.metal", "stale", true));
    assert!(!report.files[2].listed);
    assert_eq!(case.get("metal/old.metal"), b"a\nb");
    assert_eq!(case.run(Mode::Apply).unwrap().files.len(), 2);
    assert!(case.run(Mode::Check).unwrap().holds());
}

#[test]
fn a_leftover_alone_keeps_a_check_from_holding() {
    let case = Case::new();
    case.run(Mode::Apply).unwrap();
    case.put(
        "metal/old.h",
        b"// patchctl:begin a/b.1 0123456789ab\n// patchctl:end a/b.1\n",
    );
    assert!(!case.run(Mode::Check).unwrap().holds());
    case.put("metal/old.h", b"// patchctl:end a/b.1\n");
    let report = case.run(Mode::Check).unwrap();
    assert!(!report.holds());
    assert_eq!(words(&report)[2], ("metal/old.h", "broken", false));
    let (path, _, _) = case.only_problem(Mode::Apply);
    assert_eq!(path, "metal/old.h");
}

#[test]
fn a_leftover_in_a_file_that_another_pin_names_is_found_whatever_it_is_called() {
    let mut case = Case::new();
    let older = locked("build.txt", b"a\n", "retired/h.1", "x\n");
    case.put("build.txt", &older.patch(b"a\n").unwrap());
    case.lock.pins.insert(0, pin("0.31.2", vec![older]));
    let options = Options {
        leftovers: Leftovers::Named,
        ..Options::default()
    };
    let report = case.run_with(Mode::Remove, options).unwrap();
    assert_eq!(words(&report)[2], ("build.txt", "stale", true));
    assert_eq!(case.get("build.txt"), b"a\n");
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
