mod anchors;
mod any;
mod conditions;
mod evidence;
mod form;
mod schema;
mod set;
mod texts;
mod whole_overlay;
mod words;

use camino::Utf8Path;

use super::load;

/// A whole overlay with `hunks` in it; the hunks begin on line 7.
fn with_hunks(hunks: &str) -> String {
    format!("schema: 1\noverlay: x\ntitle: t\nwhy: w\nfile: a/b.cpp\nhunks:\n{hunks}")
}

/// A hunk with one edit at `at`, which stands on line 9.
fn at(at: &str) -> String {
    with_hunks(&format!(
        "  - id: h\n    edits:\n      - at: {at}\n        insert: \"int a;\\n\"\n"
    ))
}

/// A hunk whose edit inserts `text`, a double-quoted YAML text on line 10.
fn insert(text: &str) -> String {
    at("{ function: f, position: before }").replace("\"int a;\\n\"", text)
}

/// A hunk under the condition `condition`, which stands on line 9.
fn when(condition: &str) -> String {
    with_hunks(&format!(
        "  - id: h\n    when:\n      - {condition}\n    edits:\n      - at: {{ function: f, position: before }}\n        insert: \"int a;\\n\"\n"
    ))
}

/// The fault of an overlay in `x.yaml`: `line:column code: message`, and the help behind ` -- `.
fn faults(text: &str) -> Vec<String> {
    bytes_faults(text.as_bytes())
}

fn bytes_faults(bytes: &[u8]) -> Vec<String> {
    let Err(faults) = load(Utf8Path::new("x.yaml"), bytes) else {
        return Vec::new();
    };
    assert!(!faults.0.is_empty());
    let faults = faults.0.into_iter();
    faults
        .map(|fault| {
            let place = fault.place().unwrap();
            let mark = place.strip_prefix("x.yaml:").unwrap();
            let help = fault
                .help
                .map_or_else(String::new, |help| format!(" -- {help}"));
            format!("{mark} {}: {}{help}", fault.code, fault.message)
        })
        .collect()
}

#[track_caller]
fn one(text: &str, expected: &str) {
    assert_eq!(faults(text), [expected], "{text}");
}

#[track_caller]
fn none(text: &str) {
    assert_eq!(faults(text), Vec::<String>::new(), "{text}");
}
