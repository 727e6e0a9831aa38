//! All overlays of a folder: read together, ordered, and found by address.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::load::{Loaded, load_marked};
use super::model::{Hunk, Overlay};
use crate::report::{Code, Error, Finding};
use crate::yaml::{Faults, Problems, YamlProblem, closest, names_below, read_below};

/// Files of the folder that are no overlays.
const OTHERS: [&str; 3] = ["pins.yaml", "lock.yaml", "reviewed.yaml"];

/// The overlays of a folder, in the order in which their edits at one place stand: by name, and after those
/// that they name in `after`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overlays {
    list: Vec<Overlay>,
    files: BTreeMap<String, Utf8PathBuf>,
}

/// Reads every overlay of the folder `folder` of the repository at `root`: each `*.yaml` that is not the
/// pins, the lock or the reviewed shapes, and whose name does not begin with a dot. Files are named as seen
/// from the root. A folder without any gives an empty set.
///
/// # Errors
/// Everything that is wrong with any of them, in the order of the files.
pub fn load_dir(root: &Utf8Path, folder: &Utf8Path) -> Result<Overlays, Faults> {
    let mut faults = Vec::new();
    let mut files = Vec::new();
    for name in names(root, folder)? {
        let path = folder.join(&name);
        if name.ends_with(".yml") {
            let message = "the file ends in `.yml`, so it would not be read";
            let fault = Finding::new(Code::OverlayFileName, message).file(&*path);
            faults.push(fault.help("rename it to `.yaml`, or move it elsewhere"));
            continue;
        }
        match read_below(root, &path) {
            Ok(bytes) => files.push((path, bytes)),
            Err(problem) => faults.extend(Faults::of(&path, &problem).0),
        }
    }
    match load_all(files) {
        Ok(overlays) if faults.is_empty() => Ok(overlays),
        Ok(_) => Err(Faults(faults)),
        Err(Faults(more)) => {
            faults.extend(more);
            Err(in_order(faults))
        }
    }
}

/// The names of the folder's YAML files that should be overlays, sorted.
fn names(root: &Utf8Path, folder: &Utf8Path) -> Result<BTreeSet<String>, Faults> {
    let unreadable =
        |error: std::io::Error| Faults::of(folder, &YamlProblem::Unreadable(error.to_string()));
    let is_overlay = |name: &String| {
        let is_yaml = name.ends_with(".yaml") || name.ends_with(".yml");
        is_yaml && !name.starts_with('.') && !OTHERS.contains(&&**name)
    };
    let names = names_below(root, folder).map_err(unreadable)?;
    Ok(names.into_iter().filter(is_overlay).collect())
}

/// Reads overlays from the bytes of their files.
///
/// # Errors
/// As [`load_dir`].
pub fn load_all(files: Vec<(Utf8PathBuf, Vec<u8>)>) -> Result<Overlays, Faults> {
    let mut faults = Vec::new();
    let mut loaded: Vec<(Utf8PathBuf, Vec<u8>, Loaded)> = Vec::new();
    // An overlay that does not load is still one to come after: its id is its file's stem.
    let mut known = BTreeSet::new();
    for (file, bytes) in files {
        known.extend(file.file_stem().map(str::to_owned));
        match load_marked(&file, &bytes) {
            Ok(one) => loaded.push((file, bytes, one)),
            Err(Faults(more)) => faults.extend(more),
        }
    }
    let problems: Vec<Problems<'_>> = loaded
        .iter()
        .map(|(file, bytes, _)| Problems::new(file, bytes))
        .collect();
    let mut by_id: BTreeMap<String, Utf8PathBuf> = BTreeMap::new();
    for ((file, _, one), problems) in loaded.iter().zip(&problems) {
        let own = &one.overlay.id;
        if let Some(first) = by_id.insert(own.clone(), file.clone()) {
            let message = format!("the overlay `{own}` is also in {first}");
            let help = "give each overlay its own name";
            problems.note(one.id, Code::OverlayDuplicateId, message, help);
            continue;
        }
        for (id, mark) in &one.after {
            if !known.contains(id) {
                let others = known.iter().map(String::as_str).filter(|it| it != own);
                let message = format!("there is no overlay `{id}` to come after");
                let help = after_help(id, &others.collect::<Vec<_>>());
                problems.note(*mark, Code::OverlayBadOrder, message, help);
            }
        }
    }
    for cycle in cycles(&loaded) {
        let id = |at: usize| loaded[at].2.overlay.id.as_str();
        let first = &loaded[cycle[0]].2;
        let next = id(cycle[1 % cycle.len()]);
        let waits = first.after.iter().find(|(id, _)| *id == next);
        let mark = waits.map_or(first.id, |(_, mark)| *mark);
        let ids: Vec<&str> = cycle
            .iter()
            .chain(cycle.first())
            .map(|at| id(*at))
            .collect();
        let message = format!("the overlays wait for each other: {}", ids.join(" after "));
        problems[cycle[0]].note(mark, Code::OverlayBadOrder, message, "remove one `after`");
    }
    for problems in problems {
        faults.extend(Faults::from(problems).0);
    }
    if !faults.is_empty() {
        return Err(in_order(faults));
    }
    Ok(Overlays {
        list: ordered(loaded.into_iter().map(|(_, _, one)| one.overlay).collect()),
        files: by_id,
    })
}

