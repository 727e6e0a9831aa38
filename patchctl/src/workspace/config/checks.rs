//! `checks:` of `patchctl.yaml`: what the repository itself wants to see pass before it believes in a pin.

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::place::one_group;
use crate::report::Code;
use crate::yaml::Cursor;

/// A check of the repository's own.
#[derive(Debug, Clone)]
pub struct OwnCheck {
    /// Its name: small letters, digits and `-`.
    pub name: String,
    /// The command, run in the repository's root.
    pub command: CheckCommand,
    /// The hosts that it can be run on; any, where there is none.
    pub needs: Option<Needs>,
    /// Finds counts of tests in what it prints. They are added up.
    pub count: Option<Regex>,
}

impl PartialEq for OwnCheck {
    fn eq(&self, other: &Self) -> bool {
        let count = |check: &Self| check.count.as_ref().map(Regex::to_string);
        (&self.name, &self.command, self.needs, count(self))
            == (&other.name, &other.command, other.needs, count(other))
    }
}

impl Eq for OwnCheck {}

/// A program with its arguments, or a text for a shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "command")]
pub enum CheckCommand {
    /// Run by `sh -c`.
    Shell(String),
    /// A program and its arguments.
    Words(Vec<String>),
}

impl CheckCommand {
    /// The program and its arguments. Never empty in a check that was loaded.
    pub fn words(&self) -> Vec<&str> {
        match self {
            Self::Shell(text) => vec!["sh", "-c", text],
            Self::Words(words) => words.iter().map(String::as_str).collect(),
        }
    }
}

/// In one line, for a reader.
impl std::fmt::Display for CheckCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Shell(text) => f.write_str(&text.trim().replace('\n', "; ")),
            Self::Words(words) => {
                let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
                f.write_str(&words.join(" "))
            }
        }
    }
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// A kind of host: an operating system, and perhaps a processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "needs")]
pub enum Needs {
    /// Linux on any processor.
    #[serde(rename = "linux")]
    Linux,
    /// Linux on x86-64.
    #[serde(rename = "linux-x86_64")]
    LinuxX86,
    /// Linux on 64-bit Arm.
    #[serde(rename = "linux-arm64")]
    LinuxArm,
    /// Any Mac.
    #[serde(rename = "macos")]
    Macos,
    /// A Mac with Apple silicon.
    #[serde(rename = "macos-arm64")]
    MacosArm,
    /// A Mac with an Intel processor.
    #[serde(rename = "macos-x86_64")]
    MacosX86,
}

impl Needs {
    /// Returns true if a host of the kind `host`, such as `linux-x86_64`, will do.
    pub fn allows(self, host: &str) -> bool {
        let needed = self.to_string();
        let rest = host.strip_prefix(&needed);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    }
}

/// As `patchctl.yaml` has it.
impl std::fmt::Display for Needs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Linux => "linux",
            Self::LinuxX86 => "linux-x86_64",
            Self::LinuxArm => "linux-arm64",
            Self::Macos => "macos",
            Self::MacosArm => "macos-arm64",
            Self::MacosX86 => "macos-x86_64",
        })
    }
}

/// A check of the repository's own, which `patchctl verify --check NAME` runs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "a check", rename = "check")]
pub(super) struct RawCheck {
    /// Its name: small letters, digits and `-`.
    pub name: String,
    /// What is run in the repository's root: a list of a program and its arguments, or a text for `sh -c`.
    pub command: CheckCommand,
    /// The hosts that it can be run on; any, where it is left out.
    pub needs: Option<Needs>,
    /// A regular expression with one capture group, a count of tests. Every match in what it prints counts; a check
    /// that ran no test has not passed.
    pub count: Option<String>,
}

/// The checks that `raw` means; what is wrong with them is noted.
pub(super) fn checks(raw: Vec<RawCheck>, at: Cursor<'_>) -> Vec<OwnCheck> {
    let mut checks: Vec<OwnCheck> = Vec::new();
    for (raw, at) in at.each(raw) {
        let bad =
            |key: &str, why: String, help: &str| at.key(key).fault(Code::ConfigBadCheck, why, help);
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let name = &raw.name;
        if !name.chars().all(fits) || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
            let help = "write it with `a` to `z`, `0` to `9` and `-`, a letter first";
            bad("name", format!("`{name}` is no name of a check"), help);
        }
        if checks.iter().any(|check| check.name == *name) {
            let why = format!("there is another check `{name}`");
            bad("name", why, "give each its own name");
        }
        let words = raw.command.words();
        let program = words.first().is_some_and(|word| !word.trim().is_empty());
        let script = words.last().is_some_and(|word| !word.trim().is_empty());
        if !program || matches!(raw.command, CheckCommand::Shell(_)) && !script {
            let help = "write a list, `[cargo, test]`, or a text for `sh -c`";
            bad("command", "there is nothing to run".to_owned(), help);
        }
        let count = raw.count.as_deref().map(one_group).transpose();
        let count = count.unwrap_or_else(|(why, help)| {
            bad("count", why, help);
            None
        });
        checks.push(OwnCheck {
            name: raw.name,
            command: raw.command,
            needs: raw.needs,
            count,
        });
    }
    checks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_told_as_a_shell_would_read_it() {
        let words = ["sh", "-c", "echo it's", ""].map(str::to_owned);
        let said = CheckCommand::Words(words.to_vec()).to_string();
        assert_eq!(said, r"sh -c 'echo it'\''s' ''");
    }

    #[test]
    fn a_host_is_of_the_kind_or_narrower() {
        let allows = |needs: Needs, host| needs.allows(host);
        assert!(allows(Needs::Macos, "macos-arm64"));
        assert!(allows(Needs::MacosArm, "macos-arm64"));
        assert!(!allows(Needs::MacosArm, "macos-x86_64"));
        assert!(!allows(Needs::Linux, "macos-arm64"));
        assert!(!allows(Needs::LinuxX86, "linux-x86_64v3"));
    }
}
