//! The command line itself: help, errors, exit statuses, forms of output.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::program::{patchctl, ran, run};

const COMMANDS: [&str; 13] = [
    "bump",
    "review",
    "retire",
    "verify",
    "apply",
    "build",
    "test",
    "status",
    "diff",
    "explain",
    "schema",
    "completions",
    "man",
];

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn help_lists_commands_and_exit_statuses() {
    let folder = folder();
    let help = run(folder.path(), "--help");
    assert_eq!((help.status, help.stderr.as_str()), (0, ""));
    for command in COMMANDS {
        assert!(
            help.stdout.contains(&format!("\n  {command} ")),
            "{command} in {}",
            help.stdout
        );
    }
    for status in 0..=3 {
        assert!(help.stdout.contains(&format!("\n  {status}  ")), "{status}");
    }
}

#[test]
fn examples_of_each_help_are_accepted() {
    let folder = folder();
    for command in COMMANDS {
        let help = run(folder.path(), &format!("{command} --help"));
        assert_eq!(help.status, 0, "{help:?}");
        let examples: Vec<&str> = help
            .stdout
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with("patchctl ") && line.contains(command))
            .filter(|line| !line.contains(['|', '[']))
            .collect();
        assert!(!examples.is_empty(), "{}", help.stdout);
        for example in examples {
            // A shell reads it as a user's would; `patchctl` is then told to parse and to print its help.
            let line = example.split(" > ").next().unwrap_or(example);
            let line = line.replacen("patchctl", "\"$PATCHCTL\"", 1);
            let output = Command::new("sh")
                .arg("-c")
                .arg(format!("{line} --help"))
                .env("PATCHCTL", env!("CARGO_BIN_EXE_patchctl"))
                .current_dir(folder.path())
                .output()
                .expect("sh starts");
            assert!(output.status.success(), "{example}: {output:?}");
        }
        assert!(help.stdout.contains("Exit status:"), "{}", help.stdout);
    }
}

#[test]
fn unknown_command_names_the_likeliest() {
    let folder = folder();
    let wrong = run(folder.path(), "bmp --mlx 0.32.2");
    assert_eq!((wrong.status, wrong.stdout.as_str()), (2, ""));
    assert!(wrong.stderr.starts_with("error: "), "{}", wrong.stderr);
    assert!(wrong.stderr.contains("'bump'"), "{}", wrong.stderr);
}

#[test]
fn no_command_is_an_error_that_shows_the_help() {
    let folder = folder();
    let wrong = run(folder.path(), "");
    assert_eq!((wrong.status, wrong.stdout.as_str()), (2, ""));
    assert!(wrong.stderr.contains("Usage: patchctl"), "{}", wrong.stderr);
}

#[test]
fn a_command_line_that_is_wrong_ends_with_2() {
    let folder = folder();
    for line in [
        "--nonsense",
        "bump",
        "bump --mlx",
        "bump --mlx 0.32.2 --level highest",
        "bump --mlx 0.32.2 --reviewed a/b/c",
        "verify --all-pins --mlx 0.32.2",
        "verify --releases nonsense",
        "verify --commits main",
        "verify --source svn:somewhere",
        "bump --mlx main~3",
        "apply",
        "apply mlx --check --remove",
        "apply --root= mlx",
        "man --out=",
        "schema lock",
        "completions tcsh",
        "explain no-such-code",
        "explain --markdown premise-failed",
        "status --format xml",
        "status --color sometimes",
    ] {
        let wrong = run(folder.path(), line);
        assert_eq!((wrong.status, wrong.stdout.as_str()), (2, ""), "{line}");
        assert!(
            wrong.stderr.starts_with("error: "),
            "{line}: {}",
            wrong.stderr
        );
    }
}

#[test]
fn wrong_command_line_is_json_too() {
    let folder = folder();
    for (line, command) in [
        ("--format json bmp", "patchctl"),
        ("verify --format=json --nonsense", "verify"),
        ("--format json", "patchctl"),
    ] {
        let wrong = run(folder.path(), line);
        assert_eq!(wrong.status, 2, "{line}");
        let document = wrong.json();
        assert_eq!(document["schema"], 1, "{document}");
        assert_eq!(document["command"], command, "{document}");
        assert_eq!(document["ok"], false, "{document}");
        assert_eq!(document["results"], serde_json::json!([]), "{document}");
        assert_eq!(document["findings"][0]["code"], "usage", "{document}");
        let message = document["findings"][0]["message"].as_str();
        assert!(message.is_some_and(|it| !it.is_empty() && !it.starts_with("error")));
    }
}

#[test]
fn missing_root_says_where_it_was_looked_for() {
    let folder = folder();
    let human = run(folder.path(), "--root . status");
    assert_eq!((human.status, human.stdout.as_str()), (2, ""));
    assert!(human.stderr.starts_with("error: "), "{}", human.stderr);
    assert!(human.stderr.contains("\nhelp: "), "{}", human.stderr);
    let json = run(folder.path(), "--format json --root . status");
    assert_eq!(json.status, 2);
    let document = json.json();
    assert_eq!(document["command"], "status");
    assert_eq!(document["findings"][0]["code"], "no-root");
    assert!(document["findings"][0]["help"].is_string(), "{document}");
}

