//! What a build script does, as a program: `cargo run --example build_script -- LOCK TREE [RELEASE]`.
//!
//! Standard output holds the lines that cargo reads from a build script.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a build script prints"
)]

use std::path::PathBuf;
use std::process::ExitCode;

use patchctl_apply::{PinChoice, apply};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(lock), Some(tree)) = (arguments.next(), arguments.next().map(PathBuf::from)) else {
        eprintln!("usage: build_script LOCK TREE [RELEASE]");
        return ExitCode::from(2);
    };
    let release = arguments.next();
    let pin = match &release {
        Some(release) => PinChoice::Named(release),
        None => PinChoice::Fitting,
    };
    println!("cargo::rerun-if-changed={lock}");
    match apply(&lock, pin, &tree) {
        Ok(report) => {
            for file in &report.files {
                println!(
                    "cargo::rerun-if-changed={}",
                    tree.join(&file.path).display()
                );
            }
            for edit in &report.differing {
                println!("cargo::warning={edit} differs from its overlay: run `patchctl bump`");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}", error.explained());
            ExitCode::FAILURE
        }
    }
}
