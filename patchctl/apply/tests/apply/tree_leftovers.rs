//! What a retired overlay left in a tree.

use std::fs;

use patchctl_apply::markers::insertion;
use patchctl_apply::splice;
use patchctl_apply::tree::{Leftovers, Mode, Options};

use crate::tree_case::{Case, block, locked, pin, words};

#[test]
fn what_a_retired_overlay_left_is_found_and_taken_off() {
    let case = Case::new();
    case.put("metal/old.metal", b"a\nb");
    case.put("metal/clean.h", b"// nothing of patchctl: here\n");
    case.apply_earlier(vec![locked(
        "metal/old.metal",
        b"a\nb",
        "retired/h.1",
        "x\n",
    )]);

    let report = case.run(Mode::Check).unwrap();
    assert_eq!(report.files.len(), 3);
    assert!(!report.holds());

    let report = case.run(Mode::Apply).unwrap();
    assert_eq!(words(&report)[2], ("metal/old.metal", "stale", true));
    assert!(!report.files[2].listed);
    assert_eq!(case.get("metal/old.metal"), b"a\nb");
    assert_eq!(case.run(Mode::Apply).unwrap().files.len(), 2);
    assert!(case.run(Mode::Check).unwrap().holds());
}

#[test]
fn a_leftover_alone_keeps_a_check_from_holding() {
    let mut case = Case::new();
    let older = locked("metal/old.h", b"a\n", "retired/h.1", "x\n");
    case.put("metal/old.h", &older.patch(b"a\n").unwrap());
    case.lock.pins.insert(0, pin("0.31.2", vec![older]));
    case.run(Mode::Apply).unwrap();
    assert!(case.run(Mode::Check).unwrap().holds());
    let older = case.lock.pins[0].files[0].patch(b"a\n").unwrap();
    case.put("metal/old.h", &older);
    assert!(!case.run(Mode::Check).unwrap().holds());
    case.put("metal/old.h", b"// patchctl:end a/b.1\n");
    let report = case.run(Mode::Check).unwrap();
    assert!(!report.holds());
    assert_eq!(words(&report)[2], ("metal/old.h", "broken", false));
    let (path, _, _) = case.only_problem(Mode::Apply);
    assert_eq!(path, "metal/old.h");
}

#[test]
fn blocks_that_nothing_names_are_reported_and_stay() {
    let case = Case::new();
    let old = insertion(b"a\nb", 3, &block("other/h.1", "0123456789ab"), "x\n").unwrap();
    let foreign = splice("", b"a\nb", &[old]).unwrap();
    case.put("metal/other.metal", &foreign);
    case.put("metal/broken.h", b"// patchctl:end a/b.1\n");
    for mode in [Mode::Apply, Mode::Check, Mode::Remove] {
        let report = case.run(mode).unwrap();
        assert_eq!((report.files.len(), report.holds()), (2, true));
        let paths: Vec<_> = report.foreign.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(paths, ["metal/broken.h", "metal/other.metal"]);
        assert!(report.foreign[0].blocks.is_err());
        let named = Options {
            leftovers: Leftovers::Named,
            ..Options::default()
        };
        assert_eq!(case.run_with(mode, named).unwrap().foreign, []);
    }
    assert_eq!(case.get("metal/other.metal"), foreign);
}

#[test]
fn a_patched_tree_inside_of_another_is_left_alone() {
    let case = Case::new();
    let inner = Case::new();
    inner.run(Mode::Apply).unwrap();
    let into = case.dir.path().join("build/_deps");
    fs::create_dir_all(&into).unwrap();
    fs::rename(inner.dir.path(), into.join("mlx")).unwrap();
    let before = case.listing();
    let report = case.run(Mode::Apply).unwrap();
    assert_eq!((report.files.len(), report.foreign.len()), (2, 0));
    let inside = |listing: Vec<(String, Vec<u8>, _)>| -> Vec<_> {
        let inside = listing.into_iter();
        inside.filter(|(path, ..)| path.contains("_deps")).collect()
    };
    assert_eq!(inside(case.listing()), inside(before));
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
    assert_eq!(case.run(Mode::Check).unwrap().foreign, []);
    let found = [
        "x/A.HPP".to_owned(),
        "x/b.metal".to_owned(),
        format!("{deep}c.cpp"),
    ];
    for path in &found {
        case.put(path, marked);
    }
    let report = case.run(Mode::Check).unwrap();
    let mut paths: Vec<&str> = report
        .foreign
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    paths.sort_unstable();
    let mut expected: Vec<&str> = found.iter().map(String::as_str).collect();
    expected.sort_unstable();
    assert_eq!(paths, expected);
}
