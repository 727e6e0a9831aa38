//! Bytes that are no tree, and trees with the right places.

use camino::Utf8Path;

use super::*;
use crate::report::Finding;

fn faults(bytes: &[u8]) -> Vec<String> {
    let Err(faults) = tree(Utf8Path::new("f"), bytes) else {
        return Vec::new();
    };
    let fault = |fault: &Finding| format!("{} [{}]", fault.with_place(), fault.code);
    faults.0.iter().map(fault).collect()
}

fn root(text: &str) -> Node {
    tree(Utf8Path::new("f"), text.as_bytes()).unwrap()
}

#[track_caller]
fn one(bytes: &[u8], expected: &str) {
    assert_eq!(faults(bytes), [expected]);
}

#[test]
fn a_billion_laughs_are_refused() {
    let mut text = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (this, last) in "bcdefghij".chars().zip("abcdefghi".chars()) {
        text += &format!(
            "{this}: &{this} [{}]\n",
            vec![format!("*{last}"); 9].join(", ")
        );
    }
    one(
        text.as_bytes(),
        "f:5:8: the file grows over the limit of 20000 values or 4194304 bytes of text when its aliases are written out [yaml-bomb]",
    );
}

#[test]
fn copies_of_a_long_text_are_refused() {
    let text = format!(
        "a: &a '{}'\nb: [{}]\n",
        "x".repeat(900_000),
        ["*a"; 9].join(", ")
    );
    assert_eq!(faults(text.as_bytes()).len(), 1);
    assert!(
        faults(text.as_bytes())[0].starts_with("f:2:13: the file grows"),
        "{:?}",
        faults(text.as_bytes())
    );
}

#[test]
fn an_alias_stands_at_its_own_place() {
    let root = root("a: &a |\n  text\nb: *a\n");
    assert_eq!(root.key("b").text(), Some("text\n"));
    assert_eq!(root.key("b").mark.to_string(), "3:4");
    assert_eq!(root.key("b").inside(2).to_string(), "3:4");
}

#[test]
fn an_alias_of_itself_or_nothing_is_refused() {
    one(
        b"a: &a [*a]\n",
        "f:1:8: this alias stands inside what it names [yaml-bomb]",
    );
    assert_eq!(faults(b"a: *b\n").len(), 1);
    one(
        b"a: &a b\n*a : c\n",
        "f:2:1: a key must be plain text [yaml-syntax]",
    );
}

