//! The result of a check of the repository's own, kept in a file for each check and kind of host, so that one machine
//! can run it and another one ask for it. The files stand beside the lock and are made to be committed, or handed
//! from one job to the next: two of them never meet in one file.

use camino::{Utf8Path, Utf8PathBuf};
use patchctl_apply::{LockedOverlay, LockedPin};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::config::{CheckCommand, OwnCheck};
use super::record::Record;
use crate::report::Code;
use crate::yaml::{self, Faults, YamlProblem};

/// The records' folder, in the folder of the overlays.
pub const CHECKS_FOLDER: &str = "checks";

const HEAD: &str = "# Written by `patchctl verify --check`: what the check gave, on which pin and with which overlays.\n";

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(
    title = "a check's record",
    rename = "check-record",
    deny_unknown_fields
)]
pub struct CheckRecord {
    /// The version of this form. It is 1.
    #[schemars(range(min = 1, max = 1))]
    pub schema: u32,
    /// The check's name.
    pub check: String,
    /// The kind of host that it ran on.
    pub host: String,
    /// True if it passed.
    pub passed: bool,
    /// The number of tests it said that it ran, where it is asked for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<u64>,
    /// The pin and the overlays that it ran for.
    #[serde(flatten)]
    pub on: CheckedOn,
    /// The command.
    pub command: CheckCommand,
    /// The program that ran it: `patchctl 0.1.0`.
    pub by: String,
}

/// The current pin, with the overlays that are locked for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckedOn {
    /// The pin's release.
    pub release: String,
    /// The pin's commit.
    pub revision: String,
    /// The overlays with their digests.
    #[schemars(with = "Vec<Overlay>")]
    pub overlays: Vec<LockedOverlay>,
}

/// The form of a [`LockedOverlay`], whose crate knows no schemas.
#[derive(JsonSchema)]
#[schemars(title = "an overlay", rename = "recorded-overlay", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct Overlay {
    /// Its name.
    id: String,
    /// Its digest.
    digest: String,
}

impl From<&LockedPin> for CheckedOn {
    fn from(pin: &LockedPin) -> Self {
        Self {
            release: pin.release.clone(),
            revision: pin.revision.clone(),
            overlays: pin.overlays.clone(),
        }
    }
}

impl yaml::Form for CheckRecord {
    const WRITTEN: bool = true;
}

impl Record for CheckRecord {
    fn to_text(&self) -> Result<String, String> {
        Ok(yaml::text(HEAD, self))
    }

    fn read_back(file: &Utf8Path, bytes: &[u8]) -> Result<Self, String> {
        Self::parse(file, bytes).map_err(|faults| faults.to_string())
    }
}

impl CheckRecord {
    /// Returns its path, relative to the folder of the overlays.
    pub fn path(&self) -> Utf8PathBuf {
        Utf8Path::new(CHECKS_FOLDER).join(format!("{}.{}.yaml", self.check, self.host))
    }

    /// Reads every record of the check `name`, in the order of the hosts.
    ///
    /// # Errors
    /// When a record cannot be read, or is none.
    pub fn load(root: &Utf8Path, folder: &Utf8Path, name: &str) -> Result<Vec<Self>, Faults> {
        let mut records = Vec::new();
        for (check, _, path) in Self::files(root, folder)? {
            if check == name
                && let Some(bytes) = yaml::read_if_there(root, &path)?
            {
                records.push(Self::parse(&path, &bytes)?);
            }
        }
        Ok(records)
    }

