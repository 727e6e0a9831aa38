//! `diff`: what the overlays add, from the lock, in a form that git applies.

use std::fs;
use std::path::Path;

use crate::program::ran;
use crate::support::locked::{PATCHED, Repository, patched};
use crate::support::upstream::git;

const DIFF: &str = "\
--- a/mlx/device.cpp
+++ b/mlx/device.cpp
@@ -2,0 +3,3 @@ budget/read.1
+// patchctl:begin budget/read.1 0123456789ab
+  if (over > 0) wanted = over;
+// patchctl:end budget/read.1
";

#[test]
fn git_applies_the_diff_of_the_lock() {
    let repository = Repository::new();
    let mut command = repository.command();
    command.args(["--offline", "diff"]).env("PATH", "");
    let shown = ran(&mut command);
    assert_eq!((shown.status, shown.stdout.as_str()), (0, DIFF));
    let json = repository.run("--format json diff").json();
    assert_eq!((&json["ok"], &json["text"]), (&true.into(), &DIFF.into()));

    assert_eq!(
        applied_by_git(&repository, DIFF, &["--unidiff-zero"]),
        patched()
    );
}

#[test]
fn git_applies_the_diff_with_context() {
    let repository = Repository::new();
    let shown = repository.run("diff --context 1");
    assert_eq!(shown.status, 0, "{shown:?}");
    assert!(
        shown.stdout.contains("\n   int wanted = 50;\n+//"),
        "{}",
        shown.stdout
    );
    assert!(
        shown.stdout.ends_with("budget/read.1\n   return wanted;\n"),
        "{}",
        shown.stdout
    );
    assert_eq!(applied_by_git(&repository, &shown.stdout, &[]), patched());
}

fn applied_by_git(repository: &Repository, diff: &str, options: &[&str]) -> Vec<u8> {
    let tree = repository.lay_out("by-git");
    git(&tree, &["init", "--quiet"]);
    fs::write(tree.join("a.diff"), diff).unwrap();
    git(&tree, &[&["apply"], options, &["a.diff"]].concat());
    fs::read(Path::new(&tree).join(PATCHED)).unwrap()
}
