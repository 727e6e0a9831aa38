//! Builds a tree's encoder and runs scenarios on it: `run_scenarios CACHE HEADERS TREE [PATCHED/device.cpp] [-- FLAG…]`.
//! HEADERS holds `metal-cpp`, `fmt` and `json`, unpacked. For work on `bridge/native`.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

use camino::{Utf8Path, Utf8PathBuf};
use patchctl::embedded_sources::EmbeddedSources;
use patchctl::toolchain::{Compiler, System};
use patchctl::verify::run::{Headers, Outcome, Subject, Workshop, drive, judge, suite};

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
    let mut replaced = BTreeMap::new();
    if let Some(file) = patched.first() {
        let path = Utf8PathBuf::from("mlx/backend/metal/device.cpp");
        replaced.insert(path, std::fs::read(file)?);
    }
    let workshop = Workshop {
        compiler: &Compiler::clang(&runner)?,
        sources: &EmbeddedSources::lay_out(cache)?,
        headers: &Headers {
            metal_cpp: headers.join("metal-cpp"),
            fmt: headers.join("fmt/include"),
            json: headers.join("json/single_include"),
            versions: String::new(),
        },
        flags: &flags,
        cache,
        runner: &runner,
    };
    let start = Instant::now();
    let built = workshop.build(Subject {
        tree: Utf8Path::new(tree),
        patched: &replaced,
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
