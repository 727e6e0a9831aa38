//! The scripts of a release and of the action for other repositories, and what the program says of its own build.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::pinned::pinned;
use crate::support::scratch::Scratch;

/// The program's own build script: the commit of a packaged crate is read where there is no git.
#[path = "../patchctl/build.rs"]
#[allow(
    dead_code,
    clippy::print_stdout,
    reason = "it is a program, of which one function is tested"
)]
mod build_script;

fn ci(script: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../ci")
        .join(script)
}

fn said(output: &Output) -> String {
    let both = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it).into_owned());
    both.concat()
}

#[test]
fn a_packaged_crate_knows_the_commit_that_it_was_made_of() {
    let folder = tempfile::tempdir().unwrap();
    let commit = |text: &str| {
        fs::write(folder.path().join(".cargo_vcs_info.json"), text).unwrap();
        build_script::packaged_commit(folder.path())
    };
    let id = "0123456789abcdef0123456789abcdef01234567";
    let of = |more: &str| {
        format!(
            "{{\n  \"git\": {{\n    \"sha1\": \"{id}\"{more}\n  }},\n  \"path_in_vcs\": \"p\"\n}}"
        )
    };
    assert_eq!(commit(&of("")), Some("0123456789ab".to_owned()));
    let changed = commit(&of(",\n    \"dirty\": true"));
    assert_eq!(changed, Some("0123456789ab, with changes".to_owned()));
    for text in [
        "",
        "{}",
        "{\"git\":{\"sha1\":\"main\"}}",
        "{\"git\":{\"sha1\":",
    ] {
        assert_eq!(commit(text), None, "{text}");
    }
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(build_script::packaged_commit(empty.path()), None);
}

/// The action's script, with a program that is there, in a repository in order.
fn action(scratch: &Scratch, command: &str, args: &str) -> Output {
    Command::new(ci("action-run"))
        .current_dir(scratch.root())
        .env("PATCHCTL_CACHE", scratch.cache())
        .env_remove("GITHUB_STEP_SUMMARY")
        .env("INPUT_PATH", env!("CARGO_BIN_EXE_patchctl"))
        .env("INPUT_COMMAND", command)
        .env("INPUT_ARGS", args)
        .env("INPUT_REPORT", "report.md")
        .output()
        .unwrap()
}

#[test]
fn the_action_runs_a_command_with_its_words_and_leaves_the_report() {
    let scratch = pinned();
    let output = action(&scratch, "status", "  --check\t--offline ");
    assert!(output.status.success(), "{}", said(&output));
    let version = format!("patchctl {}", env!("CARGO_PKG_VERSION"));
    assert!(said(&output).starts_with(&version), "{}", said(&output));
    assert!(scratch.read("report.md").contains("1.1.0"));

    scratch.write("overlays/pins.yaml", "schema: 1\npins: []\n");
    let output = action(&scratch, "status", "--check");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("::error"), "{}", said(&output));

    // Words, and nothing that a shell would make of them.
    let output = action(&scratch, "status", "$(touch made) *");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(!scratch.path("made").exists());
}

/// A folder with the scripts, and `gh` and `cargo` that write down what they are told.
fn release() -> Scratch {
    let scratch = Scratch::new();
    for script in ["check", "publish"] {
        let text = fs::read(ci("release").join(script)).unwrap();
        scratch.write(&format!("ci/release/{script}"), text);
        executable(&scratch.path(&format!("ci/release/{script}")));
    }
    scratch.write("Cargo.toml", "[workspace.package]\nversion = \"1.2.0\"\n");
    scratch.write(
        "CHANGELOG.md",
        "# Changelog\n\n## 1.2.0\n\n- New.\n\n## 1.1.0\n\n- Old.\n",
    );
    for name in ["gh", "cargo"] {
        scratch.write(
            &format!("bin/{name}"),
            format!("#!/bin/sh\nprintf '%s\\n' {name} \"$@\" >>told\n"),
        );
        executable(&scratch.path(&format!("bin/{name}")));
    }
    scratch
}

fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn run(scratch: &Scratch, script: &str, tag: &str) -> Output {
    let path = std::env::var("PATH").unwrap();
    Command::new(scratch.path(&format!("ci/release/{script}")))
        .env("PATH", format!("{}:{path}", scratch.path("bin").display()))
        .envs([("GH_TOKEN", "none"), ("TAG", tag)])
        .envs([("GITHUB_REF_TYPE", "tag"), ("GITHUB_REF_NAME", tag)])
        .output()
        .unwrap()
}

#[test]
fn a_release_is_of_the_version_that_its_tag_says_and_that_the_changelog_has() {
    let scratch = release();
    let output = run(&scratch, "check", "v1.2.0");
    assert!(output.status.success(), "{}", said(&output));
    assert!(scratch.read("told").contains("status\n--check\n"));
    let output = run(&scratch, "check", "v1.2.1");
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("v1.2.1"), "{}", said(&output));
    scratch.write("Cargo.toml", "[workspace.package]\nversion = \"1.3.0\"\n");
    let output = run(&scratch, "check", "v1.3.0");
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("CHANGELOG.md"), "{}", said(&output));
}

#[test]
fn a_release_is_a_draft_with_whole_archives_and_what_the_changelog_says_of_it() {
    let scratch = release();
    scratch.write("target/dist/p-1.2.0.tar.gz", "bytes");
    let output = run(&scratch, "publish", "v1.2.0");
    assert_eq!(
        output.status.code(),
        Some(1),
        "no digest: {}",
        said(&output)
    );
    let digest = "277089d91c0bdf4f2e6862ba7e4a07605119431f5d13f726dd352b06f1b206a9";
    let line = format!("{digest}  p-1.2.0.tar.gz\n");
    scratch.write("target/dist/p-1.2.0.tar.gz.sha256", &line);
    let output = run(&scratch, "publish", "v1.2.0");
    assert!(output.status.success(), "{}", said(&output));
    let told = scratch.read("told");
    assert!(
        told.starts_with("gh\nrelease\ncreate\nv1.2.0\n--draft\n--verify-tag\n"),
        "{told}"
    );
    assert!(told.contains("p-1.2.0.tar.gz.sha256\n"), "{told}");
    assert_eq!(scratch.read("target/dist/notes.md"), "\n- New.\n\n");
    scratch.write("target/dist/p-1.2.0.tar.gz", "other bytes");
    assert_eq!(run(&scratch, "publish", "v1.2.0").status.code(), Some(1));
    assert_eq!(run(&scratch, "publish", "main").status.code(), Some(2));
}
