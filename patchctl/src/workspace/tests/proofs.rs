//! The proofs that a bump takes over from the lock.

use patchctl_apply::{BlobId, LockedFile, LockedOverlay, LockedPin, Proven, RevisionFrom};

use crate::workspace::keep_proofs;

fn pin(overlay: &str, upstream: &str, levels: &[(&str, &str)]) -> LockedPin {
    LockedPin {
        release: "1.0.0".to_owned(),
        revision: "0".repeat(40),
        revision_from: RevisionFrom::Git,
        source: "git".to_owned(),
        tree: None,
        overlays: vec![LockedOverlay {
            id: "budget".to_owned(),
            digest: overlay.to_owned(),
        }],
        files: vec![LockedFile {
            path: "a.cpp".to_owned(),
            before: BlobId::of(upstream.as_bytes()),
            after: BlobId::of(b"after"),
            splices: Vec::new(),
        }],
        proven: levels
            .iter()
            .map(|(level, host)| Proven {
                level: (*level).to_owned(),
                host: (*host).to_owned(),
                by: "patchctl 0.1.0".to_owned(),
                suite: None,
            })
            .collect(),
        lowered_from: None,
    }
}

fn kept(old: &LockedPin, new: &mut LockedPin) -> (Option<String>, String) {
    keep_proofs(old, new);
    let lost = new.lowered_from.clone();
    let all = new
        .proven
        .iter()
        .map(|it| format!("{}@{}", it.level, it.host));
    (lost, all.collect::<Vec<_>>().join(" "))
}

const ALL: [(&str, &str); 3] = [("structure", "mac"), ("compile", "linux"), ("run", "linux")];

#[test]
fn proofs_of_same_bytes_are_kept() {
    let old = pin("d", "u", &ALL);
    let mut new = pin("d", "u", &[("structure", "linux")]);
    let expected = "structure@linux structure@mac compile@linux run@linux";
    assert_eq!(kept(&old, &mut new), (None, expected.to_owned()));
}

#[test]
fn proofs_of_other_bytes_are_lost_and_told() {
    let old = pin("d", "u", &ALL);
    for mut new in [
        pin("e", "u", &[("structure", "linux")]),
        pin("d", "v", &[("structure", "linux")]),
    ] {
        let expected = (Some("run".to_owned()), "structure@linux".to_owned());
        assert_eq!(kept(&old, &mut new), expected);
    }
    let mut new = pin("e", "u", &[("structure", "linux"), ("run", "linux")]);
    assert_eq!(kept(&old, &mut new).0, None);
}

#[test]
fn lowered_pin_stays_so_until_the_level_is_reached() {
    let old = pin("d", "u", &ALL);
    let mut lower = pin("e", "u", &[("structure", "linux")]);
    keep_proofs(&old, &mut lower);
    let mut again = pin("e", "u", &[("compile", "linux")]);
    let expected = "structure@linux compile@linux".to_owned();
    assert_eq!(kept(&lower, &mut again), (Some("run".to_owned()), expected));
    let mut reached = pin("e", "u", &[("run", "linux")]);
    assert_eq!(kept(&again, &mut reached).0, None);
}

#[test]
fn proof_keeps_its_suite() {
    let with_suite = |level, suite: &str| {
        let mut pin = pin("d", "u", &[(level, "linux")]);
        pin.proven[0].suite = Some(suite.to_owned());
        pin
    };
    let old = with_suite("run", "0123456789ab");
    let suite = |mut new: LockedPin| {
        keep_proofs(&old, &mut new);
        new.proven.pop().unwrap().suite
    };
    let less = suite(pin("d", "u", &[("structure", "linux")]));
    assert_eq!(less.as_deref(), Some("0123456789ab"));
    let anew = suite(with_suite("run", "ba9876543210"));
    assert_eq!(anew.as_deref(), Some("ba9876543210"));
}
