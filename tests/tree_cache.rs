//! The cache's trees: one that was damaged is made anew, and commands side by side or killed leave nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::hostile::everything;
use crate::support::files;
use crate::support::locked::{PATCHED, Repository, patched, tree};

#[test]
fn a_damaged_cached_tree_is_made_anew() {
    let repository = Repository::new();
    assert_eq!(repository.run("apply --materialise").status, 0);
    let trees = repository.dir.path().join("cache/trees");
    let cached = fs::read_dir(&trees)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let mut expected = tree();
    expected.insert(PATCHED.to_owned(), patched());
    // One that no overlay changes, one that is patched, one more, one less.
    let damages: [&dyn Fn(); 4] = [
        &|| fs::write(cached.join("mlx/version.h"), "#define MLX 2\n").unwrap(),
        &|| fs::write(cached.join(PATCHED), "int budget();\n").unwrap(),
        &|| fs::write(cached.join("mlx/more.h"), "").unwrap(),
        &|| fs::remove_file(cached.join("mlx/version.h")).unwrap(),
    ];
    for damage in damages {
        damage();
        let again = repository.run("apply --materialise");
        assert_eq!(again.status, 0, "{again:?}");
        assert!(again.stdout.starts_with("materialised"), "{}", again.stdout);
        assert_eq!(files::read_tree(&cached), expected);
    }
    let whole = repository.run("apply --materialise");
    assert!(whole.stdout.starts_with("at hand"), "{}", whole.stdout);
}

/// What a process that was killed, or lost a race, must not leave.
fn left_over(folder: &Path) -> Vec<PathBuf> {
    let all = everything(folder).into_keys();
    all.filter(|path| !path.ends_with(patchctl_apply::tree::RECORD_FILE))
        .filter(|path| path.to_string_lossy().contains(".patchctl-"))
        .collect()
}

#[test]
fn four_side_by_side_all_end_well() {
    let repository = Repository::new();
    let mut expected = tree();
    expected.insert(PATCHED.to_owned(), patched());
    let start = |arguments: &[&str]| {
        Command::new(crate::program::path())
            .current_dir(repository.path(""))
            .env("PATCHCTL_CACHE", repository.dir.path().join("cache"))
            .args([
                "--source",
                &repository.upstream.source(),
                "apply",
                "--materialise",
            ])
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    // In the cache, and in one folder of the user's.
    for arguments in [&[][..], &["build/mlx"]] {
        let all: Vec<_> = (0..4).map(|_| start(arguments)).collect();
        for child in all {
            let ended = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&ended.stderr);
            // One that began when another had ended finds the folder full, as it would have alone.
            let late = said.contains("is not empty");
            assert!(ended.status.success() || late, "{arguments:?}: {said}");
        }
    }
    assert_eq!(files::read_tree(&repository.path("build/mlx")), expected);
    assert_eq!(left_over(repository.dir.path()), [""; 0].map(PathBuf::from));
    let unfinished = repository.dir.path().join("cache/unfinished");
    assert_eq!(fs::read_dir(unfinished).unwrap().count(), 0);
}

#[test]
fn killed_commands_leave_nothing_behind_the_next() {
    let repository = Repository::new();
    for round in 0..12 {
        let target = format!("build/{round}");
        let mut child = Command::new(crate::program::path())
            .current_dir(repository.path(""))
            .env("PATCHCTL_CACHE", repository.dir.path().join("cache"))
            .args([
                "--source",
                &repository.upstream.source(),
                "apply",
                "--materialise",
                &target,
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(4 * round));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(repository.run("apply --materialise build/last").status, 0);
    assert_eq!(left_over(repository.dir.path()), [""; 0].map(PathBuf::from));
    let unfinished = repository.dir.path().join("cache/unfinished");
    assert_eq!(fs::read_dir(unfinished).unwrap().count(), 0);
}
