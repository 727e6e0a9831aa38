//! The example project in `docs/examples/cmake`: every way in which its tree comes to be configured.
//!
//! Ignored by default, since not every machine has CMake; `ci/test` installs it and runs them.

use std::fs;

use patchctl_apply::BlobId;

use crate::cmake_project::{DEVICE, OPS, Project, Way, budget, counting};
use crate::support::locked::as_schema_1;

#[test]
#[ignore = "needs cmake 3.25 or later (apt-get install cmake)"]
fn the_first_configure_patches_what_is_built() {
    for way in [Way::Archive, Way::PatchCommand, Way::OwnTree] {
        let project = Project::new(way, &[budget(1)]);
        project.configure();
        assert_eq!(project.read(DEVICE), budget(1).patched());
        project.build();
        assert_eq!(project.run(), "decode: 1000\nprefill: 0\n");
    }
}

#[test]
#[ignore = "needs cmake 3.25 or later (apt-get install cmake)"]
fn configuring_again_writes_no_file_and_compiles_nothing() {
    for way in [Way::Archive, Way::PatchCommand] {
        let project = Project::new(way, &[budget(1)]);
        project.configure();
        project.build();
        let aged = project.age(DEVICE);
        project.configure();
        let said = project.build();
        assert_eq!(project.time(DEVICE), aged);
        assert!(!said.contains("Building"), "{said}");
    }
}

#[test]
#[ignore = "needs cmake 3.25 or later (apt-get install cmake)"]
fn a_populated_tree_is_taken_up_by_a_new_build_folder_state() {
    for way in [Way::Archive, Way::PatchCommand] {
        let project = Project::new(way, &[budget(1)]);
        project.configure();
        let aged = project.age(DEVICE);
        // As a cache of CI keeps it: the sources stay, what CMake knew of them is gone.
        fs::remove_file(project.path("build/CMakeCache.txt")).unwrap();
        fs::remove_dir_all(project.path("build/CMakeFiles")).unwrap();
        project.configure();
        assert_eq!(project.time(DEVICE), aged);
        project.build();
        assert_eq!(project.run(), "decode: 1000\nprefill: 0\n");
    }
}

#[test]
#[ignore = "needs cmake 3.25 or later (apt-get install cmake)"]
fn a_changed_overlay_is_built_without_being_asked_to_configure() {
    for way in [Way::Archive, Way::PatchCommand] {
        let project = Project::new(way, &[budget(1)]);
        project.configure();
        project.build();
        project.lock(&[budget(2)]);
        let said = project.build();
        assert_eq!(project.read(DEVICE), budget(2).patched(), "{said}");
        assert_eq!(project.run(), "decode: 2000\nprefill: 0\n");
    }
}

#[test]
#[ignore = "needs cmake 3.25 or later (apt-get install cmake)"]
fn what_a_retired_overlay_left_is_taken_off() {
    for way in [Way::Archive, Way::PatchCommand] {
        let project = Project::new(way, &[budget(1), counting()]);
        project.configure();
        assert_eq!(project.read(OPS), counting().patched());
        project.build();
        project.lock(&[budget(1)]);
        project.build();
        assert_eq!(project.read(OPS), counting().upstream().as_bytes());
        assert_eq!(project.read(DEVICE), budget(1).patched());
    }
}

#[test]
#[ignore = "needs cmake 3.25 or later (apt-get install cmake)"]
fn an_interrupted_apply_is_finished_by_the_next_configure() {
    let project = Project::new(Way::Archive, &[budget(1), counting()]);
    project.configure();
    // What a kill between two files leaves: one patched, the other not yet.
    fs::write(project.tree().join(OPS), counting().upstream()).unwrap();
    let aged = project.age(DEVICE);
    project.configure();
    assert_eq!(project.read(OPS), counting().patched());
    assert_eq!(project.time(DEVICE), aged);
    project.build();
    assert_eq!(project.run(), "decode: 1000\nprefill: 0\n");
}

#[test]
#[ignore = "needs cmake 3.25 or later (apt-get install cmake)"]
fn a_tree_that_cannot_be_patched_ends_the_configure_with_patchctls_own_words() {
    for way in [Way::Archive, Way::PatchCommand, Way::OwnTree] {
        let project = Project::new(way, &[budget(1)]);
        match way {
            Way::OwnTree => fs::write(project.tree().join(DEVICE), "// someone's own\n").unwrap(),
            // Another upstream than the lock's.
            Way::Archive | Way::PatchCommand => {
                let mut other = budget(1).locked();
                other.before = BlobId::of(b"another file");
                let lock = project.path("repository/overlays/mlx/lock.yaml");
                let text = as_schema_1(&fs::read_to_string(&lock).unwrap());
                let wrong = text.replace(budget(1).locked().before.as_str(), other.before.as_str());
                assert_ne!(text, wrong);
                fs::write(lock, wrong).unwrap();
            }
        }
        let (ok, said) = project.try_configure();
        assert!(!ok, "{said}");
        assert!(said.contains(DEVICE), "{said}");
        assert!(!project.path("build/decode_budget").exists());
    }
}

#[test]
#[ignore = "needs cmake 3.25 or later (apt-get install cmake)"]
fn a_patchctl_that_is_not_there_ends_the_configure() {
    for way in [Way::Archive, Way::PatchCommand] {
        let project = Project::new(way, &[budget(1)]);
        let (ok, said) = project.try_configure_with(&project.path("nowhere/patchctl"));
        assert!(!ok);
        assert!(
            said.contains("nowhere/patchctl") || said.contains("No such file"),
            "{said}"
        );
    }
}
