//! Input that is wrong, and surroundings that fail: each ends with its status, says what it is about, and
//! changes no file.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::files::{self, Snapshot};
use crate::support::outcome::Outcome;
use crate::support::play::Player;
use crate::support::quill;
use crate::support::upstream::Tags;

const OVERLAY: &str = "overlays/flush-budget.yaml";

/// Runs `line` in `quill`: it has to end with `exit`, show `shows` in its findings and change no file.
fn refused(quill: &Player, line: &str, exit: i32, shows: &[&str]) -> Outcome {
    let before = quill.scratch.snapshot();
    let outcome = quill.scratch.run(line);
    assert_eq!(outcome.code, Some(exit), "{outcome}");
    assert_eq!(outcome.json()["ok"], false, "{outcome}");
    let shown = outcome.shown();
    for text in shows {
        assert!(shown.contains(text), "{text} is not shown\n{outcome}");
    }
    let differences = before.differences(&quill.scratch.snapshot());
    assert!(differences.is_empty(), "{differences:?}\n{outcome}");
    outcome
}

/// Every command that reads overlays refuses this one with status 2.
fn refused_overlay(text: impl AsRef<[u8]>, shows: &[&str]) {
    let quill = quill::pinned();
    quill.scratch.write(OVERLAY, text);
    for line in ["bump --mlx 1.1.0", "verify", "status"] {
        refused(&quill, line, 2, shows);
    }
}

fn overlay() -> String {
    quill::fresh().scratch.read(OVERLAY)
}

#[test]
fn an_unknown_key_is_refused_with_its_place_and_the_likeliest_right_one() {
    let text = overlay().replace("    edits:", "    edtis:");
    refused_overlay(text, &["overlays/flush-budget.yaml:9", "edtis", "edits"]);
}

#[test]
fn a_value_of_the_wrong_type_is_refused_with_its_place() {
    let text = overlay().replace("hunks:\n", "hunks: 7\nx:\n");
    refused_overlay(text, &["overlays/flush-budget.yaml:7", "7"]);
}

#[test]
fn a_duplicate_key_is_refused_with_both_places() {
    let text = overlay().replace("file: quill", "title: again\nfile: quill");
    refused_overlay(text, &["overlays/flush-budget.yaml:5", "title", "line 3"]);
}

#[test]
fn an_empty_file_is_refused() {
    refused_overlay("", &[OVERLAY, "empty"]);
}

#[test]
fn a_file_that_is_no_text_is_refused() {
    refused_overlay(b"schema: 1\noverlay: \xff\xfe\n", &[OVERLAY]);
}

#[test]
fn a_file_of_100_megabytes_is_refused_unread() {
    let quill = quill::pinned();
    let file = File::create(quill.scratch.path(OVERLAY)).unwrap();
    file.set_len(100 << 20).unwrap();
    for line in ["bump --mlx 1.1.0", "verify", "status"] {
        let outcome = quill.scratch.run(line);
        assert_eq!(outcome.code, Some(2), "{outcome}");
        assert!(outcome.shown().contains(OVERLAY), "{outcome}");
    }
    assert_eq!(file.metadata().unwrap().len(), 100 << 20);
}

#[test]
fn a_file_whose_aliases_multiply_is_refused() {
    let mut bomb = overlay() + "x0: &x0 [a, a, a, a, a, a, a, a, a]\n";
    for level in 1..12 {
        let alias = format!("*x{}", level - 1);
        let aliases = [alias.as_str(); 9].join(", ");
        bomb += &format!("x{level}: &x{level} [{aliases}]\n");
    }
    refused_overlay(bomb, &[OVERLAY, "alias"]);
}

#[test]
fn a_regular_expression_that_is_none_is_refused_with_its_place() {
    let condition = "    expect:\n      - { in: { function: Recorder::wants_flush }, matches: '(' }\n  - id: declare";
    let text = overlay().replace("  - id: declare", condition);
    refused_overlay(text, &["overlays/flush-budget.yaml:19", "("]);
}

#[test]
fn a_path_that_leaves_the_tree_is_refused() {
    for path in [
        "../recorder.cpp",
        "/etc/passwd",
        "quill/../../x.cpp",
        "C:\\x.cpp",
    ] {
        let text = overlay().replace("file: quill/gpu/recorder.cpp", &format!("file: '{path}'"));
        refused_overlay(text, &[OVERLAY, path]);
    }
}

#[test]
fn an_overlay_for_a_file_that_is_gone_fails_its_check() {
    let quill = quill::pinned();
    let text = overlay().replace(
        "file: quill/gpu/recorder.cpp",
        "file: quill/gpu/recorder.mm",
    );
    quill.scratch.write(OVERLAY, text);
    let outcome = refused(&quill, "bump --mlx 1.1.0", 1, &["quill/gpu/recorder.mm"]);
    assert!(outcome.codes().contains("file-gone"), "{outcome}");
}

