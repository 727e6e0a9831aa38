//! A pull request's text is whole, and obeys nothing that comes from outside.

use super::*;
use crate::report::{
    Bump, BumpedFile, Check, Code, Distance, Finding, Measured, Named, NotRun, Proof,
    ReleaseResult, Status, Step, UpstreamCommit, UpstreamDid,
};

fn named(release: &str, revision: &str) -> Named {
    Named {
        release: release.to_owned(),
        revision: revision.to_owned(),
    }
}

fn bump() -> Bump {
    Bump {
        from: Some(named("0.32.0", "7a1d4f5c12ac82f4")),
        to: named("0.32.2", "1f8e74e3f12f3136"),
        range: Some(Distance {
            commits: 61,
            files: 1,
        }),
        range_unknown: None,
        files: vec![BumpedFile {
            path: "mlx/device.cpp".to_owned(),
            upstream: UpstreamDid::Changed,
            edits: 3,
        }],
        upstream_commits: vec![UpstreamCommit {
            revision: "c8292ea11c8292ea11".to_owned(),
            described: "v0.32.0-3-gc8292ea".to_owned(),
            subject: "Move needs_commit | @all (#12)".to_owned(),
            files: vec!["mlx/device.cpp".to_owned()],
        }],
    }
}

fn report() -> Report {
    Report {
        ok: false,
        steps: vec![Step {
            name: "resolve".to_owned(),
            what: "v0.32.2 from git".to_owned(),
        }],
        results: vec![ReleaseResult {
            release: "0.32.2".to_owned(),
            revision: "1f8e74e3f12f31365464".to_owned(),
            status: Status::NeedsReview,
            level: "structure".to_owned(),
            landed: vec!["budget/read.1: f(), line 512 (new)".to_owned()],
            shown: vec!["compile: the file compiles".to_owned()],
            measured: vec![Measured {
                what: "command buffers".to_owned(),
                phase: "prefill".to_owned(),
                under: "50 ops, budget".to_owned(),
                value: 22.into(),
                unit: "a prompt".to_owned(),
            }],
            findings: vec![
                Finding::new(Code::NeedsReviewShape, "nobody has reviewed `f`")
                    .hunk("budget/read")
                    .file("mlx/device.cpp")
                    .line(512)
                    .excerpt("bool f() {\n")
                    .help("upstream commit c8292ea11 changed this code\nlook at it"),
            ],
        }],
        checks: vec![Check {
            name: "stub".to_owned(),
            status: Status::Passed,
            what: "reads 0".to_owned(),
            findings: vec![],
        }],
        bump: Some(bump()),
        proven: vec![Proof {
            release: "0.32.2".to_owned(),
            level: "structure".to_owned(),
            host: "linux-x86_64".to_owned(),
            by: "patchctl 0.1.0".to_owned(),
            suite: None,
            older_suite: false,
        }],
        findings: vec![
            Finding::new(Code::MovingRevision, "`main` is a branch").help("name a commit"),
        ],
        not_run: vec![NotRun {
            on: vec!["0.32.2".to_owned()],
            what: "run".to_owned(),
            why: "clang is not installed".to_owned(),
            help: Some("install clang 16".to_owned()),
        }],
        next: vec!["patchctl bump --mlx 0.32.2 --reviewed budget/read".to_owned()],
        ..Report::new("bump")
    }
}

#[test]
fn a_bump_is_told_whole() {
    let expected = "\
## patchctl bump: 0.32.0 → 0.32.2

**needs review**: 1 release: 1 needs review; 1 check: 1 passed; not run: run (clang is not installed)

| | release | commit |
| --- | --- | --- |
| old | 0.32.0 | `7a1d4f5c12ac82f4` |
| new | 0.32.2 | `1f8e74e3f12f3136` |

Between them: 61 commits and 1 changed file.

### Results

| result | release | commit | level |
| --- | --- | --- | --- |
| needs review | 0.32.2 | `1f8e74e3f12f` | structure |

- `budget/read.1: f(), line 512 (new)`
- compile: the file compiles

| 0.32.2 | prefill |
| --- | --- |
| 50 ops, budget | 22 |

### Checks

| result | check | |
| --- | --- | --- |
| passed | stub | reads 0 |

### Proven

| release | level | host | by |
| --- | --- | --- | --- |
| 0.32.2 | structure | linux-x86_64 | patchctl 0.1.0 |

### Not run

| what | on | why | how to get it |
| --- | --- | --- | --- |
| run | 0.32.2 | clang is not installed | install clang 16 |

### What to do

- patchctl bump --mlx 0.32.2 --reviewed budget/read

### Files

| file | upstream | edits | upstream commits |
| --- | --- | --- | --- |
| `mlx/device.cpp` | changed | 3 | 1 |

### Upstream commits that change these files

| commit | | subject | files |
| --- | --- | --- | --- |
| `c8292ea11c82` | v0.32.0-3-gc8292ea | <code>Move needs_commit &#124; @all (#12)</code> | `mlx/device.cpp` |

### What was done

- resolve: v0.32.2 from git

### Findings

**review** `needs-review-shape` in `budget/read`, `mlx/device.cpp:512`

nobody has reviewed `f`

```cpp
bool f() {
```

```yaml
upstream commit c8292ea11 changed this code
look at it
```

**note** `moving-revision`

`main` is a branch

What to do: name a commit
";
    assert_eq!(render_markdown(&report()), expected);
}

#[test]
fn first_pin_and_no_history_are_told() {
    let bump = Bump {
        from: None,
        range: None,
        range_unknown: Some("crates has no history".to_owned()),
        upstream_commits: vec![],
        ..bump()
    };
    let text = render_markdown(&Report {
        bump: Some(bump),
        ..Report::new("bump")
    });
    assert!(
        text.starts_with("## patchctl bump: 0.32.2\n\n**passed**\n"),
        "{text}"
    );
    assert!(!text.contains("| old |"));
    assert!(text.contains("is not known: crates has no history."));
    assert!(text.contains("| `mlx/device.cpp` | changed | 3 | not known |"));
}

#[test]
fn too_long_sections_go_whole() {
    let mut long = report();
    let many =
        (0..40).map(|n| Finding::new(Code::Io, format!("number {n}")).excerpt("x".repeat(4000)));
    long.findings = many.collect();
    let text = render_markdown(&long);
    let length = text.chars().count();
    assert!(length <= 65_536 && length > 60_000, "{length}");
    assert_eq!(text.matches("```").count() % 2, 0, "a fence is open");
    assert!(text.contains("number 13\n") && !text.contains("number 20\n"));
    let last = text.lines().last().unwrap();
    assert!(
        last.starts_with(
            "_Left out, since the body of a pull request holds 65536 characters: a finding `io`"
        ),
        "{last}"
    );
    assert!(text.contains("### What to do"));
}

#[test]
fn text_is_fenced_or_left_out_whole() {
    let text = render_markdown_text("diff", "+ a\n", "diff");
    assert_eq!(text, "## patchctl diff\n\n```diff\n+ a\n```\n");
    let text = render_markdown_text("diff", &"+ a\n".repeat(20_000), "diff");
    assert!(
        text.contains("_Left out") && text.contains("The text"),
        "{text}"
    );
}
