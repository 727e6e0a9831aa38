//! A repository with pins, for tests of what comes after a bump.

use super::files::Files;
use super::scratch::Scratch;
use super::upstream::Tags;

/// An overlay with one hunk, `read`, for every release.
pub const OVERLAY: &str = "\
schema: 1
overlay: budget
title: A budget
why: To have one.
file: quill/gpu.cpp
releases: '>=1.0.0'
hunks:
  - id: read
    edits:
      - at: { function: limit, position: before }
        insert: |
          int budget();
";

/// An upstream with 1.0.0 and 1.1.0, and a repository pinned to both, 1.1.0 current.
pub fn pinned() -> Scratch {
    let mut scratch = Scratch::new();
    let mut upstream = scratch.upstream();
    for release in ["1.0.0", "1.1.0"] {
        let text = format!("// {release}\nint limit() {{\n  return 50;\n}}\n");
        let files = Files::from([("quill/gpu.cpp".to_owned(), text.into_bytes())]);
        upstream.commit(release, "Release", &files);
        upstream.tag(release, &format!("v{release}"), Tags::Lightweight);
    }
    scratch.write("overlays/budget.yaml", OVERLAY);
    for release in ["1.0.0", "1.1.0"] {
        let bump = scratch.run(&format!("bump --mlx {release} --reviewed read"));
        assert_eq!(bump.code, Some(0), "{bump}");
    }
    scratch
}
