//! Bumps on real MLX, with the overlays of this repository. MLX comes from crates.io packages.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::files::{self, Files};
use crate::support::outcome::Outcome;
use crate::support::scratch::Scratch;
use crate::support::upstream::Tags;

/// A release that crates.io has, with what MLX's git repository says of it: commit, tree, and the blob of
/// `mlx/backend/metal/device.cpp`.
struct Known {
    release: &'static str,
    commit: &'static str,
    tree: Option<&'static str>,
    device: &'static str,
}

const KNOWN: [Known; 3] = [
    Known {
        release: "0.31.2",
        commit: "68cf2fddd8de5edd8ab3d926391772b2e2cedad8",
        tree: Some("daeca1f087e8437eb1a00ed96876728a47e5923a"),
        device: "d678461e3aaef248b0cecdca11cda6671a6f143c",
    },
    Known {
        release: "0.32.0",
        commit: "7a1d4f5c12ac82f4b4d0a6e71538d89ca0605247",
        tree: Some("c83429ea4d8f99e07279244ba8e2783413f51115"),
        device: "29eecf5562da696ab5b0b0ee220b17f7b11a936f",
    },
    // Its device.cpp is v0.32.1's; no git repository at hand when this was written had its tree.
    Known {
        release: "0.32.2",
        commit: "1f8e74e3f12f31365464a6867c6579f0e9b29d85",
        tree: None,
        device: "2f25f894e494a4328886148bb6e3332d9f9b298a",
    },
];

/// The file that the overlay changes.
pub const DEVICE: &str = "mlx/backend/metal/device.cpp";

/// This repository's overlays and reviewed shapes, without what is locked.
pub fn overlays() -> Files {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../overlays/mlx");
    let mut overlays = files::read(&folder);
    overlays.retain(|path, _| path != "lock.yaml" && path != "pins.yaml");
    overlays
}

/// A repository with this one's overlays, and nothing locked.
fn repository() -> Scratch {
    let mut scratch = Scratch::new().with_the_machines_environment();
    scratch.write_all("overlays", &overlays());
    // The packages are large; tests that come after one another share them.
    scratch.set_cache(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("crates"));
    scratch.set_source(Some("crates".to_owned()));
    scratch
}

fn succeeds(scratch: &Scratch, line: &str) -> Outcome {
    let outcome = scratch.run(line);
    assert_eq!(outcome.code, Some(0), "{outcome}");
    outcome
}

fn locked(scratch: &Scratch) -> Vec<Value> {
    let lock: Value = serde_yaml::from_str(&scratch.read("overlays/lock.yaml")).unwrap();
    lock["pins"].as_array().unwrap().clone()
}

/// Replaces what stands there exactly once.
fn change(file: &mut Vec<u8>, old: &str, new: &str) {
    let text = String::from_utf8(file.clone()).unwrap();
    assert_eq!(text.matches(old).count(), 1, "{old}");
    *file = text.replace(old, new).into_bytes();
}

/// These take packages of some 20 MB from crates.io, once for each target folder.
mod needs_crates {
    use super::*;

    #[test]
    #[ignore = "needs crates.io: takes MLX's sources from packages"]
    fn crates_releases_have_the_ids_of_git() {
        let scratch = repository();
        for known in &KNOWN {
            let outcome = succeeds(
                &scratch,
                &format!("bump --level structure --mlx {}", known.release),
            );
            assert_eq!(
                outcome.statuses(),
                ["passed".to_owned()].into(),
                "{outcome}"
            );
        }
        let pins = locked(&scratch);
        assert_eq!(pins.len(), KNOWN.len());
        for (known, pin) in KNOWN.iter().zip(&pins) {
            assert_eq!(pin["release"], known.release);
            assert_eq!(pin["revision"], known.commit);
            assert_eq!(pin["revision_from"], "table");
            if let Some(tree) = known.tree {
                assert_eq!(pin["tree"], tree);
            }
            let files = pin["files"].as_array().unwrap();
            let device = files.iter().find(|file| file["path"] == DEVICE).unwrap();
            assert_eq!(device["before"], known.device);
        }
        let outcome = succeeds(&scratch, "verify --level structure --all-pins");
        assert_eq!(
            outcome.json()["results"].as_array().unwrap().len(),
            3,
            "{outcome}"
        );
    }

