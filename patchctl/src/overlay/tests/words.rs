//! Ids, markers, paths and the words at the top.

use super::*;
use crate::report::Code;

#[test]
fn ids_are_simple_unique_and_the_files_own() {
    let good = at("{ function: f, position: before }");
    let second =
        "  - id: h\n    edits: [{ id: a, at: { function: f, position: end }, insert: \"a\\n\" }]\n";
    one(
        &good.replace("id: h", "id: Two Words"),
        "7:9 overlay-bad-id: the hunk's id `Two Words` is not made of `a` to `z`, `0` to `9` and `-` -- write `two-words`",
    );
    one(
        &good.replace("id: h", "id: ''"),
        "7:9 overlay-bad-id: the hunk's id `` is not made of `a` to `z`, `0` to `9` and `-`",
    );
    one(
        &(good.clone() + second),
        "11:9 overlay-duplicate-id: the hunk's id `h` is here twice, first on line 7 -- give each its own",
    );
    one(
        &good.replace("overlay: x", "overlay: y"),
        "2:10 overlay-file-name: the overlay is named `y`, its file `x` -- rename the file to `y.yaml`, or write `overlay: x`",
    );
    let edits = "  - id: h\n    edits:\n      - { at: { function: f, position: end }, insert: \"a\\n\" }\n      - { id: '1', at: { function: f, position: end }, insert: \"a\\n\" }\n";
    one(
        &with_hunks(edits),
        "10:15 overlay-duplicate-id: the edit's id `1` is here twice, first on line 9 -- give each its own",
    );
    let variant = "{ name: v, edits: [{ at: { function: f, position: end }, insert: \"a\\n\" }] }";
    let variants = format!("  - id: h\n    variants:\n      - {variant}\n      - {variant}\n");
    one(
        &with_hunks(&variants),
        "10:17 overlay-duplicate-id: the variant's name `v` is here twice, first on line 9 -- give each its own",
    );
}

#[test]
fn a_marker_has_at_most_80_columns() {
    // `// patchctl:begin x/` + hunk + `.1 ` + 12 digits.
    let with_id = |length: usize| {
        at("{ function: f, position: before }")
            .replace("id: h", &format!("id: {}", "h".repeat(length)))
    };
    none(&with_id(45));
    let marker = format!("// patchctl:begin x/{}.1 000000000000", "h".repeat(46));
    assert_eq!(marker.len(), 81);
    one(
        &with_id(46),
        &format!(
            "9:9 overlay-marker-too-long: the marker `{marker}` has 81 columns, over the limit of 80 -- shorten the ids of overlay, hunk and edit by 1 characters together"
        ),
    );
}

#[test]
fn paths_stay_inside_the_upstream_tree() {
    let absolute = "is absolute or names a drive, expected one relative to the tree's root";
    let dots = "has a part `.` or `..`, so it may leave the tree";
    let git = "lies in a git repository's own folder";
    for (path, why) in [
        ("/etc/passwd", absolute),
        ("C:/x.cpp", absolute),
        ("..", dots),
        ("a/../../b.cpp", dots),
        ("./b.cpp", dots),
        (
            "'a\\b.cpp'",
            "has a backslash or a NUL, expected `/` between its parts",
        ),
        ("a//b.cpp", "has an empty part"),
        ("a/", "has an empty part"),
        ("''", "has an empty part"),
        (".git/config", git),
        ("a/.GIT/config", git),
        ("a/.git. /config", git),
        ("GIT~1/config", git),
    ] {
        let bare = path.trim_matches('\'').replace('\\', "\\\\");
        let help =
            "write it relative to the upstream tree, with `/`: `mlx/backend/metal/device.cpp`";
        one(
            &at("{ function: f, position: before }")
                .replace("file: a/b.cpp", &format!("file: {path}")),
            &format!("5:7 overlay-bad-path: the path `{bare}` {why} -- {help}"),
        );
        one(
            &at(&format!(
                "{{ function: f, position: before }}\n        file: {path}"
            )),
            &format!("10:15 overlay-bad-path: the path `{bare}` {why} -- {help}"),
        );
        one(
            &when(&format!(
                "{{ in: {{ function: f }}, tokens: a, file: {path} }}"
            )),
            &format!("9:49 overlay-bad-path: the path `{bare}` {why} -- {help}"),
        );
    }
    one(
        &at("{ function: f, position: before }").replace("a/b.cpp", "\"a/\\ab.cpp\""),
        "5:7 overlay-bad-path: the path `a/\\u{7}b.cpp` has a control character -- write it relative to the upstream tree, with `/`: `mlx/backend/metal/device.cpp`",
    );
    none(&at("{ function: f, position: before }").replace("a/b.cpp", "a/.gitignore"));
}

