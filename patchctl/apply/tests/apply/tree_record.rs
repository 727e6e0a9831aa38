//! The record at a tree's root, and what somebody wrote inside of blocks.

use std::fs;

use patchctl_apply::markers::{insertion, replacement};
use patchctl_apply::tree::{
    Leftovers, Mode, Obstacle, Options, RECORD_FILE, TreeRecord, lock_digest, run, take_off,
};
use patchctl_apply::{ApplyError, BlobId, Lock, LockedFile, splice};

use crate::tree_case::{Case, DEVICE, EVENT, block, locked, pin, words};

fn discarding() -> Options {
    Options {
        discard_edits: true,
        ..Options::default()
    }
}

/// Changes a line inside the block of metal/device.cpp, and gives the file's bytes then.
fn edit(case: &Case) -> Vec<u8> {
    let text = String::from_utf8(case.get("metal/device.cpp")).unwrap();
    let edited = text.replace("int x;", "int x; // mine").into_bytes();
    assert_ne!(edited, text.as_bytes());
    case.put("metal/device.cpp", &edited);
    edited
}

#[test]
fn a_record_stands_at_the_root_while_the_tree_is_patched() {
    let case = Case::new();
    for mode in [Mode::Check, Mode::Remove] {
        case.run(mode).unwrap();
        assert_eq!(case.record(), None);
    }
    case.run(Mode::Apply).unwrap();
    let record = TreeRecord::read(case.dir.path()).unwrap().unwrap();
    let pin = &case.lock.pins[0];
    assert_eq!(
        (&record.release, &record.revision, record.lock),
        (&pin.release, &pin.revision, lock_digest(pin))
    );
    for (recorded, locked) in record.files.iter().zip(&pin.files) {
        assert_eq!(recorded.path, locked.path);
        let inverse = recorded.inverse.as_ref().unwrap();
        let restored = splice("", &case.get(&locked.path), inverse).unwrap();
        assert_eq!(BlobId::of(&restored), locked.before);
    }
    let before = case.record();
    let written = || {
        fs::metadata(case.dir.path().join(RECORD_FILE))
            .unwrap()
            .modified()
            .unwrap()
    };
    let time = written();
    case.run(Mode::Apply).unwrap();
    assert_eq!((case.record(), written()), (before, time));
    case.run(Mode::Remove).unwrap();
    assert_eq!(case.record(), None);
}

#[test]
fn a_tree_patched_before_there_were_records_gets_one() {
    let case = Case::new();
    case.run(Mode::Apply).unwrap();
    let record = case.record();
    fs::remove_file(case.dir.path().join(RECORD_FILE)).unwrap();
    assert!(case.run(Mode::Check).unwrap().holds());
    assert_eq!(case.run(Mode::Apply).unwrap().written().count(), 0);
    assert_eq!(case.record(), record);
}

#[test]
fn a_record_takes_off_what_the_lock_no_longer_has() {
    let case = Case::new();
    case.run(Mode::Apply).unwrap();
    let newer = Lock {
        pins: vec![pin(
            "0.33.0",
            vec![locked(
                "event.cpp",
                b"other\n",
                "budget/event.1",
                "int y;\n",
            )],
        )],
        ..Lock::default()
    };
    let options = Options::default();
    let report = run(
        &newer,
        &newer.pins[0],
        case.dir.path(),
        Mode::Remove,
        options,
    )
    .unwrap();
    assert_eq!(
        words(&report),
        [
            ("metal/device.cpp", "applied", true),
            ("event.cpp", "applied", true)
        ]
    );
    assert_eq!(report.release, "0.32.2");
    assert_eq!(case.get("metal/device.cpp"), DEVICE);
    assert_eq!(case.get("event.cpp"), EVENT);
    assert_eq!(case.record(), None);
}

#[test]
fn a_record_alone_takes_off() {
    let case = Case::new();
    let none = take_off(&Lock::default(), case.dir.path(), Options::default()).unwrap_err();
    assert!(matches!(none, ApplyError::NoRecord { .. }), "{none}");
    case.run(Mode::Apply).unwrap();
    take_off(&Lock::default(), case.dir.path(), Options::default()).unwrap();
    assert_eq!(case.get("metal/device.cpp"), DEVICE);
    assert_eq!(case.get("event.cpp"), EVENT);
}

