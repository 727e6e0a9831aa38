//! Files without a grammar, which are read as lines: CMake, Python.

use crate::support::files::Files;
use crate::support::patched;
use crate::support::scratch::Scratch;
use crate::support::upstream::Tags;

const CMAKE: &str = "\
project(quill)
# target_sources is below
if(QUILL_GPU)
  target_sources(
    quill
    PRIVATE a.cpp
  )
endif()
target_sources(
  quill
  PRIVATE b.cpp
)
";
const PYTHON: &str = "\
class Linear:
    def __call__(self, x):
        return x

    def quiet(self, x):
        return x
";

fn overlay(file: &str, anchor: &str, text: &str) -> String {
    format!(
        "schema: 1\noverlay: lines\ntitle: Lines\nwhy: To have them.\nfile: {file}\nhunks:\n  - id: one\n    edits:\n      \
         - at: {{ {anchor} }}\n        insert: |\n          {text}\n"
    )
}

/// An upstream with the releases 1.0.0 and 1.1.0, of which the second changes what `change` gives.
fn upstream(scratch: &mut Scratch, change: impl Fn(&str) -> String) {
    let mut upstream = scratch.upstream();
    for release in ["1.0.0", "1.1.0"] {
        let text = |text: &str| match release {
            "1.0.0" => text.to_owned().into_bytes(),
            _ => change(text).into_bytes(),
        };
        let files = Files::from([
            ("CMakeLists.txt".to_owned(), text(CMAKE)),
            ("python/layers.py".to_owned(), text(PYTHON)),
        ]);
        upstream.commit(release, "Release", &files);
        upstream.tag(release, &format!("v{release}"), Tags::Lightweight);
    }
}

fn repository(change: impl Fn(&str) -> String, overlay: &str) -> Scratch {
    let mut scratch = Scratch::new();
    upstream(&mut scratch, change);
    scratch.write("overlays/lines.yaml", overlay);
    scratch
}

/// Text that Python and CMake take and C++ does not.
const TEXT: &str = "# it isn't C++: \"";

#[test]
fn line_is_found_among_equal_ones_by_the_line_above() {
    let anchor = "line: quill, under: if(QUILL_GPU), position: after";
    let moved = |text: &str| format!("# a new head\n{text}");
    let scratch = repository(moved, &overlay("CMakeLists.txt", anchor, TEXT));
    let first = scratch.run("bump --mlx 1.0.0 --reviewed one");
    assert_eq!(first.code, Some(0), "{first}");
    // The second locator and the shape agree: nobody is asked.
    let second = scratch.run("bump --mlx 1.1.0");
    assert_eq!(second.code, Some(0), "{second}");
    scratch.write("tree/CMakeLists.txt", moved(CMAKE));
    scratch.write("tree/python/layers.py", moved(PYTHON));
    let applied = scratch.run("apply tree");
    assert_eq!(applied.code, Some(0), "{applied}");
    let text = scratch.read("tree/CMakeLists.txt");
    let read = patched::read(text.as_bytes()).unwrap();
    assert_eq!(read.upstream, moved(CMAKE).into_bytes());
    assert_eq!(
        (&*read.edits[0].edit, read.edits[0].above),
        ("lines/one.1", 7)
    );
    assert!(text.contains("\n# patchctl:begin lines/one.1 "), "{text}");
    assert!(
        text.contains(&format!("\n{TEXT}\n# patchctl:end lines/one.1\n")),
        "{text}"
    );
    for line in [
        "status --check",
        "verify --all-pins",
        "apply tree --check",
        "diff",
    ] {
        let outcome = scratch.run(line);
        assert_eq!(outcome.code, Some(0), "{line}: {outcome}");
    }
    scratch.write(
        "overlays/lines.yaml",
        overlay(
            "python/layers.py",
            "line: 'class Linear:', position: before",
            TEXT,
        ),
    );
    let elsewhere = scratch.run("bump --all-pins --reviewed one");
    assert_eq!(elsewhere.code, Some(0), "{elsewhere}");
    let again = scratch.run("apply tree");
    assert_eq!(again.code, Some(0), "{again}");
    assert_eq!(scratch.read("tree/CMakeLists.txt"), moved(CMAKE));
}

#[test]
fn refusals_name_what_to_write() {
    let same = str::to_owned;
    for (file, anchor, exit, shows) in [
        (
            "CMakeLists.txt",
            "line: quill, position: after",
            1,
            "is in CMakeLists.txt 2 times",
        ),
        (
            "CMakeLists.txt",
            "line: quil, position: after",
            1,
            "line `quill`",
        ),
        (
            "CMakeLists.txt",
            "function: project, position: before",
            1,
            "name one, `line: …`",
        ),
        (
            "python/layers.py",
            "line: return x, under: 'def loud(self, x):', position: before",
            1,
            "return x",
        ),
        ("quill.cpp", "line: quill, position: after", 1, "quill.cpp"),
        (
            "CMakeLists.txt",
            "line: ' quill', position: after",
            2,
            "without the white space around it",
        ),
        (
            "CMakeLists.txt",
            "under: if(A), include: <a>, position: after",
            2,
            "needs a `line`",
        ),
        (
            "CMakeLists.txt",
            "line: quill, position: end",
            2,
            "a line can have `before`, `after`",
        ),
    ] {
        let scratch = repository(same, &overlay(file, anchor, "# text"));
        let before = scratch.snapshot();
        let outcome = scratch.run("bump --mlx 1.0.0 --reviewed one");
        assert_eq!(outcome.code, Some(exit), "{anchor}: {outcome}");
        assert!(outcome.shown().contains(shows), "{anchor}: {outcome}");
        assert!(before.differences(&scratch.snapshot()).is_empty());
    }
}

#[test]
fn another_line_above_is_new_surroundings() {
    let anchor = "line: return x, under: 'def __call__(self, x):', position: before";
    let renamed = |text: &str| text.replace("class Linear:", "class Dense:");
    let scratch = repository(renamed, &overlay("python/layers.py", anchor, "x = x + 1"));
    let first = scratch.run("bump --mlx 1.0.0 --reviewed one");
    assert_eq!(first.code, Some(0), "{first}");
    // Without the first pin's text nothing but the shape speaks for the place.
    std::fs::remove_file(scratch.path("overlays/lock.yaml")).unwrap();
    std::fs::remove_file(scratch.path("overlays/pins.yaml")).unwrap();
    std::fs::remove_dir_all(scratch.path("tests/snapshots")).unwrap();
    let second = scratch.run("bump --mlx 1.1.0");
    assert!(second.needs_review(), "{second}");
    let same = scratch.run("bump --mlx 1.0.0");
    assert_eq!(same.code, Some(0), "{same}");
}
