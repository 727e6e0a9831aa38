//! Every file that patchctl writes is read again by it, and by another reader, as what was meant.

use camino::Utf8Path;
use patchctl_apply::{
    BlobId, Lock, LockedFile, LockedOverlay, LockedPin, Proven, RevisionFrom, Splice,
};
use proptest::prelude::*;
use serde_json::Value;

use super::super::Transaction;
use super::super::snapshots::{Front, Location, Part, Snapshot};
use super::super::{CheckCommand, CheckRecord, CheckedOn, Pin, Pins, Record, Review, Reviewed};
use super::repository::Repository;
use crate::patch::EditKey;

/// Words that a reader of YAML 1.1 or 1.2 takes for numbers, dates, booleans or nulls, among others.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => prop::sample::select(vec![
            "4e27245443257770", "1e999", "0x1F", "12:30:45", "~", "yes", "No", "on", "y", ".inf", "-.INF", ".NaN",
            "1_000", "2026-12-01", "0o7", "017", "0b1", "1.", ".5", "+1", "=", "<<", "null", "True", "190:20:30",
            "2001-12-14 21:59:43", "- a", "? a", "a: b", "a #b", "#", "'", "\"", "&a", "*a", "!a", "|", ">", "%", "@",
            "`", "[", "{a}", "---", "...", "a:", ":a", "-",
        ]).prop_map(str::to_owned),
        2 => "[0-9a-f]{16}",
        1 => "[0-9]{1,20}",
        1 => "[0-9]{1,4}e[0-9]{1,4}",
        1 => "[-+.0-9xobe_:]{1,12}",
        1 => "[ -~]{1,20}",
        1 => "\\PC{1,12}",
    ]
}

fn digest() -> impl Strategy<Value = String> {
    prop_oneof!["[0-9a-f]{16}", "[0-9]{16}", "[0-9]{2}e[0-9]{13}"]
}

#[track_caller]
fn reads_back<R: Record>(file: &str, record: &R) -> String {
    let text = record.to_text().unwrap();
    let read = R::read_back(Utf8Path::new(file), text.as_bytes());
    assert_eq!(read.as_ref(), Ok(record), "{text}");
    text
}

