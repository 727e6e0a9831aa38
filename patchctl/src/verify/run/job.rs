//! A run of a compiler, and the ends of compilers and linkers that say nothing about the code that they were given.

use camino::{Utf8Path, Utf8PathBuf};

use crate::toolchain::{Finished, Invocation, ToolError};

/// Messages of a system without room, in the C locale.
const NO_ROOM: [&str; 2] = ["No space left on device", "Disk quota exceeded"];

/// Messages of clang's driver about its own compiler or linker: it was killed, or has a bug.
const DIED: [&str; 3] = [
    "unable to execute command",
    "PLEASE submit a bug report",
    "failed due to signal",
];

const SEE_COMPILER: &str =
    "see whether the compiler works and has memory enough; this says nothing about the overlay";

/// Something to compile.
pub(super) struct Job {
    /// For messages: the path in the tree, or the name of a file of ours.
    pub(super) name: Utf8PathBuf,
    pub(super) path: Utf8PathBuf,
    /// The target, where it is another one than this machine.
    pub(super) target: &'static str,
    /// All but the output.
    pub(super) compiler: Invocation,
    pub(super) object: Utf8PathBuf,
    pub(super) is_patched: bool,
    pub(super) is_linked: bool,
}

pub(super) fn output_to(path: &Utf8Path) -> [String; 2] {
    ["-o".to_owned(), path.to_string()]
}

/// Returns the error of a program that hangs, dies or finds no room; none where its verdict is one.
pub(super) fn broken(
    program: &str,
    cache: &Utf8Path,
    file: &Utf8Path,
    finished: &Finished,
) -> Option<ToolError> {
    if finished.too_long {
        let hangs = ToolError::broken(format!("compiling {file} takes too long"));
        return Some(hangs.help(SEE_COMPILER));
    }
    if finished.is_success() {
        return None;
    }
    let says = |words: &[&str]| words.iter().any(|word| finished.errors.contains(word));
    if says(&NO_ROOM) {
        return Some(ToolError::unusable(cache, &NO_ROOM[0].to_lowercase()));
    }
    // A shell or a driver gives 128 and more for a signal.
    let is_dead = finished.code.is_none_or(|code| code >= 128) || says(&DIED);
    is_dead.then(|| died(program, file, &finished.errors))
}

pub(super) fn died(program: &str, file: &Utf8Path, output: &str) -> ToolError {
    ToolError::broken(format!("{program} broke down over {file}"))
        .help(SEE_COMPILER)
        .output(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn became(code: Option<i32>, too_long: bool, errors: &str) -> Option<ToolError> {
        let finished = Finished {
            code,
            too_long,
            output: Vec::new(),
            errors: errors.into(),
        };
        broken("clang++", "cache".into(), "a.cpp".into(), &finished)
    }

    #[test]
    fn a_compiler_that_judges_is_believed() {
        assert_eq!(became(Some(0), false, "a.cpp: warning"), None);
        assert_eq!(became(Some(1), false, "a.cpp:1:1: error: nope"), None);
    }

    #[test]
    fn a_killed_compiler_says_nothing_of_the_code() {
        for (code, too_long, errors) in [
            (None, true, ""),
            (None, false, ""),
            (Some(139), false, ""),
            (
                Some(1),
                false,
                "clang++: error: unable to execute command: Killed",
            ),
            (Some(254), false, "PLEASE submit a bug report to …"),
            (
                Some(1),
                false,
                "fatal error: error in backend: IO failure on output stream: No space left on device",
            ),
            (
                Some(1),
                false,
                "/usr/bin/ld: final link failed: No space left on device",
            ),
        ] {
            let error = became(code, too_long, errors).unwrap();
            assert!(error.is_not_run() && error.is_broken(), "{error:?}");
            assert!(error.advice().is_some(), "{error:?}");
            let excerpt = error.finding.excerpt.as_deref();
            assert_ne!(excerpt, Some(""), "nothing to show is not shown");
        }
    }
}
