//! A place: which file, which way to the value in it, and how the pin is written there.

use camino::Utf8PathBuf;
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use semver::Version;
use serde::Deserialize;

use super::super::Pin;
use super::super::ids::is_hex;
use crate::report::Code;
use crate::yaml::Cursor;

/// The keys that each name a way, for messages.
const KEYS: &str = "`cmake`, `cmake-variable`, `toml`, `yaml`, `json` and `regex`";

/// The fault of a way, and the advice.
type BadWay = (String, &'static str);

/// The bytes that a compiled regular expression may take.
const REGEX_SIZE: usize = 1 << 20;

/// A value in a file: the file, one way to find it there, and its form.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "a place", rename = "place")]
pub(in super::super) struct RawPlace {
    /// The file, relative to the repository's root.
    pub file: String,
    /// The `GIT_TAG` of the dependency of this name in CMake's FetchContent_Declare, ExternalProject_Add or CPMAddPackage.
    pub cmake: Option<String>,
    /// The value that CMake's `set` gives the variable of this name.
    pub cmake_variable: Option<String>,
    /// A text in TOML, by its key path as TOML writes it: `package.metadata.mlx.version`. A number counts in a list, from 0.
    pub toml: Option<String>,
    /// A text in YAML, by its key path.
    pub yaml: Option<String>,
    /// A text in JSON, by its key path.
    pub json: Option<String>,
    /// A regular expression with one capture group, which is the value. It matches once in the file.
    pub regex: Option<String>,
    /// How the pin is written there.
    pub form: Form,
}

/// The places of a repository that hold its current pin, besides `pins.yaml`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PinPlaces {
    /// The place that the pin is kept in: `pins.yaml` has to agree with it.
    pub authority: Option<PinPlace>,
    /// Rewritten by a bump.
    pub write: Vec<PinPlace>,
    /// Reported when behind, never written.
    pub follows: Vec<PinPlace>,
}

/// A value in a file of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinPlace {
    /// The file, relative to the root.
    pub file: Utf8PathBuf,
    /// The way to the value in it.
    pub way: Way,
    /// The form of the pin there.
    pub form: Form,
    /// 1-based line in `patchctl.yaml`.
    pub line: u64,
}

/// The way to a value in a file.
#[derive(Debug, Clone)]
pub enum Way {
    /// The `GIT_TAG` of the dependency of that name.
    CmakeTag(String),
    /// The value that `set` gives the variable of that name.
    CmakeVariable(String),
    /// A text in TOML, by its keys; a number counts in a list.
    Toml(Vec<String>),
    /// A text in YAML, by its keys.
    Yaml(Vec<String>),
    /// A text in JSON, by its keys.
    Json(Vec<String>),
    /// A regular expression with one group, the value.
    Regex(Regex),
}

/// How a pin is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "form")]
pub enum Form {
    /// `0.32.2`
    Release,
    /// `v0.32.2`
    Tag,
    /// The whole commit id.
    Commit,
}

impl PartialEq for Way {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Way {}

/// As a message names it.
impl std::fmt::Display for Way {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::CmakeTag(name) => write!(f, "GIT_TAG of `{name}`"),
            Self::CmakeVariable(name) => write!(f, "set({name} …)"),
            Self::Toml(keys) | Self::Yaml(keys) | Self::Json(keys) => {
                write!(f, "key `{}`", keys.join("."))
            }
            Self::Regex(regex) => write!(f, "regular expression `{regex}`"),
        }
    }
}

