//! What can be shown without CMake and MLX; `tests/` at the workspace's root builds the real thing.

use std::io;
use std::sync::Mutex;

use camino::Utf8Path;

use super::library::Objects;
use super::*;
use crate::embedded_sources::EmbeddedSources;
use crate::toolchain::{Compiler, Finished, Invocation, Runner, System, ToolError, find_cmake};

/// Answers every invocation with the same end, and remembers them.
struct Always {
    finished: Finished,
    asked: Mutex<Vec<Invocation>>,
}

impl Always {
    fn saying(output: &str) -> Self {
        Self {
            finished: Finished {
                code: Some(0),
                too_long: false,
                output: output.into(),
                errors: String::new(),
            },
            asked: Mutex::default(),
        }
    }
}

impl Runner for Always {
    fn run(&self, invocation: &Invocation) -> io::Result<Finished> {
        self.asked.lock().unwrap().push(invocation.clone());
        Ok(self.finished.clone())
    }
}

/// Has no program at all.
struct Nothing;

impl Runner for Nothing {
    fn run(&self, _: &Invocation) -> io::Result<Finished> {
        Err(io::ErrorKind::NotFound.into())
    }
}

fn machine() -> System {
    System {
        path: std::env::var_os("PATH").unwrap_or_default(),
        temporary: std::env::temp_dir().into(),
    }
}

const STUB: &str = "backend stub\nmlx none\nstart 0\n1 0 0\n1000 0 0\n2147483647 0 0\n0 0 0\n50 0 0\n-1 0 0\n50 0 0\n-2147483648 0 0\n";

fn said(said: &str) -> Result<Option<String>, ToolError> {
    round_trip(Utf8Path::new("round-trip"), &Always::saying(said))
}

#[test]
fn the_stub_passes_in_every_environment() {
    let cache = tempfile::tempdir().unwrap();
    let sources = EmbeddedSources::lay_out(Utf8Path::from_path(cache.path()).unwrap()).unwrap();
    let runner = machine();
    let cxx = Compiler::any(&runner).unwrap();
    let program = stub(&sources, None, &cxx, &runner).unwrap();
    assert_eq!(round_trip(&program, &runner), Ok(None));
    // Made once for a compiler: no compiler is started the second time.
    assert_eq!(stub(&sources, None, &cxx, &Nothing).unwrap(), program);
}

#[test]
fn the_version_of_a_linked_mlx_is_reported() {
    let linked = STUB.replace("mlx none", "mlx 0.32.2");
    let version = Some("0.32.2".to_owned());
    assert_eq!(said(&linked), Ok(version));
    assert_eq!(said(STUB), Ok(None));
}

#[test]
fn a_wrong_line_is_shown_with_the_right_one() {
    for (from, to, expected, found) in [
        (
            "backend stub",
            "backend metal",
            "backend stub",
            "backend metal",
        ),
        ("mlx none", "0.32.2", "mlx VERSION", "0.32.2"),
        ("start 0", "start 7", "start 0", "start 7"),
        ("1000 0 0", "1000 1000 0", "1000 0 0", "1000 1000 0"),
        ("-1 0 0", "-1 -1 -1", "-1 0 0", "-1 -1 -1"),
        ("-2147483648 0 0\n", "", "-2147483648 0 0", "nothing"),
        (
            "-2147483648 0 0",
            "-2147483648 0 0\nmore",
            "nothing",
            "more",
        ),
    ] {
        let wrong = said(&STUB.replacen(from, to, 1)).unwrap_err();
        assert_eq!(wrong.code(), "override-wrong");
        assert_eq!(
            wrong.to_string(),
            format!("the round trip should say `{expected}` and says `{found}`")
        );
    }
}

#[test]
fn each_environment_is_a_process_of_its_own() {
    let runner = Always::saying(STUB);
    round_trip(Utf8Path::new("round-trip"), &runner).unwrap();
    let asked = runner.asked.into_inner().unwrap();
    let environments: Vec<usize> = asked.iter().map(|one| one.environment.len()).collect();
    assert_eq!(environments, SETTINGS.map(<[_]>::len));
    assert!(asked.iter().all(|one| one.arguments == asked[0].arguments));
}

