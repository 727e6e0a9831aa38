//! Several pins: carried anew together, taken out, and the other places where the current one is written.

use crate::support::files::Files;
use crate::support::pinned::{OVERLAY, pinned};
use crate::support::reviewing::only_what_waits;
use crate::support::scratch::Scratch;
use crate::support::upstream::Tags;

const PLACES: &str = "\
schema: 1
upstream: { name: quill, sources: [crates] }
overlays: overlays
pin:
  authority: { file: CMakeLists.txt, cmake: quill, form: tag }
  follows:
    - { file: README.md, regex: 'quill ([0-9.]+)', form: release }
";

const CMAKE: &str = "FetchContent_Declare(quill\r\n  GIT_TAG v1.0.0 # the pin\r\n)\r\n";

#[test]
fn changed_overlay_is_carried_to_all_pins() {
    let scratch = pinned();
    scratch.write(
        "overlays/budget.yaml",
        OVERLAY.replace("int budget();", "long budget();"),
    );
    let disagreeing = scratch.run("verify --all-pins");
    assert_eq!(disagreeing.code, Some(1), "{disagreeing}");
    let before = scratch.snapshot();
    let unreviewed = scratch.run("bump --all-pins");
    assert_eq!(unreviewed.code, Some(1), "{unreviewed}");
    only_what_waits(&before, &scratch.snapshot()).unwrap();
    let bump = scratch.run("bump --all-pins --reviewed budget/read");
    assert_eq!(
        (bump.code, bump.json()["results"].as_array().unwrap().len()),
        (Some(0), 2),
        "{bump}"
    );
    assert_eq!(
        scratch
            .read("overlays/lock.yaml")
            .matches("long budget();")
            .count(),
        2
    );
    assert!(
        scratch
            .read("overlays/pins.yaml")
            .contains("current: 1.1.0")
    );
    let verified = scratch.run("verify --all-pins");
    assert_eq!(verified.code, Some(0), "{verified}");
}

#[test]
fn mutants_without_an_encoder_end_with_3() {
    let scratch = pinned();
    let verified = scratch.run("verify --mutants --all-pins");
    assert_eq!(verified.code, Some(3), "{verified}");
    let json = verified.json();
    let not_run = json["not_run"].as_array().unwrap().iter();
    let mutants = not_run.filter(|it| it["what"] == "mutants");
    let on: Vec<_> = mutants.map(|it| it["on"].clone()).collect();
    assert_eq!(on, [serde_json::json!(["1.0.0", "1.1.0"])], "{verified}");
    assert_eq!(json.get("mutants"), None, "{verified}");
    let both = scratch.run("verify --mutants --level structure");
    assert_eq!(both.code, Some(2), "{both}");
    let other = OVERLAY.replace("int budget();", "long budget();");
    scratch.write("overlays/budget.yaml", other);
    let failed = scratch.run("verify --mutants");
    assert_eq!(failed.code, Some(1), "{failed}");
    let not_run = &failed.json()["not_run"];
    assert_eq!(not_run[0]["what"], "mutants", "{failed}");
    assert_eq!(not_run[0]["why"], "the overlays do not hold as they are");
}

#[test]
fn a_pin_that_was_taken_out_goes_out_of_the_lock() {
    let scratch = pinned();
    let pins = scratch.read("overlays/pins.yaml");
    let first = pins.find("- release: 1.0.0").unwrap();
    let second = pins.find("- release: 1.1.0").unwrap();
    scratch.write(
        "overlays/pins.yaml",
        format!("{}{}", &pins[..first], &pins[second..]),
    );
    assert_eq!(scratch.run("status --check").code, Some(1));
    let bump = scratch.run("bump --all-pins");
    assert_eq!(bump.code, Some(0), "{bump}");
    assert!(!scratch.read("overlays/lock.yaml").contains("1.0.0"));
    assert_eq!(scratch.run("status --check").code, Some(0));
}

#[test]
fn revision_or_all_pins_is_needed() {
    let scratch = pinned();
    for line in [
        "bump",
        "bump --mlx 1.0.0 --all-pins",
        "bump --all-pins --keep-current",
    ] {
        assert_eq!(scratch.run(line).code, Some(2), "{line}");
    }
}