impl PinPlace {
    /// The place that `raw` means, or `None` with the problems noted.
    pub(in super::super) fn of(raw: RawPlace, at: Cursor<'_>) -> Option<Self> {
        let ways = [
            ("cmake", raw.cmake),
            ("cmake-variable", raw.cmake_variable),
            ("toml", raw.toml),
            ("yaml", raw.yaml),
            ("json", raw.json),
            ("regex", raw.regex),
        ];
        let given = ways
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)));
        let given: Vec<(&str, String)> = given.collect();
        let [(key, value)] = given.as_slice() else {
            let found: Vec<String> = given.iter().map(|(key, _)| format!("`{key}`")).collect();
            let (found, help) = match found.is_empty() {
                true => ("none".to_owned(), format!("add one of {KEYS}")),
                false => (found.join(" and "), "keep one".to_owned()),
            };
            let message = format!("a place needs exactly one of {KEYS}, found {found}");
            at.fault(Code::ConfigBadPlace, message, help);
            return None;
        };
        match way(key, value) {
            Ok(way) => Some(Self {
                file: raw.file.into(),
                way,
                form: raw.form,
                line: at.line(),
            }),
            Err((why, help)) => {
                at.key(key).fault(Code::ConfigBadPlace, why, help);
                None
            }
        }
    }
}

fn way(key: &str, value: &str) -> Result<Way, BadWay> {
    Ok(match key {
        "cmake" => Way::CmakeTag(cmake_name("the dependency's name", value)?),
        "cmake-variable" => Way::CmakeVariable(cmake_name("the variable's name", value)?),
        "toml" => Way::Toml(keys(value)?),
        "yaml" => Way::Yaml(keys(value)?),
        "json" => Way::Json(keys(value)?),
        _ => Way::Regex(one_group(value)?),
    })
}

fn cmake_name(what: &str, value: &str) -> Result<String, BadWay> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "_-.+/".contains(c);
    if value.is_empty() || !value.chars().all(fits) {
        let help = "write it as CMake has it, without quotes or `${…}`";
        return Err((format!("{what}: `{value}` is none"), help));
    }
    Ok(value.to_owned())
}

/// TOML's own notation for a path of keys, which lets a key hold a dot: `a."b.c".0`.
fn keys(value: &str) -> Result<Vec<String>, BadWay> {
    let help = "write keys with dots between them, and in quotes what has more than letters, digits, `-` and `_`: package.\"a.b\".version";
    let keys = toml_edit::Key::parse(value)
        .map_err(|_| (format!("the key path: `{value}` is none"), help))?;
    Ok(keys.into_iter().map(|key| key.get().to_owned()).collect())
}

/// A regular expression with one capture group.
pub(in super::super) fn one_group(value: &str) -> Result<Regex, BadWay> {
    let bad = |why: &str, help| (format!("the regular expression: {why}"), help);
    let regex = RegexBuilder::new(value)
        .size_limit(REGEX_SIZE)
        .multi_line(true)
        .build()
        .map_err(|error| {
            // Its last line is the reason; those before draw the expression.
            let text = error.to_string();
            let why = text.lines().last().unwrap_or_default();
            let help = "see docs.rs/regex for what can be written";
            bad(why.trim_start_matches("error: "), help)
        })?;
    match regex.captures_len() - 1 {
        1 => Ok(regex),
        groups => Err(bad(
            &format!("it has {groups} capture groups"),
            "put the value, and only it, into `(…)`; `(?:…)` captures nothing",
        )),
    }
}

impl Form {
    /// The pin, as it is written in this form; `None` where it is no release and the form is of one.
    pub fn text(self, pin: &Pin) -> Option<String> {
        match self {
            Self::Release => pin.version().map(|version| version.to_string()),
            Self::Tag => pin.version().map(|version| format!("v{version}")),
            Self::Commit => Some(pin.revision.clone()),
        }
    }

    /// Returns true if `text` can be a pin in this form.
    pub fn fits(self, text: &str) -> bool {
        match self {
            Self::Release => Version::parse(text).is_ok(),
            Self::Tag => text
                .strip_prefix('v')
                .is_some_and(|text| Version::parse(text).is_ok()),
            Self::Commit => is_hex(text, 40..=40),
        }
    }

    /// Returns the words of messages for it.
    pub fn expected(self) -> &'static str {
        match self {
            Self::Release => "a release such as `0.32.2`",
            Self::Tag => "a tag such as `v0.32.2`",
            Self::Commit => "a whole commit id",
        }
    }
}
