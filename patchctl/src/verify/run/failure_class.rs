//! Starts compilers and linkers, and tells an end that says nothing about what they were given.

use std::time::Duration;

use camino::Utf8Path;

use super::driver_build::DriverBuild;
use crate::toolchain::{Finished, Invocation, ToolError};

/// A file of MLX's takes at most half a minute at -O0.
const LIMIT: Duration = Duration::from_secs(600);

/// What a system without room says, in the C locale.
const NO_ROOM: [&str; 2] = ["No space left on device", "Disk quota exceeded"];

/// What clang's driver says of its own compiler or linker: it was killed, or has a bug.
const DIED: [&str; 3] = [
    "unable to execute command",
    "PLEASE submit a bug report",
    "failed due to signal",
];

impl DriverBuild<'_> {
    pub(super) fn start_with(
        &self,
        arguments: Vec<String>,
        input: Vec<u8>,
    ) -> Result<Finished, ToolError> {
        self.start_program(&self.compiler.program, arguments, input)
    }

    pub(super) fn start_program(
        &self,
        program: &str,
        arguments: Vec<String>,
        input: Vec<u8>,
    ) -> Result<Finished, ToolError> {
        let invocation = Invocation {
            program: program.to_owned(),
            arguments,
            environment: Vec::new(),
            input,
            limit: LIMIT,
        };
        let finished = self.runner.run(&invocation);
        finished.map_err(|error| ToolError::cannot_start(&invocation.program, &error))
    }

    /// What became of a program that hangs, dies or finds no room; none where its verdict is one.
    pub(super) fn broken(&self, file: &Utf8Path, finished: &Finished) -> Option<ToolError> {
        if finished.too_long {
            return Some(hangs(file));
        }
        if finished.is_success() {
            return None;
        }
        let says = |words: &[&str]| words.iter().any(|word| finished.errors.contains(word));
        if says(&NO_ROOM) {
            return Some(ToolError::unusable(&self.cache, &NO_ROOM[0].to_lowercase()));
        }
        // A shell or a driver gives 128 and more for a signal.
        let died = finished.code.is_none_or(|code| code >= 128) || says(&DIED);
        died.then(|| self.died(file, &finished.errors))
    }

    /// Holds a compiler to its word: with status 0 it has written an object.
    pub(super) fn has_written(&self, file: &Utf8Path, object: &Utf8Path) -> Result<(), ToolError> {
        match fs_err::metadata(object) {
            Ok(data) if data.len() > 0 => Ok(()),
            _ => Err(self.died(file, "it ended with status 0 and wrote nothing")),
        }
    }

    fn died(&self, file: &Utf8Path, output: &str) -> ToolError {
        ToolError::broken(format!("{} broke down over {file}", self.compiler.program))
            .help(SEE_COMPILER)
            .output(output)
    }
}

/// A compiler that did not end.
pub(super) fn hangs(file: &Utf8Path) -> ToolError {
    ToolError::broken(format!("compiling {file} takes too long")).help(SEE_COMPILER)
}

const SEE_COMPILER: &str =
    "see whether the compiler works and has memory enough; this says nothing about the overlay";

#[cfg(test)]
mod tests {
    use std::io;

    use super::super::headers::Headers;
    use super::*;
    use crate::embedded_sources::EmbeddedSources;
    use crate::toolchain::{Compiler, Runner};

    struct Nothing;

    impl Runner for Nothing {
        fn run(&self, _: &Invocation) -> io::Result<Finished> {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    fn became(code: Option<i32>, too_long: bool, errors: &str) -> Option<ToolError> {
        let build = DriverBuild {
            compiler: Compiler {
                program: "clang++".into(),
                version: String::new(),
            },
            sources: EmbeddedSources::at("ours"),
            headers: Headers {
                metal_cpp: "m".into(),
                fmt: "f".into(),
                json: "j".into(),
                versions: String::new(),
            },
            flags: Vec::new(),
            cache: "cache".into(),
            runner: &Nothing,
        };
        let finished = Finished {
            code,
            too_long,
            output: Vec::new(),
            errors: errors.into(),
        };
        build.broken(Utf8Path::new("a.cpp"), &finished)
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
            assert!(error.help.is_some(), "{error:?}");
            assert_ne!(
                error.output.as_deref(),
                Some(""),
                "nothing to show is not shown"
            );
        }
    }
}
