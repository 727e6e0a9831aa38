//! What the documentation tells a reader to type.

use std::path::Path;
use std::process::Command;

use crate::program::run;

#[test]
fn the_configuration_that_the_readme_makes_is_one() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let makes_it = |line: &&str| line.starts_with("printf ") && line.ends_with("> patchctl.yaml");
    let line = readme.lines().find(makes_it).expect("the README's line");
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("overlays/mlx")).unwrap();
    let mut shell = Command::new("sh");
    let made = shell.args(["-c", line]).current_dir(folder.path()).status();
    assert!(made.unwrap().success());
    let status = run(folder.path(), "status --check");
    assert_eq!(status.status, 0, "{status:?}");
    let sources = "git:https://github.com/ml-explore/mlx, crates";
    assert!(status.stdout.contains(sources), "{}", status.stdout);
}

#[test]
fn the_reference_pages_are_what_the_schemas_give() {
    let folder = tempfile::tempdir().unwrap();
    for page in ["overlay", "config", "pins"] {
        let made = run(folder.path(), &format!("schema {page} --markdown")).stdout;
        let path = format!("{}/../docs/reference/{page}.md", env!("CARGO_MANIFEST_DIR"));
        let committed = std::fs::read_to_string(&path).unwrap();
        assert!(
            committed == made,
            "write it anew: patchctl schema {page} --markdown > docs/reference/{page}.md"
        );
    }
}
