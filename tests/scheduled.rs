//! The scheduled job's scripts, run in a repository of their own: a bump to what is newest, and its draft pull
//! request through a `gh` that writes down what it is told.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::files::Files;
use crate::support::pinned::OVERLAY;
use crate::support::scratch::Scratch;
use crate::support::upstream::{Tags, Upstream, git};

const OLD: &str = "int limit() {\n  return 50;\n}\n";
/// Another body in another place: somebody has to look.
const RESHAPED: &str =
    "namespace n {\nint limit() {\n  int a = 3;\n  int b = 4;\n  return a * b;\n}\n}\n";
const GONE: &str = "int bound() {\n  return 50;\n}\n";

struct Job {
    scratch: Scratch,
}

impl Job {
    /// A repository pinned to 1.0.0, with the scripts in it, a remote, and upstream's 1.1.0 as `newer` has it.
    fn new(newer: Option<&str>) -> Self {
        let mut scratch = Scratch::new();
        let mut upstream = scratch.upstream();
        release(&mut upstream, "1.0.0", OLD);
        scratch.write("overlays/budget.yaml", OVERLAY);
        let bump = scratch.run("bump --mlx 1.0.0 --reviewed read");
        assert_eq!(bump.code, Some(0), "{bump}");
        if let Some(text) = newer {
            release(&mut upstream, "1.1.0", text);
        }
        // The scripts take the sources from the configuration.
        let config = scratch.read("patchctl.yaml");
        let there = upstream.path().to_str().unwrap();
        scratch.write("patchctl.yaml", config.replace("/nowhere/quill.git", there));
        scratch.write(".gitignore", "/target/\n/.patchctl/\n*.snap.new\n");
        for script in ["bump", "pull-request"] {
            let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ci/scheduled");
            scratch.write(
                &format!("ci/scheduled/{script}"),
                fs::read(from.join(script)).unwrap(),
            );
            executable(&scratch.path(&format!("ci/scheduled/{script}")));
        }
        let remote = scratch.beside("remote.git");
        let root = scratch.root();
        git(&root, &["init", "--quiet", "--initial-branch", "main"]);
        git(&root, &["add", "--all"]);
        git(&root, &["commit", "--quiet", "--message", "start"]);
        git(
            &root,
            &["init", "--quiet", "--bare", remote.to_str().unwrap()],
        );
        git(
            &root,
            &["remote", "add", "origin", remote.to_str().unwrap()],
        );
        git(&root, &["push", "--quiet", "origin", "main"]);
        let gh = scratch.beside("bin/gh");
        fs::create_dir(gh.parent().unwrap()).unwrap();
        fs::write(&gh, "#!/bin/sh\nprintf '%s\\n' \"$@\" >>\"$HOME/gh\"\n").unwrap();
        executable(&gh);
        Self { scratch }
    }

    fn run(&self, script: &str) -> Output {
        let output = self.try_to_run(script);
        let both = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
        assert!(output.status.success(), "{script}: {}", both.concat());
        output
    }

    fn try_to_run(&self, script: &str) -> Output {
        let path = std::env::var("PATH").unwrap();
        let bin = self.scratch.beside("bin");
        Command::new(self.scratch.path(&format!("ci/scheduled/{script}")))
            .env_clear()
            .env("PATH", format!("{}:{path}", bin.display()))
            .env("HOME", self.scratch.home())
            .env("PATCHCTL", env!("CARGO_BIN_EXE_patchctl"))
            .env("PATCHCTL_CACHE", self.scratch.cache())
            .env("GITHUB_OUTPUT", self.scratch.beside("output"))
            .env("GH_TOKEN", "none")
            .output()
            .unwrap()
    }

    /// The other job has a checkout of its own, with what this one handed on.
    fn checkout_anew(&self) {
        let root = self.scratch.root();
        git(&root, &["checkout", "--quiet", "--", "."]);
        let ignored_too = ["clean", "--quiet", "--force", "-dx", "--exclude=/target/"];
        git(&root, &ignored_too);
    }

