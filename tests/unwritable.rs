//! Places that cannot be written: the command says which, and every file is as it was.

use std::path::Path;

use crate::support::files::Snapshot;
use crate::support::outcome::Outcome;
use crate::support::play::Player;
use crate::support::quill;

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
    fn read_only_repository_fails_the_bump() {
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
    fn read_only_overlay_folder_is_named() {
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
    fn unwritable_snapshot_is_named_with_its_hunks() {
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
    fn reading_commands_need_no_write_access() {
        let quill = quill::with_tree();
        assert_eq!(quill.scratch.run("apply tree").code, Some(0));
        for line in ["verify", "apply tree --check", "bump --mlx 1.1.0 --dry-run"] {
            let outcome = run(&quill, &read_only(&quill.scratch.root()), line);
            assert_eq!(outcome.code, Some(0), "{outcome}");
        }
    }

    #[test]
    #[ignore = "needs root: mounts a read-only file system"]
    fn read_only_tree_fails_the_apply() {
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
    fn bump_on_a_full_disk_keeps_the_old_files() {
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
    fn apply_on_a_full_disk_keeps_upstreams_files() {
        for free in [0, 4096] {
            let quill = quill::with_tree();
            let (outcome, before, after) = on_a_full_disk(&quill, "tree", free, "apply tree");
            assert_eq!(outcome.code, Some(3), "with {free} bytes: {outcome}");
            let differences = before.differences_in_bytes(&after);
            assert!(differences.is_empty(), "with {free} bytes: {differences:?}");
        }
    }
}