#[test]
fn deep_nesting_is_refused_however_deep_it_is() {
    let deep = |depth: usize| format!("a: {}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(faults(deep(31).as_bytes()).is_empty());
    for depth in [32, 200, 500_000] {
        let found = faults(deep(depth).as_bytes());
        assert_eq!(found.len(), 1);
        assert!(
            found[0].ends_with("lists and maps nest deeper than 32 [yaml-bomb]"),
            "{found:?}"
        );
    }
}

#[test]
fn documents_tags_and_odd_keys_are_refused() {
    one(
        b"a: 1\n---\nb: 1\n",
        "f:2:1: a second YAML document begins here, expected one [yaml-syntax]",
    );
    assert!(faults(b"---\na: 1\n...\n").is_empty());
    one(
        b"a: !!str 1\n",
        "f:1:4: tags (`!…`) are not supported [yaml-syntax]",
    );
    one(b"[a]: 1\n", "f:1:1: a key must be plain text [yaml-syntax]");
    one(
        b"{a: 1}: 1\n",
        "f:1:1: a key must be plain text [yaml-syntax]",
    );
}

#[test]
fn tabs_in_the_indentation_are_named() {
    one(
        b"a:\n\t- b\n",
        "f:2:1: a tab in the indentation, expected spaces [yaml-syntax]",
    );
    one(
        b"a:\n  b: 1\n  \tc: 1\n",
        "f:3:3: a tab in the indentation, expected spaces [yaml-syntax]",
    );
    assert_eq!(root("a: |\n  b\tc\n").key("a").text(), Some("b\tc\n"));
}

#[test]
fn broken_syntax_is_named_with_its_place() {
    one(
        b"a: 'b\n",
        "f:1:4: this is no YAML: while scanning a quoted scalar, found unexpected end of stream [yaml-syntax]",
    );
    one(
        b"a: b: c\n",
        "f:1:5: this is no YAML: mapping values are not allowed in this context [yaml-syntax]",
    );
}

#[test]
fn what_is_no_utf_8_text_is_refused_at_its_place() {
    one(
        b"a: 1\nb: \xc3\xa4\xff\n",
        "f:2:5: the file is not UTF-8 from here on [file-not-text]",
    );
    one(
        b"\xff\xfea\0",
        "f:1:1: the file is not UTF-8 from here on [file-not-text]",
    );
    one(
        b"a: 1\nb\0: 1\n",
        "f:2:2: a control character stands here [file-not-text]",
    );
}

#[test]
fn crlf_and_a_byte_order_mark_change_no_place() {
    let plain = "a: |\n  x\n  y\nb: [c, 'd']\n";
    let windows = format!("\u{feff}{}", plain.replace('\n', "\r\n"));
    assert_eq!(root(plain), root(&windows));
}

#[test]
fn a_large_file_is_refused_unread() {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(folder.path()).unwrap().join("big.yaml");
    // Sparse: reading it would give a hundred million zero bytes, which are no text.
    std::fs::File::create(&path)
        .unwrap()
        .set_len(100 << 20)
        .unwrap();
    assert_eq!(
        read_limited(&path),
        Err(YamlProblem::TooLarge {
            bytes: 100 << 20,
            limit: 1 << 20
        })
    );
    let bytes = vec![b'#'; (1 << 20) + 1];
    one(
        &bytes,
        "f:1:1: the file has 1048577 bytes, over the limit of 1048576 [file-too-large]",
    );
    one(
        &bytes[1..],
        "f:1:1: the file is empty, expected a map [yaml-empty]",
    );
}

#[cfg(unix)]
#[test]
fn a_folder_and_a_pipe_have_exit_status_3() {
    let folder = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(folder.path()).unwrap();
    let pipe = folder.join("pipe");
    let made = std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .unwrap();
    assert!(made.success());
    for path in [folder, &folder.join("none"), &pipe] {
        let problem = read_limited(path).unwrap_err();
        let faults = Faults::of(path, &problem);
        assert!(faults.only_surroundings(), "{faults}");
    }
}

#[test]
fn a_place_in_a_text_is_one_in_the_file() {
    let root = root(
        "a: äb c\nb: 'd e'\nc: 'it''s'\nd: |\n\n    one\n     two\ne: >\n  f\nf: |2\n   g\ng:\n  - |\n    h\n",
    );
    let inside = |key: &str, offset| root.key(key).inside(offset).to_string();
    assert_eq!(inside("a", "äb ".len()), "1:7");
    assert_eq!(inside("b", 2), "2:7");
    assert_eq!(inside("c", 3), root.key("c").mark.to_string());
    assert_eq!(inside("d", "\n".len()), "6:5");
    assert_eq!(inside("d", "\none\n tw".len()), "7:8");
    assert_eq!(inside("e", 1), root.key("e").mark.to_string());
    assert_eq!(inside("f", 1), "11:4");
    assert_eq!(root.key("g").item(0).inside(0).to_string(), "14:5");
}

#[test]
fn a_yaml_anchor_changes_no_place() {
    let root = root(
        "a: &x v1\nb: &y |\n\n  t\n  uv\nc: &z  \"q\"\nd:\n  &w\n  r\ne: &v |+2\n   t\n\nf: &u\n  |\n    | t\ng: |\n  | t\n",
    );
    let inside = |key: &str, offset| root.key(key).inside(offset).to_string();
    assert_eq!(inside("a", 1), "1:8");
    assert_eq!(inside("b", "\nt\nu".len()), "5:4");
    assert_eq!(inside("c", 0), "6:9");
    assert_eq!(inside("d", 1), root.key("d").mark.to_string());
    assert_eq!(inside("e", 1), "11:4");
    assert_eq!(inside("f", 2), root.key("f").mark.to_string());
    assert_eq!(inside("g", 2), "17:5");
}

#[test]
fn entries_items_and_keys_know_their_places() {
    let root = root("a:\n  - b: 1\n    c: {d: 2}\n");
    let item = root.key("a").item(0);
    assert_eq!(item.mark.to_string(), "2:5");
    assert_eq!(item.key_mark("c").to_string(), "3:5");
    assert_eq!(item.key("c").key("d").mark.to_string(), "3:12");
    // What is not there is at what should hold it.
    assert_eq!(item.key("e").mark.to_string(), "2:5");
}
