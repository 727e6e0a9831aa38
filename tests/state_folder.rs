//! `.patchctl/` is taken for patchctl's own only where it is, and nothing in it leads out of the repository.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use patchctl_apply::BlobId;

use crate::program::Ran;
use crate::support::locked::Repository;

/// A command that writes, and so recovers first.
const BUMP: &str = "--offline --format json bump --mlx 0.32.2 --level structure";

/// A file outside of the repository, with the text `mine`, and `link` in the repository to its folder.
fn outside(repository: &Repository) -> PathBuf {
    let folder = repository.dir.path().join("outside");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("victim"), "mine\n").unwrap();
    symlink("../outside", repository.path("link")).unwrap();
    folder.join("victim")
}

/// A journal whose undoing would write `evil` at `path`.
fn journal(repository: &Repository, path: &str) {
    let state = repository.path(".patchctl");
    fs::create_dir_all(state.join("undo")).unwrap();
    fs::write(state.join("undo/0"), "evil\n").unwrap();
    let [old, new] = ["evil\n", "mine\n"].map(|text| BlobId::of(text.as_bytes()));
    let text = format!(
        r#"{{"schema": 1, "phase": "ready", "command": "bump", "decides": false, "folders": [],
            "files": [{{"path": "{path}", "old": "{old}", "new": "{new}"}}]}}"#
    );
    fs::write(state.join("journal.json"), text).unwrap();
}

/// Makes the repository a git one whose index has all of its files.
fn commit_all(root: &Path) {
    let repository = git2::Repository::init(root).unwrap();
    let mut index = repository.index().unwrap();
    let all = git2::IndexAddOption::FORCE;
    index.add_all(["*"], all, None).unwrap();
    index.write().unwrap();
}

fn refused(ran: &Ran, code: &str, word: &str) {
    assert_eq!(ran.status, 3, "{ran:?}");
    let finding = &ran.json()["findings"][0];
    let text = format!("{} {}", finding["message"], finding["help"]);
    assert_eq!(finding["code"], code, "{text}");
    assert!(text.contains(word), "{text}");
}

/// Case 47: recovery by a committed journal wrote through a link.
#[test]
fn a_journal_that_git_tracks_is_not_obeyed() {
    for path in ["link/victim", "inside"] {
        let repository = Repository::new();
        let victim = outside(&repository);
        fs::write(repository.path("inside"), "mine\n").unwrap();
        journal(&repository, path);
        commit_all(&repository.path(""));
        refused(
            &repository.run(BUMP),
            "state-untrusted",
            "git rm -r --cached .patchctl",
        );
        assert_eq!(fs::read_to_string(&victim).unwrap(), "mine\n");
        assert_eq!(
            fs::read_to_string(repository.path("inside")).unwrap(),
            "mine\n"
        );
        let status = repository.run("--format json status --check");
        assert_ne!(status.status, 0, "{status:?}");
    }
}

/// Case 47: also where git does not track the journal.
#[test]
fn a_journal_does_not_lead_through_a_link() {
    let repository = Repository::new();
    let victim = outside(&repository);
    journal(&repository, "link/victim");
    refused(
        &repository.run(BUMP),
        "recovery-failed",
        "link is a symbolic link",
    );
    assert_eq!(fs::read_to_string(victim).unwrap(), "mine\n");
}

/// Case 47: taking the lock emptied the file that the link led to.
#[test]
fn a_lock_file_that_is_a_link_is_refused() {
    let repository = Repository::new();
    let victim = outside(&repository);
    fs::create_dir(repository.path(".patchctl")).unwrap();
    symlink(&victim, repository.path(".patchctl/lock")).unwrap();
    refused(
        &repository.run(BUMP),
        "state-untrusted",
        "lock is a symbolic link",
    );
    assert_eq!(fs::read_to_string(victim).unwrap(), "mine\n");
}

#[test]
fn a_state_folder_that_is_a_link_is_refused() {
    let repository = Repository::new();
    let victim = outside(&repository);
    symlink("../outside", repository.path(".patchctl")).unwrap();
    refused(
        &repository.run(BUMP),
        "state-untrusted",
        ".patchctl is a symbolic link",
    );
    let names = fs::read_dir(victim.parent().unwrap()).unwrap();
    assert_eq!(names.count(), 1);
}

