//! Sources that are damaged, lack what is asked for, or would lead back.

use std::fs;
use std::path::Path;

use crate::support::quill::{self, refused};
use crate::support::upstream::Tags;

#[test]
fn missing_git_is_named_by_its_source() {
    let mut quill = quill::pinned();
    let source = format!("git:file://{}", quill.upstream.path().display());
    quill.scratch.set_source(Some(source));
    let _ = fs::remove_dir_all(quill.scratch.cache());
    let empty = quill.scratch.beside("empty");
    fs::create_dir(&empty).unwrap();
    let before = quill.scratch.snapshot();
    let outcome = quill.scratch.run_with("bump --mlx 1.1.0", |command| {
        command.env("PATH", &empty);
    });
    assert_eq!(outcome.code, Some(3), "{outcome}");
    assert!(outcome.shown().contains("git"), "{outcome}");
    assert!(outcome.shown().contains("PATH"), "{outcome}");
    let differences = before.differences(&quill.scratch.snapshot());
    assert!(differences.is_empty(), "{differences:?}");
}

/// Where git keeps an object that was not packed.
fn loose(repository: &Path, id: &str) -> std::path::PathBuf {
    repository.join("objects").join(&id[..2]).join(&id[2..])
}

#[test]
fn git_repository_with_damage_is_named() {
    for what in [
        "v1.1.0^{commit}",
        "v1.1.0^{tree}",
        "v1.1.0:quill/gpu/recorder.cpp",
    ] {
        let quill = quill::pinned();
        let id = quill.upstream.git(&["rev-parse", what]);
        let object = loose(quill.upstream.path(), &id);
        let bytes = fs::read(&object).unwrap();
        fs::remove_file(&object).unwrap();
        fs::write(&object, &bytes[..bytes.len() / 2]).unwrap();
        let place = quill.upstream.path().to_str().unwrap();
        refused(&quill, "bump --mlx 1.1.0", 3, &[place]);
    }
}

#[test]
fn missing_git_object_is_named() {
    for what in [
        "v1.1.0^{commit}",
        "v1.1.0^{tree}",
        "v1.1.0:quill/gpu/recorder.cpp",
    ] {
        let quill = quill::pinned();
        let id = quill.upstream.git(&["rev-parse", what]);
        fs::remove_file(loose(quill.upstream.path(), &id)).unwrap();
        refused(&quill, "bump --mlx 1.1.0", 3, &[&id[..7]]);
    }
}

#[test]
fn folder_without_a_repository_is_named() {
    let mut quill = quill::pinned();
    let folder = quill.scratch.beside("no-repository");
    fs::create_dir(&folder).unwrap();
    quill
        .scratch
        .set_source(Some(format!("git:{}", folder.display())));
    refused(&quill, "bump --mlx 1.1.0", 3, &["no-repository"]);
}

#[test]
fn unknown_release_lists_the_known_ones() {
    let quill = quill::pinned();
    refused(&quill, "bump --mlx 9.9.9", 3, &["9.9.9", "1.1.0", "1.0.0"]);
}

#[test]
fn latest_is_never_a_pre_release() {
    let mut quill = quill::pinned();
    let files = quill.files_of("1.1.0").clone();
    quill.upstream.commit("1.2.0-rc1", "A candidate", &files);
    quill
        .upstream
        .tag("1.2.0-rc1", "v1.2.0-rc1", Tags::Lightweight);
    let outcome = quill.scratch.run("bump --mlx latest");
    assert_eq!(outcome.code, Some(0), "{outcome}");
    assert_eq!(
        outcome.json()["results"][0]["release"],
        "1.1.0",
        "{outcome}"
    );
}

#[test]
fn latest_never_goes_down_unasked() {
    let quill = quill::pinned();
    assert_eq!(quill.scratch.run("bump --mlx 1.1.0").code, Some(0));
    quill.upstream.git(&["tag", "--delete", "v1.1.0"]);
    refused(
        &quill,
        "bump --mlx latest",
        2,
        &["1.0.0", "1.1.0", "--allow-downgrade"],
    );
    let outcome = quill.scratch.run("bump --mlx latest --allow-downgrade");
    assert_eq!(outcome.code, Some(0), "{outcome}");
    let steps = outcome.json()["steps"].to_string();
    assert!(steps.contains("1.1.0 -> 1.0.0 (down)"), "{outcome}");
}
