//! Trees that `apply` cannot take: nothing is written, in them or through their links.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::files::Snapshot;
use crate::support::quill::{self, refused};

#[test]
fn link_in_place_of_a_file_is_not_followed() {
    let quill = quill::with_tree();
    let file = quill.scratch.path("tree/quill/gpu/recorder.cpp");
    let outside = quill.scratch.beside("outside.cpp");
    fs::rename(&file, &outside).unwrap();
    symlink(&outside, &file).unwrap();
    let before = fs::read(&outside).unwrap();
    refused(&quill, "apply tree", 3, &["quill/gpu/recorder.cpp", "link"]);
    assert_eq!(fs::read(&outside).unwrap(), before);
}

#[test]
fn link_in_place_of_a_folder_is_not_followed() {
    let quill = quill::with_tree();
    let folder = quill.scratch.path("tree/quill/gpu");
    let outside = quill.scratch.beside("outside");
    fs::rename(&folder, &outside).unwrap();
    symlink(&outside, &folder).unwrap();
    let before = Snapshot::of(&outside);
    refused(&quill, "apply tree", 3, &["quill/gpu", "link"]);
    assert_eq!(
        before.differences(&Snapshot::of(&outside)),
        Vec::<String>::new()
    );
}

#[test]
fn a_folder_in_place_of_a_file_is_refused() {
    let quill = quill::with_tree();
    let file = quill.scratch.path("tree/quill/gpu/recorder.cpp");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    refused(&quill, "apply tree", 3, &["quill/gpu/recorder.cpp"]);
}

#[test]
fn missing_tree_is_a_surroundings_failure() {
    let quill = quill::pinned();
    refused(&quill, "apply nowhere", 3, &["nowhere"]);
}