#[test]
fn what_is_kept_for_undoing_is_not_removed_through_a_link() {
    let repository = Repository::new();
    let victim = outside(&repository);
    fs::create_dir(repository.path(".patchctl")).unwrap();
    symlink("../../outside", repository.path(".patchctl/undo")).unwrap();
    repository.run(BUMP);
    assert_eq!(fs::read_to_string(victim).unwrap(), "mine\n");
}

/// A report must not show what stands elsewhere on the machine.
#[test]
fn a_file_that_is_a_link_out_of_the_repository_is_not_read() {
    for file in [
        "overlays/mlx/lock.yaml",
        "overlays/mlx/pins.yaml",
        "patchctl.yaml",
    ] {
        let repository = Repository::new();
        let victim = outside(&repository);
        fs::write(&victim, "secret: of the machine\n").unwrap();
        fs::remove_file(repository.path(file)).unwrap();
        symlink(&victim, repository.path(file)).unwrap();
        let status = repository.run("--format json status");
        assert_ne!(status.status, 0, "{file}: {status:?}");
        let all = format!("{}{}", status.stdout, status.stderr);
        assert!(
            !all.contains("secret") && all.contains("link"),
            "{file}: {all}"
        );
    }
}

#[test]
fn a_file_that_is_a_link_inside_of_the_repository_is_read() {
    let repository = Repository::new();
    for file in ["overlays/mlx/lock.yaml", "overlays/mlx/pins.yaml"] {
        let path = repository.path(file);
        let kept = repository.path(Path::new(file).file_name().unwrap().to_str().unwrap());
        fs::rename(&path, &kept).unwrap();
        symlink(&kept, &path).unwrap();
    }
    repository.lay_out("mlx");
    assert_eq!(repository.run("apply mlx").status, 0);
}

/// Names of files that stand elsewhere on the machine must not come into a report either.
#[test]
fn folder_that_is_a_link_out_of_the_repository_is_not_listed() {
    for folder in ["overlays/mlx", "tests/snapshots", "overlays/mlx/checks"] {
        let repository = Repository::new();
        let victim = outside(&repository);
        let elsewhere = victim.parent().unwrap().join("folder");
        let path = repository.path(folder);
        match path.exists() {
            true => fs::rename(&path, &elsewhere).unwrap(),
            false => fs::create_dir_all(&elsewhere).unwrap(),
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(&elsewhere, &path).unwrap();
        for name in ["secret.yaml", "secret@0.32.2.snap", "secret.linux.yaml"] {
            fs::write(elsewhere.join(name), "no\n").unwrap();
        }
        let config = fs::read_to_string(repository.path("patchctl.yaml")).unwrap();
        let checks = "checks:\n  - { name: secret, command: [sh] }\n";
        fs::write(repository.path("patchctl.yaml"), config + checks).unwrap();
        let status = repository.run("--format json status");
        assert_ne!(status.status, 0, "{folder}: {status:?}");
        let all = format!("{}{}", status.stdout, status.stderr);
        assert!(all.contains("link"), "{folder}: {all}");
        assert!(
            !all.contains("secret@") && !all.contains("secret.y"),
            "{folder}: {all}"
        );
    }
}

#[test]
fn folder_that_is_a_link_inside_of_the_repository_is_listed() {
    let repository = Repository::new();
    fs::rename(repository.path("overlays/mlx"), repository.path("kept")).unwrap();
    symlink("../kept", repository.path("overlays/mlx")).unwrap();
    repository.lay_out("mlx");
    assert_eq!(repository.run("apply mlx").status, 0);
    let status = repository.run("--format json status");
    assert_eq!(status.status, 0, "{status:?}");
}

/// A FIFO in a file's place would wait for its other end.
#[test]
fn a_fifo_in_the_locks_place_ends_at_once() {
    let repository = Repository::new();
    repository.lay_out("mlx");
    let lock = repository.path("overlays/mlx/lock.yaml");
    fs::remove_file(&lock).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(&lock)
        .status()
        .unwrap();
    assert!(made.success());
    for line in ["apply mlx", "status --check"] {
        let mut command = repository.command();
        command
            .args(line.split(' '))
            .timeout(std::time::Duration::from_secs(20));
        let ran = crate::program::ran(&mut command);
        assert_eq!(ran.status, 3, "{line}: {ran:?}");
    }
}
