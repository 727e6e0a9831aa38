//! Plays a case through the real binary, and checks after each run what must hold of every run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::case::{Case, Expect, Place, Step, TreeState};
use super::files::{self, Files, Snapshot};
use super::outcome::Outcome;
use super::patched;
use super::reviewing::{only_what_waits, snapshots_in_order};
use super::scratch::{Scratch, copy};
use super::upstream::{Upstream, git};

/// Plays `steps` of `case` in a fresh repository.
///
/// # Errors
/// The first thing that is not as it should be.
pub fn play(case: &Case, steps: &[Step]) -> Result<(), String> {
    Player::new(case.clone()).steps(steps)
}

/// A case's repository and upstream, between two steps.
pub struct Player {
    case: Case,
    /// The repository.
    pub scratch: Scratch,
    /// Its upstream.
    pub upstream: Upstream,
}

impl Player {
    /// Builds the upstream and the repository, with nothing accepted yet.
    pub fn new(case: Case) -> Self {
        let mut scratch = Scratch::new();
        let mut upstream = scratch.upstream();
        for (name, files) in &case.revisions {
            upstream.commit(name, &format!("Release {name}"), files);
            upstream.tag(name, &format!("v{name}"), case.tags);
        }
        for (from, to) in [
            ("overlays", scratch.path("overlays")),
            ("patchctl.yaml", scratch.path("patchctl.yaml")),
            ("gitconfig", scratch.home().join(".gitconfig")),
        ] {
            let from = case.folder.join(from);
            if from.exists() {
                copy(&from, &to);
            }
        }
        Self {
            case,
            scratch,
            upstream,
        }
    }

    /// Accepts the first revision, where the case wants that, then does the steps.
    ///
    /// # Errors
    /// As for [`play`].
    pub fn steps(&mut self, steps: &[Step]) -> Result<(), String> {
        if let Some(first) = self.case.accept.clone() {
            self.run(&self.acceptance(&first), &Expect::default())
                .map_err(|why| format!("accepting {first}: {why}"))?;
        }
        for step in steps {
            self.step(step)?;
        }
        Ok(())
    }

    /// Upstream's files at `release`.
    pub fn files_of(&self, release: &str) -> &Files {
        self.case.files_of(release)
    }