#[test]
fn replaced_bytes_come_back_from_the_record() {
    let mut case = Case::new();
    let mut splices =
        vec![insertion(DEVICE, 14, &block("budget/a.1", "0123456789ab"), "x\n").unwrap()];
    splices[0].length = 15;
    splices[0].text = "gone\n".to_owned();
    let file = &mut case.lock.pins[0].files[0];
    file.after = BlobId::of(&splice("", DEVICE, &splices).unwrap());
    file.splices = splices;
    case.run(Mode::Apply).unwrap();
    assert!(
        case.get("metal/device.cpp")
            .ends_with(b"gone\n  return 50;\n}\n")
    );
    case.run(Mode::Remove).unwrap();
    assert_eq!(case.get("metal/device.cpp"), DEVICE);
}

#[test]
fn a_damaged_or_newer_record_is_named() {
    let case = Case::new();
    for (text, why) in [
        ("{\"files\": 3}", "expected a sequence"),
        (
            "{\"schema\": 9, \"needs\": \"7.0.0\"}",
            "use patchctl 7.0.0 or newer",
        ),
        ("[[[[", "line 1"),
    ] {
        case.put(RECORD_FILE, text.as_bytes());
        let error = case.refused(Mode::Apply);
        assert!(matches!(error, ApplyError::Record { .. }), "{error}");
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn a_record_that_was_tampered_with_takes_nothing_off() {
    let case = Case::new();
    case.run(Mode::Apply).unwrap();
    let record = String::from_utf8(case.record().unwrap()).unwrap();
    let other = BlobId::of(b"other");
    let before = case.lock.pins[0].files[0].before.as_str();
    case.put(
        RECORD_FILE,
        record.replace(before, other.as_str()).as_bytes(),
    );
    let options = Options::default();
    let error = take_off(&Lock::default(), case.dir.path(), options).unwrap_err();
    assert!(
        error
            .explained()
            .contains("metal/device.cpp: its blocks do not come off"),
        "{error}"
    );
    assert_ne!(case.get("metal/device.cpp"), DEVICE);
    case.put(
        RECORD_FILE,
        record
            .replace("\"path\": \"event.cpp\"", "\"path\": \"../event.cpp\"")
            .as_bytes(),
    );
    assert!(matches!(
        case.refused(Mode::Remove),
        ApplyError::Record { .. }
    ));
}

#[test]
fn a_killed_apply_leaves_a_record_of_both_states() {
    let case = Case::new();
    case.apply_earlier(vec![locked("metal/device.cpp", DEVICE, "old/h.1", "old\n")]);
    let old = case.get("metal/device.cpp");
    // The second file cannot be staged, so that the first is put back.
    let taken = case.dir.path().join(".event.cpp.patchctl-new");
    fs::create_dir(&taken).unwrap();
    case.refused(Mode::Apply);
    fs::remove_dir(&taken).unwrap();
    assert_eq!(case.get("metal/device.cpp"), old);
    assert_eq!(case.run(Mode::Apply).unwrap().written().count(), 2);
    assert_eq!(
        TreeRecord::read(case.dir.path())
            .unwrap()
            .unwrap()
            .files
            .len(),
        2
    );
}

#[test]
fn lines_changed_inside_a_block_are_refused_and_shown() {
    for recorded in [true, false] {
        let case = Case::new();
        case.run(Mode::Apply).unwrap();
        if !recorded {
            fs::remove_file(case.dir.path().join(RECORD_FILE)).unwrap();
        }
        let edited = edit(&case);
        assert!(!case.run(Mode::Check).unwrap().holds());
        for mode in [Mode::Apply, Mode::Remove] {
            let (path, obstacle, _) = case.only_problem(mode);
            assert_eq!(path, "metal/device.cpp");
            let Obstacle::Edited(lost) = &obstacle else {
                panic!("{obstacle}");
            };
            assert_eq!((lost.line, lost.foreign), (6, false));
            assert!(lost.text.contains("\nint x; // mine\n"), "{}", lost.text);
        }
        assert_eq!(case.get("metal/device.cpp"), edited);
        let report = case.run_with(Mode::Apply, discarding()).unwrap();
        assert!(report.files[0].lost[0].text.contains("// mine"));
        assert!(case.run(Mode::Check).unwrap().holds());
    }
}

#[test]
fn lines_changed_inside_a_replacement_are_refused() {
    let mut case = Case::new();
    let name = block("budget/r.1", "0123456789ab");
    let splices = replacement(DEVICE, 29..42, &name, "  return 7;\n").unwrap();
    let file = &mut case.lock.pins[0].files[0];
    file.after = BlobId::of(&splice("", DEVICE, &splices).unwrap());
    file.splices = splices.to_vec();
    case.run(Mode::Apply).unwrap();
    fs::remove_file(case.dir.path().join(RECORD_FILE)).unwrap();
    let text = String::from_utf8(case.get("metal/device.cpp")).unwrap();
    case.put(
        "metal/device.cpp",
        text.replace("return 7", "return 8").as_bytes(),
    );
    let (_, obstacle, _) = case.only_problem(Mode::Remove);
    assert!(matches!(obstacle, Obstacle::Edited(_)), "{obstacle}");
}

#[test]
fn a_foreign_block_in_a_file_of_the_lock_is_refused() {
    let case = Case::new();
    let theirs = insertion(DEVICE, 14, &block("theirs/h.1", "ffffffffffff"), "int z;\n").unwrap();
    let found = splice("", DEVICE, &[theirs]).unwrap();
    case.put("metal/device.cpp", &found);
    for mode in [Mode::Apply, Mode::Remove] {
        let (_, obstacle, _) = case.only_problem(mode);
        let Obstacle::Edited(lost) = &obstacle else {
            panic!("{obstacle}");
        };
        assert!(lost.foreign && lost.text.contains("int z;"), "{lost:?}");
        // Nor by what may lose edits of ours.
        let error = case.run_with(mode, discarding()).unwrap_err();
        assert!(matches!(error, ApplyError::Refused { .. }), "{error}");
        assert_eq!(case.get("metal/device.cpp"), found);
    }
}

#[test]
fn an_older_text_of_an_overlay_of_the_lock_gives_way() {
    let case = Case::new();
    let older = insertion(
        DEVICE,
        14,
        &block("budget/read.1", "ffffffffffff"),
        "int old;\n",
    )
    .unwrap();
    case.put("metal/device.cpp", &splice("", DEVICE, &[older]).unwrap());
    case.run(Mode::Apply).unwrap();
    assert!(case.run(Mode::Check).unwrap().holds());
}

#[test]
fn a_changed_block_in_a_file_of_a_retired_overlay_is_refused() {
    let case = Case::new();
    case.put("metal/old.h", b"a\n");
    case.apply_earlier(vec![locked("metal/old.h", b"a\n", "retired/h.1", "x\n")]);
    let text = String::from_utf8(case.get("metal/old.h")).unwrap();
    case.put("metal/old.h", text.replace("x\n", "mine\n").as_bytes());
    let (path, obstacle, _) = case.only_problem(Mode::Apply);
    assert_eq!(path, "metal/old.h");
    assert!(matches!(obstacle, Obstacle::Edited(_)), "{obstacle}");
    case.run_with(Mode::Apply, discarding()).unwrap();
    assert_eq!(case.get("metal/old.h"), b"a\n");
}

#[test]
fn a_record_of_files_that_upstream_has_changed_since_is_no_obstacle() {
    let case = Case::new();
    case.put("metal/old.h", b"a\n");
    case.apply_earlier(vec![locked("metal/old.h", b"a\n", "retired/h.1", "x\n")]);
    // As after `git checkout --force` of another revision.
    case.put("metal/old.h", b"a\nb\n");
    case.run(Mode::Apply).unwrap();
    assert_eq!(case.get("metal/old.h"), b"a\nb\n");
    let record = TreeRecord::read(case.dir.path()).unwrap().unwrap();
    assert_eq!(record.files.len(), 2);
}

#[cfg(unix)]
#[test]
fn a_record_that_is_a_link_is_refused() {
    let case = Case::new();
    let elsewhere = tempfile::NamedTempFile::new().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), case.dir.path().join(RECORD_FILE)).unwrap();
    assert!(matches!(
        case.refused(Mode::Apply),
        ApplyError::Record { .. }
    ));
}

#[test]
fn leftovers_need_no_scan() {
    let case = Case::new();
    case.put("metal/old.h", b"a\n");
    let old: Vec<LockedFile> = vec![locked("metal/old.h", b"a\n", "retired/h.1", "x\n")];
    case.apply_earlier(old);
    let options = Options {
        leftovers: Leftovers::Named,
        ..Options::default()
    };
    case.run_with(Mode::Apply, options).unwrap();
    assert_eq!(case.get("metal/old.h"), b"a\n");
}
