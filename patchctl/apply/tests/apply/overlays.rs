//! The lock against the overlays beside it.

use std::fs;
use std::path::Path;

use patchctl_apply::markers::{insertion, replacement};
use patchctl_apply::{BlobId, Lock, LockedOverlay, PinChoice, apply, differing_edits};

use crate::tree_case::{Case, DEVICE, block};

const OVERLAY: &str = "\
schema: 1
overlay: budget
hunks:
  - id: read
    variants:
      - edits: [{ at: {}, insert: \"int other;\\n\" }]
      - edits: [{ at: {}, insert: \"int x;\\n\\n// two\\n\" }]
  - id: limit
    edits:
      - { at: {}, insert: \"int z;\\n\", unless: {} }
      - { id: value, at: {}, replace: \"  return 7;\\n\", why: w }
";

/// A tree whose lock has an insertion and a replacement of `OVERLAY`.
fn case() -> Case {
    let mut case = Case::new();
    let read = insertion(
        DEVICE,
        14,
        &block("budget/read.1", "0123456789ab"),
        "int x;\n\n// two\n",
    );
    let value = block("budget/limit.value", "0123456789ab");
    let mut splices = vec![read.unwrap()];
    splices.extend(replacement(DEVICE, 29..42, &value, "  return 7;\n").unwrap());
    let pin = &mut case.lock.pins[0];
    pin.overlays = vec![LockedOverlay {
        id: "budget".to_owned(),
        digest: "0".repeat(64),
    }];
    pin.files.truncate(1);
    pin.files[0].after = BlobId::of(&patchctl_apply::splice("", DEVICE, &splices).unwrap());
    pin.files[0].splices = splices;
    case
}

#[test]
fn edits_whose_text_differs_are_named() {
    let case = case();
    let folder = tempfile::tempdir().unwrap();
    let differing = || differing_edits(&case.lock.pins[0], folder.path());
    assert_eq!(differing(), [""; 0], "no overlay is there");
    let overlay = |from: &str, to: &str| {
        assert!(OVERLAY.contains(from));
        fs::write(folder.path().join("budget.yaml"), OVERLAY.replace(from, to)).unwrap();
    };
    overlay("int x;", "int x;");
    assert_eq!(differing(), [""; 0]);
    overlay("// two", "// three");
    assert_eq!(differing(), ["budget/read.1"]);
    overlay("return 7", "return 8");
    assert_eq!(differing(), ["budget/limit.value"]);
    overlay("id: value, ", "");
    assert_eq!(differing(), ["budget/limit.value"]);
    overlay("hunks:", "hunks: [");
    assert_eq!(differing(), [""; 0], "it cannot be read");
}

#[test]
fn apply_names_them_and_goes_by_the_lock() {
    let case = case();
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join("lock.yaml");
    fs::write(&lock, case.lock.to_yaml().unwrap()).unwrap();
    fs::write(
        folder.path().join("budget.yaml"),
        OVERLAY.replace("return 7", "return 8"),
    )
    .unwrap();
    let report = apply(&lock, PinChoice::Named("0.32.2"), case.dir.path()).unwrap();
    assert!(report.holds());
    assert_eq!(report.differing, ["budget/limit.value"]);
}

#[test]
fn repository_of_patchctl_has_no_difference() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../overlays/mlx");
    let lock = Lock::read(&folder.join("lock.yaml")).unwrap();
    for pin in &lock.pins {
        assert_eq!(differing_edits(pin, &folder), [""; 0]);
    }
}
