//! Tests without a compiler; `patchctl/tests/run` runs the real thing.

mod diagnose;
mod differential;
mod drive;
mod judge;
mod linker;
mod own_code;
mod scenario;

use std::io;

use camino::Utf8Path;

use super::*;
use crate::toolchain::{Finished, Invocation, Runner};

/// Answers every invocation with the same end.
struct Always(Finished);

impl Runner for Always {
    fn run(&self, _: &Invocation) -> io::Result<Finished> {
        Ok(self.0.clone())
    }
}

fn prints(output: &str) -> Always {
    Always(Finished {
        code: Some(0),
        too_long: false,
        output: output.into(),
        errors: String::new(),
    })
}

fn scenario(text: &str) -> Scenario {
    read_scenarios("test.jsonl", text).unwrap().remove(0)
}

const BUDGET: &str = r#"{"scenario":"budget","why":"w","expect":{"default":"2, rest 1","raised":"rest 3"}}
{"step":"op","times":3}
{"step":"flush"}
{"step":"phase","name":"raised"}
{"step":"override","mb":1000,"reads":1000}
{"step":"op","times":3}
{"step":"flush"}"#;

const DEVICE: &str = r#"{"device":{"backend":"host-metal","architecture":"applegpu_g16s","override":true,"check":"CommandEncoder::needs_commit"}}"#;

const AS_EXPECTED: &str = r#"{"scenario":"budget"}
{"commit":{"phase":"default","on":"main","ops":[1,2],"why":"asked","seen":[1,2]}}
{"commit":{"phase":"default","on":"main","ops":[3,3],"why":"flush","seen":[3,3]}}
{"override":1000}
{"commit":{"phase":"raised","on":"main","ops":[4,6],"why":"flush","seen":[4,6]}}
{"end":"budget"}
"#;

fn outcome(lines: &str) -> Outcome {
    let scenario = scenario(BUDGET);
    let runner = prints(&format!("{DEVICE}\n{lines}"));
    let observed = drive(
        Utf8Path::new("driver"),
        std::slice::from_ref(&scenario),
        &runner,
    )
    .unwrap();
    judge(&scenario, &observed[0])
}
