//! What `patchctl --version` says besides the number: the commit and the parser's version.
//!
//! The commit is asked for in release builds only, so that a developer's commit does not rebuild anything;
//! outside a git checkout (a packaged crate) there is none.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let manifest = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release")
        && let Some(commit) = commit(&manifest)
    {
        println!("cargo::rustc-env=PATCHCTL_COMMIT={commit}");
    }
    if let Some(version) = locked_version(&manifest, "tree-sitter-cpp") {
        println!("cargo::rustc-env=PATCHCTL_TREE_SITTER_CPP={version}");
    }
}

/// The commit that is checked out, when the manifest is a tracked file of a git repository. Cargo is told
/// to come back when it moves.
fn commit(manifest: &Path) -> Option<String> {
    // A crate unpacked somewhere inside an unrelated repository is not of that repository's commit.
    git(manifest, &["ls-files", "--error-unmatch", "Cargo.toml"])?;
    let commit = git(manifest, &["rev-parse", "--short=12", "HEAD"])?;
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

/// The version of a dependency in the nearest `Cargo.lock`: the grammar does not tell its own.
fn locked_version(manifest: &Path, package: &str) -> Option<String> {
    let lock = manifest
        .ancestors()
        .take(2)
        .map(|folder| folder.join("Cargo.lock"))
        .find(|path| path.is_file())?;
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = std::fs::read_to_string(lock).ok()?;
    let name = format!("name = \"{package}\"");
    let mut lines = text.lines().skip_while(|line| *line != name).skip(1);
    let version = lines.next()?.strip_prefix("version = \"")?;
    Some(version.trim_end_matches('"').to_owned())
}