#[test]
fn bump_rewrites_places_and_reports_followers() {
    let scratch = pinned();
    scratch.write("patchctl.yaml", PLACES);
    scratch.write("CMakeLists.txt", CMAKE);
    scratch.write("README.md", "Needs quill 1.0.0 or so\n");
    let behind = scratch.run("verify");
    assert!(behind.codes().contains("pin-authority-differs"), "{behind}");
    assert_eq!(behind.code, Some(1));
    let bump = scratch.run("bump --mlx 1.1.0");
    assert_eq!(bump.code, Some(0), "{bump}");
    assert_eq!(
        scratch.read("CMakeLists.txt"),
        CMAKE.replace("v1.0.0", "v1.1.0")
    );
    assert_eq!(scratch.read("README.md"), "Needs quill 1.0.0 or so\n");
    let after = scratch.run("verify");
    assert_eq!(after.code, Some(0), "{after}");
    assert!(after.shown().contains("pin-follower-differs"), "{after}");
}

#[test]
fn missing_place_stops_the_bump() {
    let scratch = pinned();
    scratch.write("patchctl.yaml", PLACES);
    scratch.write("CMakeLists.txt", "# nothing\n");
    scratch.write("README.md", "Needs quill 1.0.0 or so\n");
    let before = scratch.snapshot();
    let bump = scratch.run("bump --mlx 1.0.0");
    assert_eq!(bump.code, Some(2), "{bump}");
    assert!(bump.codes().contains("place-not-there"), "{bump}");
    assert_eq!(
        before.differences(&scratch.snapshot()),
        Vec::<String>::new()
    );
}

#[test]
fn folder_without_a_commit_is_not_pinned() {
    let mut scratch = pinned();
    let text = "int limit() {\n  return 50;\n}\n";
    scratch.write("tree/quill/gpu.cpp", text);
    scratch.write(
        "tree/mlx/version.h",
        "#define MLX_VERSION_MAJOR 1\n#define MLX_VERSION_MINOR 1\n#define MLX_VERSION_PATCH 0\n",
    );
    scratch.set_source(Some("dir:tree".to_owned()));
    let before = scratch.snapshot();
    let verified = scratch.run("verify --mlx 1.1.0");
    assert_eq!(verified.code, Some(0), "{verified}");
    let bump = scratch.run("bump --mlx 1.1.0");
    assert_eq!(bump.code, Some(2), "{bump}");
    assert_eq!(
        before.differences(&scratch.snapshot()),
        Vec::<String>::new()
    );
}

/// A merge from 1.0.0, the pin, conflicts on 1.2.0. One from 1.1.0, which is as reviewed and no pin, would not.
#[test]
fn a_verdict_depends_on_nothing_else_that_is_asked() {
    let mut scratch = Scratch::new();
    let mut upstream = scratch.upstream();
    for (release, before, sum) in [
        ("1.0.0", "first", "a * b"),
        ("1.1.0", "other", "a * b"),
        ("1.2.0", "other", "a + b"),
    ] {
        let text = format!(
            "int {before}();\nint limit() {{\n  int a = 1;\n  int b = 2;\n  return {sum};\n}}\n"
        );
        let files = Files::from([("quill/gpu.cpp".to_owned(), text.into_bytes())]);
        upstream.commit(release, "Release", &files);
        upstream.tag(release, &format!("v{release}"), Tags::Lightweight);
    }
    scratch.write("overlays/budget.yaml", OVERLAY);
    let bump = scratch.run("bump --mlx 1.0.0 --reviewed read");
    assert_eq!(bump.code, Some(0), "{bump}");
    let result_of = |line: &str| {
        let outcome = scratch.run(line);
        let json = outcome.json();
        let mut results = json["results"].as_array().unwrap().iter();
        results.find(|it| it["release"] == "1.2.0").unwrap().clone()
    };
    let alone = result_of("verify --mlx 1.2.0 --level structure");
    assert_eq!(alone["status"], "needs-review", "{alone:#}");
    for line in [
        "verify --releases >=1.0.0 --level structure",
        "verify --mlx 1.1.0 --mlx 1.2.0 --level structure",
    ] {
        assert_eq!(result_of(line), alone, "{line}");
    }
}
