//! The differential proof on two programs that `run_scenarios` built: `compare_trees UPSTREAM PATCHED SEED SEQUENCES`.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::time::Instant;

use camino::Utf8Path;
use patchctl::toolchain::System;
use patchctl::verify::run::Differential;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [upstream, patched, seed, sequences] = &arguments[..] else {
        return Err("compare_trees UPSTREAM PATCHED SEED SEQUENCES".into());
    };
    let start = Instant::now();
    let difference = Differential {
        upstream: Utf8Path::new(upstream),
        patched: Utf8Path::new(patched),
        has_override: true,
        runner: &System {
            path: std::env::var_os("PATH").unwrap_or_default(),
            temporary: std::env::temp_dir().into(),
        },
        seed: seed.parse()?,
        sequences: sequences.parse()?,
    }
    .compare()?;
    match difference {
        None => println!(
            "{sequences} sequences, no difference, {:?}",
            start.elapsed()
        ),
        Some(difference) => {
            println!("{:?}", difference.setting);
            for step in &difference.steps {
                println!("  {}", serde_json::Value::Object(step.clone()));
            }
            println!(
                "upstream {:?}\npatched  {:?}",
                difference.upstream, difference.patched
            );
        }
    }
    Ok(())
}