    /// The files of every check, in order: the check, the host and the path, as their names say.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn files(
        root: &Utf8Path,
        folder: &Utf8Path,
    ) -> Result<Vec<(String, String, Utf8PathBuf)>, Faults> {
        let folder = folder.join(CHECKS_FOLDER);
        let unreadable = |error: std::io::Error| {
            Faults::of(&folder, &YamlProblem::Unreadable(error.to_string()))
        };
        let names = match yaml::names_below(root, &folder) {
            Ok(names) => names,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unreadable(error)),
        };
        let mut files = Vec::new();
        for name in names {
            let stem = name.strip_suffix(".yaml").and_then(|it| it.split_once('.'));
            if let Some((check, host)) = stem {
                files.push((check.to_owned(), host.to_owned(), folder.join(&name)));
            }
        }
        files.sort();
        Ok(files)
    }

    fn parse(file: &Utf8Path, bytes: &[u8]) -> Result<Self, Faults> {
        let name = file.file_stem().unwrap_or_default();
        let (check, host) = name.split_once('.').unwrap_or((name, ""));
        yaml::read(file, bytes, |record: Self, at| {
            for (key, found, named) in [
                ("check", &record.check, check),
                ("host", &record.host, host),
            ] {
                if found != named {
                    let message = format!("the file is named for `{named}`, and this is `{found}`");
                    let help = "delete it and run the check again: patchctl verify --check NAME";
                    at.key(key).fault(Code::PinsBadName, message, help);
                }
            }
            Some(record)
        })
    }

    /// Returns the reason for which it says nothing of the check as it is now, for `on`; nothing where it does.
    pub fn outdated(&self, check: &OwnCheck, on: &CheckedOn) -> Option<String> {
        if self.on.revision != on.revision {
            return Some(format!("it was last run for {}", self.on.release));
        }
        if self.on.overlays != on.overlays {
            return Some("the overlays have changed since it was run".to_owned());
        }
        if self.command != check.command {
            return Some("its command has changed since it was run".to_owned());
        }
        match check.needs {
            Some(needs) if !needs.allows(&self.host) => {
                Some(format!("it was run on {}, and needs {needs}", self.host))
            }
            _ if check.count.is_some() && self.tests.is_none() => {
                Some("its tests were not counted when it was run".to_owned())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::Needs;
    use super::*;
    use crate::report::Code;

    fn record() -> CheckRecord {
        CheckRecord {
            schema: 1,
            check: "metal".to_owned(),
            host: "macos-arm64".to_owned(),
            passed: true,
            tests: Some(12),
            on: CheckedOn {
                release: "0.32.2".to_owned(),
                revision: "1f8e74e3".to_owned(),
                overlays: vec![LockedOverlay {
                    id: "budget".to_owned(),
                    digest: "aa".to_owned(),
                }],
            },
            command: CheckCommand::Shell("cargo test\n".to_owned()),
            by: "patchctl 0.1.0".to_owned(),
        }
    }

    #[test]
    fn a_record_reads_back_only_under_its_name() {
        let record = record();
        assert_eq!(record.path(), "checks/metal.macos-arm64.yaml");
        let yaml = record.to_text().unwrap();
        let file = Utf8Path::new("checks/metal.macos-arm64.yaml");
        let read = CheckRecord::parse(file, yaml.as_bytes());
        assert_eq!(read.unwrap(), record);
        let unknown = yaml.replace("release:", "relase:");
        let unknown = CheckRecord::parse(file, unknown.as_bytes()).unwrap_err();
        assert!(
            unknown.to_string().contains("unknown key `relase`"),
            "{unknown}"
        );
        let file = Utf8Path::new("checks/metal.linux-x86_64.yaml");
        let copied = CheckRecord::parse(file, yaml.as_bytes());
        assert_eq!(copied.unwrap_err().0[0].code, Code::PinsBadName);
    }

    #[test]
    fn a_record_is_outdated_by_any_change() {
        let record = record();
        let check = OwnCheck {
            name: "metal".to_owned(),
            command: record.command.clone(),
            needs: Some(Needs::Macos),
            count: None,
        };
        let on = &record.on;
        assert_eq!(record.outdated(&check, on), None);
        let moved = CheckedOn {
            revision: "2".to_owned(),
            ..on.clone()
        };
        let changed = CheckedOn {
            overlays: vec![],
            ..on.clone()
        };
        let other = OwnCheck {
            command: CheckCommand::Shell("true".to_owned()),
            ..check.clone()
        };
        let elsewhere = OwnCheck {
            needs: Some(Needs::Linux),
            ..check.clone()
        };
        for (check, on, why) in [
            (&check, &moved, "it was last run for 0.32.2"),
            (&check, &changed, "the overlays have changed"),
            (&other, on, "its command has changed"),
            (&elsewhere, on, "it was run on macos-arm64, and needs linux"),
        ] {
            let said = record.outdated(check, on).unwrap();
            assert!(said.starts_with(why), "{said}");
        }
    }
}