/// Another reader's tree of a text.
fn elsewhere(text: &str) -> Value {
    serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn all_texts(value: &Value, numbers: &[&str]) -> bool {
    match value {
        Value::Object(map) => map
            .iter()
            .all(|(key, value)| numbers.contains(&key.as_str()) || all_texts(value, numbers)),
        Value::Array(list) => list.iter().all(|value| all_texts(value, numbers)),
        Value::String(_) => true,
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn reviews_read_back(words in prop::collection::vec(word(), 6), shape in digest()) {
        let [overlay, hunk, edit, variant, seen, place] = words.try_into().unwrap();
        let digest = shape.repeat(4);
        let key = EditKey { overlay, hunk, edit, variant, digest };
        let mut reviewed = Reviewed::default();
        reviewed.add(Review::of(&key, &shape, &seen, &place));
        let text = reads_back("reviewed.yaml", &reviewed);
        prop_assert!(all_texts(&elsewhere(&text), &["schema"]), "{}", text);
        // As versions up to 0.1.0 wrote it, with the library of that time.
        // libyaml takes these for ends of lines.
        if serde_json::to_string(&reviewed).unwrap().contains(['\u{85}', '\u{2028}', '\u{2029}']) {
            return Ok(());
        }
        let old = serde_yaml::to_string(&reviewed).unwrap();
        prop_assert_eq!(Reviewed::read_back("reviewed.yaml".into(), old.as_bytes()), Ok(reviewed), "{}", old);
    }

    #[test]
    fn pins_read_back(major in 0_u64..100, revision in "[0-9]{40}|[0-9]{2}e[0-9]{37}|[0-9a-f]{40}") {
        let mut pins = Pins::default();
        pins.set(Pin { release: format!("{major}.0.0"), revision }, true);
        let text = reads_back("pins.yaml", &pins);
        prop_assert!(all_texts(&elsewhere(&text), &["schema"]), "{}", text);
    }

    #[test]
    fn check_records_read_back(
        words in prop::collection::vec(word(), 7),
        command in prop::collection::vec(word(), 1..3),
        tests in prop::option::of(0_u64..9),
    ) {
        let [release, revision, id, digest, by, shell, _] = words.try_into().unwrap();
        for command in [CheckCommand::Words(command), CheckCommand::Shell(shell)] {
            let record = CheckRecord {
                schema: 1,
                check: "1e9".to_owned(),
                host: "linux-x86_64".to_owned(),
                passed: true,
                tests,
                on: CheckedOn {
                    release: release.clone(),
                    revision: revision.clone(),
                    overlays: vec![LockedOverlay { id: id.clone(), digest: digest.clone() }],
                },
                command,
                by: by.clone(),
            };
            let text = reads_back("checks/1e9.linux-x86_64.yaml", &record);
            prop_assert!(all_texts(&elsewhere(&text), &["schema", "passed", "tests"]), "{}", text);
        }
    }

    #[test]
    fn locks_read_back(
        (release, source, by, text) in (word(), word(), word(), word()),
        (commit, digest) in ("[0-9]{2}e[0-9]{37}|[0-9]{40}", "[0-9]{62}e9|[0-9]{64}"),
        (id, level, host) in ("1e[0-9]{3}|0x[0-9]|[0-9]{1,9}|yes|null", "yes|1e9|on", "1_0|017|2026-12-01"),
    ) {
        let splice = Splice { edit: id.clone(), line: 1, offset: 0, length: 0, text };
        let blob = BlobId::of(b"");
        let file = LockedFile { path: "1e999".to_owned(), before: blob.clone(), after: blob, splices: vec![splice] };
        let line = |text: String| text.replace(char::is_control, "") + "1";
        let pin = LockedPin {
            release: line(release),
            revision: commit.clone(),
            revision_from: RevisionFrom::Git,
            source: line(source),
            tree: Some(commit),
            overlays: vec![LockedOverlay { id, digest }],
            files: vec![file],
            proven: vec![Proven { level: level.clone(), host, by: line(by), suite: Some("1e1234567890".to_owned()) }],
            lowered_from: Some(level),
        };
        let lock = Lock { pins: vec![pin], ..Lock::default() };
        let text = reads_back("lock.yaml", &lock);
        prop_assert!(all_texts(&elsewhere(&text), &["schema", "line", "offset", "length"]), "{}", text);
    }

    #[test]
    fn snapshots_read_back(names in prop::collection::vec("[a-z0-9-]{1,9}", 4), shape in digest()) {
        let [overlay, hunk, edit, variant] = names.try_into().unwrap();
        let front = Front {
            source: format!("overlays/{overlay}.yaml"),
            line: Some(7),
            to_review: vec![format!("{hunk}.{edit}")],
            reviewed: Vec::new(),
            expression: format!("{overlay} on 1e5"),
        };
        let place = Location {
            variant,
            file: "1e9".into(),
            scope: "f()".to_owned(),
            preprocessor: Vec::new(),
            line: 1,
            digest: shape.repeat(4),
            shape,
            lines: Vec::new(),
            end_of_file: false,
        };
        let parts = vec![Part { hunk, edit, place: Some(place) }];
        let (release, commit) = ("1e5".to_owned(), "0".repeat(40));
        reads_back("a@1e5.snap", &(front, Snapshot { overlay, release, commit, parts }));
    }
}

/// A pin whose entry is about `lines` lines long.
fn locked(release: &str, edits: usize) -> LockedPin {
    let blob = BlobId::of(release.as_bytes());
    let splice = |at: usize| Splice {
        edit: format!("o/h.{at}"),
        line: 1,
        offset: 0,
        length: 0,
        text: "// a\nint x;\n// b\n".to_owned(),
    };
    LockedPin {
        release: release.to_owned(),
        revision: format!("{blob}"),
        revision_from: RevisionFrom::Git,
        source: "git".to_owned(),
        tree: None,
        overlays: vec![LockedOverlay {
            id: "o".to_owned(),
            digest: "0".repeat(64),
        }],
        files: vec![LockedFile {
            path: "a.cpp".to_owned(),
            before: blob.clone(),
            after: blob,
            splices: (1..=edits).map(splice).collect(),
        }],
        proven: vec![],
        lowered_from: None,
    }
}

fn side(text: &str) -> git2::MergeFileInput<'_> {
    // git2's `merge_file` does not start libgit2 itself, as everything that makes an object does.
    drop(git2::Buf::new());
    let mut file = git2::MergeFileInput::new();
    file.content(text.as_bytes());
    file
}

/// Two branches that each add a pin, merged by git: a conflict, or the lock with both; never another one.
#[test]
fn two_added_pins_merge_without_a_false_lock() {
    let yaml = |releases: &[&str]| {
        let pins = releases.iter().map(|release| locked(release, 3)).collect();
        Lock {
            pins,
            ..Lock::default()
        }
        .to_yaml()
        .unwrap()
    };
    let base = ["1.0.0", "3.0.0", "5.0.0"];
    let mut clean = 0;
    for one in ["0.9.0", "2.0.0", "4.0.0", "6.0.0"] {
        for other in ["0.8.0", "0.9.5", "2.5.0", "4.5.0", "6.5.0"] {
            let with = |added: &[&'static str]| {
                let mut releases: Vec<&str> =
                    base.iter().copied().chain(added.iter().copied()).collect();
                releases.sort_unstable();
                yaml(&releases)
            };
            let (ancestor, ours, theirs) = (with(&[]), with(&[one]), with(&[other]));
            let merged =
                git2::merge_file(&side(&ancestor), &side(&ours), &side(&theirs), None).unwrap();
            if merged.is_automergeable() {
                clean += 1;
                assert_eq!(
                    std::str::from_utf8(merged.content()).unwrap(),
                    with(&[one, other])
                );
            }
        }
    }
    assert!(clean >= 10, "{clean}");
}

/// A record whose text says something else.
#[derive(Debug, Clone, PartialEq)]
struct Forgetful(u8);

impl Record for Forgetful {
    fn to_text(&self) -> Result<String, String> {
        Ok(self.0.to_string())
    }

    fn read_back(_: &Utf8Path, _: &[u8]) -> Result<Self, String> {
        Ok(Self(1))
    }
}

#[test]
fn what_would_not_read_back_is_not_written() {
    let repository = Repository::new();
    let before = repository.listing();
    let mut transaction = Transaction::new("bump", "lock.yaml");
    transaction
        .record("one", Forgetful(1))
        .record("two", Forgetful(2));
    let error = repository.commit(&transaction).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("two would not be readable as it is to be written: "),
        "{error}"
    );
    assert_eq!(repository.listing(), before);
}
