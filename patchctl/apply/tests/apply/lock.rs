//! The lock file: read, refused, written.

use patchctl_apply::{
    BlobId, Lock, LockError, LockedFile, LockedOverlay, LockedPin, Proven, RevisionFrom,
    SIZE_LIMIT, Splice, check_tree_path,
};
use proptest::prelude::*;

const BLOB: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

fn pin(release: &str, texts: &[&str]) -> LockedPin {
    LockedPin {
        release: release.to_owned(),
        revision: "1f8e74e3f12f31365464a6867c6579f0e9b29d85".to_owned(),
        revision_from: RevisionFrom::Table,
        source: "crates".to_owned(),
        tree: None,
        overlays: vec![LockedOverlay {
            id: "o".to_owned(),
            digest: "0".repeat(64),
        }],
        files: vec![LockedFile {
            path: "mlx/a.cpp".to_owned(),
            before: BlobId::of(b""),
            after: BlobId::of(b"x"),
            splices: texts
                .iter()
                .enumerate()
                .map(|(at, text)| Splice {
                    edit: "o/h.1".to_owned(),
                    line: 1,
                    offset: at as u64,
                    length: 0,
                    text: (*text).to_owned(),
                })
                .collect(),
        }],
        proven: vec![Proven {
            level: "structure".to_owned(),
            host: "linux-x86_64".to_owned(),
            by: "patchctl 0.1.0".to_owned(),
            suite: None,
        }],
        lowered_from: None,
    }
}

fn lock(pins: Vec<LockedPin>) -> Lock {
    Lock {
        pins,
        ..Lock::default()
    }
}

fn yaml() -> String {
    lock(vec![pin("0.32.2", &["x\n"])]).to_yaml().unwrap()
}

#[test]
fn a_lock_reads_back_from_its_yaml() {
    let lock = lock(vec![
        pin(
            "0.31.2",
            &[
                "// a\r\nb\t\r\n",
                "  x \n\ny",
                "\n// z",
                "\u{85}\u{2028}\u{feff}",
            ],
        ),
        pin("0.32.2", &[]),
    ]);
    let yaml = lock.to_yaml().unwrap();
    assert_eq!(Lock::parse(yaml.as_bytes()).unwrap(), lock);
    assert_eq!(lock.to_yaml().unwrap(), yaml);
}

#[test]
fn plain_code_stands_in_the_lock_as_a_block_that_a_reader_can_compare() {
    let yaml = lock(vec![pin("0.32.2", &["\n// b\n  x;\n// e"])])
        .to_yaml()
        .unwrap();
    assert!(
        yaml.contains("text: |2-\n\n        // b\n          x;\n        // e\n"),
        "{yaml}"
    );
}

#[test]
fn a_lock_with_converted_line_ends_reads_the_same() {
    let lock = lock(vec![pin("0.32.2", &["// a\nb\n", "c\r\nd\r\n"])]);
    let yaml = lock.to_yaml().unwrap().replace('\n', "\r\n");
    assert_eq!(Lock::parse(yaml.as_bytes()).unwrap(), lock);
}