    /// The command line that bumps to `release` and accepts every hunk there.
    pub fn acceptance(&self, release: &str) -> String {
        let hunks = self.case.hunks();
        let reviewed: String = hunks.iter().map(|it| format!(" --reviewed {it}")).collect();
        format!("bump --mlx {release}{reviewed}")
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Run { run, expect } => return self.run(run, expect),
            Step::Tree {
                tree,
                of,
                inside_repository,
            } => {
                self.scratch.write_all(tree, self.case.files_of(of));
                if let Some(outer) = inside_repository {
                    let outer = self.scratch.path(outer);
                    git(&outer, &["init", "--quiet"]);
                    git(&outer, &["add", "--all"]);
                    git(&outer, &["commit", "--quiet", "--message", "Vendor"]);
                }
            }
            Step::TreeIs { tree_is, at, of } => {
                let now = files::read_tree(&self.scratch.path(at));
                let wanted = match tree_is {
                    TreeState::Applied => self.patched_by_the_lock(of)?,
                    TreeState::Clean => self.case.files_of(of).clone(),
                };
                same_files(&wanted, &now).map_err(|why| format!("{at}: {why}"))?;
            }
            Step::Remove { remove } => fs::remove_file(self.scratch.path(remove)).unwrap(),
            Step::Append { append, text } => {
                let old = self.scratch.read(append);
                self.scratch.write(append, old + text);
            }
            Step::Cut { cut, text } => {
                let old = self.scratch.read(cut);
                if old.matches(text.as_str()).count() != 1 {
                    return Err(format!("{cut} does not hold {text:?} once"));
                }
                self.scratch.write(cut, old.replace(text.as_str(), ""));
            }
            Step::Lacks { lacks, text } => {
                if self.scratch.read(lacks).contains(text.as_str()) {
                    return Err(format!("{lacks} holds {text:?}"));
                }
            }
            Step::UpstreamGit { upstream_git } => {
                self.upstream
                    .git(&upstream_git.split_whitespace().collect::<Vec<_>>());
            }
            Step::ShallowUpstream { shallow_upstream } => {
                self.upstream.make_shallow(&format!("v{shallow_upstream}"));
                // Another machine has its own cache.
                let _ = fs::remove_dir_all(self.scratch.cache());
            }
        }
        Ok(())
    }

    fn run(&mut self, line: &str, expect: &Expect) -> Result<(), String> {
        let before = self.scratch.snapshot();
        let folder = expect.unchanged.as_ref().map(|it| self.scratch.path(it));
        let folder_before = folder.as_deref().map(Snapshot::of);
        let outcome = self.scratch.run(line);
        let complain = |why: String| format!("{why}\n{outcome}");
        self.compare(&outcome, expect).map_err(complain)?;
        if let (Some(folder), Some(before)) = (folder, folder_before) {
            nothing_changed(&before, &Snapshot::of(&folder)).map_err(complain)?;
        }
        let is_bump = line.starts_with("bump") && !line.contains("--dry-run");
        if is_bump && outcome.needs_review() {
            only_what_waits(&before, &self.scratch.snapshot()).map_err(complain)?;
        } else if expect.exit != 0 || !(is_bump || line.starts_with("apply")) {
            nothing_changed(&before, &self.scratch.snapshot()).map_err(complain)?;
        } else if is_bump {
            let version = line
                .split_whitespace()
                .skip_while(|it| *it != "--mlx")
                .nth(1);
            let version = version.ok_or("the bump names a release")?;
            self.prove(version, expect).map_err(complain)?;
            self.again(line).map_err(complain)?;
        }
        Ok(())
    }

    fn compare(&self, outcome: &Outcome, expect: &Expect) -> Result<(), String> {
        same("exit status", &Some(expect.exit), &outcome.code)?;
        let json = outcome.json();
        same("ok", &Value::Bool(expect.exit == 0), &json["ok"])?;
        if let Some(status) = &expect.status {
            same("status", &[status.clone()].into(), &outcome.statuses())?;
        }
        match &expect.codes {
            Some(codes) => same("codes", codes, &outcome.codes())?,
            None if expect.exit == 0 => same("codes", &[].into(), &outcome.codes())?,
            None => {}
        }
        for (edit, place) in expect.lands.iter().flatten() {
            let Some(scope) = &place.scope else { continue };
            let says =
                |it: &String| it.contains(hunk_and_edit(edit)) && it.contains(scope.as_str());
            let landed = outcome.landed();
            if !landed.iter().any(says) {
                return Err(format!("{edit} is not said to be in {scope}: {landed:?}"));
            }
        }
        if let Some(hunks) = &expect.hunks {
            same("hunks", hunks, &outcome.hunks())?;
        }
        let shown = outcome.shown();
        let missing = |texts: &[String], within: &str| {
            let texts = texts.iter().map(|it| self.written_out(it));
            texts
                .filter(|it| !within.contains(it.as_str()))
                .collect::<Vec<_>>()
        };
        same("not shown", &vec![], &missing(&expect.shows, &shown))?;
        let said = strings(&json).join("\n");
        same("not said", &vec![], &missing(&expect.says, &said))
    }

    /// `{commit:1.1.0}` as the first seven digits of that commit's id.
    fn written_out(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for name in self.upstream.names() {
            text = text.replace(&format!("{{commit:{name}}}"), &self.upstream.id(name)[..7]);
        }
        text
    }

    /// What must hold after every successful bump: the lock names the commit, the tree that it leads to has
    /// the edits where they belong and nothing else, and takes them off again without a trace.
    fn prove(&self, version: &str, expect: &Expect) -> Result<(), String> {
        let lock: Value = serde_yaml::from_str(&self.scratch.read("overlays/lock.yaml"))
            .map_err(|error| format!("lock.yaml: {error}"))?;
        let pins = lock["pins"].as_array().cloned().unwrap_or_default();
        let pin = pins
            .iter()
            .find(|it| it["release"] == *version)
            .ok_or("the lock lacks the pin")?;
        let commit = self
            .upstream
            .git(&["rev-parse", &format!("v{version}^{{commit}}")]);
        let tree = self
            .upstream
            .git(&["rev-parse", &format!("v{version}^{{tree}}")]);
        same("locked revision", &Value::String(commit), &pin["revision"])?;
        same("locked tree", &Value::String(tree), &pin["tree"])?;

        snapshots_in_order(&self.scratch, version)?;
        let upstream = self.case.files_of(version);
        let folder = self.scratch.beside("proof");
        let _ = fs::remove_dir_all(&folder);
        files::write(&folder, upstream);
        let clean = Snapshot::of(&folder);
        let at = folder.to_str().ok_or("the folder's name is UTF-8")?;
        self.applies(&format!("apply {at} --mlx {version}"))?;
        let patched = files::read_tree(&folder);
        self.landing(upstream, &patched, expect)?;

        let applied = Snapshot::of(&folder);
        for line in ["apply", "apply --check"] {
            self.applies(&line.replacen("apply", &format!("apply {at} --mlx {version}"), 1))?;
            nothing_changed(&applied, &Snapshot::of(&folder))?;
        }
        self.applies(&format!("apply {at} --mlx {version} --remove"))?;
        let differences = clean.differences_in_bytes(&Snapshot::of(&folder));
        same("left after taking off", &vec![], &differences)
    }

    fn applies(&self, line: &str) -> Result<(), String> {
        let outcome = self.scratch.run(line);
        match outcome.code {
            Some(0) => Ok(()),
            _ => Err(outcome.to_string()),
        }
    }

    /// A bump to what is there already changes no byte.
    fn again(&self, line: &str) -> Result<(), String> {
        let before = self.scratch.snapshot();
        self.applies(line)?;
        let differences = before.differences_in_bytes(&self.scratch.snapshot());
        same("changed by the same bump", &vec![], &differences)
    }

    fn landing(&self, upstream: &Files, patched: &Files, expect: &Expect) -> Result<(), String> {
        let mut places = BTreeMap::new();
        let mut order = Vec::new();
        for (file, bytes) in patched {
            let original = upstream.get(file).ok_or_else(|| format!("{file} is new"))?;
            let reading = patched::read(bytes).map_err(|why| format!("{file}: {why}"))?;
            if reading.upstream != *original {
                return Err(format!("{file}: without the edits it is not upstream's"));
            }
            for placed in reading.edits {
                order.push(placed.edit.clone());
                let place = Place {
                    file: file.clone(),
                    above: placed.above,
                    scope: None,
                };
                if places.insert(placed.edit.clone(), place).is_some() {
                    return Err(format!("{} stands there twice", placed.edit));
                }
            }
        }
        if let Some(lands) = &expect.lands {
            let wanted = lands.iter().map(|(edit, place)| {
                let place = Place {
                    scope: None,
                    ..place.clone()
                };
                (edit.clone(), place)
            });
            same("places", &wanted.collect(), &places)?;
        }
        if let Some(wanted) = &expect.order {
            same("order", wanted, &order)?;
        }
        for (file, texts) in &expect.has {
            let text = String::from_utf8_lossy(&patched[file]);
            if let Some(missing) = texts.iter().find(|it| !text.contains(it.as_str())) {
                return Err(format!("{file} lacks {missing:?}"));
            }
        }
        expected_files(&self.case.folder.join("expected"), patched)
    }

    fn patched_by_the_lock(&self, version: &str) -> Result<Files, String> {
        let folder = self.scratch.beside("wanted");
        let _ = fs::remove_dir_all(&folder);
        files::write(&folder, self.case.files_of(version));
        self.applies(&format!("apply {} --mlx {version}", folder.display()))?;
        Ok(files::read_tree(&folder))
    }
}

