//! Builds a tree's encoder and runs scenarios on it: `run_scenarios CACHE HEADERS TREE [PATCHED/device.cpp] [-- FLAG…]`.
//! HEADERS holds `metal-cpp`, `fmt` and `json`, unpacked. For work on `bridge/native`.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::time::Instant;

use camino::Utf8Path;
use patchctl::embedded_sources::EmbeddedSources;
use patchctl::patch::PatchedFile;
use patchctl::toolchain::{Compiler, System};
use patchctl::verify::PatchedTree;
use patchctl::verify::run::{DriverBuild, Headers, Outcome, drive, judge, suite};
use patchctl_apply::BlobId;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (paths, flags) = match arguments.iter().position(|argument| argument == "--") {
        Some(at) => (&arguments[..at], arguments[at + 1..].to_vec()),
        None => (&arguments[..], Vec::new()),
    };
    let [cache, headers, tree, patched @ ..] = paths else {
        return Err("run_scenarios CACHE HEADERS TREE [PATCHED/device.cpp] [-- FLAG…]".into());
    };
    let (cache, headers) = (Utf8Path::new(cache), Utf8Path::new(headers));
    let runner = System {
        path: std::env::var_os("PATH").unwrap_or_default(),
        temporary: std::env::temp_dir().into(),
    };
    let mut replaced = Vec::new();
    if let Some(file) = patched.first() {
        let bytes = std::fs::read(file)?;
        replaced.push(PatchedFile {
            path: "mlx/backend/metal/device.cpp".into(),
            before: BlobId::of(&bytes),
            after: BlobId::of(&bytes),
            bytes,
            splices: Vec::new(),
        });
    }
    let driver = DriverBuild {
        compiler: Compiler::clang(&runner)?,
        sources: EmbeddedSources::lay_out(cache)?,
        headers: Headers {
            metal_cpp: headers.join("metal-cpp"),
            fmt: headers.join("fmt/include"),
            json: headers.join("json/single_include"),
            versions: String::new(),
        },
        flags,
        cache: cache.into(),
        runner: &runner,
    };
    let start = Instant::now();
    let built = driver.build(PatchedTree {
        root: Utf8Path::new(tree),
        files: &replaced,
        overlays: &[],
    })?;
    println!(
        "{} ({} compiled, {:?})",
        built.program,
        built.compiled,
        start.elapsed()
    );
    let start = Instant::now();
    let mut failed = 0;
    let scenarios = suite()?;
    let observed = drive(&built.program, &scenarios, &runner)?;
    for (scenario, observed) in scenarios.iter().zip(&observed) {
        match judge(scenario, observed) {
            Outcome::Passed => println!("passed   {}", scenario.name),
            Outcome::NotRun(why) => println!("not run  {}: {why}", scenario.name),
            Outcome::Failed(mismatches) => {
                failed += 1;
                println!("FAILED   {}: {}", scenario.name, scenario.why);
                for mismatch in mismatches {
                    println!("         {mismatch}");
                }
            }
        }
    }
    println!("{failed} failed, {:?}", start.elapsed());
    Ok(())
}
