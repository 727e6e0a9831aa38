//! Every command line of the pages is run, or parsed where it stands in a sentence.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use patchctl::cli::Cli;
use regex::Regex;

use super::pages::{blocks, pages, prose, root};

/// What a block may say about itself, and what that needs.
const KINDS: [&str; 4] = ["needs-crates", "needs-cmake", "needs-mlx-git", "not-run"];

/// Lines that are run elsewhere, by what: they build this repository, and a copy of it would be built from nothing.
const ELSEWHERE: [(&str, &str); 8] = [
    ("cargo install --path patchctl", "tests/other_repository.rs"),
    ("cargo build", "ci/test"),
    ("ci/test", "ci/test"),
    (
        "cargo clippy --package patchctl --all-targets -- -D warnings",
        "ci/test",
    ),
    ("cargo test --package patchctl --lib overlay", "ci/test"),
    ("cargo run --release -- bump --mlx 0.32.2", "tests/bump.rs"),
    (
        "cargo run --package mlx-bridge --example decode_loop",
        "bridge/Cargo.toml",
    ),
    (
        "cargo run --package patchctl-apply --example build_script -- overlays/mlx/lock.yaml target/mlx 0.32.2",
        "patchctl/apply/examples/build_script.rs",
    ),
];

/// A copy of this repository, and a home beside it.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("docs-").tempdir().unwrap();
        let copy = dir.path().join("patchctl");
        fs::create_dir_all(dir.path().join("home/bin")).unwrap();
        let files = Command::new("git")
            .args([
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ])
            .current_dir(root())
            .output()
            .unwrap();
        let files = String::from_utf8(files.stdout).unwrap();
        for file in files.split('\0').filter(|file| !file.is_empty()) {
            let (from, to) = (root().join(file), copy.join(file));
            // One that was removed and not committed yet is listed still.
            if from.is_file() {
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                fs::copy(from, to).unwrap();
            }
        }
        let program = dir.path().join("home/bin/patchctl");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_patchctl"), program).unwrap();
        Self { dir }
    }

    /// Runs a script in the copy, as a reader's shell does: what a block leaves behind, the next one finds.
    fn run(&self, page: &str, script: &str, cache: &Path, network: bool) {
        let home = self.dir.path().join("home");
        let path = std::env::var("PATH").unwrap();
        let mut command = Command::new("bash");
        command
            .args(["-euo", "pipefail", "-c", script])
            .current_dir(self.dir.path().join("patchctl"))
            .env("PATH", format!("{}:{path}", home.join("bin").display()))
            .env("PATCHCTL_CACHE", cache)
            .env("NO_COLOR", "1")
            .env_remove("GITHUB_STEP_SUMMARY");
        if !network {
            // What asks for more than the repository fails, wherever the test runs.
            let home = home.to_str().unwrap();
            command.envs([("HOME", home), ("CARGO_NET_OFFLINE", "true")]);
            command.envs([("CARGO_HOME", home), ("GIT_ALLOW_PROTOCOL", "none")]);
        }
        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "{page}: {}\n{}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// A line as it is run: a comment `# exit status N` says how it ends, and a line that is run elsewhere is not.
fn runnable(line: &str) -> String {
    if ELSEWHERE
        .iter()
        .any(|(elsewhere, _)| *elsewhere == line.trim())
    {
        return ":".to_owned();
    }
    match line.split_once("# exit status ") {
        Some((command, comment)) => {
            let digits: String = comment.chars().take_while(char::is_ascii_digit).collect();
            format!("status=0; {command} || status=$?; [ $status -eq {digits} ]")
        }
        None => line.to_owned(),
    }
}

/// The script of a page, of the blocks that need nothing and those of `kind`, and the files that the page shows; none,
/// where `kind` adds no block.
fn script(page: &str, kind: Option<&str>) -> Option<String> {
    let blocks = blocks(page);
    let mut of_kind = blocks.iter().filter(|block| block.is_shell());
    if !of_kind.any(|block| block.kind() == kind) {
        return None;
    }
    let mut script = String::new();
    for block in &blocks {
        let _ = writeln!(script, "# {page}:{}", block.line);
        if let Some(file) = block.file() {
            let text = &block.text;
            let _ = writeln!(script, "cat >{file} <<'END OF BLOCK'\n{text}END OF BLOCK");
        }
        if block.is_shell() && (block.kind().is_none() || block.kind() == kind) {
            commands(&mut script, &block.text);
        }
    }
    Some(script)
}

/// The lines of a block. Text that a command is given (`<<'END'`) is no command.
fn commands(script: &mut String, text: &str) {
    let mut end_of_text: Option<&str> = None;
    for line in text.lines() {
        let is_text = end_of_text.is_some();
        match end_of_text {
            Some(end) if line == end => end_of_text = None,
            Some(_) => {}
            None => {
                let word = line.split_once("<<'").map(|(_, word)| word);
                end_of_text = word.and_then(|word| word.strip_suffix('\''));
            }
        }
        let line = if is_text {
            line.to_owned()
        } else {
            runnable(line)
        };
        let _ = writeln!(script, "{line}");
    }
}

fn run_pages(kind: Option<&str>, cache: &Path) {
    let mut count = 0;
    for page in pages() {
        if let Some(script) = script(&page, kind) {
            count += 1;
            let nothing = |line: &str| line == ":" || line.starts_with('#');
            if script.lines().all(nothing) {
                continue;
            }
            Place::new().run(&page, &script, cache, kind.is_some());
        }
    }
    assert!(count > 1, "only {count} pages have such a block");
}

#[test]
fn the_command_lines_that_need_nothing_work() {
    let cache = tempfile::tempdir().unwrap();
    run_pages(None, cache.path());
}

mod needs_crates {
    use super::*;

    #[test]
    #[ignore = "needs crates.io: takes MLX's sources from packages"]
    fn the_command_lines_that_take_mlx_work() {
        let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("crates");
        run_pages(Some("needs-crates"), &cache);
    }
}

#[test]
fn a_block_says_what_it_is_and_what_is_run_elsewhere_is_still_in_a_page() {
    let command = Regex::new(r"(?m)^\s*\$?\s*(?:patchctl|cargo|cmake|git|mdbook) ").unwrap();
    let mut shell = String::new();
    for page in pages() {
        for block in blocks(&page) {
            let place = format!("{page}:{}", block.line);
            if block.is_shell() {
                shell.push_str(&block.text);
                assert!(block.info.len() < 3, "{place}: {:?}", block.info);
                let known = block.kind().is_none_or(|kind| KINDS.contains(&kind));
                assert!(known, "{place}: {:?} is none of {KINDS:?}", block.info);
            } else {
                let language = block.info.first().map_or("", String::as_str);
                let known = [
                    "yaml", "json", "rust", "cpp", "cmake", "text", "toml", "mermaid",
                ];
                assert!(
                    known.contains(&language),
                    "{place}: {language:?} is none of {known:?}"
                );
                let found = command.find(&block.text).map(|it| it.as_str());
                assert_eq!(found, None, "{place}: commands stand in blocks of `sh`");
            }
        }
    }
    for (line, by) in ELSEWHERE {
        assert!(
            shell.lines().any(|it| it.trim() == line),
            "no page has `{line}`"
        );
        assert!(root().join(by).exists(), "{by}");
    }
}

#[test]
fn a_command_line_in_a_sentence_is_one_that_patchctl_takes() {
    let code = Regex::new(r"`(patchctl [a-z-][^`]*)`").unwrap();
    let mut count = 0;
    for page in pages() {
        for found in code.captures_iter(&prose(&page)) {
            let line = found[1].replace(" CODE", " premise-failed");
            // A part is left out, or there is a choice.
            if line.contains(['…', '|', '[']) || line.contains(" COMMAND") {
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            // A command alone is a name.
            if words.len() == 2 && !words[1].starts_with('-') {
                assert!(
                    Cli::command().find_subcommand(words[1]).is_some() || words[1] == "help",
                    "{page}: {line}"
                );
                continue;
            }
            count += 1;
            let error = Cli::try_parse_from(&words).err();
            let error = error.filter(clap::Error::use_stderr);
            // An option is named, without a value.
            let last = words.last().is_some_and(|word| word.starts_with("--"));
            let error = error.filter(|it| !(last && it.kind() == ErrorKind::InvalidValue));
            assert!(error.is_none(), "{page}: `{line}`: {}", error.unwrap());
        }
    }
    assert!(count > 20, "{count}");
}

#[test]
fn a_line_with_an_exit_status_is_held_to_it() {
    let run = |line: &str| {
        let status = Command::new("bash")
            .args(["-euc", &runnable(line)])
            .status();
        status.unwrap().success()
    };
    assert!(run("false   # exit status 1: it says no"));
    assert!(!run("true    # exit status 1"));
    assert!(!run("exit 3  # exit status 1"));
    assert!(run("true    # a comment"));
    assert!(!run("false   # a comment"));
}