/// Files that a case gives whole, with `DIGEST` in place of the markers' digests.
fn expected_files(folder: &Path, patched: &Files) -> Result<(), String> {
    if !folder.exists() {
        return Ok(());
    }
    let digest = regex::bytes::Regex::new(r"(patchctl:begin \S+ )[0-9a-f]{12}").unwrap();
    for (file, wanted) in files::read(folder) {
        let found = patched
            .get(&file)
            .ok_or_else(|| format!("{file} is not there"))?;
        let found = digest.replace_all(found, &b"${1}DIGEST"[..]).into_owned();
        let text = |bytes: Vec<u8>| format!("{:?}", bstr(&bytes)).replace("\\n", "\n");
        same(&file, &text(wanted), &text(found))?;
    }
    Ok(())
}

pub(super) fn bstr(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn same_files(wanted: &Files, found: &Files) -> Result<(), String> {
    for (path, bytes) in wanted {
        match found.get(path) {
            None => return Err(format!("{path} is not there")),
            Some(now) if now != bytes => {
                return Err(format!(
                    "{path} is\n{}instead of\n{}",
                    bstr(now),
                    bstr(bytes)
                ));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn nothing_changed(before: &Snapshot, after: &Snapshot) -> Result<(), String> {
    same("changed", &vec![], &before.differences(after))
}

/// That two things are the same, or both of them.
pub fn same<T: PartialEq + std::fmt::Debug>(
    what: &str,
    wanted: &T,
    found: &T,
) -> Result<(), String> {
    if wanted == found {
        return Ok(());
    }
    Err(format!("{what}: expected {wanted:?}, found {found:?}"))
}

/// `hunk.edit` of `overlay/hunk.edit`.
fn hunk_and_edit(edit: &str) -> &str {
    edit.split_once('/').map_or(edit, |(_, rest)| rest)
}

/// Every text in a JSON document.
fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(map) => map.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}
