//! patchctl as it is installed, in a repository that is not its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::files;
use crate::support::quill;

/// Installs the package into a folder of its own, as a user does, and gives the program.
fn install(into: &Path) -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The debug profile in this build's own target folder, so that little is compiled again: what is tested is
    // what is in the package.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let output = Command::new(env!("CARGO"))
        .args([
            "install",
            "--quiet",
            "--debug",
            "--locked",
            "--offline",
            "--no-track",
        ])
        .arg("--path")
        .arg(package)
        .arg("--root")
        .arg(into)
        .arg("--target-dir")
        .arg(target)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    into.join("bin/patchctl")
}

#[test]
fn an_installed_program_bumps_in_a_repository_that_holds_only_a_configuration_and_overlays() {
    let quill = quill::fresh();
    let program = install(&quill.scratch.beside("installed"));
    let start: Vec<String> = files::read(&quill.scratch.root()).into_keys().collect();
    assert_eq!(start, ["overlays/flush-budget.yaml", "patchctl.yaml"]);

    let program = program.to_str().unwrap();
    // From a folder below: the root is the nearest patchctl.yaml upwards.
    std::fs::create_dir(quill.scratch.path("deeper")).unwrap();
    let below = "cd deeper && shift && exec \"$0\" \"$@\"";
    for line in [
        quill.acceptance("1.0.0"),
        "bump --mlx 1.1.0".to_owned(),
        "verify --all-pins".to_owned(),
    ] {
        let outcome = quill
            .scratch
            .run_through(&["sh", "-c", below, program], &line);
        assert_eq!(outcome.code, Some(0), "{outcome}");
    }
    let end: Vec<String> = files::read(&quill.scratch.root()).into_keys().collect();
    let end: Vec<&str> = end
        .iter()
        .map(String::as_str)
        .filter(|path| !path.starts_with(".patchctl/"))
        .collect();
    assert_eq!(
        end,
        [
            "overlays/flush-budget.yaml",
            "overlays/lock.yaml",
            "overlays/pins.yaml",
            "overlays/reviewed.yaml",
            "patchctl.yaml",
            "tests/snapshots/flush-budget@1.0.0.snap",
            "tests/snapshots/flush-budget@1.1.0.snap",
        ]
    );
}