#[test]
fn a_failing_program_shows_its_environment() {
    let mut runner = Always::saying("");
    runner.finished.code = Some(3);
    runner.finished.errors = "terminate called\n".to_owned();
    let program = Utf8Path::new("round-trip");
    let wrong = round_trip(program, &runner).unwrap_err().to_string();
    assert!(
        wrong.ends_with("and says `status 3: terminate called`"),
        "{wrong}"
    );
    runner.finished.too_long = true;
    let hangs = round_trip(program, &runner).unwrap_err().to_string();
    assert_eq!(
        hangs,
        "a round trip through stub takes longer than 1 minutes"
    );
    let missing = round_trip(program, &Nothing).unwrap_err();
    assert!(missing.is_broken());
    assert!(
        missing
            .to_string()
            .starts_with("round-trip cannot be started: ")
    );
}

#[test]
fn cmake_must_be_there_and_new_enough() {
    let find = |line: &str| find_cmake(&Always::saying(line)).map_err(|error| error.to_string());
    assert!(find("cmake version 3.25.1\n\nCMake suite").is_ok());
    assert!(find("cmake version 4.0.2").is_ok());
    assert_eq!(
        find("cmake version 3.22.1"),
        Err("CMake 3.25 or later is not here (there is cmake version 3.22.1)".to_owned())
    );
    assert!(find("no version").is_err());
    let missing = find_cmake(&Nothing).unwrap_err();
    assert_eq!(missing.to_string(), "CMake 3.25 or later is not here");
    assert!(missing.is_not_run() && missing.advice().is_some());
    assert!(Compiler::any(&Nothing).unwrap_err().is_not_run());
}

#[test]
fn the_end_of_a_failed_build_is_kept() {
    let lines: Vec<String> = (1..=100).map(|number| format!("line {number}")).collect();
    let mut runner = Always::saying(&lines.join("\n"));
    runner.finished.code = Some(1);
    let error = super::step::run("compiling", "c++", Vec::new(), 1, &runner).unwrap_err();
    let output = error.output_text();
    assert_eq!(output.lines().next(), Some("line 61"));
    assert_eq!(output.lines().last(), Some("line 100"));
    assert!(!error.is_not_run());
}

#[test]
fn a_trees_version_is_in_its_header() {
    let tree = tempfile::tempdir().unwrap();
    let tree = Utf8Path::from_path(tree.path()).unwrap();
    assert_eq!(version_of(tree), Ok(None));
    fs_err::create_dir(tree.join("mlx")).unwrap();
    let header = |text: &str| fs_err::write(tree.join("mlx/version.h"), text).unwrap();
    header(
        "#pragma once\n#define MLX_VERSION_MAJOR 0\n  #define MLX_VERSION_MINOR 32\n#define MLX_VERSION_PATCH  2\n\
         #define MLX_VERSION_NUMERIC \\\n  (100000 * MLX_VERSION_MAJOR)\n",
    );
    assert_eq!(version_of(tree).unwrap().unwrap(), "0.32.2");
    header("#define MLX_VERSION_MAJOR 0\n#define MLX_VERSION_MINOR x\n");
    assert!(version_of(tree).unwrap_err().is_broken());
}

#[test]
fn objects_differ_by_bytes_or_presence() {
    let build = tempfile::tempdir().unwrap();
    let build = Utf8Path::from_path(build.path()).unwrap();
    fs_err::create_dir(build.join("mlx")).unwrap();
    let write = |path: &str, text: &str| fs_err::write(build.join(path), text).unwrap();
    write("mlx/a.o", "a");
    write("mlx/b.o", "b");
    write("mlx/b.o.d", "b.o: b.cpp");
    let before = Objects::of(build).unwrap();
    assert_eq!((before.count(), before.differing(&before).len()), (2, 0));
    write("mlx/b.o", "B");
    write("c.o", "c");
    fs_err::remove_file(build.join("mlx/a.o")).unwrap();
    let after = Objects::of(build).unwrap();
    assert_eq!(before.differing(&after), ["c.o", "mlx/a.o", "mlx/b.o"]);
    assert_eq!(after.differing(&before), ["c.o", "mlx/a.o", "mlx/b.o"]);
}
