use std::fs;
use std::path::{Path, PathBuf};

use patchctl_apply::tree::RECORD_FILE;
use patchctl_apply::{PinChoice, apply};

use crate::tree_fixture::{ENTRY_POINTS, Fixture, contents};

#[test]
fn a_clean_tree_is_copied_and_patched_there_and_itself_left_alone() {
    let fixture = Fixture::new();
    let before = contents(&fixture.tree());
    let made = fixture.patched().unwrap();
    assert_eq!(made.root, fixture.out().join("mlx"));
    assert_eq!(made.release, "0.32.2");
    assert_eq!(contents(&fixture.tree()), before);

    let mut copied = contents(&made.root);
    let device = copied.remove(Path::new("mlx/device.cpp")).unwrap();
    assert!(copied.remove(Path::new(RECORD_FILE)).is_some());
    assert!(String::from_utf8(device).unwrap().contains(ENTRY_POINTS));
    let mut expected = before;
    expected.remove(Path::new("mlx/device.cpp"));
    expected.remove(Path::new(".git/HEAD"));
    assert_eq!(copied, expected);
}

#[test]
fn a_patched_tree_is_built_where_it_is() {
    let fixture = Fixture::new();
    apply(fixture.lock_file(), PinChoice::Fitting, fixture.tree()).unwrap();
    let before = contents(&fixture.tree());
    assert_eq!(fixture.patched().unwrap().root, fixture.tree());
    assert_eq!(contents(&fixture.tree()), before);
    assert!(!fixture.out().exists());
}

#[test]
fn a_second_run_writes_nothing_so_that_nothing_is_compiled_again() {
    let fixture = Fixture::new();
    let root = fixture.patched().unwrap().root;
    Fixture::age(&root);
    fixture.patched().unwrap();
    assert_eq!(Fixture::written_since(&root), [""; 0].map(PathBuf::from));
}

#[test]
fn only_what_changed_is_written_and_what_went_goes() {
    let fixture = Fixture::new();
    let root = fixture.patched().unwrap().root;
    Fixture::age(&root);
    fixture.write("mlx/ops.cpp", "int ops() { return 2; }\n");
    fs::remove_file(fixture.tree().join("mlx/never.cpp")).unwrap();
    fixture.patched().unwrap();
    assert_eq!(
        Fixture::written_since(&root),
        [PathBuf::from("mlx/ops.cpp")]
    );
    assert!(!root.join("mlx/never.cpp").exists());
}

#[test]
fn a_changed_overlay_reaches_the_copy_and_a_stale_tree() {
    let fixture = Fixture::new();
    let root = fixture.patched().unwrap().root;
    // The tree given is patched by this lock, and the next one wants something else.
    apply(fixture.lock_file(), PinChoice::Fitting, fixture.tree()).unwrap();
    fixture.lock("int another_text = 1;\n");
    assert_eq!(fixture.patched().unwrap().root, root);
    let device = fs::read_to_string(root.join("mlx/device.cpp")).unwrap();
    assert!(
        device.contains("another_text") && !device.contains("budget = 0"),
        "{device}"
    );
}

#[test]
fn a_tree_that_is_no_pins_fails_and_nothing_is_copied() {
    let fixture = Fixture::new();
    fixture.write("mlx/device.cpp", "// someone's own\n");
    let message = fixture.patched().unwrap_err().to_string();
    assert!(
        message.contains("fits none of the lock's pins"),
        "{message}"
    );
    assert!(message.contains("0.32.2: mlx/device.cpp"), "{message}");
    assert!(!fixture.out().exists());
}

#[test]
fn a_missing_lock_fails_and_is_named() {
    let fixture = Fixture::new();
    fs::remove_file(fixture.lock_file()).unwrap();
    let message = fixture.patched().unwrap_err().to_string();
    assert!(message.contains("lock.yaml"), "{message}");
}
