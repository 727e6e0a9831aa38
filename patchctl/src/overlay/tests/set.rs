//! Overlays of one folder together.

use crate::report::{Code, Finding};
use camino::Utf8PathBuf;

use super::super::{Overlays, load_all, load_dir};
use super::*;

fn overlay(id: &str, rest: &str) -> (Utf8PathBuf, Vec<u8>) {
    let text = at("{ function: f, position: before }")
        .replace("overlay: x", &format!("overlay: {id}"))
        .replace("title: t\n", &format!("title: t\n{rest}"));
    (format!("o/{id}.yaml").into(), text.into_bytes())
}

fn ids(overlays: &Overlays) -> Vec<&str> {
    overlays
        .as_slice()
        .iter()
        .map(|overlay| overlay.id.as_str())
        .collect()
}

fn lines(faults: &crate::yaml::Faults) -> Vec<String> {
    let line = |fault: &Finding| {
        let help = fault.help.as_deref();
        let help = help.map_or_else(String::new, |help| format!(" -- {help}"));
        format!("{}{help}", fault.with_place())
    };
    faults.0.iter().map(line).collect()
}

#[test]
fn overlays_apply_by_name_and_after() {
    let files = vec![
        overlay("c", ""),
        overlay("a", "after: [c]\n"),
        overlay("d", ""),
        overlay("b", "after: [a, d]\n"),
    ];
    let overlays = load_all(files).unwrap();
    assert_eq!(ids(&overlays), ["c", "a", "d", "b"]);
    assert_eq!(overlays.file_of("a").unwrap(), "o/a.yaml");
}

#[test]
fn an_unknown_after_is_named_with_the_nearest() {
    let faults = load_all(vec![
        overlay("budget", ""),
        overlay("b", "after: [budgets]\n"),
    ])
    .unwrap_err();
    assert_eq!(
        lines(&faults),
        ["o/b.yaml:4:9: there is no overlay `budgets` to come after -- did you mean `budget`?"]
    );
    let alone = load_all(vec![overlay("b", "after: [zzz]\n")]).unwrap_err();
    assert_eq!(
        lines(&alone),
        [
            "o/b.yaml:4:9: there is no overlay `zzz` to come after -- there is no other overlay; remove it"
        ]
    );
}

#[test]
fn every_cycle_of_overlays_is_named() {
    let files = vec![
        overlay("a", "after: [b]\n"),
        overlay("b", "after: [c]\n"),
        overlay("c", "after: [b]\n"),
        overlay("d", "after: [d]\n"),
    ];
    let faults = load_all(files).unwrap_err();
    assert_eq!(
        lines(&faults),
        [
            "o/b.yaml:4:9: the overlays wait for each other: b after c after b -- remove one `after`",
            "o/d.yaml:4:9: the overlays wait for each other: d after d -- remove one `after`",
        ]
    );
}

#[test]
fn one_name_is_one_overlay() {
    let (_, bytes) = overlay("a", "");
    let faults = load_all(vec![
        ("o/a.yaml".into(), bytes.clone()),
        ("p/a.yaml".into(), bytes),
    ])
    .unwrap_err();
    assert_eq!(
        lines(&faults),
        ["p/a.yaml:2:10: the overlay `a` is also in o/a.yaml -- give each overlay its own name"]
    );
}

#[test]
fn a_broken_file_hides_no_other() {
    let mut files = vec![
        overlay("a", "titel: t\n"),
        overlay("b", "after: [a, q]\n"),
        overlay("c", "after: 3\n"),
    ];
    files[0].1.extend(b"  - 3\n");
    let faults = load_all(files).unwrap_err();
    let places: Vec<String> = faults
        .0
        .iter()
        .map(|fault| fault.place().unwrap())
        .collect();
    assert_eq!(
        places,
        [
            "o/a.yaml:4:1",
            "o/a.yaml:12:5",
            "o/b.yaml:4:12",
            "o/c.yaml:4:8"
        ]
    );
}