fn in_order(mut faults: Vec<Finding>) -> Faults {
    faults.sort_by(|one, other| {
        (&one.file, one.line, one.column).cmp(&(&other.file, other.line, other.column))
    });
    Faults(faults)
}

fn after_help(id: &str, others: &[&str]) -> String {
    match closest(id, others.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if others.is_empty() => "there is no other overlay; remove it".to_owned(),
        None => format!("there are {}", others.join(", ")),
    }
}

/// Groups of overlays that wait for each other, as positions, each before the one that it waits for.
fn cycles(loaded: &[(Utf8PathBuf, Vec<u8>, Loaded)]) -> Vec<Vec<usize>> {
    let position = |id: &str| loaded.iter().position(|(_, _, one)| one.overlay.id == id);
    let waits = |at: usize| -> Vec<usize> {
        let after = loaded[at].2.after.iter();
        after.filter_map(|(id, _)| position(id)).collect()
    };
    let mut cycles = Vec::new();
    let mut done = vec![false; loaded.len()];
    for start in 0..loaded.len() {
        // The way from `start` to where we are, each with what is still to follow from it.
        let mut way = vec![(start, waits(start))];
        while let Some((at, rest)) = way.last_mut() {
            let Some(next) = rest.pop() else {
                done[*at] = true;
                way.pop();
                continue;
            };
            if done[next] {
                continue;
            }
            if let Some(first) = way.iter().position(|(on_way, _)| *on_way == next) {
                cycles.push(way[first..].iter().map(|(at, _)| *at).collect());
            } else {
                way.push((next, waits(next)));
            }
        }
    }
    cycles
}

/// By name, each after those that it names; there is no cycle.
fn ordered(mut overlays: Vec<Overlay>) -> Vec<Overlay> {
    overlays.sort_by(|one, other| one.id.cmp(&other.id));
    let mut list: Vec<Overlay> = Vec::new();
    while !overlays.is_empty() {
        let ready = overlays.iter().position(|one| {
            let waiting = |id: &String| overlays.iter().any(|other| other.id == *id);
            !one.after.iter().any(waiting)
        });
        list.push(overlays.remove(ready.unwrap_or(0)));
    }
    list
}

/// The likeliest hunk that an address without one was meant to be.
fn likeliest(address: &str, known: &[String]) -> String {
    let hunk = |known: &str| known.rsplit('/').next().unwrap_or_default().to_owned();
    let same = known.iter().find(|known| hunk(known) == hunk(address));
    let near = same.map(String::as_str);
    match near.or_else(|| closest(address, known.iter().map(String::as_str))) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", known.join(", ")),
    }
}

impl Overlays {
    /// The overlays, in the order in which they apply.
    pub fn as_slice(&self) -> &[Overlay] {
        &self.list
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The overlay of that name.
    pub fn get(&self, id: &str) -> Option<&Overlay> {
        self.list.iter().find(|overlay| overlay.id == id)
    }

    /// The file that an overlay was read from, as it was named to the reader.
    pub fn file_of(&self, id: &str) -> Option<&Utf8Path> {
        self.files.get(id).map(Utf8PathBuf::as_path)
    }

    /// The hunk at `overlay/hunk`, or at the bare id of a hunk where only one overlay has it.
    ///
    /// # Errors
    /// No such hunk, or several.
    pub fn hunk(&self, address: &str) -> Result<(&Overlay, &Hunk), Error> {
        let hunks = self
            .list
            .iter()
            .flat_map(|overlay| overlay.hunks.iter().map(move |hunk| (overlay, hunk)));
        let whole = |(overlay, hunk): (&Overlay, &Hunk)| format!("{}/{}", overlay.id, hunk.id);
        let is_it = |one: &(&Overlay, &Hunk)| one.1.id == address || whole(*one) == address;
        let found: Vec<(&Overlay, &Hunk)> = hunks.clone().filter(is_it).collect();
        let (message, help) = match found.as_slice() {
            [one] => return Ok(*one),
            [] => {
                let known: Vec<String> = hunks.map(whole).collect();
                let message = format!("there is no hunk `{address}`");
                (message, likeliest(address, &known))
            }
            several => {
                let which: Vec<String> = several.iter().map(|one| whole(*one)).collect();
                let which = which.join(", ");
                let message = format!("the hunk `{address}` is not unique: {which}");
                (
                    message,
                    "write it with its overlay, `overlay/hunk`".to_owned(),
                )
            }
        };
        Err(Error::usage(message).help(help))
    }
}
