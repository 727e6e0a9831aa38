//! What `patchctl.yaml` can say, and what is refused.

use camino::Utf8Path;
use semver::Version;

use super::super::place::PinPlaces;
use super::super::{Form, Way};
use super::{CONFIG_FILE, Config, Needs};
use crate::report::Finding;
use crate::yaml::Faults;

fn parse(text: &str) -> Result<Config, Faults> {
    Config::parse(text.as_bytes())
}

#[track_caller]
fn faults(text: &str, expected: &[&str]) {
    let faults = parse(text).unwrap_err();
    let line = |fault: &Finding| {
        let help = fault.help.as_deref();
        let help = help.map_or_else(String::new, |help| format!(" -- {help}"));
        let place = fault.place().unwrap();
        let mark = place.strip_prefix("patchctl.yaml:").unwrap();
        format!("{mark} {}: {}{help}", fault.code, fault.message)
    };
    let found: Vec<String> = faults.0.iter().map(line).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn what_is_left_out_has_the_defaults_of_mlx() {
    let config = parse("schema: 1\n").unwrap();
    assert_eq!(config.upstream, "mlx");
    let sources: Vec<String> = config.sources.iter().map(ToString::to_string).collect();
    assert_eq!(
        sources,
        ["git:https://github.com/ml-explore/mlx.git", "crates"]
    );
    assert_eq!(config.overlays, "overlays/mlx");
    assert_eq!(
        (config.crates.len(), config.places),
        (0, PinPlaces::default())
    );
}

#[test]
fn everything_that_can_be_said_is_read() {
    let config = parse(
        "schema: 1
upstream:
  name: mlx-fork
  sources: [dir: ../mlx, crates, git: 'git@example.org:fork/mlx.git', git: vendor/mlx]
  crates:
    - release: 0.32.4
      commit: 1f8e74e3f12f31365464a6867c6579f0e9b29d85
      tree: 70648a0e39ecd8460c18e7d87ec28ebd140db9bb
      package: { name: p-sys, version: 1.0.0, checksum: ace6d5383b15cade95fbf8b7a10dfa5c4a84b3dcfa57abe012a5020208570f25 }
      place: { folder: vendor/mlx }
overlays: patches/mlx/
pin:
  authority: { file: CMakeLists.txt, cmake: mlx, form: tag }
  write:
    - { file: cmake/mlx.cmake, cmake-variable: MLX_TAG, form: commit }
    - { file: Cargo.toml, toml: 'package.metadata.\"mlx.x\".0', form: release }
  follows:
    - { file: ci.yaml, yaml: env.MLX, form: tag }
    - { file: package.json, json: config.mlx, form: release }
    - { file: README.md, regex: 'MLX (v\\d+\\.\\d+\\.\\d+)', form: tag }
",
    )
    .unwrap();
    assert_eq!(config.upstream, "mlx-fork");
    let sources: Vec<String> = config.sources.iter().map(ToString::to_string).collect();
    assert_eq!(
        sources,
        [
            "dir:../mlx",
            "crates",
            "git:git@example.org:fork/mlx.git",
            "git:vendor/mlx"
        ]
    );
    assert_eq!(config.overlays, "patches/mlx");
    assert_eq!(config.crates[0].release, Version::new(0, 32, 4));
    let authority = config.places.authority.unwrap();
    assert_eq!(
        (authority.way.clone(), authority.form, authority.line),
        (Way::CmakeTag("mlx".into()), Form::Tag, 13)
    );
    let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
    let toml = Way::Toml(keys(&["package", "metadata", "mlx.x", "0"]));
    assert_eq!(config.places.write[1].way, toml);
    assert_eq!(
        config.places.follows[0].way,
        Way::Yaml(keys(&["env", "MLX"]))
    );
    assert!(
        matches!(&config.places.follows[2].way, Way::Regex(regex) if regex.captures_len() == 2)
    );
}

#[test]
fn bad_sources_are_refused() {
    faults(
        "schema: 1\nupstream:\n  sources: [git: '', crates, crates, git: ~/mlx, cargo, svn: x, {}]\n",
        &[
            "3:50 yaml-wrong-type: expected a map (`git`) or `crates` or a map (`dir`), found the text `cargo`",
            "3:57 yaml-wrong-type: expected a map (`git`) or `crates` or a map (`dir`), found a map",
            "3:65 yaml-wrong-type: expected a map (`git`) or `crates` or a map (`dir`), found a map",
        ],
    );
    faults(
        "schema: 1\nupstream:\n  sources: [git: '', crates, crates, git: ~/mlx]\n",
        &[
            "3:13 config-bad-source: source \"git:\": the place is missing after the colon -- write `git:URL`, `git:PATH`, `crates` or `dir:PATH`, as in git:https://github.com/ml-explore/mlx",
            "3:30 config-bad-source: this source is here twice -- write each once, in the order in which they are asked",
            "3:38 config-bad-source: source \"git:~/mlx\": the shell has not expanded `~` -- write the whole path, or $HOME/…",
        ],
    );
    faults(
        "schema: 1\nupstream: { sources: [] }\n",
        &[
            "2:22 config-bad-source: there is no source -- write each once, in the order in which they are asked",
        ],
    );
}

#[test]
fn paths_that_leave_the_repository_are_refused() {
    let dots = "has a part `.` or `..`, so it may leave the tree -- write it relative to the repository's root, with `/`";
    faults(
        "schema: 1\noverlays: ../o\npin: { write: [{ file: a/../b, cmake: mlx, form: tag }] }\n",
        &[
            &format!("2:11 config-bad-path: the path `../o` {dots}"),
            &format!("3:24 config-bad-path: the path `a/../b` {dots}"),
        ],
    );
}

#[test]
fn places_say_one_way_that_can_find_something() {
    let ways = "`cmake`, `cmake-variable`, `toml`, `yaml`, `json` and `regex`";
    faults(
        "schema: 1
pin:
  authority: { file: a, form: tag }
  write:
    - { file: a, cmake: mlx, toml: a, form: tag }
    - { file: a, cmake: '${mlx}', form: tag }
    - { file: a, toml: 'a..b', form: tag }
    - { file: a, yaml: '', form: tag }
    - { file: a, regex: 'v(a', form: tag }
    - { file: a, regex: 'v.*', form: tag }
    - { file: a, regex: '(a)(b)', form: tag }
    - { file: a, json: a.b, form: tag }
  follows:
    - { file: a, json: a.\"b\", form: release }
",
        &[
            &format!(
                "3:14 config-bad-place: a place needs exactly one of {ways}, found none -- add one of {ways}"
            ),
            &format!(
                "5:7 config-bad-place: a place needs exactly one of {ways}, found `cmake` and `toml` -- keep one"
            ),
            "6:25 config-bad-place: the dependency's name: `${mlx}` is none -- write it as CMake has it, without quotes or `${…}`",
            "7:24 config-bad-place: the key path: `a..b` is none -- write keys with dots between them, and in quotes what has more than letters, digits, `-` and `_`: package.\"a.b\".version",
            "8:24 config-bad-place: the key path: `` is none -- write keys with dots between them, and in quotes what has more than letters, digits, `-` and `_`: package.\"a.b\".version",
            "9:25 config-bad-place: the regular expression: unclosed group -- see docs.rs/regex for what can be written",
            "10:25 config-bad-place: the regular expression: it has 0 capture groups -- put the value, and only it, into `(…)`; `(?:…)` captures nothing",
            "11:25 config-bad-place: the regular expression: it has 2 capture groups -- put the value, and only it, into `(…)`; `(?:…)` captures nothing",
            "14:7 config-bad-place: this place is here twice, first on line 12 -- keep one of them",
        ],
    );
    faults(
        "schema: 1\npin: { follows: [{ file: a, cmake: mlx }, { file: a, make: mlx, form: version }] }\n",
        &[
            "2:18 yaml-missing-key: a place has no `form` -- add `form: …`: How the pin is written there",
            "2:54 yaml-unknown-key: unknown key `make` in a place -- did you mean `cmake`?",
            "2:71 yaml-unknown-value: `version` is not one of `release`, `tag`, `commit`",
        ],
    );
}

#[test]
fn rows_of_packages_are_checked() {
    let row = |release: &str, version: &str, place: &str| {
        format!(
            "    - release: {release}\n      commit: abc\n      tree: DEF\n      package: {{ name: p, version: {version}, checksum: '0' }}\n      place: {place}\n"
        )
    };
    let text = |rows: &str| format!("schema: 1\nupstream:\n  crates:\n{rows}");
    faults(
        &text(
            &(row("0.32.4", "1.0.0", "{ folder: a }") + &row("0.32.4", "1.0.0", "{ folder: a }")),
        ),
        &[
            "5:15 pins-bad-id: `abc` is no commit id: expected 40 hex digits in lower case",
            "6:13 pins-bad-id: `DEF` is no tree id: expected hex digits in lower case",
            "7:53 pins-bad-id: `0` is no SHA-256: expected hex digits in lower case",
            "9:7 pins-twice: the release `0.32.4` is pinned twice, first on line 4 -- keep one of them",
            "10:15 pins-bad-id: `abc` is no commit id: expected 40 hex digits in lower case",
            "11:13 pins-bad-id: `DEF` is no tree id: expected hex digits in lower case",
            "12:53 pins-bad-id: `0` is no SHA-256: expected hex digits in lower case",
        ],
    );
    faults(
        &text(&row("0.32.x", "1.0.0", "{ folder: a }")),
        &[
            "4:16 yaml-wrong-type: this cannot be read: unexpected character 'x' while parsing patch version number",
        ],
    );
    faults(
        &text(&row("0.32.4", "1.0.0", "{ folder: a, sha256: b }")),
        &["8:27 yaml-unknown-key: unknown key `sha256` in this map -- known here: `folder`"],
    );
}

#[test]
fn a_missing_configuration_has_exit_status_3() {
    let root = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(root.path()).unwrap();
    let faults = Config::load(root).unwrap_err();
    assert_eq!(
        faults.to_string(),
        "patchctl.yaml: cannot be read: there is no such file"
    );
    assert!(faults.only_surroundings());
    std::fs::write(root.join(CONFIG_FILE), "schema: 1\n").unwrap();
    assert_eq!(Config::load(root).unwrap(), parse("schema: 1").unwrap());
}

#[test]
fn the_documented_configuration_is_one() {
    let docs = include_str!("../../../../docs/configuration.md");
    let blocks: Vec<&str> = docs.split("```yaml\n").skip(1).collect();
    let first = blocks[0].split("```").next().unwrap();
    let config = parse(first).unwrap();
    assert_eq!(config.sources.len(), 3);
    assert_eq!(config.places.write.len() + config.places.follows.len(), 2);
    let row = blocks[1].split("```").next().unwrap();
    let hex = |digits: usize| "a".repeat(digits);
    let row = row.replacen('…', &hex(40), 2).replacen('…', &hex(64), 1);
    assert_eq!(parse(&format!("schema: 1\n{row}")).unwrap().crates.len(), 1);
}

#[test]
fn checks_are_read_in_both_forms_of_a_command() {
    let config = parse(
        "schema: 1
checks:
  - { name: metal, command: [cargo, test, -p, x], needs: macos-arm64, count: '(\\d+) passed' }
  - name: lint-2
    command: |
      ci/lint &&
      ci/more
",
    )
    .unwrap();
    let [metal, lint] = config.checks.as_slice() else {
        panic!("{:?}", config.checks);
    };
    assert_eq!(metal.command.words(), ["cargo", "test", "-p", "x"]);
    assert_eq!(metal.needs, Some(Needs::MacosArm));
    assert!(metal.count.as_ref().unwrap().is_match("3 passed"));
    assert_eq!(lint.command.words(), ["sh", "-c", "ci/lint &&\nci/more\n"]);
    assert_eq!(lint.command.to_string(), "ci/lint &&; ci/more");
    assert_eq!((lint.needs, lint.count.is_some()), (None, false));
}

#[test]
fn bad_checks_are_refused() {
    faults(
        "schema: 1
checks:
  - { name: Metal, command: [] }
  - { name: a, command: ' ', count: 'passed' }
  - { name: a, command: ['', x], count: '(' }
",
        &[
            "3:13 config-bad-check: `Metal` is no name of a check -- write it with `a` to `z`, `0` to `9` and `-`, a letter first",
            "3:29 config-bad-check: there is nothing to run -- write a list, `[cargo, test]`, or a text for `sh -c`",
            "4:25 config-bad-check: there is nothing to run -- write a list, `[cargo, test]`, or a text for `sh -c`",
            "4:37 config-bad-check: the regular expression: it has 0 capture groups -- put the value, and only it, into `(…)`; `(?:…)` captures nothing",
            "5:13 config-bad-check: there is another check `a` -- give each its own name",
            "5:25 config-bad-check: there is nothing to run -- write a list, `[cargo, test]`, or a text for `sh -c`",
            "5:41 config-bad-check: the regular expression: unclosed group -- see docs.rs/regex for what can be written",
        ],
    );
    faults(
        "schema: 1\nchecks: [{ name: a, command: 3, needs: windows }]\n",
        &[
            "2:30 yaml-wrong-type: expected a text or a list, found the number 3",
            "2:40 yaml-unknown-value: `windows` is not one of `linux`, `linux-x86_64`, `linux-arm64`, `macos`, `macos-arm64`, `macos-x86_64`",
        ],
    );
}
