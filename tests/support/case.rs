//! The form of a case of the corpus, key for key. `tests/corpus/README.md` tells it in words.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::files::{self, Files};
use super::upstream::Tags;

/// `case.yaml`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    about: String,
    report: String,
    row: Option<u32>,
    #[serde(default)]
    tags: TagForm,
    accept: Option<String>,
    expect: Option<Expect>,
    right: Option<Expect>,
    #[serde(default)]
    steps: Vec<Step>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum TagForm {
    #[default]
    Lightweight,
    Annotated,
}

/// One thing to do, in order.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Step {
    /// Runs patchctl with these words.
    Run {
        run: String,
        #[serde(default)]
        expect: Expect,
    },
    /// Lays out upstream's files, as a plain folder.
    Tree {
        tree: String,
        of: String,
        /// A folder above it to make a git repository of.
        inside_repository: Option<String>,
    },
    /// Holds a tree against the lock: patched as the overlays say, and upstream's without them.
    TreeIs {
        tree_is: TreeState,
        at: String,
        of: String,
    },
    /// Deletes a file of the repository.
    Remove { remove: String },
    /// Adds text to a file's end.
    Append { append: String, text: String },
    /// Takes text out of a file, where it has to be exactly once.
    Cut { cut: String, text: String },
    /// The file does not hold the text.
    Lacks { lacks: String, text: String },
    /// Runs git on the upstream.
    UpstreamGit { upstream_git: String },
    /// Puts a clone in the upstream's place that has one release and no history.
    ShallowUpstream { shallow_upstream: String },
}

/// What a tree is to be.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TreeState {
    Applied,
    Clean,
}

/// What a run has to end with. Left out, it ends with 0 and says nothing against it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The exit status.
    #[serde(default)]
    pub exit: i32,
    /// The one status of all results.
    pub status: Option<String>,
    /// The codes of the findings: all of them, and no other.
    #[serde(default)]
    pub codes: Option<BTreeSet<String>>,
    /// Texts that the findings show; `{commit:1.1.0}` is the start of that commit's id.
    #[serde(default)]
    pub shows: Vec<String>,
    /// Texts that stand anywhere in the report.
    #[serde(default)]
    pub says: Vec<String>,
    /// The hunks that findings are about: all of them, and no other.
    pub hunks: Option<BTreeSet<String>>,
    /// A folder in which nothing changes.
    pub unchanged: Option<String>,
    /// Where each edit lands in a successful bump: all of them, and no other.
    pub lands: Option<BTreeMap<String, Place>>,
    /// The order of the edits in the patched files.
    pub order: Option<Vec<String>>,
    /// Texts that the patched files hold.
    #[serde(default)]
    pub has: BTreeMap<String, Vec<String>>,
}

/// `quill/ops.cpp:33 in multiply`: directly above upstream's line 33 of that file; and what the tool has to
/// name as the place.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Place {
    /// Upstream's file.
    pub file: String,
    /// 1-based, in upstream's text.
    pub above: usize,
    /// A part of the place's name as the tool gives it.
    pub scope: Option<String>,
}

impl TryFrom<String> for Place {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (place, scope) = match text.split_once(" in ") {
            Some((place, scope)) => (place, Some(scope.to_owned())),
            None => (text.as_str(), None),
        };
        let (file, line) = place.rsplit_once(':').ok_or("a place is FILE:LINE")?;
        let above = line.parse().map_err(|_| "a place is FILE:LINE")?;
        Ok(Self {
            file: file.to_owned(),
            above,
            scope,
        })
    }
}

/// A case, read and put into one form.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its folder.
    pub folder: PathBuf,
    /// Row of the table of reports that it answers, where it answers one.
    pub row: Option<u32>,
    /// How releases are tagged.
    pub tags: Tags,
    /// Upstream's revisions in order, by name.
    pub revisions: Vec<(String, Files)>,
    /// The revision at which every hunk is accepted before the steps.
    pub accept: Option<String>,
    /// What to do.
    pub steps: Vec<Step>,
    /// For a failing case: what would be right, in place of the last run's expectation.
    pub right: Option<Expect>,
}

impl Case {
    /// Reads a case's folder.
    ///
    /// # Errors
    /// What is wrong with its form.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let text =
            fs::read_to_string(folder.join("case.yaml")).map_err(|error| error.to_string())?;
        let form: Form = serde_yaml::from_str(&text).map_err(|error| error.to_string())?;
        let sentence = |text: &str| text.len() > 15 && text.ends_with('.');
        if !sentence(&form.about) || !sentence(&form.report) {
            return Err("`about` and `report` are sentences".to_owned());
        }
        let revisions = revisions(&folder.join("upstream"))?;
        let (first, _) = revisions.first().ok_or("there is no upstream")?;
        let (last, _) = revisions.last().ok_or("there is no upstream")?;
        let accept = match form.accept.as_deref() {
            Some("none") => None,
            // The case itself bumps to the first revision, which needs no acceptance of its own.
            Some(name) => Some(name.to_owned()),
            None => Some(first.clone()),
        };
        let steps = match (form.expect, form.steps) {
            (Some(expect), steps) if steps.is_empty() => vec![Step::Run {
                run: format!("bump --mlx {last}"),
                expect,
            }],
            (None, steps) if !steps.is_empty() => steps,
            _ => return Err("a case has either `expect` or `steps`".to_owned()),
        };
        Ok(Self {
            folder: folder.to_owned(),
            row: form.row,
            tags: match form.tags {
                TagForm::Lightweight => Tags::Lightweight,
                TagForm::Annotated => Tags::Annotated,
            },
            accept,
            steps,
            right: form.right,
            revisions,
        })
    }

    /// The files of a revision.
    pub fn files_of(&self, revision: &str) -> &Files {
        let found = self.revisions.iter().find(|(name, _)| name == revision);
        let (_, files) = found.unwrap_or_else(|| panic!("no revision {revision}"));
        files
    }

    /// The steps with the last run's expectation changed to what would be right.
    pub fn steps_if_right(&self) -> Option<Vec<Step>> {
        let right = self.right.clone()?;
        let mut steps = self.steps.clone();
        let last = steps.iter_mut().rev().find_map(|step| match step {
            Step::Run { expect, .. } => Some(expect),
            _ => None,
        });
        *last? = right;
        Some(steps)
    }

    /// Every hunk of the case's overlays, as `overlay/hunk`, read without patchctl's own loader.
    pub fn hunks(&self) -> Vec<String> {
        let mut hunks = Vec::new();
        for (path, bytes) in files::read(&self.folder.join("overlays")) {
            let overlay: Value =
                serde_yaml::from_slice(&bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
            let name = overlay["overlay"].as_str().unwrap_or_default();
            for hunk in overlay["hunks"].as_array().into_iter().flatten() {
                hunks.push(format!(
                    "{name}/{}",
                    hunk["id"].as_str().unwrap_or_default()
                ));
            }
        }
        hunks
    }
}

/// The folders of `upstream/`, by version.
fn revisions(folder: &Path) -> Result<Vec<(String, Files)>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("upstream: {error}"))?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let version = semver::Version::parse(name)
            .map_err(|_| format!("upstream/{name} is not named after a release"))?;
        found.push((version, files::read(&path)));
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    let named = |(version, files): (semver::Version, Files)| (version.to_string(), files);
    Ok(found.into_iter().map(named).collect())
}