#[test]
fn an_edit_and_a_condition_need_a_file() {
    let text = when("{ in: { function: f }, tokens: a }").replace("file: a/b.cpp\n", "");
    let help = "add `file: …` here or at the overlay's top";
    let expected = [
        format!(
            "8:9 overlay-no-file: the condition names no file, and the overlay none for all -- {help}"
        ),
        format!(
            "10:9 overlay-no-file: the edit names no file, and the overlay none for all -- {help}"
        ),
    ];
    assert_eq!(faults(&text), expected);
    let own = text.replace("insert:", "file: c.cpp\n        insert:");
    let overlay = load(Utf8Path::new("x.yaml"), own.as_bytes()).unwrap();
    let variant = &overlay.hunks[0].variants[0];
    assert_eq!(
        (
            variant.edits[0].file.as_str(),
            variant.when[0].file.as_str()
        ),
        ("c.cpp", "c.cpp")
    );
}

#[test]
fn texts_and_names_at_the_top_are_checked() {
    let good = at("{ function: f, position: before }");
    let top = |line: &str| good.replace("title: t\n", &format!("title: t\n{line}\n"));
    one(
        &good.replace("title: t", "title: ' '"),
        "3:8 overlay-bad-name: `title` is empty",
    );
    one(
        &good.replace("why: w", "why: ''"),
        "4:6 overlay-bad-name: `why` is empty",
    );
    one(
        &top("releases: '>=0.x.1'"),
        "4:11 overlay-bad-requirement: `>=0.x.1` is no version requirement: unexpected character after wildcard in version req -- write one such as '>=0.23.0' or '>=0.23.0, <0.32.0'",
    );
    one(
        &top("macros: [MLX API]"),
        "4:10 overlay-bad-name: `MLX API` is not the name of a macro",
    );
    one(
        &top("provides: { setter: '(int)' }"),
        "4:21 overlay-bad-name: `(int)` is not a C++ name such as `mlx::core::metal::f(int)`",
    );
    one(
        &top("provides: { The Setter: f }"),
        "4:25 overlay-bad-id: the role `The Setter` is not made of `a` to `z`, `0` to `9` and `-` -- write `the-setter`",
    );
    none(&top("macros: [MLX_API, _x]"));
}

#[test]
fn a_condition_is_about_the_edits_file() {
    let file_of = |first: &str, second: &str, top: &str| {
        let text = with_hunks(&format!(
            "  - id: h\n    when: [{{ exists: {{ function: f }} }}]\n    edits:\n      - {{ {first} at: {{ function: f, position: end }}, insert: \"a\\n\" }}\n      - {{ {second} at: {{ function: f, position: end }}, insert: \"a\\n\" }}\n"
        ))
        .replace("file: a/b.cpp\n", top);
        let overlay = load(Utf8Path::new("x.yaml"), text.as_bytes());
        overlay.map(|overlay| overlay.hunks[0].variants[0].when[0].file.to_string())
    };
    assert_eq!(
        file_of("file: c.h,", "file: c.h,", "file: a.cpp\n").unwrap(),
        "c.h"
    );
    assert_eq!(file_of("file: c.h,", "", "file: a.cpp\n").unwrap(), "a.cpp");
    assert_eq!(file_of("", "", "file: a.cpp\n").unwrap(), "a.cpp");
    let unclear = file_of("file: c.h,", "file: d.h,", "").unwrap_err();
    assert_eq!(unclear.0[0].code, Code::OverlayNoFile);
}