#[test]
fn a_lock_whose_path_leaves_the_tree_is_refused() {
    let quill = quill::with_tree();
    let lock = quill.scratch.read("overlays/lock.yaml");
    for path in ["../outside.cpp", "/outside.cpp", "a/../../outside.cpp"] {
        quill.scratch.write(
            "overlays/lock.yaml",
            lock.replace("quill/gpu/recorder.cpp", path),
        );
        refused(&quill, "apply tree", 2, &["lock.yaml", path]);
    }
}

#[test]
fn a_lock_of_a_newer_form_is_refused_with_what_reads_it() {
    let quill = quill::with_tree();
    let lock = quill.scratch.read("overlays/lock.yaml");
    quill.scratch.write(
        "overlays/lock.yaml",
        lock.replacen("schema: 3", "schema: 4", 1),
    );
    for line in ["apply tree", "bump --mlx 1.1.0", "verify", "status"] {
        refused(&quill, line, 2, &["lock.yaml", "schema"]);
    }
}

#[test]
fn a_symlink_in_place_of_a_file_is_not_written_through() {
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
fn a_symlink_in_place_of_a_folder_is_not_written_through() {
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
fn a_tree_that_is_not_there_is_a_failure_of_the_surroundings() {
    let quill = quill::pinned();
    refused(&quill, "apply nowhere", 3, &["nowhere"]);
}

#[test]
fn without_git_on_path_a_source_that_needs_it_says_so() {
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
fn a_git_repository_with_a_damaged_object_is_named() {
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
fn a_git_repository_that_lacks_an_object_is_named_with_the_object() {
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
fn a_folder_that_is_no_git_repository_is_named() {
    let mut quill = quill::pinned();
    let folder = quill.scratch.beside("no-repository");
    fs::create_dir(&folder).unwrap();
    quill
        .scratch
        .set_source(Some(format!("git:{}", folder.display())));
    refused(&quill, "bump --mlx 1.1.0", 3, &["no-repository"]);
}

#[test]
fn a_release_that_no_source_has_is_an_error_that_lists_what_there_is() {
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

#[test]
fn of_two_bumps_at_once_each_ends_and_the_repository_is_whole() {
    let quill = quill::pinned();
    let before = files::read(&quill.scratch.path("overlays"));
    let bump = || quill.scratch.run("bump --mlx 1.1.0");
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(bump);
        let second = scope.spawn(bump);
        (first.join().unwrap(), second.join().unwrap())
    });
    let ended = [first.code, second.code];
    assert!(ended.contains(&Some(0)), "{first}{second}");
    for outcome in [&first, &second] {
        // The other one waited, or was told who holds the lock.
        assert!([Some(0), Some(3)].contains(&outcome.code), "{outcome}");
    }
    let after = files::read(&quill.scratch.path("overlays"));
    let alone = quill::pinned();
    assert_eq!(alone.scratch.run("bump --mlx 1.1.0").code, Some(0));
    assert_ne!(before, after);
    assert_eq!(after, files::read(&alone.scratch.path("overlays")));
}

/// These mount a file system that fails, for the one process that they run, and so need root.
mod needs_root {
    use super::*;

    /// Runs `line` after `mount` has had its way, in a mount namespace that ends with it.
    fn run(quill: &Player, mount: &str, line: &str) -> Outcome {
        quill.scratch.run_through(
            &[
                "unshare",
                "--mount",
                "sh",
                "-ec",
                &format!("{mount}; exec \"$@\""),
                "sh",
            ],
            line,
        )
    }

    /// Makes a folder that cannot be written out of one that can.
    fn read_only(folder: &Path) -> String {
        let folder = folder.display();
        format!("mount --bind '{folder}' '{folder}'; mount -o remount,bind,ro '{folder}'")
    }

    #[test]
    #[ignore = "needs root: mounts a read-only file system"]
    fn a_repository_that_cannot_be_written_is_a_failure_of_the_surroundings() {
        let quill = quill::pinned();
        let before = quill.scratch.snapshot();
        let outcome = run(
            &quill,
            &read_only(&quill.scratch.root()),
            "bump --mlx 1.1.0",
        );
        assert_eq!(outcome.code, Some(3), "{outcome}");
        assert!(
            outcome.shown().contains("ead-only file system"),
            "{outcome}"
        );
        assert!(before.differences(&quill.scratch.snapshot()).is_empty());
    }

    #[test]
    #[ignore = "needs root: mounts a read-only file system"]
    fn the_overlay_folder_that_cannot_be_written_is_named() {
        let quill = quill::pinned();
        let before = quill.scratch.snapshot();
        let outcome = run(
            &quill,
            &read_only(&quill.scratch.path("overlays")),
            "bump --mlx 1.1.0",
        );
        assert_eq!(outcome.code, Some(3), "{outcome}");
        assert!(outcome.shown().contains("overlays"), "{outcome}");
        assert!(before.differences(&quill.scratch.snapshot()).is_empty());
    }

    #[test]
    #[ignore = "needs root: mounts a read-only file system"]
    fn a_snapshot_that_should_wait_and_cannot_be_written_is_named_with_the_hunks() {
        let quill = quill::fresh();
        std::fs::create_dir(quill.scratch.path("tests")).unwrap();
        let before = quill.scratch.snapshot();
        let tests = read_only(&quill.scratch.path("tests"));
        let outcome = run(&quill, &tests, "bump --mlx 1.0.0");
        assert_eq!(outcome.code, Some(3), "{outcome}");
        let codes = ["needs-review-shape".to_owned(), "unwritable".to_owned()];
        assert_eq!(outcome.codes(), codes.into(), "{outcome}");
        assert!(before.differences(&quill.scratch.snapshot()).is_empty());

        // Nor is a review recorded by half.
        let waits = quill.scratch.run("bump --mlx 1.0.0");
        assert_eq!(waits.code, Some(1), "{waits}");
        let before = quill.scratch.snapshot();
        let outcome = run(&quill, &tests, "review --accept");
        assert_eq!(outcome.code, Some(3), "{outcome}");
        assert!(before.differences(&quill.scratch.snapshot()).is_empty());
    }

    #[test]
    #[ignore = "needs root: mounts a read-only file system"]
    fn commands_that_only_read_work_where_nothing_can_be_written() {
        let quill = quill::with_tree();
        assert_eq!(quill.scratch.run("apply tree").code, Some(0));
        for line in ["verify", "apply tree --check", "bump --mlx 1.1.0 --dry-run"] {
            let outcome = run(&quill, &read_only(&quill.scratch.root()), line);
            assert_eq!(outcome.code, Some(0), "{outcome}");
        }
    }

    #[test]
    #[ignore = "needs root: mounts a read-only file system"]
    fn a_tree_that_cannot_be_written_is_a_failure_of_the_surroundings() {
        let quill = quill::with_tree();
        let before = quill.scratch.snapshot();
        let outcome = run(
            &quill,
            &read_only(&quill.scratch.path("tree/quill")),
            "apply tree",
        );
        assert_eq!(outcome.code, Some(3), "{outcome}");
        assert!(outcome.shown().contains("quill/gpu"), "{outcome}");
        assert!(before.differences(&quill.scratch.snapshot()).is_empty());
    }

    /// Runs `line` while the folder `full` of the repository lies on a disk with `free` bytes left; then
    /// gives what the disk held before and after.
    fn on_a_full_disk(
        quill: &Player,
        full: &str,
        free: u32,
        line: &str,
    ) -> (Outcome, Snapshot, Snapshot) {
        let folder = quill.scratch.path(full);
        let (before, after) = (
            quill.scratch.beside("before"),
            quill.scratch.beside("after"),
        );
        // The folder is copied onto a small disk; the rest of the disk is filled but for `free` bytes.
        let mount = format!(
            "cp -a '{folder}' '{before}'
             mount -t tmpfs -o size=1m tmpfs '{folder}'
             cp -a '{before}/.' '{folder}'
             dd if=/dev/zero of='{folder}/.filler' bs=4096 2>/dev/null || true
             truncate -s -{free} '{folder}/.filler'
             trap \"rm -f '{folder}/.filler'; cp -a '{folder}' '{after}'\" EXIT
             set +e
             \"$@\"
             exit $?
             true",
            folder = folder.display(),
            before = before.display(),
            after = after.display(),
        );
        let outcome = run(quill, &mount, line);
        let of = |path| Snapshot::without(path, &[".patchctl"]);
        (outcome, of(&before), of(&after))
    }

    #[test]
    #[ignore = "needs root: mounts a small file system"]
    fn a_bump_on_a_full_disk_fails_and_leaves_the_old_files() {
        for free in [0, 4096] {
            let quill = quill::pinned();
            let (outcome, before, after) =
                on_a_full_disk(&quill, "overlays", free, "bump --mlx 1.1.0");
            assert_eq!(outcome.code, Some(3), "with {free} bytes: {outcome}");
            let differences = before.differences_in_bytes(&after);
            assert!(differences.is_empty(), "with {free} bytes: {differences:?}");
        }
    }

    #[test]
    #[ignore = "needs root: mounts a small file system"]
    fn an_apply_on_a_full_disk_fails_and_leaves_upstreams_files() {
        for free in [0, 4096] {
            let quill = quill::with_tree();
            let (outcome, before, after) = on_a_full_disk(&quill, "tree", free, "apply tree");
            assert_eq!(outcome.code, Some(3), "with {free} bytes: {outcome}");
            let differences = before.differences_in_bytes(&after);
            assert!(differences.is_empty(), "with {free} bytes: {differences:?}");
        }
    }
}
