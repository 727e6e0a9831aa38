//! The repository that most end-to-end tests begin with: an overlay over two files of a small upstream called
//! quill, which has the releases 1.0.0 and 1.1.0. Both are those of a case of the corpus.

use std::path::Path;

use super::case::Case;
use super::outcome::Outcome;
use super::play::Player;

/// The case whose upstream and overlay are taken.
const CASE: &str = "../tests/corpus/working/overlay-over-two-files";

/// With nothing locked yet.
pub fn fresh() -> Player {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(CASE);
    Player::new(Case::read(&folder).expect("the case is well-formed"))
}

/// Locked at 1.0.0, every hunk accepted. A bump to 1.1.0 then ends with 0.
pub fn pinned() -> Player {
    let quill = fresh();
    let outcome = quill.scratch.run(&quill.acceptance("1.0.0"));
    assert_eq!(outcome.code, Some(0), "{outcome}");
    quill
}

/// Locked at 1.0.0, and the folder `tree` of the repository holds upstream's files of that release.
pub fn with_tree() -> Player {
    let quill = pinned();
    quill.scratch.write_all("tree", quill.files_of("1.0.0"));
    quill
}

/// Runs `line` in `quill`: it has to end with `exit`, show `shows` in its findings and change no file.
pub(crate) fn refused(quill: &Player, line: &str, exit: i32, shows: &[&str]) -> Outcome {
    let before = quill.scratch.snapshot();
    let outcome = quill.scratch.run(line);
    assert_eq!(outcome.code, Some(exit), "{outcome}");
    assert_eq!(outcome.json()["ok"], false, "{outcome}");
    let shown = outcome.shown();
    for text in shows {
        assert!(shown.contains(text), "{text} is not shown\n{outcome}");
    }
    let differences = before.differences(&quill.scratch.snapshot());
    assert!(differences.is_empty(), "{differences:?}\n{outcome}");
    outcome
}
