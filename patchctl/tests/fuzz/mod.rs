//! Fuzz targets, and the driver that runs each over a fixed number of inputs: seeds out of this repository, changed by
//! [`mutate`], all of them decided by one seed. `ci/fuzz` runs the same targets under coverage guidance.
//!
//! The inputs run in child processes, 200 MB beside what the child had at its start. An input that takes over 2 s of
//! processor time fails too. Of a batch that fails, the input that is to blame is found by halving the batch.

#![cfg(target_os = "linux")]

#[cfg(libfuzzer)]
mod coverage;
mod mutate;
mod targets;

use std::env;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};

use mutate::{Random, mutated};
use targets::Target;

const BATCH: &str = "PATCHCTL_FUZZ_BATCH";
const MEMORY: u64 = 200_000_000;
const TIME: Duration = Duration::from_secs(2);
const INPUTS_OF_A_BATCH: u64 = 20_000;

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The inputs of one target by their number: the corpus and the seeds as they are, then mutations.
struct Inputs {
    target: Target,
    seeds: Vec<Vec<u8>>,
    seed: u64,
}

impl Inputs {
    fn of(name: &str, seed: u64) -> Self {
        let target = targets::named(name);
        let corpus = targets::files("", &format!("/fuzz/corpus/{name}/"));
        let seeds: Vec<_> = corpus.into_iter().chain((target.seeds)()).collect();
        assert!(!seeds.is_empty(), "{name} has no seeds");
        Self {
            target,
            seeds,
            seed,
        }
    }

    fn get(&self, number: u64) -> Vec<u8> {
        let as_it_is = usize::try_from(number).ok();
        if let Some(input) = as_it_is.and_then(|number| self.seeds.get(number)) {
            return input.clone();
        }
        let mut random = Random::new(self.seed.wrapping_add(number));
        let base = random.one_of(&self.seeds).to_vec();
        mutated(base, &self.seeds, &mut random)
    }
}

fn setting(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// Runs the inputs `from..to` in a child; what it says where it fails.
fn fails(name: &str, seed: u64, from: u64, to: u64) -> Option<String> {
    let output = Command::new(env::current_exe().unwrap())
        .args(["fuzz::batch", "--exact", "--ignored", "--nocapture"])
        .env(BATCH, format!("{name} {seed} {from} {to}"))
        .env("RUST_BACKTRACE", "0")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    (!output.status.success()).then(|| format!("{}\n{said}", output.status))
}

fn run(name: &str) {
    let seed = setting("PATCHCTL_FUZZ_SEED", 1);
    let count = setting("PATCHCTL_FUZZ_INPUTS", targets::named(name).inputs);
    println!("{name}: {count} inputs with PATCHCTL_FUZZ_SEED={seed}");
    for start in (0..count).step_by(INPUTS_OF_A_BATCH as usize) {
        let (mut from, mut to) = (start, count.min(start + INPUTS_OF_A_BATCH));
        let Some(mut said) = fails(name, seed, from, to) else {
            continue;
        };
        while to - from > 1 {
            let middle = from.midpoint(to);
            match fails(name, seed, from, middle) {
                Some(why) => (to, said) = (middle, why),
                None => from = middle,
            }
        }
        if fails(name, seed, from, to).is_none() {
            panic!(
                "the batch at {start} of target {name} failed, and none of its inputs does: {said}"
            );
        }
        let found = env::temp_dir().join(format!("patchctl-fuzz-{name}-{from}"));
        std::fs::write(&found, Inputs::of(name, seed).get(from)).unwrap();
        panic!(
            "input {from} of target {name} with seed {seed} fails: {said}\nit is {}; mend it, and add it to {}",
            found.display(),
            package().join("tests/fuzz/corpus").join(name).display()
        );
    }
}

/// What a child does; ignored, since it wants [`BATCH`].
#[test]
#[ignore = "run by the other tests"]
fn batch() {
    let Ok(batch) = env::var(BATCH) else { return };
    let words: Vec<&str> = batch.split(' ').collect();
    let [seed, from, to] = [1, 2, 3].map(|index| words[index].parse::<u64>().unwrap());
    let inputs = Inputs::of(words[0], seed);
    limit(Resource::As, memory() + MEMORY);
    for number in from..to {
        let input = inputs.get(number);
        let start = processor_time();
        // The kernel ends what never returns. It counts ticks, which on a busy machine are more than what was used.
        limit(Resource::Cpu, (2 * start + TIME).as_secs() + 1);
        (inputs.target.run)(&input);
        let took = processor_time() - start;
        assert!(took < TIME, "{took:?} is over the limit of {TIME:?}");
    }
}

fn limit(resource: Resource, to: u64) {
    let limit = Rlimit {
        current: Some(to),
        maximum: None,
    };
    setrlimit(resource, limit).unwrap();
}

/// The bytes of this process's address space.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let kilobytes = size.unwrap().trim().trim_end_matches(" kB");
    kilobytes.parse::<u64>().unwrap() << 10
}

/// What this thread has used of a processor: a busy machine makes no input slow.
fn processor_time() -> Duration {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(times.split(' ').next().unwrap().parse().unwrap())
}

/// A driver that finds nothing would pass: each limit is seen to end a child.
#[test]
fn limits_are_enforced() {
    for (name, expected) in [
        ("panics", "no property"),
        ("hangs", "signal: 24"),
        ("grows", "memory allocation of 250000000 bytes failed"),
    ] {
        let said = fails(name, 1, 0, 1).unwrap();
        assert!(said.contains(expected), "{name}: {said}");
    }
}
