//! Completion that is held back: what is in flight then, and that nothing hangs.

use patchctl::verify::run::{Ended, Observed, drive, read_scenarios};

use crate::NEWEST;
use crate::bench::Bench;

const MIB: u64 = 1 << 20;

fn observed(lines: &[&str]) -> Observed {
    let bench = Bench::new();
    let tree = bench.pin(NEWEST);
    let built = bench.build(&tree, &tree.patched).unwrap();
    let head = r#"{"scenario":"held-back","why":"w","expect":{}}"#;
    let text = [&[head], lines].concat().join("\n");
    let scenarios = read_scenarios("held-back.jsonl", &text).unwrap();
    drive(&built.program, &scenarios, &bench.runner)
        .unwrap()
        .remove(0)
}

/// The peak of each phase in bytes.
fn peaks(lines: &[&str]) -> Vec<(String, u64)> {
    let observed = observed(lines);
    assert_eq!(observed.ended, Ended::Well);
    let peaks = observed.seen.unwrap().peaks.into_iter();
    peaks.map(|peak| (peak.phase, peak.bytes)).collect()
}

const LAG_2: &str = r#"{"step":"lag","commits":2}"#;
const WEIGHT: &str = r#"{"step":"array","name":"w","elements":8388608,"weight":true}"#;
const OP: &str = r#"{"step":"op","use":["w"],"out":1048576}"#;
const FLUSH: &str = r#"{"step":"flush"}"#;
const SYNCHRONIZE: &str = r#"{"step":"synchronize"}"#;
const PEAK: &str = r#"{"step":"peak"}"#;

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn held_buffers_are_in_flight_without_weights() {
    let mut lines = vec![LAG_2, WEIGHT, r#"{"step":"phase","name":"flushed"}"#];
    lines.extend([OP, FLUSH].repeat(5));
    lines.extend([SYNCHRONIZE, PEAK, r#"{"step":"phase","name":"waited for"}"#]);
    lines.extend([OP, SYNCHRONIZE].repeat(5));
    lines.extend([PEAK, r#"{"step":"phase","name":"kept"}"#]);
    lines.push(r#"{"step":"op","use":["w"],"out":1048576,"keep":"x"}"#);
    lines.extend([FLUSH, r#"{"step":"op","use":["x","w"]}"#].repeat(5));
    lines.extend([SYNCHRONIZE, PEAK]);
    let expected = [("flushed", 3), ("waited for", 1), ("kept", 1)];
    let expected = expected.map(|(phase, mib)| (phase.to_owned(), mib * MIB));
    assert_eq!(peaks(&lines), expected);
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn a_kept_output_replaces_its_namesake() {
    let array = r#"{"step":"array","name":"x","elements":4194304}"#;
    let op = r#"{"step":"op","use":["x"],"out":1048576,"keep":"x","times":4}"#;
    let last = r#"{"step":"op","use":["x"]}"#;
    // One command buffer with the array and four outputs, and one with the last of these.
    let found = peaks(&[LAG_2, array, op, SYNCHRONIZE, PEAK, last, SYNCHRONIZE, PEAK]);
    let bytes: Vec<u64> = found.into_iter().map(|(_, bytes)| bytes).collect();
    assert_eq!(bytes, [8 * MIB, MIB]);
}

#[test]
#[ignore = "not run: needs clang 19 and the registry"]
fn waiting_for_an_event_hurries_held_buffers() {
    let lag = r#"{"step":"lag","commits":10}"#;
    for wait in [
        // The host waits for an event that a held-back command buffer signals.
        vec![r#"{"step":"event","host":true}"#],
        vec![r#"{"step":"event"}"#, SYNCHRONIZE],
    ] {
        let mut lines = vec![lag, OP_ALONE, FLUSH];
        lines.extend(wait);
        lines.push(OP_ALONE);
        let observed = observed(&lines);
        assert_eq!(observed.ended, Ended::Well);
        assert!(observed.seen.unwrap().ended);
    }
}

const OP_ALONE: &str = r#"{"step":"op","elements":1000}"#;
