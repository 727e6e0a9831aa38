//! Takes an overlay out of the pins: its file, and what lock and snapshots hold of it, in one transaction.

use camino::{Utf8Path, Utf8PathBuf};
use semver::{Version, VersionReq};

use super::bump::{self, BumpRun};
use super::snapshots::Snapshots;
use super::workspace::Workspace;
use super::write_session::write;
use super::{Context, Output};
use crate::overlay::{Overlay, Overlays, load, load_all, overlay_digest};
use crate::report::{Error, Exit, Report};
use crate::verify::Level;
use crate::workspace::snapshots::State;
use crate::workspace::{Transaction, in_yaml, release_order};
use crate::yaml::{Faults, closest, read_below};

/// The options of a retirement.
#[derive(Debug)]
pub(crate) struct Options {
    /// The overlay's name.
    pub overlay: String,
    /// The first release that does not need it; `None` where none does.
    pub since: Option<Version>,
    /// Write nothing, and list the files that would change.
    pub dry_run: bool,
    /// The level to prove of the other overlays; `None` for the highest that the tools here allow.
    pub level: Option<Level>,
}

impl Options {
    /// The command line without the program's name.
    fn words(&self) -> String {
        let since = self.since.iter().map(|since| format!(" --since {since}"));
        format!("retire {}{}", self.overlay, since.collect::<String>())
    }
}

/// Retires the overlay.
///
/// # Errors
/// As a bump to every pin, and where there is no such overlay, where another one comes after it, and where its
/// `releases:` cannot be narrowed in place.
pub(crate) fn run(options: &Options, context: &Context) -> Result<Output, Error> {
    let mut report = Report::new("retire");
    let mut exit = Exit::Success;
    let words = options.words();
    let retire = |workspace: &Workspace<'_>, report: &mut Report| {
        let (transaction, ended) = retire(options, workspace, report)?;
        exit = ended;
        Ok(transaction)
    };
    write(context, &words, options.dry_run, &mut report, retire)?;
    Ok(Output::ending(report, exit))
}

fn retire(
    options: &Options,
    workspace: &Workspace<'_>,
    report: &mut Report,
) -> Result<(Option<Transaction>, Exit), Error> {
    let overlay = named(&options.overlay, &workspace.overlays)?;
    let path = file_of(workspace, overlay);
    let bytes = read(workspace, &path)?;
    let narrowed = match &options.since {
        Some(since) if is_needed_before(since, overlay, workspace) => {
            Some(narrowed(overlay, &path, &bytes, since)?)
        }
        _ => None,
    };
    let rest = Workspace {
        overlays: others(workspace, &path, narrowed.clone())?,
        ..Workspace::open(workspace.context)?
    };
    report.step("retire", told(options, narrowed.is_some(), &rest));
    if rest.pins.all().is_empty() {
        let mut transaction = Transaction::new(options.words(), path.clone());
        settle(&mut transaction, path, &bytes, narrowed);
        return Ok((Some(transaction), Exit::Success));
    }
    let to_every_pin = bump::Options {
        revision: None,
        dry_run: options.dry_run,
        reviewed: Vec::new(),
        level: options.level,
        keep_current: false,
        allow_downgrade: false,
        without_overlays: true,
    };
    let carried = BumpRun {
        options: &to_every_pin,
        workspace: &rest,
    };
    let (transaction, exit) = carried.carry(report)?;
    if exit != Exit::Success {
        // Snapshots that wait are for the other overlays: nothing of this one is written before they are settled.
        return Ok((transaction, exit));
    }
    let transaction = transaction.map(|mut transaction| {
        let is_left = |release: &str| {
            let claimed = rest.overlays.get(&overlay.id);
            let release = release_order(release);
            claimed.is_some_and(|it| release.is_none_or(|(version, _)| it.claims(&version)))
        };
        // The bump deletes accepted snapshots that no pin has; these wait for a person or a bump.
        for file in Snapshots::open(workspace)?.files {
            let waits = file.state == State::Pending || file.awaits_bump();
            if waits && file.overlay == overlay.id && !is_left(&file.release) {
                transaction.delete(file.path);
            }
        }
        settle(&mut transaction, path, &bytes, narrowed);
        Ok::<_, Error>(transaction)
    });
    Ok((transaction.transpose()?, exit))
}

fn named<'o>(name: &str, overlays: &'o Overlays) -> Result<&'o Overlay, Error> {
    overlays.get(name).ok_or_else(|| {
        let ids: Vec<&str> = overlays.as_slice().iter().map(|it| &*it.id).collect();
        let help = match closest(name, ids.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if ids.is_empty() => "there is no overlay at all".to_owned(),
            None => format!("there are {}", ids.join(", ")),
        };
        Error::usage(format!("there is no overlay `{name}`")).help(help)
    })
}