#[test]
fn version_names_the_deciding_libraries() {
    let folder = folder();
    let version = run(folder.path(), "--version");
    assert_eq!(version.status, 0);
    assert!(version.stdout.ends_with('\n'), "{version:?}");
    let mut lines = version.stdout.lines();
    let first = format!("patchctl {}", env!("CARGO_PKG_VERSION"));
    let head = lines.next().unwrap();
    assert!(head.starts_with(&first));
    let libraries = lines.find(|line| line.starts_with("libraries: libgit2 1."));
    let libraries = libraries.unwrap_or_else(|| panic!("{version:?}"));
    for library in ["git2 0.", "tree-sitter 0.", "tree-sitter-cpp 0."] {
        assert!(libraries.contains(&format!(", {library}")), "{libraries}");
    }
    let one_line = run(folder.path(), "-V");
    assert_eq!(one_line.stdout, format!("{head}\n"));
}

#[test]
fn the_schema_is_the_same_document_in_either_format() {
    let folder = folder();
    let human = run(folder.path(), "schema");
    let json = run(folder.path(), "schema overlay --format json");
    assert_eq!((human.status, json.status), (0, 0));
    assert_eq!(human.stdout, json.stdout);
    assert!(json.json()["properties"]["hunks"].is_object());
}

#[test]
fn committed_schema_is_the_printed_one() {
    let folder = folder();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let config = std::fs::read_to_string(root.join("patchctl.yaml")).expect("patchctl.yaml");
    let named = "# yaml-language-server: $schema=overlays/config.schema.json\n";
    assert!(config.starts_with(named), "{config}");
    let committed = root.join("overlays/config.schema.json");
    let committed = std::fs::read_to_string(committed).expect("the schema");
    let printed = run(folder.path(), "schema config");
    assert_eq!(
        committed, printed.stdout,
        "write it anew: patchctl schema config > overlays/config.schema.json"
    );
    let committed = root.join("overlays/decode.schema.json");
    let committed = std::fs::read_to_string(committed).expect("the schema");
    let printed = run(folder.path(), "schema decode");
    assert_eq!(
        committed, printed.stdout,
        "write it anew: patchctl schema decode > overlays/decode.schema.json"
    );
    let pins = run(folder.path(), "schema pins").json();
    assert!(pins["properties"]["current"].is_object(), "{pins}");
}

/// Whether `program` accepts `script` under `arguments`, or nothing where it is not installed.
fn accepted_by(program: &str, arguments: &[&str], script: &str) -> Option<bool> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(script.as_bytes()).expect("it reads");
    drop(stdin);
    Some(child.wait().expect("it ends").success())
}

#[test]
fn bash_accepts_its_completions() {
    let folder = folder();
    let script = run(folder.path(), "completions bash");
    assert_eq!((script.status, script.stderr.as_str()), (0, ""));
    assert_eq!(accepted_by("bash", &["-n"], "if then"), Some(false));
    assert_eq!(accepted_by("bash", &["-n"], &script.stdout), Some(true));
}

#[test]
fn completions_for_every_shell_name_every_command() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(folder.path(), &format!("completions {shell}"));
        assert_eq!(script.status, 0, "{shell}");
        for command in COMMANDS {
            assert!(script.stdout.contains(command), "{command} for {shell}");
        }
    }
}

#[test]
fn completions_offer_the_finding_codes() {
    let folder = folder();
    for shell in ["bash", "zsh"] {
        let script = run(folder.path(), &format!("completions {shell}"));
        assert!(script.stdout.contains("premise-failed"), "{shell}");
    }
}

#[test]
fn explain_prints_the_page_of_a_code() {
    let folder = folder();
    let page = run(folder.path(), "explain premise-failed");
    assert_eq!((page.status, page.stderr.as_str()), (0, ""));
    assert!(
        page.stdout
            .starts_with("premise-failed: error, exit status 1\n\nThe place is there, and"),
        "{}",
        page.stdout
    );
    assert!(
        page.stdout.contains("\n```yaml\nexpect: "),
        "{}",
        page.stdout
    );
    let document = run(folder.path(), "explain evidence-missing --format json").json();
    let code = &document["codes"][0];
    assert_eq!(code["code"], "evidence-missing");
    assert_eq!(code["severity"], "warning");
    assert_eq!(code["exit_status"], 0);
    assert_eq!(code["section"], "Pins and lock");
    let text = "The file that `evidence` names is not there.\n\nCorrect the path.\n";
    assert_eq!(code["text"], text);
}

#[test]
fn explain_lists_every_code_of_the_documentation() {
    let folder = folder();
    let document = run(folder.path(), "explain --format json").json();
    let list = run(folder.path(), "explain").stdout;
    let codes = document["codes"].as_array().expect("a list");
    assert!(codes.len() > 100);
    for code in codes {
        let code = code["code"].as_str().expect("a text");
        assert!(list.contains(&format!("\n  {code} ")), "{code}");
    }
}

