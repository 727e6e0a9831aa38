use super::super::diagnose::{Diagnosis, diagnose};
use super::super::judge::{Mismatch, Outcome};
use super::*;

fn diagnosis(lines: &str) -> Option<Diagnosis> {
    diagnose(&[scenario(BUDGET)], &[outcome(lines)])
}

#[test]
fn failures_under_the_override_mean_not_used() {
    assert_eq!(diagnosis(AS_EXPECTED), None);
    let raised = AS_EXPECTED.replace(
        r#"[4,6],"why":"flush","seen":[4,6]"#,
        r#"[4,5],"why":"asked","seen":[4,5]"#,
    );
    assert_eq!(diagnosis(&raised), Some(Diagnosis::NotUsed));
}

#[test]
fn failing_without_override_is_another_rule() {
    let all = AS_EXPECTED
        .replace(
            r#""ops":[1,2],"why":"asked","seen":[1,2]"#,
            r#""ops":[1,1],"why":"asked","seen":[1,1]"#,
        )
        .replace(r#"{"override":1000}"#, r#"{"override":7}"#);
    assert_eq!(diagnosis(&all), Some(Diagnosis::OtherRule));
}

#[test]
fn threads_share_the_override() {
    let of = |set: &str| {
        let lines = format!(
            "{{\"scenario\":\"s\",\"why\":\"w\",\"expect\":{{\"default@second\":\"rest 9\"}}}}\n\
             {{\"step\":\"op\",\"on\":\"second\",\"meanwhile\":true,\"times\":9}}\n{set}"
        );
        let scenarios = read_scenarios("s.jsonl", &lines).unwrap();
        let moved = Mismatch::Commits {
            phase: "default@second".to_owned(),
            expected: "rest 9".to_owned().try_into().unwrap(),
            seen: "4, rest 5".to_owned().try_into().unwrap(),
        };
        diagnose(&scenarios, &[Outcome::Failed(vec![moved])])
    };
    let sets = "{\"step\":\"override\",\"mb\":1000,\"reads\":1000}\n";
    assert_eq!(of(sets), Some(Diagnosis::NotUsed));
    assert_eq!(of(""), Some(Diagnosis::OtherRule));
}

#[test]
fn an_unasked_commit_means_own_place() {
    let own = AS_EXPECTED.replace(r#"[1,2],"why":"asked""#, r#"[1,2],"why":"elsewhere""#);
    assert_eq!(diagnosis(&own), Some(Diagnosis::OwnPlace));
}

#[test]
fn a_wrong_read_back_means_not_kept() {
    let lost = AS_EXPECTED.replace(r#"{"override":1000}"#, r#"{"override":0}"#);
    assert_eq!(diagnosis(&lost), Some(Diagnosis::NotKept));
}
