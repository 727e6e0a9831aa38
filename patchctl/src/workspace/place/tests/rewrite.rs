//! Rewriting: the value's bytes, and not one else.

use camino::Utf8Path;

use super::super::{Rewrite, rewrites};
use super::*;
use crate::report::Finding;

/// A repository of these files, and what a bump to 0.33.0 would write.
fn rewritten(pin: &str, files: &[(&str, &str)]) -> Result<Vec<Rewrite>, Vec<String>> {
    let root = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(root.path()).unwrap();
    for (file, text) in files {
        std::fs::write(root.join(file), text).unwrap();
    }
    let written = rewrites(root, &places(pin), &super::pin("0.33.0"));
    for (file, text) in files {
        assert_eq!(
            std::fs::read_to_string(root.join(file)).unwrap(),
            *text,
            "{file} was written"
        );
    }
    written.map_err(|errors| errors.into_iter().map(line).collect())
}

fn line(finding: Finding) -> String {
    let place = finding
        .line
        .map_or_else(String::new, |line| format!(":{line}"));
    format!(
        "{}{place} {}: {} -- {}",
        finding.file.unwrap(),
        finding.code,
        finding.message,
        finding.help.unwrap()
    )
}

#[test]
fn only_the_values_bytes_change() {
    let cases = [
        (
            "cmake: mlx, form: tag",
            "FetchContent_Declare(mlx # v0.32.2\r\n  GIT_TAG \"@\" )\r\n",
            "v0.32.2",
            "v0.33.0",
        ),
        (
            "cmake-variable: T, form: release",
            "set(T [[@]] )#0.32.2",
            "0.32.2",
            "0.33.0",
        ),
        (
            "toml: a.b, form: release",
            "a = {  b='@'  } # 0.32.2\r\n\r\n",
            "0.32.2",
            "0.33.0",
        ),
        (
            "yaml: a.b, form: tag",
            "a: {b:   '@'}   # v0.32.2\r\n# end",
            "v0.32.2",
            "v0.33.0",
        ),
        (
            "json: a, form: release",
            "\u{feff}{ \"b\": \"0.32.2\",\t\"a\" : \"@\" }",
            "0.32.2",
            "0.33.0",
        ),
        (
            "regex: 'v(\\S+) now', form: release",
            "\tv0.32.2 v@ now\r\nlast",
            "0.32.2",
            "0.33.0",
        ),
        (
            "yaml: a, form: commit",
            "a: @ ",
            "0123456789012345678901234567890123456abc",
            "1f8e74e3f12f31365464a6867c6579f0e9b29d85",
        ),
    ];
    for (way, text, old, new) in cases {
        let read = text.replace('@', old);
        let pin = format!("  write: [{{ file: f, {way} }}]\n");
        let written = rewritten(&pin, &[("f", &read)]).unwrap();
        assert_eq!(written.len(), 1, "{way}");
        assert_eq!(
            String::from_utf8(written[0].bytes.clone()).unwrap(),
            text.replace('@', new),
            "{way}"
        );
        assert_eq!(written[0].read, read.as_bytes());
        assert_eq!(written[0].file, "f");
        assert!(
            written[0].changes[0].ends_with(&format!(": {old} -> {new}")),
            "{:?}",
            written[0].changes
        );
        // Once it is so, there is nothing to do.
        assert_eq!(
            rewritten(&pin, &[("f", &text.replace('@', new))]),
            Ok(Vec::new())
        );
    }
}

#[test]
fn places_of_one_file_are_rewritten_together() {
    let pin = "  authority: { file: b, yaml: a, form: tag }\n  write:\n    - { file: a, yaml: y, form: release }\n    - { file: a, yaml: x, form: tag }\n    - { file: a, yaml: z, form: release }\n  follows: [{ file: a, yaml: w, form: tag }, { file: gone, yaml: w, form: tag }]\n";
    let a = "w: v0.32.2\nx: v0.9.0\ny: 0.9.0\nz: 0.33.0\n";
    let written = rewritten(pin, &[("a", a), ("b", "a: v0.32.2")]).unwrap();
    assert_eq!(
        written[0].bytes,
        b"w: v0.32.2\nx: v0.33.0\ny: 0.33.0\nz: 0.33.0\n"
    );
    assert_eq!(
        written[0].changes,
        ["a:2: v0.9.0 -> v0.33.0", "a:3: 0.9.0 -> 0.33.0"]
    );
    assert_eq!(written[1].changes, ["b:1: v0.32.2 -> v0.33.0"]);
}

#[test]
fn one_bad_place_prevents_all_rewrites() {
    let pin = "  authority: { file: gone, yaml: a, form: tag }\n  write:\n    - { file: a, yaml: a, form: tag }\n    - { file: a, yaml: b, form: tag }\n    - { file: b, regex: '(v0\\.32\\.\\d)', form: tag }\n    - { file: c, yaml: a, form: tag }\n    - { file: c, regex: 'v(.*)', form: release }\n    - { file: d, regex: '(v0.*)|(?:v0)', form: tag }\n";
    let files = [
        ("a", "a: main\nc: v0.32.2\n"),
        ("b", "x\nv0.32.2\n"),
        ("c", "a: v0.32.2\n"),
        ("d", "v0.32.2"),
    ];
    let reported = rewritten(pin, &files).unwrap_err();
    assert_eq!(
        reported,
        [
            "a:1 place-bad-value: the value is `main`, expected a tag such as `v0.32.2` -- correct the value, or `form` in patchctl.yaml: `release`, `tag` or `commit`",
            "a place-not-there: there is no key `b` -- correct the place in patchctl.yaml, or the file",
            "b:1 place-lost: regular expression `(v0\\.32\\.\\d)` does not find `v0.33.0` once it is written -- make the expression in patchctl.yaml match every release",
            "c:1 place-overlap: two places name this value in different forms -- keep one of them in patchctl.yaml",
            "gone file-unreadable: cannot be read: No such file or directory (os error 2) -- check the path in patchctl.yaml",
        ]
    );
}

#[test]
fn a_commit_is_written_in_form_commit_only() {
    let root = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(root.path()).unwrap();
    std::fs::write(
        root.join("a"),
        "a: v0.32.2\nb: 0123456789012345678901234567890123456abc\n",
    )
    .unwrap();
    let pin = pin("v0.32.1-26-g846d176");
    let of = |key: &str, form: &str| {
        places(&format!(
            "  write: [{{ file: a, yaml: {key}, form: {form} }}]\n"
        ))
    };
    let written = rewrites(root, &of("b", "commit"), &pin).unwrap();
    assert!(
        written[0]
            .bytes
            .ends_with(b"1f8e74e3f12f31365464a6867c6579f0e9b29d85\n")
    );
    let errors = rewrites(root, &of("a", "tag"), &pin).unwrap_err();
    assert_eq!(
        errors.into_iter().map(line).collect::<Vec<_>>(),
        [
            "a place-no-release: the pin v0.32.1-26-g846d176 is no release, so it cannot be written as a tag such as `v0.32.2` -- write `form: commit` in patchctl.yaml"
        ]
    );
}

#[test]
fn a_value_of_two_places_is_rewritten_once() {
    let pin = "  authority: { file: a, yaml: a, form: tag }\n  write: [{ file: a, regex: '(v.*)', form: tag }]\n";
    let written = rewritten(pin, &[("a", "a: v0.32.2\n")]).unwrap();
    assert_eq!(written[0].bytes, b"a: v0.33.0\n");
    assert_eq!(written[0].changes, ["a:1: v0.32.2 -> v0.33.0"]);
}
