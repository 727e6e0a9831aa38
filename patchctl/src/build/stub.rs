//! The stub's round-trip program, compiled from the bridge's C++: it sets the override and reads it back.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};

use super::step::{run, takes_too_long};
use crate::embedded_sources::{EmbeddedSources, short};
use crate::report::Code;
use crate::toolchain::{Compiler, Invocation, Runner, ToolError, texts};

/// The files that it is compiled from.
const FILES: [&str; 3] = ["cpp/stub.cc", "cpp/version.cc", "cpp/round_trip.cc"];

/// The values that are set, in this order: up, down, off, and what is no budget. The stub reads 0 after each.
const VALUES: [i32; 8] = [1, 1000, i32::MAX, 0, 50, -1, 50, i32::MIN];

/// Environments, each for a process of its own, since MLX reads its limits once a process. No variable may reach the
/// override.
pub const SETTINGS: [&[(&str, &str)]; 5] = [
    &[],
    &[("MLX_MAX_MB_PER_BUFFER", "50")],
    &[("MLX_MAX_MB_PER_BUFFER", "")],
    &[("MLX_MAX_OPS_PER_BUFFER", "1000")],
    &[
        ("MLXCEL_DECODE_MB_PER_BUFFER", "400"),
        ("MLXCEL_FORCE_SYNC", "1"),
    ],
];

/// An MLX that a program is linked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Linked<'a> {
    /// The static library.
    pub library: &'a Utf8Path,
    /// The tree that it was built from: its `mlx/version.h` declares what is asked.
    pub tree: &'a Utf8Path,
    /// The folder that the program goes to.
    pub into: &'a Utf8Path,
}

/// Builds the program by itself or linked with an MLX. By itself it is made once for a compiler.
///
/// # Errors
/// When it does not compile or link, or the cache cannot be written.
pub fn stub(
    sources: &EmbeddedSources,
    linked: Option<Linked<'_>>,
    cxx: &Compiler,
    runner: &dyn Runner,
) -> Result<Utf8PathBuf, ToolError> {
    let Some(linked) = linked else {
        let compiler = Sha256::new().chain_update(&cxx.version);
        let program = sources.path(&format!("stub-round-trip-{}", short(compiler)));
        let make = |into: &Utf8Path| compile(sources, None, into, cxx, runner);
        sources.cache().ensure(&program, make)?;
        return Ok(program);
    };
    let program = linked.into.join("stub-round-trip");
    let staged = linked.into.join("stub-round-trip.new");
    compile(sources, Some(linked), &staged, cxx, runner)?;
    fs_err::rename(&staged, &program).map_err(|error| ToolError::unusable(&program, &error))?;
    Ok(program)
}

/// Compiles the program as `into`.
fn compile(
    sources: &EmbeddedSources,
    linked: Option<Linked<'_>>,
    into: &Utf8Path,
    cxx: &Compiler,
    runner: &dyn Runner,
) -> Result<(), ToolError> {
    let mut arguments = texts(&["-std=c++17", "-O1", "-Wall", "-Wextra", "-pthread"]);
    arguments.push(format!("-I{}", sources.root()));
    if let Some(linked) = linked {
        arguments.push("-DMLX_BRIDGE_HAS_MLX_HEADERS".to_owned());
        arguments.extend(["-isystem".to_owned(), linked.tree.to_string()]);
    }
    arguments.extend(FILES.map(|file| sources.path(file).into_string()));
    if let Some(linked) = linked {
        arguments.push(linked.library.to_string());
        if cfg!(target_os = "linux") {
            arguments.push("-ldl".to_owned());
        }
    }
    arguments.extend(["-o".to_owned(), into.to_string()]);
    run("compiling the stub", &cxx.program, arguments, 10, runner)
}

/// Runs a stub's program in every environment of [`SETTINGS`]. Gives the version that the linked MLX reports.
///
/// # Errors
/// When it says something else than expected (`override-wrong`), cannot be started or does not end.
pub fn round_trip(program: &Utf8Path, runner: &dyn Runner) -> Result<Option<String>, ToolError> {
    let mut version = None;
    for setting in SETTINGS {
        version = run_under(setting, program, runner)?;
    }
    Ok(version)
}

fn run_under(
    setting: &[(&str, &str)],
    program: &Utf8Path,
    runner: &dyn Runner,
) -> Result<Option<String>, ToolError> {
    let environment = setting.iter();
    let finished = runner.start(&Invocation {
        program: program.to_string(),
        arguments: VALUES.map(|value| value.to_string()).into(),
        environment: environment
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        limit: Duration::from_secs(60),
        ..Invocation::default()
    })?;
    if finished.too_long {
        return Err(takes_too_long("a round trip through stub", 1));
    }
    let said = match finished.is_success() {
        true => judge(&String::from_utf8_lossy(&finished.output)),
        false => {
            let status = finished.code.map(|code| format!("status {code}"));
            let status = status.unwrap_or_else(|| "a signal".to_owned());
            let found = format!("{status}: {}", finished.errors.trim());
            Err(("status 0".to_owned(), found))
        }
    };
    said.map_err(|(expected, found)| {
        let under = setting
            .iter()
            .map(|(name, value)| format!(" {name}={value}"));
        let under = match under.collect::<String>() {
            none if none.is_empty() => none,
            some => format!(" under{some}"),
        };
        ToolError::of_code(
            Code::OverrideWrong,
            format!("the round trip{under} should say `{expected}` and says `{found}`"),
        )
    })
}

/// Compares the program's lines with the expected ones. Returns the version that it reports, or the first pair that differs.
fn judge(said: &str) -> Result<Option<String>, (String, String)> {
    let mut lines = said.lines();
    let mut next = || lines.next().unwrap_or("nothing");
    same(next(), "backend stub".to_owned())?;
    let mlx = next();
    let Some(version) = mlx.strip_prefix("mlx ") else {
        return Err(("mlx VERSION".to_owned(), mlx.to_owned()));
    };
    same(next(), "start 0".to_owned())?;
    for value in VALUES {
        same(next(), format!("{value} 0 0"))?;
    }
    same(next(), "nothing".to_owned())?;
    Ok(Some(version.to_owned()).filter(|version| version != "none"))
}

fn same(found: &str, expected: String) -> Result<(), (String, String)> {
    if found == expected {
        Ok(())
    } else {
        Err((expected, found.to_owned()))
    }
}
