//! Trees that are refused, and left as they are.

use std::fs;

use patchctl_apply::markers::MarkerError;
use patchctl_apply::tree::{Cause, Mode, Obstacle, Options, run};
use patchctl_apply::{ApplyError, BlobId, Foreign, Known};

use crate::tree_case::{Case, DEVICE, EVENT, locked, pin};

#[test]
fn a_file_that_is_not_upstreams_is_refused_with_both_blobs() {
    let case = Case::new();
    case.put("event.cpp", b"void wait() {\r\n  // mine\r\n}");
    for mode in [Mode::Apply, Mode::Remove] {
        let (path, obstacle, cause) = case.only_problem(mode);
        assert_eq!((path.as_str(), cause), ("event.cpp", Cause::Content));
        let Obstacle::Foreign(foreign) = obstacle else {
            panic!("{obstacle}");
        };
        assert_eq!(foreign.expected, BlobId::of(EVENT));
        assert_eq!(
            foreign.found,
            BlobId::of(b"void wait() {\r\n  // mine\r\n}")
        );
        assert_eq!(foreign.known, None);
    }
}

#[test]
fn a_patched_file_that_was_edited_outside_of_its_blocks_is_foreign() {
    let case = Case::new();
    case.run(Mode::Apply).unwrap();
    let mut edited = b"// mine\n".to_vec();
    edited.extend(case.get("metal/device.cpp"));
    case.put("metal/device.cpp", &edited);
    let (_, obstacle, _) = case.only_problem(Mode::Remove);
    let Obstacle::Foreign(foreign) = &obstacle else {
        panic!("{obstacle}");
    };
    assert_eq!(foreign.found, BlobId::of(&[b"// mine\n", DEVICE].concat()));
    assert!(
        obstacle
            .to_string()
            .ends_with(" without the block budget/read.1"),
        "{obstacle}"
    );
}

#[test]
fn a_file_of_another_pin_is_named_as_that() {
    let mut case = Case::new();
    let other = b"void wait();\n";
    let older = pin(
        "0.31.2",
        vec![locked("event.cpp", other, "budget/event.1", "int y;\n")],
    );
    // The same bytes under another name are no word about this file.
    let moved = locked("moved.cpp", other, "budget/event.1", "int y;\n");
    case.lock.pins.insert(0, pin("0.31.1", vec![moved]));
    case.lock.pins.insert(0, older);
    case.put(
        "event.cpp",
        &case.lock.pins[0].files[0].patch(other).unwrap(),
    );
    let (_, obstacle, _) = case.only_problem(Mode::Apply);
    assert!(obstacle.help().contains("0.31.2"), "{}", obstacle.help());
    let Obstacle::Foreign(Foreign { known, .. }) = obstacle else {
        panic!("{obstacle}");
    };
    assert_eq!(known, Some(Known::OfPins(vec!["0.31.2".to_owned()])));
}

#[test]
fn converted_line_ends_are_named_as_that() {
    let case = Case::new();
    for (path, bytes) in [
        (
            "metal/device.cpp",
            String::from_utf8_lossy(DEVICE).replace('\n', "\r\n"),
        ),
        (
            "event.cpp",
            String::from_utf8_lossy(EVENT).replace("\r\n", "\n"),
        ),
    ] {
        let case = Case::new();
        case.put(path, bytes.as_bytes());
        let (_, obstacle, _) = case.only_problem(Mode::Apply);
        assert!(
            obstacle.help().contains("core.autocrlf=false"),
            "{}",
            obstacle.help()
        );
    }
    case.put("event.cpp", b"void wait() {\r\n}\r\n");
    let (_, obstacle, _) = case.only_problem(Mode::Apply);
    assert!(!obstacle.help().contains("autocrlf"));
}

#[test]
fn markers_that_do_not_pair_are_refused_with_their_line() {
    let case = Case::new();
    case.put(
        "event.cpp",
        b"// patchctl:begin budget/event.1 0123456789ab\nx\n",
    );
    assert_eq!(case.run(Mode::Check).unwrap().files[1].was.word(), "broken");
    let (_, obstacle, cause) = case.only_problem(Mode::Apply);
    assert_eq!(cause, Cause::Content);
    assert!(matches!(
        obstacle,
        Obstacle::Broken(MarkerError::NoEnd { line: 1, .. })
    ));
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let mut case = Case::new();
    case.put("event.cpp", b"other");
    fs::remove_file(case.dir.path().join("metal/device.cpp")).unwrap();
    let older = locked("metal/other.cpp", b"a\n", "a/b.1", "x\n");
    case.lock.pins.insert(0, pin("0.31.2", vec![older]));
    case.put("metal/other.cpp", b"// patchctl:end a/b.1\n");
    let error = case.refused(Mode::Apply);
    let text = error.explained();
    for path in [
        "metal/device.cpp: the file is missing",
        "event.cpp: expected",
        "metal/other.cpp: its markers",
    ] {
        assert!(text.contains(path), "{text}");
    }
    assert_eq!(text.matches("help: ").count(), 3, "{text}");
}

