use camino::Utf8Path;

use super::super::judge::{Mismatch, Outcome, judge};
use super::*;

fn said(lines: &str) -> Vec<String> {
    match outcome(lines) {
        Outcome::Failed(mismatches) => mismatches.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn expected_commits_pass() {
    assert_eq!(outcome(AS_EXPECTED), Outcome::Passed);
}

#[test]
fn a_moved_command_buffer_shows_both_sizes() {
    let lines = AS_EXPECTED.replace(
        r#""ops":[4,6],"why":"flush","seen":[4,6]"#,
        r#""ops":[4,5],"why":"asked","seen":[4,5]"#,
    );
    assert_eq!(
        said(&lines),
        ["raised: expected command buffers of rest 3 ops, saw 2"]
    );
}

#[test]
fn a_rest_that_the_check_committed_is_no_rest() {
    let lines = AS_EXPECTED.replace(r#"[3,3],"why":"flush""#, r#"[3,3],"why":"asked""#);
    assert_eq!(
        said(&lines),
        ["default: expected command buffers of 2, rest 1 ops, saw 2, 1"]
    );
}

#[test]
fn a_wrong_read_back_is_a_mismatch() {
    let lines = AS_EXPECTED.replace(r#"{"override":1000}"#, r#"{"override":7}"#);
    assert_eq!(
        said(&lines),
        ["after setting it for the 1. time, the override must read 1000, and reads 7"]
    );
}

#[test]
fn a_buffer_with_other_ops_is_a_mismatch() {
    let lines = AS_EXPECTED.replace(
        r#""ops":[4,6],"why":"flush","seen":[4,6]"#,
        r#""ops":[4,6],"why":"flush","seen":[4,5]"#,
    );
    assert_eq!(
        said(&lines),
        [
            "command buffers that hold other ops than were encoded: 1, the first 4 to 5 in the place of 4 to 6"
        ]
    );
}

#[test]
fn a_dying_program_fails_its_scenario() {
    let scenario = scenario(BUDGET);
    let runner = Always(Finished {
        code: None,
        too_long: false,
        output: format!("{DEVICE}\n{{\"scenario\":\"budget\"}}\n{{\"over").into(),
        errors: "host-metal: unknown selector 'newThing'\n".to_owned(),
    });
    let observed = drive(
        Utf8Path::new("driver"),
        std::slice::from_ref(&scenario),
        &runner,
    )
    .unwrap();
    let Outcome::Failed(mismatches) = judge(&scenario, &observed[0]) else {
        panic!("{observed:?}");
    };
    assert_eq!(
        mismatches[0].to_string(),
        "the program did not end well: killed by a signal: host-metal: unknown selector 'newThing'"
    );
    let group = [scenario.clone(), scenario.clone()];
    let observed = drive(Utf8Path::new("driver"), &group, &runner).unwrap();
    assert_eq!(
        judge(&scenario, &observed[1]),
        Outcome::NotRun("'budget' was the end of the program".to_owned())
    );
}

#[test]
fn dying_at_the_end_fails_the_last_scenario() {
    let scenario = scenario(BUDGET);
    let runner = Always(Finished {
        code: Some(66),
        too_long: false,
        output: format!("{DEVICE}\n{AS_EXPECTED}{AS_EXPECTED}").into(),
        errors: "ThreadSanitizer: reported 1 warnings\n".to_owned(),
    });
    let group = [scenario.clone(), scenario.clone()];
    let observed = drive(Utf8Path::new("driver"), &group, &runner).unwrap();
    let outcomes = observed.iter().map(|one| judge(&scenario, one));
    let died = Mismatch::Ended("status 66: ThreadSanitizer: reported 1 warnings".to_owned());
    assert_eq!(
        outcomes.collect::<Vec<_>>(),
        [Outcome::Passed, Outcome::Failed(vec![died])]
    );
}

#[test]
fn a_scenario_of_another_gpu_is_not_run() {
    let lines = AS_EXPECTED.to_owned();
    let scenario = scenario(&BUDGET.replace(
        r#""why":"w""#,
        r#""why":"w","architecture":"applegpu_g16p""#,
    ));
    let runner = prints(&format!("{DEVICE}\n{lines}"));
    let observed = drive(
        Utf8Path::new("driver"),
        std::slice::from_ref(&scenario),
        &runner,
    )
    .unwrap();
    assert!(
        matches!(judge(&scenario, &observed[0]), Outcome::NotRun(why) if why.contains("applegpu_g16p"))
    );
}

#[test]
fn upstream_alone_runs_no_override_scenario() {
    let scenario = scenario(BUDGET);
    let runner = prints(&(DEVICE.replace(r#""override":true"#, r#""override":false"#) + "\n"));
    let observed = drive(
        Utf8Path::new("driver"),
        std::slice::from_ref(&scenario),
        &runner,
    )
    .unwrap();
    assert!(matches!(judge(&scenario, &observed[0]), Outcome::NotRun(_)));
}
