//! Values in TOML, YAML and JSON, and by regular expression.

use super::*;

const TOML: &str = "\
[package]
name = \"x\" # 0.32.2
metadata.mlx = { version = '0.32.2', tag = \"v0.32.2\" }
\"dotted.key\" = \"0.32.2\"
number = 0.32
escaped = \"0.32\\u002e2\"
long = \"\"\"
0.32.2\"\"\"
[[pins]]
release = \"0.31.2\"
[[pins]]
release = '''0.32.2'''
[list]
values = [\"0.31.2\", \"0.32.2\"]
";

#[test]
fn toml_is_found_by_keys_and_positions() {
    let toml = |keys: &str| at(&format!("toml: '{keys}', form: release"), TOML);
    assert_eq!(toml("package.metadata.mlx.version"), "3:29 0.32.2");
    assert_eq!(toml("package.\"dotted.key\""), "4:17 0.32.2");
    assert_eq!(toml("pins.1.release"), "12:14 0.32.2");
    assert_eq!(toml("list.values.1"), "14:22 0.32.2");
    assert_eq!(
        at("toml: package.metadata.mlx.tag, form: tag", TOML),
        "3:45 v0.32.2"
    );
    assert_eq!(
        toml("package.metadata.mlx.verson"),
        "-: there is no key `package.metadata.mlx.verson`"
    );
    assert_eq!(
        toml("pins.2.release"),
        "-: there is no key `pins.2.release`"
    );
    assert_eq!(toml("pins.release"), "-: there is no key `pins.release`");
    assert_eq!(
        toml("package.metadata"),
        "3: the value is a table, expected a text"
    );
    assert_eq!(
        toml("package.number"),
        "5: the value is a float, expected a text"
    );
    let plain = "the value is written with escapes, over several lines or as an alias";
    assert_eq!(toml("package.escaped"), format!("6: {plain}"));
    assert_eq!(toml("package.long"), format!("7: {plain}"));
    assert!(at("toml: a, form: tag", "a = \n").starts_with("1: the file does not parse: "));
    assert!(
        at("toml: a, form: tag", "a = 'v1.0.0'\na = 'v1.0.0'\n")
            .starts_with("2: the file does not parse: duplicate key")
    );
}

const YAML: &str = "\
# v0.32.2
env:
  MLX: v0.32.2 # the pin
  quoted: \"v0.32.2\"
  copy: &pin v0.32.1
  alias: *pin
  folded: >-
    v0.32.2
  number: 0.32
list:
  - name: mlx
    tag: 'v0.32.2'
";

#[test]
fn texts_in_yaml_are_found_by_keys_and_positions() {
    let yaml = |keys: &str| at(&format!("yaml: '{keys}', form: tag"), YAML);
    assert_eq!(yaml("env.MLX"), "3:8 v0.32.2");
    assert_eq!(yaml("env.quoted"), "4:12 v0.32.2");
    assert_eq!(yaml("env.copy"), "5:14 v0.32.1");
    assert_eq!(yaml("list.0.tag"), "12:11 v0.32.2");
    let plain = "the value is written with escapes, over several lines or as an alias";
    assert_eq!(yaml("env.alias"), format!("6: {plain}"));
    assert_eq!(yaml("env.folded"), format!("8: {plain}"));
    assert_eq!(
        yaml("env.number"),
        "9: the value is the number 0.32, expected a text"
    );
    assert_eq!(yaml("env"), "3: the value is a map, expected a text");
    assert_eq!(yaml("env.mlx"), "-: there is no key `env.mlx`");
    assert_eq!(yaml("list.name"), "-: there is no key `list.name`");
    assert_eq!(
        at("yaml: a, form: tag", "a: v1.0.0\na: v1.0.0\n"),
        "2: the file does not parse: the key `a` is here twice, first on line 1"
    );
    assert!(
        at("yaml: a, form: tag", "a: b: c\n")
            .starts_with("1: the file does not parse: this is no YAML")
    );
}

const JSON: &str = "\
{
\t\"name\": \"0.32.2\",
\t\"config\": { \"mlx.version\": \"0.32.2\", \"tag\": \"v0.32.2\" },
\t\"list\": [ { \"a\": [1, \"0.32.2\"] } ],
\t\"escaped\": \"0.32\\u002e2\", \"number\": 32,
\t\"twice\": \"0.32.2\",
\t\"twice\": \"0.32.2\"
}
";

#[test]
fn json_is_found_by_keys_and_double_keys_are_seen() {
    let json = |keys: &str| at(&format!("json: '{keys}', form: release"), JSON);
    assert_eq!(json("config.\"mlx.version\""), "3:30 0.32.2");
    assert_eq!(json("list.0.a.1"), "4:24 0.32.2");
    assert_eq!(at("json: config.tag, form: tag", JSON), "3:47 v0.32.2");
    assert_eq!(json("list.1"), "-: there is no key `list.1`");
    assert_eq!(json("name.x"), "-: there is no key `name.x`");
    assert_eq!(json("config"), "3: the value is an object, expected a text");
    assert_eq!(json("number"), "5: the value is `32`, expected a text");
    assert_eq!(
        json("escaped"),
        "5: the value is written with escapes, over several lines or as an alias"
    );
    assert_eq!(
        json("twice"),
        "6: there are 2 of key `twice`, on lines 6, 7"
    );
    assert!(at("json: a, form: tag", "{\n\"a\": }").starts_with("2: the file does not parse: "));
}

#[test]
fn a_regular_expression_finds_its_group_once() {
    let way = "regex: '^MLX (v\\d+\\.\\d+\\.\\d+)$', form: tag";
    assert_eq!(at(way, "a\nMLX v0.32.2\nb MLX v0.32.1\n"), "2:5 v0.32.2");
    assert_eq!(
        at(way, "MLX v0.32.2\nMLX v0.32.2\n"),
        "1: there are 2 of regular expression `^MLX (v\\d+\\.\\d+\\.\\d+)$`, on lines 1, 2"
    );
    assert_eq!(
        at(way, "MLX\n"),
        "-: there is no regular expression `^MLX (v\\d+\\.\\d+\\.\\d+)$`"
    );
}

#[test]
fn a_byte_order_mark_moves_bytes_and_no_columns() {
    for (way, text) in [
        ("toml: a, form: tag", "a = 'v0.32.2'\n"),
        ("yaml: a, form: tag", "a:  'v0.32.2'\n"),
        ("json: a, form: tag", "{\"a\":'v0.32.2'}\n"),
        ("regex: '(v0.*2)', form: tag", "abcd v0.32.2"),
        ("cmake: a, form: tag", "f(a GIT_TAG v0.32.2)"),
    ] {
        let text = text.replace("{\"a\":'v0.32.2'}", "{\"a\":\"v0.32.2\"}");
        let with = format!("\u{feff}{text}");
        assert_eq!(at(way, &with), at(way, &text));
        assert_eq!(
            found(way, &with).unwrap().range.start,
            found(way, &text).unwrap().range.start + 3
        );
    }
}

#[test]
fn a_value_is_of_the_places_form() {
    let commit = "1f8e74e3f12f31365464a6867c6579f0e9b29d85";
    let yaml =
        |form: &str, value: &str| at(&format!("yaml: a, form: {form}"), &format!("a: '{value}'"));
    assert_eq!(yaml("commit", commit), format!("1:5 {commit}"));
    assert_eq!(
        yaml("commit", &commit[..12]),
        "1: the value is `1f8e74e3f12f`, expected a whole commit id"
    );
    assert_eq!(
        yaml("release", "v0.32.2"),
        "1: the value is `v0.32.2`, expected a release such as `0.32.2`"
    );
    assert_eq!(
        yaml("tag", "0.32.2"),
        "1: the value is `0.32.2`, expected a tag such as `v0.32.2`"
    );
    assert_eq!(
        yaml("tag", ""),
        "1: the value is ``, expected a tag such as `v0.32.2`"
    );
}