#[test]
fn an_unknown_key_is_refused_with_its_place() {
    let yaml = yaml().replace("  revision: ", "  revisoin: x\n  revision: ");
    let line = yaml
        .lines()
        .position(|line| line.contains("revisoin"))
        .unwrap()
        + 1;
    let error = Lock::parse(yaml.as_bytes()).unwrap_err();
    let LockError::Form {
        line: found,
        column,
        what,
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!((*found, *column), (line, 3), "{error}");
    assert!(what.contains("unknown field `revisoin`"), "{what}");
    assert!(what.contains("`revision_from`"), "{what}");
    assert!(!what.contains("at line"), "{what}");
}

#[test]
fn what_is_no_lock_file_is_refused_with_its_place() {
    for (text, expected) in [
        ("", "the file is empty"),
        ("[]\n", "a lock file: a map"),
        ("schema: one\n", "expected u32"),
        ("schema: 1\nschema: 1\n", "is here twice"),
        ("schema: 1\npins: {}\n", "sequence"),
        ("schema: 0\n", "no schema 0"),
        ("pins: []\n", "missing field `schema`"),
        ("schema: 1\npins: [\n", "while parsing"),
        ("schema: 1\n--- \nschema: 1\n", "document"),
        ("\u{0}", "control character"),
        ("schema: 1\npins: [[0.32.2]]\n", "invalid type: sequence"),
    ] {
        let error = Lock::parse(text.as_bytes()).unwrap_err();
        let text_of = format!("{error:?} {error}");
        assert!(
            matches!(error, LockError::Form { .. }) && text_of.contains(expected),
            "{text:?}: {text_of}"
        );
    }
}

#[test]
fn a_newer_schema_is_refused_with_the_version_that_reads_it() {
    let newer = "schema: 4\nneeds: 0.9.0\nshards: {a: 1}\n";
    let error = Lock::parse(newer.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the lock file has schema 4, this version reads up to 3: use patchctl 0.9.0 or newer"
    );
    let error = Lock::parse(b"schema: 4\n").unwrap_err();
    assert!(
        error.to_string().ends_with("use a newer patchctl"),
        "{error}"
    );
    assert!(yaml().contains("\nneeds: 0.1.0\n"));
    assert!(Lock::parse(b"schema: 1\npins: []\n").is_ok());
}

#[test]
fn a_path_that_leaves_the_tree_is_refused_with_its_place() {
    for path in [
        "../a",
        "a/../b",
        "/a",
        "a//b",
        "",
        "./a",
        "a/.",
        "a\\b",
        "C:/a",
        "a/",
        ".git/config",
        "x/.GIT/hooks/post-checkout",
    ] {
        assert!(check_tree_path(path).is_err(), "{path}");
        let text = yaml().replace("path: mlx/a.cpp", &format!("path: '{path}'"));
        let error = Lock::parse(text.as_bytes()).unwrap_err();
        assert!(
            matches!(error, LockError::Form { line: 14.., .. }),
            "{path}: {error}"
        );
        let mut wrong = lock(vec![pin("0.32.2", &[])]);
        wrong.pins[0].files[0].path = path.to_owned();
        assert!(wrong.to_yaml().is_err(), "{path}");
    }
    for path in ["a", "a/b.cpp", "...", "a/.gitignore", "a b/ü"] {
        assert_eq!(check_tree_path(path), Ok(()));
    }
}

#[test]
fn a_wrong_blob_id_is_refused_with_its_place() {
    for wrong in ["abc", &BLOB.to_uppercase(), &format!("{BLOB}0")] {
        let text = yaml().replace(BLOB, wrong);
        let error = Lock::parse(text.as_bytes()).unwrap_err();
        assert!(
            matches!(error, LockError::Form { line: 14.., .. }),
            "{error}"
        );
    }
}

#[test]
fn a_pin_that_contradicts_itself_is_refused() {
    let mut twice = lock(vec![pin("0.32.2", &[]), pin("0.32.2", &[])]);
    assert!(matches!(
        twice.to_yaml(),
        Err(LockError::Contradiction { .. })
    ));
    twice.pins.pop();
    let file = twice.pins[0].files[0].clone();
    twice.pins[0].files.push(file);
    assert!(matches!(
        twice.to_yaml(),
        Err(LockError::Contradiction { .. })
    ));
    let mut disordered = lock(vec![pin("0.32.2", &["a", "b"])]);
    disordered.pins[0].files[0].splices[0].offset = 7;
    assert!(matches!(
        disordered.to_yaml(),
        Err(LockError::Contradiction { .. })
    ));
    let mut overlapping = lock(vec![pin("0.32.2", &["a", "b"])]);
    overlapping.pins[0].files[0].splices[0].length = 2;
    assert!(matches!(
        overlapping.to_yaml(),
        Err(LockError::Contradiction { .. })
    ));
}

#[test]
fn a_lock_that_unfolds_or_is_too_large_is_refused() {
    let big = vec![b' '; SIZE_LIMIT as usize + 1];
    assert!(matches!(Lock::parse(&big), Err(LockError::TooLarge { .. })));

    let mut bomb = "schema: 1\na: &a [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for (name, before) in ["b", "c", "d", "e", "f", "g", "h"]
        .iter()
        .zip(["a", "b", "c", "d", "e", "f", "g"])
    {
        let list = vec![format!("*{before}"); 10].join(",");
        bomb.push_str(&format!("{name}: &{name} [{list}]\n"));
    }
    assert!(matches!(
        Lock::parse(bomb.as_bytes()),
        Err(LockError::Form { .. })
    ));

    // Few aliases, long text: it is weighed before it is unfolded.
    let long = format!(
        "schema: 1\nx: &x \"{}\"\npins: [{}]\n",
        "y".repeat(1 << 20),
        vec!["*x"; 40].join(",")
    );
    let error = Lock::parse(long.as_bytes()).unwrap_err();
    assert!(
        error.to_string().contains("grows over the limit"),
        "{error}"
    );
    let deep = format!(
        "schema: 1\npins: {}{}\n",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    assert!(matches!(
        Lock::parse(deep.as_bytes()),
        Err(LockError::Form { .. })
    ));
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Lock::read(std::path::Path::new("no/such/lock.yaml")).unwrap_err();
    assert!(error.to_string().contains("no/such/lock.yaml"), "{error}");
}

#[test]
fn a_pin_is_found_by_release_and_by_commit() {
    let mut other = pin("v0.32.1-26-g846d176", &[]);
    other.revision = "846d176000000000000000000000000000000000".to_owned();
    let lock = lock(vec![pin("0.32.2", &[]), other]);
    let release = |name| lock.pin(name).map(|pin| pin.release.as_str());
    assert_eq!(release("0.32.2"), Some("0.32.2"));
    assert_eq!(release("v0.32.2"), Some("0.32.2"));
    assert_eq!(release("v0.32.1-26-g846d176"), Some("v0.32.1-26-g846d176"));
    assert_eq!(release("846d176"), Some("v0.32.1-26-g846d176"));
    assert_eq!(
        release("1f8e74e3f12f31365464a6867c6579f0e9b29d85"),
        Some("0.32.2")
    );
    assert_eq!(release("1f8e74"), None);
    assert_eq!(release("0.32"), None);
}

/// Texts as code has them and as it does not: endings, tabs, white space, every plane, no NUL.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => Just("\n".to_owned()),
        2 => Just("\r\n".to_owned()),
        1 => Just("\r".to_owned()),
        2 => Just(" ".to_owned()),
        1 => Just("\t".to_owned()),
        2 => "[ -~]{0,12}",
        2 => "[a-z#:'\"|>&*!%@`{}\\[\\],?-]{1,3}",
        1 => any::<char>().prop_filter("NUL", |c| *c != '\0').prop_map(String::from),
        1 => Just("\u{feff}".to_owned()),
        1 => Just("\u{2029}".to_owned()),
    ];
    prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

/// A lock of the size that `[` alone makes 60 s of work for libyaml, and its like.
#[test]
fn hostile_nesting_ends_at_once_with_limit_and_place() {
    for (text, expected) in [
        (
            "[".repeat(200_000),
            "line 1, column 256 of the lock file: lists and maps nest deeper than 32",
        ),
        (
            format!("schema: 1\npins: {}", "[".repeat(200_000)),
            "lists and maps nest deeper than 32",
        ),
        (
            format!("schema: 1\npins:\n{}", "- ".repeat(200_000)),
            "lists and maps nest deeper than 32",
        ),
        (
            format!("schema: 1\npins: {}", "{a: ".repeat(200_000)),
            "lists and maps nest deeper than 32",
        ),
        (
            format!("schema: 1\npins: [{}]", "[],".repeat(300_000)),
            "the limit of 200000 values",
        ),
    ] {
        let begun = std::time::Instant::now();
        let error = Lock::parse(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        // Milliseconds; the rest is for a machine that is busy, and libyaml took over a minute.
        assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
    }
}

#[test]
fn texts_that_look_like_numbers_are_quoted_and_read_back() {
    let mut pin = pin("1e999", &["x\n"]);
    pin.tree = Some(format!("4e{:038}", 7));
    pin.overlays[0].id = "0x1f".to_owned();
    pin.source = "12:30:45".to_owned();
    let lock = lock(vec![pin]);
    let yaml = lock.to_yaml().unwrap();
    for text in ["'1e999'", "'4e00000", "'0x1f'", "'12:30:45'"] {
        assert!(yaml.contains(text), "{yaml}");
    }
    assert_eq!(Lock::parse(yaml.as_bytes()).unwrap(), lock);
    // Versions before schema 2 wrote some of them without quotes.
    let old = as_schema_1(&yaml).replace("'4e", "4e").replace("7'", "7");
    assert_eq!(Lock::parse(old.as_bytes()).unwrap().pins, lock.pins);
}

/// The file without the digests of its entries, as it was before schema 2.
fn as_schema_1(yaml: &str) -> String {
    let lines = yaml.replacen("schema: 3\n", "schema: 1\n", 1);
    let lines = lines.split_inclusive('\n');
    lines
        .filter(|line| !line.starts_with("  entry_digest: "))
        .collect()
}

#[test]
fn an_entry_that_was_changed_is_refused_and_one_of_an_older_schema_is_read() {
    let yaml = yaml();
    for (from, to) in [
        ("line: 1", "line: 2"),
        ("mlx/a.cpp", "mlx/b.cpp"),
        ("linux-x86_64", "linux-arm64"),
        ("  entry_digest: ", "  entry_digest: 0"),
        ("source: crates", "source: git"),
    ] {
        let changed = yaml.replacen(from, to, 1);
        assert_ne!(changed, yaml);
        let error = Lock::parse(changed.as_bytes()).unwrap_err().to_string();
        assert!(
            error.contains("its entry was changed after it was written"),
            "{error}"
        );
    }
    let without = yaml.lines().filter(|line| !line.contains("entry_digest"));
    let without = without.collect::<Vec<_>>().join("\n");
    let error = Lock::parse(without.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("has no `entry_digest`"), "{error}");
    let older = yaml.replacen("schema: 3", "schema: 1", 1);
    let error = Lock::parse(older.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("unknown field `entry_digest`"), "{error}");
    assert_eq!(
        Lock::parse(as_schema_1(&yaml).as_bytes()).unwrap().schema,
        1
    );
}

#[test]
fn words_that_are_shown_have_a_grammar() {
    type Change = fn(&mut LockedPin);
    let changes: [Change; 8] = [
        |pin| pin.revision = "abc".to_owned(),
        |pin| pin.tree = Some("nonsense".to_owned()),
        |pin| pin.release = "0.32.2\n0.32.3".to_owned(),
        |pin| pin.source.clear(),
        |pin| pin.overlays[0].id = "a b".to_owned(),
        |pin| pin.overlays[0].digest = "ab".to_owned(),
        |pin| pin.proven[0].host = "a host".to_owned(),
        |pin| pin.proven[0].by = "patchctl\n1.0.0: run on all hosts by nobody".to_owned(),
    ];
    for change in changes {
        let mut pin = pin("0.32.2", &[]);
        change(&mut pin);
        let error = lock(vec![pin.clone()]).to_yaml().unwrap_err();
        assert!(matches!(error, LockError::Contradiction { .. }), "{error}");
        assert!(!error.to_string().contains('\n'), "{error}");
    }
}

/// The form as versions up to 0.1.0 wrote it, with the library of that time.
#[derive(serde::Serialize, serde::Deserialize)]
struct OldFile {
    schema: u32,
    needs: String,
    pins: Vec<LockedPin>,
}

impl OldFile {
    fn of(lock: &Lock) -> Self {
        let (schema, needs) = (1, "0.1.0".to_owned());
        let pins = lock.pins.clone();
        Self {
            schema,
            needs,
            pins,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn old_locks_are_read_and_new_ones_are_readable_by_old_versions(
        texts in prop::collection::vec(any_text(), 1..4),
    ) {
        // libyaml takes these for ends of lines.
        let breaks = |c: &char| matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}');
        let texts: Vec<String> = texts.iter().map(|text| text.chars().filter(|c| !breaks(c)).collect()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let lock = lock(vec![pin("0.32.2", &texts)]);
        let old = serde_yaml::to_string(&OldFile::of(&lock)).unwrap();
        prop_assert_eq!(&Lock::parse(old.as_bytes()).unwrap().pins, &lock.pins, "{}", old);
        let new = as_schema_1(&lock.to_yaml().unwrap());
        let read: OldFile = serde_yaml::from_str(&new).unwrap();
        prop_assert_eq!(&read.pins, &lock.pins, "{}", new);
        // Code, as overlays have it, is written as it was.
        let is_code = |c: char| matches!(c, ' '..='~' | '\n');
        if texts.iter().all(|text| text.len() > 12 && text.chars().all(is_code)) {
            prop_assert!(new.ends_with(old.trim_start_matches("schema: 1\n")), "{}\n{}", new, old);
        }
    }

    #[test]
    fn every_text_comes_back_byte_for_byte(texts in prop::collection::vec(any_text(), 1..4)) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let lock = lock(vec![pin("0.32.2", &texts)]);
        let yaml = lock.to_yaml().unwrap();
        prop_assert_eq!(Lock::parse(yaml.as_bytes()).unwrap(), lock);
    }
}
