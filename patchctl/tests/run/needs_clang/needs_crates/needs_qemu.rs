//! The runtime's trampoline for arm64, run on this machine by qemu. It needs `qemu-aarch64` and the
//! libraries that come with Debian's `g++-aarch64-linux-gnu`.

use std::io;

use patchctl::toolchain::{Finished, Invocation, Runner, System};
use patchctl::verify::run::{Outcome, drive, judge};

use crate::NEWEST;
use crate::bench::Bench;

/// Where Debian puts the libraries of the other processor.
const LIBRARIES: &str = "/usr/aarch64-linux-gnu";

struct Qemu<'a>(&'a System);

impl Runner for Qemu<'_> {
    fn run(&self, invocation: &Invocation) -> io::Result<Finished> {
        let mut arguments = vec!["-L".to_owned(), LIBRARIES.to_owned()];
        arguments.push(invocation.program.clone());
        arguments.extend(invocation.arguments.iter().cloned());
        self.0.run(&Invocation {
            program: "qemu-aarch64".to_owned(),
            arguments,
            ..invocation.clone()
        })
    }
}

#[test]
#[ignore = "not run: needs qemu-aarch64 and arm64's libraries, clang 19 and the registry"]
fn every_scenario_passes_on_arm64() {
    let bench = Bench::new();
    let tree = bench.pin(NEWEST);
    let flags = ["--target=aarch64-linux-gnu", "-D__arm64__=1"].map(str::to_owned);
    let built = bench.build_with(&flags, &tree, &tree.patched).unwrap();
    let program = std::fs::read(&built.program).unwrap();
    assert_eq!(program[18..20], [183, 0], "EM_AARCH64 of the ELF header");
    let observed = drive(&built.program, &bench.scenarios, &Qemu(&bench.runner)).unwrap();
    for (scenario, seen) in bench.scenarios.iter().zip(&observed) {
        assert_eq!(judge(scenario, seen), Outcome::Passed, "{}", scenario.name);
    }
}