#[test]
fn explain_names_the_nearest_code() {
    let folder = folder();
    let wrong = run(folder.path(), "explain anchor-ambigous");
    assert_eq!((wrong.status, wrong.stdout.as_str()), (2, ""));
    let tip = "tip: a similar value exists: 'anchor-ambiguous'";
    assert!(wrong.stderr.contains(tip), "{}", wrong.stderr);
    assert!(!wrong.stderr.contains("yaml-empty"), "{}", wrong.stderr);
    let wrong = run(folder.path(), "explain 7");
    let tip = "tip: `patchctl explain` lists all codes";
    assert!(wrong.stderr.contains(tip), "{}", wrong.stderr);
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = folder();
    let written = run(folder.path(), "--format json man --out pages/man1");
    assert_eq!(written.status, 0, "{written:?}");
    let page = |name: &str| {
        let path = folder.path().join("pages/man1").join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    assert!(page("patchctl.1").contains("\\-\\-source"));
    assert!(!page("patchctl.1").contains("patchctl\\-help"));
    for command in COMMANDS {
        let page = page(&format!("patchctl-{command}.1"));
        assert!(page.contains(".SH NAME"), "{page}");
        assert!(page.contains(".SH EXAMPLES"), "{page}");
        assert!(page.contains(".SH \"EXIT STATUS\""), "{page}");
    }
    let changed = &written.json()["changed"];
    assert_eq!(changed.as_array().map(Vec::len), Some(1 + COMMANDS.len()));
    let on_stdout = run(folder.path(), "man");
    assert_eq!(on_stdout.stdout, page("patchctl.1"));
}

#[test]
fn unwritable_manual_page_ends_with_3() {
    let folder = folder();
    File::create(folder.path().join("pages")).expect("a file in the way");
    let failed = run(folder.path(), "man --out pages");
    assert_eq!((failed.status, failed.stdout.as_str()), (3, ""));
    assert!(failed.stderr.starts_with("error: "), "{}", failed.stderr);
    assert!(failed.stderr.contains("\n  cause: "), "{}", failed.stderr);
    assert!(failed.stderr.contains("pages"), "{}", failed.stderr);
}

#[test]
fn colours_follow_the_request_and_no_color() {
    let folder = folder();
    let colored = |folder: &Path, arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = patchctl(folder);
        command.args(arguments).envs(variables.iter().copied());
        ran(&mut command).stderr.contains('\u{1b}')
    };
    let at = folder.path();
    let forced = ("CLICOLOR_FORCE", "1");
    for wrong in [["--root", ".", "status"], ["bmp", "--root", "."]] {
        let always = [&["--color", "always"][..], &wrong].concat();
        let never = [&["--color", "never"][..], &wrong].concat();
        assert!(!colored(at, &wrong, &[]), "a pipe gets none");
        assert!(colored(at, &always, &[("NO_COLOR", "1")]));
        assert!(colored(at, &wrong, &[forced]));
        assert!(!colored(at, &wrong, &[forced, ("NO_COLOR", "1")]));
        assert!(!colored(at, &never, &[forced]));
    }
}

#[test]
fn closed_pipe_keeps_the_exit_status() {
    let folder = folder();
    for (line, status) in [("completions zsh", 0), ("--format json bmp", 2)] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = Command::new(env!("CARGO_BIN_EXE_patchctl"))
            .args(line.split(' '))
            .current_dir(folder.path())
            .stdout(writer)
            .output()
            .expect("patchctl starts");
        assert_eq!(output.status.code(), Some(status), "{line}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("standard output"), "{stderr}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_that_is_full_ends_with_3() {
    let folder = folder();
    let full = File::options().write(true).open("/dev/full").expect("it");
    let output = Command::new(env!("CARGO_BIN_EXE_patchctl"))
        .args(["completions", "bash"])
        .current_dir(folder.path())
        .stdout(full)
        .output()
        .expect("patchctl starts");
    assert_eq!(output.status.code(), Some(3));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.starts_with("error: cannot write to standard output"),
        "{stderr}"
    );
}

#[test]
#[ignore = "it panics on purpose: the test below runs it in a process of its own"]
fn a_panic_in_a_process_of_its_own() {
    patchctl::cli::bug::report_panics();
    panic!("on purpose");
}

#[test]
fn a_panic_says_that_it_is_a_bug_and_what_to_report() {
    let this = std::env::current_exe().expect("this test's binary");
    let child = "cli::a_panic_in_a_process_of_its_own";
    let output = Command::new(this)
        .args(["--exact", child, "--ignored", "--test-threads=1"])
        .output()
        .expect("it starts");
    assert_eq!(output.status.code(), Some(101));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("bug: patchctl gave up at "), "{stderr}");
    assert!(stderr.contains(": on purpose\nhelp: "), "{stderr}");
    assert!(stderr.contains("/issues"), "{stderr}");
    let version = format!("patchctl {}", env!("CARGO_PKG_VERSION"));
    assert!(stderr.contains(&version), "{stderr}");
    assert!(stderr.contains("libgit2 "), "{stderr}");
}
