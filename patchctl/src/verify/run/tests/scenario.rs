use std::collections::BTreeSet;

use super::super::scenario::{Commits, read_scenarios, suite};
use super::*;

#[test]
fn the_driver_does_not_see_expectations() {
    assert_eq!(
        scenario(BUDGET).input().lines().nth(4),
        Some(r#"{"step":"override","mb":1000}"#)
    );
}

#[test]
fn a_setting_step_says_the_value_read_back() {
    let error = read_scenarios("f.jsonl", &BUDGET.replace(r#","reads":1000"#, "")).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"f.jsonl:5: a step that sets the override says what is read back: "reads": 0"#
    );
}

#[test]
fn an_unknown_field_of_a_scenario_is_an_error() {
    let error =
        read_scenarios("f.jsonl", r#"{"scenario":"a","why":"w","expects":{}}"#).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("f.jsonl:1: unknown field `expects`"),
        "{error}"
    );
}

#[test]
fn commits_read_and_write_the_same() {
    for text in [
        "51 x7, rest 43",
        "11, 10, rest 9, 11, 10, rest 9",
        "rest 30 x3",
        "1",
    ] {
        assert_eq!(
            Commits::try_from(text.to_owned()).unwrap().to_string(),
            text
        );
    }
    for text in ["", "51,", "x7", "rest", "51 x", "-1"] {
        assert!(Commits::try_from(text.to_owned()).is_err(), "{text}");
    }
}

#[test]
fn suite_is_well_formed() {
    let mut names = BTreeSet::new();
    for scenario in suite().unwrap() {
        let name = scenario.name;
        assert!(
            !scenario.why.is_empty() && !scenario.expect.is_empty(),
            "{name}"
        );
        assert!(names.insert(name.clone()), "{name} twice");
    }
    assert!(names.len() > 20, "{names:?}");
}
