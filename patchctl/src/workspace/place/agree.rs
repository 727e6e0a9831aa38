//! Compares the places that hold the pin with `pins.yaml`.

use camino::Utf8Path;

use super::super::pins_file::{Pin, release_order};
use super::find::{find, read};
use super::model::{PinPlace, PinPlaces};
use crate::report::{Code, Finding, Severity};

/// The role of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The pin is kept there.
    Authority,
    /// A bump rewrites it.
    Write,
    /// It is only looked at.
    Follows,
}

impl Role {
    /// The key of its places in `patchctl.yaml`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Authority => "authority",
            Self::Write => "write",
            Self::Follows => "follows",
        }
    }
}

impl PinPlaces {
    /// Returns every place with its role, in the order of the configuration.
    pub fn all(&self) -> impl Iterator<Item = (Role, &PinPlace)> {
        let with = |role: Role| move |place| (role, place);
        let authority = self.authority.iter().map(with(Role::Authority));
        let write = self.write.iter().map(with(Role::Write));
        let follows = self.follows.iter().map(with(Role::Follows));
        authority.chain(write).chain(follows)
    }
}

/// A finding for each place that does not hold the current pin, in the order of the configuration. A place that only
/// follows the pin is a warning.
pub fn place_disagreements(root: &Utf8Path, places: &PinPlaces, current: &Pin) -> Vec<Finding> {
    let found = places.all().filter_map(|(role, place)| {
        let severity = match role {
            Role::Follows => Severity::Warning,
            Role::Authority | Role::Write => Severity::Error,
        };
        let found = disagreement(root, role, place, current)?;
        Some(found.severity(severity))
    });
    found.collect()
}

fn disagreement(root: &Utf8Path, role: Role, place: &PinPlace, current: &Pin) -> Option<Finding> {
    let found = match read(root, &place.file).and_then(|bytes| find(place, &bytes)) {
        Ok(found) => found,
        Err(fault) => return Some(*fault),
    };
    let expected = place.form.text(current);
    let has = &found.value;
    if expected.as_ref() == Some(has) {
        return None;
    }
    let code = match role {
        Role::Authority => Code::PinAuthorityDiffers,
        Role::Write => Code::PinPlaceDiffers,
        Role::Follows => Code::PinFollowerDiffers,
    };
    let wanted = expected.as_ref().unwrap_or(&current.release);
    let verb = side(has, wanted);
    let message = format!("the pin here is `{has}`, {verb} the current pin `{wanted}`");
    let finding = Finding::new(code, message)
        .file(&*place.file)
        .at(found.line, found.column);
    Some(finding.help(help(role, has, expected.as_deref(), &current.release)))
}

fn side(has: &str, wanted: &str) -> &'static str {
    let order = |text: &str| release_order(text.strip_prefix('v').unwrap_or(text));
    match (order(has), order(wanted)) {
        (Some(has), Some(wanted)) if has < wanted => "behind",
        (Some(has), Some(wanted)) if has > wanted => "ahead of",
        _ => "not",
    }
}

fn help(role: Role, has: &str, expected: Option<&str>, current: &str) -> String {
    let Some(expected) = expected else {
        return "the current pin is no release: write `form: commit` in patchctl.yaml".to_owned();
    };
    let bump_to = has.strip_prefix('v').unwrap_or(has);
    match role {
        Role::Authority => {
            format!("run `patchctl bump --mlx {bump_to}` to follow it, or set it to `{expected}`")
        }
        Role::Write => {
            format!("run `patchctl bump --mlx {current}` to rewrite it, or set it to `{expected}`")
        }
        Role::Follows => {
            format!("set it to `{expected}` when its time has come; patchctl does not write it")
        }
    }
}
