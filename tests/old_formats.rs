//! Files that an earlier version wrote are read by this one, and written on.
//!
//! `old_formats/fcf4fec` holds what the program of commit fcf4fec wrote. `mlx` is this repository's own part of that commit. `quill`
//! was made over the three releases of `upstream`: `bump --mlx 1.0.0 --reviewed …`, `bump --mlx 1.1.0`, `verify --check own`, a
//! `bump --mlx 1.2.0` that ended with 1, and `apply tree`. None of it is brought up to date. A new format gets a folder beside it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::files::{self, Files};
use crate::support::reviewing::{ends, snapshots, wrong};
use crate::support::scratch::Scratch;
use crate::support::upstream::Tags;

/// The file that the overlays of `quill` change.
const FILE: &str = "quill/gpu.cpp";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/old_formats/fcf4fec")
}

/// A copy of the repository `name`.
fn old(name: &str) -> Scratch {
    let scratch = Scratch::new();
    fs::remove_dir_all(scratch.root()).unwrap();
    files::write(&scratch.root(), &files::read(&folder().join(name)));
    scratch
}

/// Upstream's text of a release of quill.
fn upstream(release: &str) -> Vec<u8> {
    fs::read(folder().join("upstream").join(format!("{release}.cpp"))).unwrap()
}

/// A copy of `quill`, with its upstream.
fn quill() -> Scratch {
    let mut scratch = old("quill");
    let mut repository = scratch.upstream();
    for release in ["1.0.0", "1.1.0", "1.2.0"] {
        let files = Files::from([(FILE.to_owned(), upstream(release))]);
        repository.commit(release, "Release", &files);
        repository.tag(release, &format!("v{release}"), Tags::Lightweight);
    }
    scratch
}

/// The digits of the step `name` of `status`: how many there are.
fn count(status: &serde_json::Value, name: &str) -> String {
    let steps = status["steps"].as_array().unwrap();
    let step = steps.iter().find(|step| step["name"] == name).unwrap();
    let what = step["what"].as_str().unwrap();
    what.split(' ').next().unwrap().to_owned()
}

#[test]
fn old_pins_lock_reviews_and_snapshots_agree() {
    let scratch = old("mlx");
    let status = ends(&scratch, "--offline status --check", 0).json();
    assert_eq!(count(&status, "reviewed"), "7");
    assert_eq!(count(&status, "snapshots"), "3");
    let results = status["results"].as_array().unwrap().iter();
    let pins: Vec<_> = results
        .map(|it| (it["release"].clone(), it["level"].clone()))
        .collect();
    let pin = |release: &str| (json!(release), json!("run"));
    assert_eq!(pins, [pin("0.32.2"), pin("0.32.0"), pin("0.31.2")]);
    for release in ["0.31.2", "0.32.0", "0.32.2"] {
        let diff = ends(&scratch, &format!("--offline diff --mlx {release}"), 0).json();
        let text = diff["text"].as_str().unwrap();
        assert_eq!(text.matches("// patchctl:begin ").count(), 4, "{text}");
    }
}

#[test]
fn old_check_record_is_taken() {
    let scratch = old("quill");
    let status = ends(&scratch, "--offline status --require own", 0).json();
    assert_eq!(status["checks"][0]["status"], "passed");
}

#[test]
fn old_lock_and_markers_take_off_and_apply() {
    let scratch = old("quill");
    let patched = scratch.read("tree/quill/gpu.cpp");
    ends(&scratch, "--offline apply tree --check", 0);
    ends(&scratch, "--offline apply tree --remove", 0);
    assert_eq!(
        scratch.read("tree/quill/gpu.cpp").into_bytes(),
        upstream("1.1.0")
    );
    ends(&scratch, "--offline apply tree", 0);
    assert_eq!(scratch.read("tree/quill/gpu.cpp"), patched);
}

#[test]
fn old_reviews_carry_a_bump_of_all_pins() {
    let scratch = quill();
    ends(&scratch, "verify --all-pins --level structure", 0);
    ends(&scratch, "bump --all-pins --level structure", 0);
    // What waited for a review before still does.
    assert_eq!(wrong(&scratch), ["snapshot-pending"]);
    ends(&scratch, "apply tree --check", 0);
    ends(&scratch, "verify --all-pins --level structure", 0);
}

#[test]
fn old_pending_snapshots_are_accepted() {
    let scratch = quill();
    let waiting = ends(&scratch, "review", 1).json();
    assert_eq!(
        waiting["results"].as_array().unwrap().len(),
        2,
        "{waiting:#}"
    );
    ends(&scratch, "review --accept", 0);
    ends(&scratch, "bump --mlx 1.2.0 --level structure", 0);
    ends(&scratch, "status --check", 0);
    let names = snapshots(&scratch);
    assert!(
        names.iter().all(|name| name.ends_with(".snap")),
        "{names:?}"
    );
    assert_eq!(names.len(), 6);
}

mod needs_crates {
    use super::*;

    #[test]
    #[ignore = "needs crates.io: takes MLX's sources from packages"]
    fn old_reviews_carry_a_bump_of_mlx() {
        let mut scratch = old("mlx").with_the_machines_environment();
        scratch.set_cache(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("crates"));
        scratch.set_source(Some("crates".to_owned()));
        ends(&scratch, "verify --all-pins --level structure", 0);
        ends(&scratch, "bump --all-pins --level structure", 0);
        ends(&scratch, "--offline status --check", 0);
        ends(&scratch, "verify --all-pins --level structure", 0);
    }
}