#[test]
fn a_missing_file_is_an_error_that_names_it() {
    let case = Case::new();
    fs::remove_dir_all(case.dir.path().join("metal")).unwrap();
    let (path, obstacle, cause) = case.only_problem(Mode::Apply);
    assert_eq!((path.as_str(), cause), ("metal/device.cpp", Cause::Content));
    assert!(matches!(obstacle, Obstacle::Missing));
}

#[test]
fn a_folder_in_a_files_place_and_a_file_in_a_folders_are_refused() {
    let case = Case::new();
    fs::remove_file(case.dir.path().join("event.cpp")).unwrap();
    fs::create_dir(case.dir.path().join("event.cpp")).unwrap();
    let (path, obstacle, cause) = case.only_problem(Mode::Apply);
    assert_eq!((path.as_str(), cause), ("event.cpp", Cause::Surroundings));
    assert!(matches!(
        obstacle,
        Obstacle::NotAFile {
            found: "a folder",
            ..
        }
    ));

    let case = Case::new();
    fs::remove_dir_all(case.dir.path().join("metal")).unwrap();
    case.put("metal", b"");
    let (_, obstacle, _) = case.only_problem(Mode::Check);
    assert!(
        obstacle
            .to_string()
            .contains("a file where a folder is expected"),
        "{obstacle}"
    );
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_in_the_way_is_refused() {
    use std::os::unix::fs::symlink;
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("device.cpp"), DEVICE).unwrap();

    let case = Case::new();
    let at = case.dir.path().join("metal/device.cpp");
    fs::remove_file(&at).unwrap();
    symlink(elsewhere.path().join("device.cpp"), &at).unwrap();
    let (_, obstacle, cause) = case.only_problem(Mode::Apply);
    assert_eq!(cause, Cause::Surroundings);
    assert!(matches!(obstacle, Obstacle::Symlink(found) if found == at));

    let case = Case::new();
    fs::remove_dir_all(case.dir.path().join("metal")).unwrap();
    symlink(elsewhere.path(), case.dir.path().join("metal")).unwrap();
    let (_, obstacle, _) = case.only_problem(Mode::Apply);
    assert!(matches!(obstacle, Obstacle::Symlink(_)));
    assert_eq!(
        fs::read(elsewhere.path().join("device.cpp")).unwrap(),
        DEVICE
    );
}

#[test]
fn a_path_that_leaves_the_tree_is_refused_also_without_a_lock_file() {
    let mut case = Case::new();
    case.lock.pins[0].files[1].path = "../event.cpp".to_owned();
    let (_, obstacle, _) = case.only_problem(Mode::Apply);
    assert!(matches!(obstacle, Obstacle::Escapes(_)));
}

#[test]
fn a_failure_while_staging_leaves_every_file_as_it_was() {
    let case = Case::new();
    // The second file's staging name is taken by something that cannot be removed.
    let taken = case.dir.path().join(".event.cpp.patchctl-new");
    fs::create_dir(&taken).unwrap();
    let error = case.refused(Mode::Apply);
    assert_eq!(error.cause(), Cause::Surroundings);
    assert!(
        error.explained().contains("event.cpp"),
        "{}",
        error.explained()
    );
    fs::remove_dir(&taken).unwrap();
    case.run(Mode::Apply).unwrap();
}

#[test]
fn a_lock_that_contradicts_itself_is_an_error_and_writes_nothing() {
    let mut case = Case::new();
    case.lock.pins[0].files[1].after = BlobId::of(b"");
    let error = case.refused(Mode::Apply);
    assert_eq!(error.cause(), Cause::Asked);
    assert!(error.to_string().contains("give blob"), "{error}");
    case.lock.pins[0].files[1].splices[0].offset = 1000;
    assert!(
        case.refused(Mode::Apply)
            .to_string()
            .contains("the file has 16")
    );
}

#[test]
fn a_folder_that_is_not_there_or_is_a_file_is_an_error() {
    let case = Case::new();
    for name in ["none", "readme.md"] {
        let dir = case.dir.path().join(name);
        let error = run(
            &case.lock,
            &case.lock.pins[0],
            &dir,
            Mode::Apply,
            Options::default(),
        )
        .unwrap_err();
        assert!(matches!(error, ApplyError::NoTree { .. }), "{error}");
        assert_eq!(error.cause(), Cause::Surroundings);
    }
}

#[test]
fn a_tree_that_another_process_holds_is_waited_for_no_longer_than_asked() {
    let case = Case::new();
    let held = fs::File::open(case.dir.path()).unwrap();
    held.lock().unwrap();
    let options = Options {
        wait: std::time::Duration::ZERO,
        ..Options::default()
    };
    let error = case.run_with(Mode::Apply, options).unwrap_err();
    assert!(matches!(error, ApplyError::Busy { .. }), "{error}");
    assert_eq!(case.get("event.cpp"), EVENT);
    assert!(case.run_with(Mode::Check, options).is_ok());
    drop(held);
    case.run_with(Mode::Apply, options).unwrap();
}