    #[test]
    #[ignore = "needs crates.io: takes MLX's sources from packages"]
    fn committed_snapshots_are_what_a_bump_writes() {
        let scratch = repository();
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for known in &KNOWN {
            let line = format!("bump --level structure --mlx {}", known.release);
            succeeds(&scratch, &line);
            let file = format!("tests/snapshots/decode-input-budget@{}.snap", known.release);
            let of = |path: &Path| insta::Snapshot::from_file(path).unwrap();
            let (made, committed) = (of(&scratch.path(&file)), of(&here.join(&file)));
            assert_eq!(made.contents(), committed.contents());
            assert_eq!(
                committed.metadata().source(),
                Some("overlays/mlx/decode-input-budget.yaml")
            );
            // Of upstream's own lines there is none.
            let text = committed.as_text().unwrap().to_string();
            assert!(text.contains("upstream lines removed or altered: none"));
        }
    }

    #[test]
    #[ignore = "needs crates.io: takes MLX's sources from packages"]
    fn future_release_ends_with_3_and_a_list() {
        let scratch = repository();
        succeeds(&scratch, "bump --level structure --mlx 0.32.2");
        let before = scratch.snapshot();
        let outcome = scratch.run("bump --mlx 0.32.4");
        assert_eq!(outcome.code, Some(3), "{outcome}");
        for text in ["0.32.4", "0.32.2", "0.32.0", "0.31.2", "crates"] {
            assert!(
                outcome.shown().contains(text),
                "{text} is not shown\n{outcome}"
            );
        }
        assert_eq!(
            before.differences(&scratch.snapshot()),
            Vec::<String>::new()
        );
    }

    #[test]
    #[ignore = "needs crates.io: takes MLX's sources from packages"]
    fn next_release_is_taken_from_git() {
        let mut scratch = repository();
        succeeds(&scratch, "bump --level structure --mlx 0.32.2");
        let tree = scratch.beside("mlx");
        let at = tree.to_str().unwrap();
        succeeds(&scratch, &format!("apply {at} --materialise --mlx 0.32.2"));
        succeeds(&scratch, &format!("apply {at} --remove --mlx 0.32.2"));

        let mut files = files::read(&tree);
        let mut upstream = scratch.upstream();
        // Without the tag: the real v0.32.2 is another commit.
        upstream.commit("0.32.2", "Release 0.32.2", &files);
        let header = files.get_mut("mlx/backend/metal/device.h").unwrap();
        change(
            header,
            "void end_encoding();",
            "void end_encoding(bool wait_in_flight = false);",
        );
        change(
            header,
            "set_vector_bytes(vec, vec.size(), idx);",
            "set_vector_bytes(vec, size_t(vec.size()), idx);",
        );
        let device = files.get_mut(DEVICE).unwrap();
        change(
            device,
            "void CommandEncoder::end_encoding() {\n",
            "void CommandEncoder::end_encoding(bool wait_in_flight) {\n  (void)wait_in_flight;\n",
        );
        change(
            device,
            "#include <cstdlib>\n",
            "#include <cstdlib>\n#include <limits>\n",
        );
        change(
            device,
            "bool CommandEncoder::needs_commit() const {\n",
            "static int most_ops() {\n  return std::numeric_limits<int>::max();\n}\n\n// Asked after each op.\nbool CommandEncoder::needs_commit() const {\n",
        );
        change(
            device,
            "\n} // namespace mlx::core::metal\n",
            "\nint ops_ceiling() {\n  return most_ops();\n}\n\n} // namespace mlx::core::metal\n",
        );
        change(
            files.get_mut("mlx/version.h").unwrap(),
            "VERSION_PATCH 2",
            "VERSION_PATCH 4",
        );
        let commit = upstream.commit("0.32.4", "Release 0.32.4", &files);
        upstream.tag("0.32.4", "v0.32.4", Tags::Lightweight);
        let wanted = files[DEVICE].clone();

        let outcome = succeeds(&scratch, "bump --mlx 0.32.4");
        assert_eq!(
            outcome.statuses(),
            ["passed".to_owned()].into(),
            "{outcome}"
        );
        let pins = locked(&scratch);
        let pin = pins.iter().find(|pin| pin["release"] == "0.32.4").unwrap();
        assert_eq!(pin["revision"], commit.as_str());
        assert_eq!(pin["revision_from"], "git");

        let next = scratch.beside("next");
        files::write(&next, &files);
        let at = next.to_str().unwrap();
        succeeds(&scratch, &format!("apply {at}"));
        let patched = fs::read(next.join(DEVICE)).unwrap();
        let reading = crate::support::patched::read(&patched).unwrap();
        assert!(
            reading.upstream == wanted,
            "without the edits it is not upstream's"
        );
        let edits: Vec<_> = reading
            .edits
            .iter()
            .map(|it| it.edit.split('.').next().unwrap())
            .collect();
        let hunks = ["include", "commit-check", "commit-check", "entry-points"];
        assert_eq!(
            edits,
            hunks.map(|hunk| format!("decode-input-budget/{hunk}"))
        );
    }
}
