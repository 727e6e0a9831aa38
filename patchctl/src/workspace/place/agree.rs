//! True if the places that hold the pin agree with `pins.yaml`.

use camino::{Utf8Path, Utf8PathBuf};

use super::super::config::PinPlaces;
use super::super::pins_file::{Pin, release_order};
use super::find::{FindProblem, find};
use super::model::PinPlace;
use crate::report::{Code, Finding, Severity};
use crate::yaml::read_below;

/// What a place is to the pin.
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

/// A place that does not hold the current pin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Disagreement {
    /// Its value is another.
    Differs {
        /// What the place is.
        role: Role,
        /// The file.
        file: Utf8PathBuf,
        /// 1-based.
        line: u64,
        /// 1-based, in characters.
        column: u64,
        /// The value found.
        has: String,
        /// The current pin in the place's form; `None` where the pin is no release and the form is of one.
        expected: Option<String>,
        /// The current pin's release.
        current: String,
    },
    /// Its value is not found.
    NotFound {
        /// What the place is.
        role: Role,
        /// The file.
        file: Utf8PathBuf,
        /// The reason.
        problem: FindProblem,
    },
}

/// Every place that does not hold the current pin, in the order of the configuration.
pub fn place_disagreements(
    root: &Utf8Path,
    places: &PinPlaces,
    current: &Pin,
) -> Vec<Disagreement> {
    let places = places.all();
    let disagreements = places.filter_map(|(role, place)| look(root, role, place, current));
    disagreements.collect()
}

fn look(root: &Utf8Path, role: Role, place: &PinPlace, current: &Pin) -> Option<Disagreement> {
    let found = read_below(root, &place.file)
        .map_err(|problem| FindProblem::Unreadable(problem.to_string()))
        .and_then(|bytes| find(place, &bytes));
    let file = place.file.clone();
    let found = match found {
        Ok(found) => found,
        Err(problem) => {
            return Some(Disagreement::NotFound {
                role,
                file,
                problem,
            });
        }
    };
    let expected = place.form.text(current);
    if expected.as_ref() == Some(&found.value) {
        return None;
    }
    Some(Disagreement::Differs {
        role,
        file,
        line: found.line,
        column: found.column,
        has: found.value,
        expected,
        current: current.release.clone(),
    })
}

/// A place whose value is not found, as a finding.
pub(super) fn not_found(file: &Utf8Path, problem: &FindProblem) -> Finding {
    let code = match problem {
        FindProblem::Unreadable(_) => Code::FileUnreadable,
        FindProblem::NotText | FindProblem::NotParsed { .. } => Code::PlaceNotParsed,
        FindProblem::Nowhere(_) => Code::PlaceNotThere,
        FindProblem::Several { .. } => Code::PlaceAmbiguous,
        FindProblem::Reference { .. }
        | FindProblem::NotAText { .. }
        | FindProblem::NotPlain { .. }
        | FindProblem::WrongForm { .. } => Code::PlaceBadValue,
    };
    Finding::new(code, problem.to_string())
        .file(file.as_str())
        .line(problem.line())
        .help(problem.help())
}

impl From<Disagreement> for Finding {
    fn from(disagreement: Disagreement) -> Self {
        let severity = |role| match role {
            Role::Follows => Severity::Warning,
            Role::Authority | Role::Write => Severity::Error,
        };
        match disagreement {
            Disagreement::NotFound {
                role,
                file,
                problem,
            } => Self {
                severity: severity(role),
                ..not_found(&file, &problem)
            },
            Disagreement::Differs {
                role,
                file,
                line,
                column,
                has,
                expected,
                current,
            } => {
                let code = match role {
                    Role::Authority => Code::PinAuthorityDiffers,
                    Role::Write => Code::PinPlaceDiffers,
                    Role::Follows => Code::PinFollowerDiffers,
                };
                let wanted = expected.clone().unwrap_or_else(|| current.clone());
                let verb = side(&has, &wanted);
                Finding::new(
                    code,
                    format!("the pin here is `{has}`, {verb} the current pin `{wanted}`"),
                )
                .severity(severity(role))
                .file(file.into_string())
                .at(line, column)
                .help(help(role, &has, expected.as_deref(), &current))
            }
        }
    }
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