#[test]
fn a_hunk_is_found_by_address_or_unique_id() {
    let (file, bytes) = overlay("b", "");
    let more = String::from_utf8(bytes).unwrap()
        + "  - id: only-here\n    edits: [{ at: { function: f, position: end }, insert: \"a\\n\" }]\n";
    let overlays = load_all(vec![overlay("a", ""), (file, more.into_bytes())]).unwrap();
    let found = |address: &str| {
        overlays
            .hunk(address)
            .map(|(overlay, hunk)| format!("{}/{}", overlay.id, hunk.id))
    };
    assert_eq!(found("b/h").unwrap(), "b/h");
    assert_eq!(found("only-here").unwrap(), "b/only-here");
    let ambiguous = found("h").unwrap_err();
    assert_eq!(
        ambiguous.to_string(),
        "the hunk `h` is not unique: a/h, b/h"
    );
    assert_eq!(
        ambiguous.advice().unwrap(),
        "write it with its overlay, `overlay/hunk`"
    );
    let unknown = found("a/only-here").unwrap_err();
    assert_eq!(unknown.to_string(), "there is no hunk `a/only-here`");
    assert_eq!(unknown.advice().unwrap(), "did you mean `b/only-here`?");
    assert_eq!(
        found("onlyhere").unwrap_err().advice().unwrap(),
        "did you mean `b/only-here`?"
    );
    assert_eq!(
        found("zzz").unwrap_err().advice().unwrap(),
        "there are a/h, b/h, b/only-here"
    );
}

#[test]
fn other_files_of_the_folder_are_not_read() {
    let root = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(root.path()).unwrap();
    std::fs::create_dir(root.join("o")).unwrap();
    for (path, bytes) in [overlay("b", ""), overlay("a", "")] {
        std::fs::write(root.join(path), bytes).unwrap();
    }
    for other in [
        "pins.yaml",
        "lock.yaml",
        "reviewed.yaml",
        ".#a.yaml",
        "schema.json",
        "a.yaml~",
    ] {
        std::fs::write(root.join("o").join(other), "- not an overlay").unwrap();
    }
    let overlays = load_dir(root, Utf8Path::new("o")).unwrap();
    assert_eq!(ids(&overlays), ["a", "b"]);
    assert_eq!(overlays.file_of("a").unwrap(), "o/a.yaml");

    std::fs::write(root.join("o/c.yml"), "").unwrap();
    std::fs::create_dir(root.join("o/d.yaml")).unwrap();
    std::fs::write(root.join("o/e.yaml"), "").unwrap();
    let faults = load_dir(root, Utf8Path::new("o")).unwrap_err();
    assert_eq!(
        lines(&faults),
        [
            "o/c.yml: the file ends in `.yml`, so it would not be read -- rename it to `.yaml`, or move it elsewhere",
            "o/d.yaml: cannot be read: it is not a regular file",
            "o/e.yaml:1:1: the file is empty, expected a map",
        ]
    );
    assert!(!faults.only_surroundings());
    let none = load_dir(root, Utf8Path::new("p")).unwrap_err();
    assert!(none.only_surroundings());
    assert_eq!(none.0[0].file.as_deref(), Some("p"));
}

#[cfg(unix)]
#[test]
fn only_overlays_need_names_in_utf_8() {
    use std::os::unix::ffi::OsStrExt;

    let root = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(root.path()).unwrap();
    let name = |bytes: &[u8]| root.path().join(std::ffi::OsStr::from_bytes(bytes));
    std::fs::write(name(b"\xff.txt"), "").unwrap();
    assert!(load_dir(folder, Utf8Path::new("")).unwrap().is_empty());
    std::fs::write(name(b"\xff.yaml"), "").unwrap();
    let faults = load_dir(folder, Utf8Path::new("")).unwrap_err();
    assert_eq!(faults.0[0].code, Code::FileUnreadable);
}