    fn found(&self) -> String {
        fs::read_to_string(self.scratch.beside("output")).unwrap()
    }

    /// What `gh` was told, a word a line.
    fn told(&self) -> String {
        fs::read_to_string(self.scratch.home().join("gh")).unwrap_or_default()
    }

    fn remote(&self, arguments: &[&str]) -> String {
        git(&self.scratch.beside("remote.git"), arguments)
    }
}

fn executable(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn release(upstream: &mut Upstream, name: &str, text: &str) {
    let files = Files::from([("quill/gpu.cpp".to_owned(), text.as_bytes().to_vec())]);
    upstream.commit(name, "Release", &files);
    upstream.tag(name, &format!("v{name}"), Tags::Lightweight);
}

#[test]
fn a_newer_release_that_takes_every_hunk_becomes_a_draft_with_the_new_pin() {
    let job = Job::new(Some(&format!("int other();\n{OLD}")));
    job.run("bump");
    assert_eq!(job.found(), "release=1.1.0\n");
    let root = job.scratch.root();
    assert_eq!(
        git(&root, &["branch", "--list"]),
        "* main",
        "the bump commits nothing"
    );
    job.checkout_anew();
    job.run("pull-request");
    let changed = job.remote(&["diff", "--name-only", "main", "bump/mlx-1.1.0"]);
    assert!(changed.contains("overlays/pins.yaml"), "{changed}");
    assert!(changed.contains("overlays/lock.yaml"), "{changed}");
    let told = job.told();
    assert!(told.contains("pr\ncreate\n--draft\n"), "{told}");
    assert!(told.contains("--title\nMLX 1.1.0\n"), "{told}");
    let body = job.scratch.read("target/bump/report.md");
    assert!(body.contains("1.1.0") && body.contains("1.0.0"), "{body}");

    // Asked again, it leaves what a person may have changed.
    let before = job.told();
    git(&root, &["switch", "--quiet", "main"]);
    git(
        &root,
        &["branch", "--quiet", "--delete", "--force", "bump/mlx-1.1.0"],
    );
    job.run("pull-request");
    assert_eq!(job.told(), format!("{before}auth\nsetup-git\n"));
}

#[test]
fn a_release_that_needs_review_or_takes_no_hunk_becomes_a_draft_that_says_so() {
    for text in [RESHAPED, GONE] {
        let job = Job::new(Some(text));
        job.run("bump");
        assert_eq!(job.found(), "release=1.1.0\n");
        job.checkout_anew();
        job.run("pull-request");
        let told = job.told();
        assert!(
            told.contains("--title\nMLX 1.1.0: needs a look\n"),
            "{told}"
        );
        let body = job.scratch.read("target/bump/report.md");
        assert!(body.contains("budget/read"), "{body}");
        let pins = job.remote(&["show", "bump/mlx-1.1.0:overlays/pins.yaml"]);
        assert!(!pins.contains("1.1.0"), "nothing is pinned: {pins}");
        let files = job.remote(&["ls-tree", "-r", "--name-only", "bump/mlx-1.1.0"]);
        let pending = files.contains("budget@1.1.0.snap.new");
        assert_eq!(pending, text == RESHAPED, "{files}");
    }
}

#[test]
fn without_a_newer_release_there_is_no_bump() {
    let job = Job::new(None);
    job.run("bump");
    assert_eq!(job.found(), "release=\n");
    assert!(!job.scratch.path("target/bump/report.md").exists());
}

#[test]
fn a_source_that_cannot_be_asked_ends_the_job_although_another_one_knows_of_nothing_newer() {
    let job = Job::new(None);
    let config = job.scratch.read("patchctl.yaml");
    let missing = "  sources:\n    - git: /nowhere/quill.git\n";
    let config = config.replace("  sources:\n", missing);
    job.scratch.write("patchctl.yaml", config);
    let output = job.try_to_run("bump");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}
