//! What a retired overlay left in a tree.

use std::fs;

use patchctl_apply::markers::insertion;
use patchctl_apply::splice;
use patchctl_apply::tree::{Leftovers, Mode, Options};

use crate::tree_case::{Case, block, locked, pin, words};

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

#[test]
fn a_leftover_that_another_pin_names_is_reported_and_written_once() {
    let mut case = Case::new();
    let older = locked("metal/old.h", b"a\n", "retired/h.1", "x\n");
    case.put("metal/old.h", &older.patch(b"a\n").unwrap());
    case.lock.pins.insert(0, pin("0.31.2", vec![older]));
    assert_eq!(case.run(Mode::Apply).unwrap().files.len(), 3);
    assert_eq!(case.get("metal/old.h"), b"a\n");
}

#[test]
fn a_path_that_another_pin_names_and_that_is_now_a_folder_or_gone_is_no_leftover() {
    let mut case = Case::new();
    let older = ["metal", "gone.cpp"].map(|path| locked(path, b"a\n", "retired/h.1", "x\n"));
    case.lock.pins.insert(0, pin("0.31.2", older.to_vec()));
    assert_eq!(case.run(Mode::Apply).unwrap().files.len(), 2);
}

#[test]
fn leftovers_are_looked_for_in_source_files_of_any_folder_that_is_not_hidden() {
    let case = Case::new();
    let marked = b"// patchctl:begin a/b.1 0123456789ab\n// patchctl:end a/b.1\n";
    let deep = "d/".repeat(100);
    for folder in [".git", "x/.cache", &deep] {
        fs::create_dir_all(case.dir.path().join(folder)).unwrap();
    }
    for path in [".git/a.h", "x/.cache/a.h", "notes.txt", "x/a"] {
        case.put(path, marked);
    }
    let large = [marked.as_slice(), &vec![b' '; 8 << 20]].concat();
    case.put("x/large.h", &large);
    assert_eq!(case.run(Mode::Check).unwrap().files.len(), 2);
    let found = [
        "x/A.HPP".to_owned(),
        "x/b.metal".to_owned(),
        format!("{deep}c.cpp"),
    ];
    for path in &found {
        case.put(path, marked);
    }
    let report = case.run(Mode::Check).unwrap();
    let mut paths: Vec<&str> = report.files[2..]
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    paths.sort_unstable();
    let mut expected: Vec<&str> = found.iter().map(String::as_str).collect();
    expected.sort_unstable();
    assert_eq!(paths, expected);
}
