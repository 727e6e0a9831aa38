//! Tampering, systematically: each scalar of the repository's own lock, pins, reviews and snapshots is changed, digests
//! are made to fit again, and what `status --check` looks at offline is asked.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::{Lock, LockedPin};
use serde_json::Value;

use super::super::snapshots::{Snapshot, Standing, filed};
use super::super::{Agreement, LOCK_FILE, PINS_FILE, PinPlaces, Pins, REVIEWED_FILE, Reviewed};
use crate::overlay::load_dir;
use crate::report::Severity;

const FOLDER: &str = "overlays/mlx";
const SNAPSHOTS: &str = "tests/snapshots";

/// What no comparison of the repository's own files can know, and the command that does.
const UNKNOWABLE: [(&str, &str, &str); 16] = [
    // The bytes of upstream are needed: `patchctl verify` has them, and `patchctl apply` checks blobs before it writes.
    ("lock.yaml", "before", "verify"),
    ("lock.yaml", "after", "verify"),
    ("lock.yaml", "offset", "verify"),
    ("lock.yaml", "tree", "verify"),
    // Both files at once, or a pin's line and the snapshot's.
    ("lock.yaml", "source", "verify"),
    ("lock.yaml", "revision_from", "verify"),
    // A proof is repeated, not recomputed.
    ("lock.yaml", "level", "verify --level"),
    ("lock.yaml", "host", "verify --level"),
    ("lock.yaml", "by", "verify --level"),
    ("lock.yaml", "suite", "verify --level"),
    ("lock.yaml", "lowered_from", "bump --level"),
    // Which of the pins is current is a decision; other places of the pin are compared where there are any.
    ("pins.yaml", "current", "build"),
    // For people.
    ("reviewed.yaml", "seen", "review"),
    ("reviewed.yaml", "where", "review"),
    // Of the code around the place, which is not here.
    ("snap", "scope", "verify"),
    ("snap", "under", "verify"),
];

fn root_of_repository() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn copy(from: &Utf8Path, to: &Utf8Path, folder: &str) {
    fs::create_dir_all(to.join(folder)).unwrap();
    for entry in fs::read_dir(from.join(folder)).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(
                entry.path(),
                to.join(folder).join(entry.file_name().to_str().unwrap()),
            )
            .unwrap();
        }
    }
}

/// What `status --check` finds in the files at `root`; an error is a file that is refused.
fn look(root: &Utf8Path) -> Result<Vec<String>, String> {
    let folder = Utf8Path::new(FOLDER);
    let overlays = load_dir(root, folder).map_err(|faults| faults.to_string())?;
    let pins = Pins::load(root, folder).map_err(|faults| faults.to_string())?;
    let reviewed = Reviewed::load(root, folder).map_err(|faults| faults.to_string())?;
    let lock = fs::read(root.join(folder).join(LOCK_FILE)).unwrap();
    let lock = Lock::parse(&lock).map_err(|error| error.to_string())?;
    let files = filed(root, SNAPSHOTS.into(), folder).map_err(|error| error.to_string())?;
    let agreement = Agreement {
        root,
        folder,
        pins: &pins,
        lock: &lock,
        overlays: &overlays,
        places: &PinPlaces::default(),
    };
    let standing = Standing {
        folder: SNAPSHOTS.into(),
        files: &files,
        lock: &lock,
        overlays: &overlays,
        reviewed: &reviewed,
    };
    let mut findings = agreement.findings();
    findings.extend(lock.pins.iter().flat_map(|pin| standing.of_pin(pin)));
    findings.extend(standing.of_others());
    let errors = findings
        .into_iter()
        .filter(|finding| finding.severity == Severity::Error);
    Ok(errors.map(|finding| finding.message).collect())
}

/// The ways to each scalar of a tree.
fn scalars(value: &Value, way: &str, out: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                scalars(value, &format!("{way}/{key}"), out);
            }
        }
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                scalars(value, &format!("{way}/{index}"), out);
            }
        }
        _ => out.push(way.to_owned()),
    }
}

/// Another value of the same kind.
fn changed(value: &Value) -> Value {
    match value {
        Value::Number(number) => (number.as_u64().unwrap() + 1).into(),
        Value::Bool(value) => (!value).into(),
        Value::String(text) if text.contains('\n') => text.replacen('a', "b", 1).into(),
        Value::String(text) => {
            let last = text.chars().last().unwrap();
            let other = match last {
                '0' => '1',
                '0'..='9' => '0',
                'a' => 'b',
                'A'..='z' => 'a',
                _ => 'x',
            };
            format!("{}{other}", &text[..text.len() - last.len_utf8()]).into()
        }
        other => panic!("{other}"),
    }
}