fn file_of(workspace: &Workspace<'_>, overlay: &Overlay) -> Utf8PathBuf {
    let file = workspace.overlays.file_of(&overlay.id);
    file.map_or_else(
        || workspace.overlay_file(&overlay.id).into(),
        ToOwned::to_owned,
    )
}

fn read(workspace: &Workspace<'_>, path: &Utf8Path) -> Result<Vec<u8>, Error> {
    let bytes = read_below(&workspace.root, path);
    bytes.map_err(|problem| Faults::of(path, &problem).into())
}

/// Returns true if a pin before `since` has the overlay.
fn is_needed_before(since: &Version, overlay: &Overlay, workspace: &Workspace<'_>) -> bool {
    workspace.lock.pins.iter().any(|pin| {
        let is_before = release_order(&pin.release).is_some_and(|(release, _)| release < *since);
        is_before && pin.overlays.iter().any(|locked| locked.id == overlay.id)
    })
}

/// The overlay's file with `releases:` that ends before `since`: no other byte changes.
fn narrowed(
    overlay: &Overlay,
    path: &Utf8Path,
    bytes: &[u8],
    since: &Version,
) -> Result<Vec<u8>, Error> {
    let wanted = match overlay.releases == VersionReq::STAR {
        true => format!("<{since}"),
        false => format!("{}, <{since}", overlay.releases),
    };
    let by_hand = || {
        let message = format!("`releases:` of {path} cannot be narrowed in place");
        Error::usage(message).help(format!(
            "write `releases: '{wanted}'` there, then retire it"
        ))
    };
    let text = str::from_utf8(bytes).map_err(|_| by_hand())?;
    let value = |key: &str| in_yaml(path, text, &[key.to_owned()]).ok().flatten();
    let mut text = text.to_owned();
    if let Some(range) = value("releases") {
        text.replace_range(range, &wanted);
    } else {
        let name = value("overlay").ok_or_else(by_hand)?;
        let end = text[name.end..].find('\n').ok_or_else(by_hand)? + name.end;
        let line_end = if text[..end].ends_with('\r') {
            "\r\n"
        } else {
            "\n"
        };
        text.insert_str(end + 1, &format!("releases: '{wanted}'{line_end}"));
    }
    let read_back = load(path, text.as_bytes()).map_err(|_| by_hand())?;
    let expected = Overlay {
        releases: wanted.parse().map_err(|_| by_hand())?,
        ..overlay.clone()
    };
    match same_but_lines(&read_back, &expected) {
        true => Ok(text.into_bytes()),
        false => Err(by_hand()),
    }
}

/// An inserted line moves the lines of all that stands below it.
fn same_but_lines(one: &Overlay, other: &Overlay) -> bool {
    let facts = |it: &Overlay| (it.id.clone(), it.releases.clone(), overlay_digest(it));
    facts(one) == facts(other)
}

/// The overlays without the one of the file `path`, or with its new text.
fn others(
    workspace: &Workspace<'_>,
    path: &Utf8Path,
    text: Option<Vec<u8>>,
) -> Result<Overlays, Error> {
    let mut files: Vec<(Utf8PathBuf, Vec<u8>)> = Vec::new();
    for overlay in workspace.overlays.as_slice() {
        let file = file_of(workspace, overlay);
        if file != path {
            let bytes = read(workspace, &file)?;
            files.push((file, bytes));
        }
    }
    files.extend(text.map(|text| (path.to_owned(), text)));
    Ok(load_all(files)?)
}

fn settle(
    transaction: &mut Transaction,
    path: Utf8PathBuf,
    read: &[u8],
    narrowed: Option<Vec<u8>>,
) {
    match narrowed {
        Some(text) => transaction.replace(path, read, text),
        None => transaction.delete(path),
    };
}

/// `decode-input-budget ends before 0.33.0; 0.32.2 keeps it`.
fn told(options: &Options, is_narrowed: bool, rest: &Workspace<'_>) -> String {
    let name = &options.overlay;
    let Some(since) = options.since.as_ref().filter(|_| is_narrowed) else {
        return format!("{name} is deleted: no pin carries it any more");
    };
    let overlay = rest.overlays.get(name);
    let claims = |release: &str| {
        let release = release_order(release);
        overlay.is_some_and(|it| release.is_some_and(|(version, _)| it.claims(&version)))
    };
    let pins = rest.pins.all().iter().map(|pin| pin.release.as_str());
    let keeping: Vec<&str> = pins.filter(|release| claims(release)).collect();
    format!(
        "{name} ends before {since}; {} keeps it",
        keeping.join(", ")
    )
}
