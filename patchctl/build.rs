//! What `patchctl --version` says besides the number: the commit, and the versions of the libraries whose
//! behaviour decides results.
//!
//! The commit comes from git in a checkout, and from what cargo wrote beside the manifest in a packaged crate.
//! Where there is neither, there is none. In a checkout it is asked for in release builds only, so that a
//! developer's commit does not rebuild anything.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The libraries, as `Cargo.lock` names them.
const LIBRARIES: [&str; 4] = ["git2", "tree-sitter", "tree-sitter-cpp", "yaml_serde"];

/// Digits of a commit that are shown.
const SHORT: usize = 12;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let manifest = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = packaged_commit(&manifest).or_else(|| {
        // A crate unpacked somewhere inside an unrelated repository is not of that repository's commit.
        is_release.then(|| checked_out_commit(&manifest)).flatten()
    });
    if let Some(commit) = commit {
        println!("cargo::rustc-env=PATCHCTL_COMMIT={commit}");
    }
    println!(
        "cargo::rustc-env=PATCHCTL_LIBRARIES={}",
        locked_versions(&manifest).join(", ")
    );
    if let Ok(target) = std::env::var("TARGET") {
        println!("cargo::rustc-env=PATCHCTL_TARGET={target}");
    }
}

/// The commit that `cargo package` was run on: `.cargo_vcs_info.json` lies in the packaged crate alone.
pub fn packaged_commit(manifest: &Path) -> Option<String> {
    let text = std::fs::read_to_string(manifest.join(".cargo_vcs_info.json")).ok()?;
    let (_, after) = text.split_once("\"sha1\"")?;
    let commit = after.split('"').nth(1)?;
    let is_commit = commit.len() >= SHORT && commit.chars().all(|it| it.is_ascii_hexdigit());
    let short = is_commit.then(|| commit[..SHORT].to_owned())?;
    Some(match text.contains("\"dirty\": true") {
        true => format!("{short}, with changes"),
        false => short,
    })
}

/// The commit that is checked out, when the manifest is a tracked file of a git repository. Cargo is told
/// to come back when it moves.
fn checked_out_commit(manifest: &Path) -> Option<String> {
    git(manifest, &["ls-files", "--error-unmatch", "Cargo.toml"])?;
    let commit = git(
        manifest,
        &["rev-parse", &format!("--short={SHORT}"), "HEAD"],
    )?;
    let mut watched = vec!["HEAD".to_owned(), "packed-refs".to_owned()];
    watched.extend(git(manifest, &["symbolic-ref", "--quiet", "HEAD"]));
    for name in watched {
        // `--git-path` knows where a worktree keeps each of them.
        if let Some(path) = git(manifest, &["rev-parse", "--git-path", &name]) {
            let path = manifest.join(path);
            // A path that is not there would make cargo run this script every time.
            if path.exists() {
                println!("cargo::rerun-if-changed={}", path.display());
            }
        }
    }
    Some(commit)
}

/// One line of git's answer, or nothing where there is no git, no repository or no answer.
fn git(directory: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(directory)
        .args(arguments)
        .output()
        .ok()?;
    let line = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !line.is_empty()).then_some(line)
}

/// `git2 0.21.0`, … as the nearest `Cargo.lock` has them; those that it does not name are left out.
fn locked_versions(manifest: &Path) -> Vec<String> {
    let folders = manifest.ancestors().take(2);
    let mut locks = folders.map(|folder| folder.join("Cargo.lock"));
    let Some(lock) = locks.find(|path| path.is_file()) else {
        return Vec::new();
    };
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = std::fs::read_to_string(lock).unwrap_or_default();
    let version = |library: &&str| {
        let name = format!("name = \"{library}\"");
        let mut lines = text.lines().skip_while(|line| *line != name).skip(1);
        let version = lines.next()?.strip_prefix("version = \"")?;
        Some(format!("{library} {}", version.trim_end_matches('"')))
    };
    LIBRARIES.iter().filter_map(version).collect()
}