/// Makes the digest of each pin's entry fit again.
fn seal(lock: &mut Value) {
    for pin in lock["pins"].as_array_mut().into_iter().flatten() {
        let mut entry = pin.clone();
        entry.as_object_mut().unwrap().remove("entry_digest");
        if let Ok(read) = serde_json::from_value::<LockedPin>(entry) {
            pin["entry_digest"] = read.digest().into();
        }
    }
}

fn is_unknowable(file: &str, way: &str) -> bool {
    let key = way
        .rsplit('/')
        .find(|part| part.parse::<usize>().is_err())
        .unwrap_or_default();
    UNKNOWABLE
        .iter()
        .any(|(of, name, _)| file.ends_with(of) && *name == key)
}

/// Returns true for what a review says that is of no pin here: `patchctl verify` on the release in which it was seen
/// compares it. `schema` follows from the rest and is written anew.
fn is_of_no_pin(root: &Utf8Path, tree: &Value, way: &str) -> bool {
    let review = way
        .rsplit_once('/')
        .and_then(|(review, _)| tree.pointer(review)?.as_object());
    let Some(shape) = review.and_then(|review| review.get("shape")?.as_str()) else {
        return way == "/schema";
    };
    let snapshots = fs::read_dir(root.join(SNAPSHOTS)).unwrap();
    let mut texts = snapshots.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    !texts.any(|text| text.contains(shape))
}

#[test]
fn each_scalar_that_is_changed_is_noticed() {
    let scratch = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(scratch.path()).unwrap();
    copy(&root_of_repository(), root, FOLDER);
    copy(&root_of_repository(), root, SNAPSHOTS);
    let lock = root.join(FOLDER).join(LOCK_FILE);
    let sealed = Lock::parse(&fs::read(&lock).unwrap())
        .unwrap()
        .to_yaml()
        .unwrap();
    fs::write(&lock, sealed).unwrap();
    assert_eq!(look(root), Ok(Vec::new()));
    let mut unnoticed = Vec::new();
    for name in [LOCK_FILE, PINS_FILE, REVIEWED_FILE] {
        let path = root.join(FOLDER).join(name);
        let text = fs::read_to_string(&path).unwrap();
        let tree: Value = serde_yaml::from_str(&text).unwrap();
        let mut ways = Vec::new();
        scalars(&tree, "", &mut ways);
        for way in ways {
            let mut other = tree.clone();
            let value = other.pointer_mut(&way).unwrap();
            *value = changed(value);
            if name == LOCK_FILE && !way.ends_with("/entry_digest") {
                seal(&mut other);
            }
            fs::write(&path, serde_yaml::to_string(&other).unwrap()).unwrap();
            let of_no_pin = name == REVIEWED_FILE && is_of_no_pin(root, &tree, &way);
            let is_known = !of_no_pin && !is_unknowable(name, &way);
            if look(root).is_ok_and(|findings| findings.is_empty()) && is_known {
                unnoticed.push(format!("{name}{way}"));
            }
        }
        fs::write(&path, text).unwrap();
    }
    unnoticed.extend(unnoticed_in_snapshots(root));
    assert_eq!(unnoticed, [""; 0]);
    assert_eq!(look(root), Ok(Vec::new()));
}

/// Each word of each line of a snapshot, its digest made to fit again.
fn unnoticed_in_snapshots(root: &Utf8Path) -> Vec<String> {
    let mut unnoticed = Vec::new();
    for entry in fs::read_dir(root.join(SNAPSHOTS)).unwrap() {
        let path = Utf8PathBuf::from_path_buf(entry.unwrap().path()).unwrap();
        let name = path.file_name().unwrap();
        if !name.ends_with(".snap") || !name.contains('@') {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for (number, line) in text.lines().enumerate() {
            let key = line.split(' ').next().unwrap_or_default();
            if line.trim().is_empty() || line == "---" || key == "digest" {
                continue;
            }
            let other = changed(&Value::from(line));
            let mut lines: Vec<&str> = text.lines().collect();
            lines[number] = other.as_str().unwrap();
            let written = fitting(&(lines.join("\n") + "\n"));
            fs::write(&path, written).unwrap();
            let noticed = look(root).is_ok_and(|findings| findings.is_empty());
            if noticed && !is_unknowable("snap", key) {
                unnoticed.push(format!("{name}:{}: {line}", number + 1));
            }
        }
        fs::write(&path, text).unwrap();
    }
    unnoticed
}

/// The text with the digest that it gives, where only that is wrong with it.
fn fitting(text: &str) -> String {
    let body = text.splitn(3, "---\n").nth(2).unwrap_or_default();
    let Err(why) = Snapshot::parse(body) else {
        return text.to_owned();
    };
    let digests = why.strip_prefix("its digest is ");
    match digests.and_then(|it| it.split_once(", its text gives ")) {
        Some((written, found)) => text.replace(written, found),
        None => text.to_owned(),
    }
}
