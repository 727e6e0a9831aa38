//! Reads a lock file, and refuses what no patchctl wrote.

use std::path::Path;

use serde::de::{Deserialize, Deserializer, Error};

use super::write::{ENTRY_DIGEST, NEEDS};
use super::{Lock, LockError, LockedPin, SCHEMA};
use crate::BlobId;
use crate::beneath::{self, Root, read_file};
use crate::yaml::{FormError, Limits, Mark, Node, Value, YamlProblem};

/// The largest lock file that is read, in bytes. One pin of an overlay of a hundred lines takes about 10 kB.
pub const SIZE_LIMIT: u64 = Limits::LOCK.bytes;

impl Lock {
    /// Reads and checks the file at `path`, which may be a link but no FIFO or device, see [`Lock::parse`].
    pub fn read(path: &Path) -> Result<Self, LockError> {
        Self::of(path, read_file(path, SIZE_LIMIT))
    }

    /// As [`Lock::read`], for the file `file` of the repository at `root`: a link that leads out of the repository is
    /// refused. For patchctl's own crates.
    #[doc(hidden)]
    pub fn read_below(root: &Path, file: &Path) -> Result<Self, LockError> {
        let bytes = Root::open(root).and_then(|root| root.read_resolved(file, SIZE_LIMIT));
        Self::of(&root.join(file), bytes)
    }

    fn of(path: &Path, read: Result<Vec<u8>, beneath::Error>) -> Result<Self, LockError> {
        match read {
            Ok(bytes) => Self::parse(&bytes),
            Err(beneath::Error::TooLarge { size, .. }) => Err(LockError::TooLarge { size }),
            Err(beneath::Error::Io { source, .. }) => Err(LockError::Unreadable {
                path: path.to_owned(),
                source,
            }),
            Err(other) => Err(LockError::Unreadable {
                path: path.to_owned(),
                source: other.into(),
            }),
        }
    }

    /// Reads a lock file's bytes.
    ///
    /// Fails on more than [`SIZE_LIMIT`] bytes, on a file that nests deeper or has more values than any lock, on a newer
    /// schema, on an unknown or doubled key or a wrong type (with line and column), on paths that are absolute or leave
    /// the tree, and on pins that contradict themselves: a release or a path twice, splices out of order.
    pub fn parse(bytes: &[u8]) -> Result<Self, LockError> {
        let (root, problems) = crate::yaml::parse(bytes, Limits::LOCK);
        let problem = problems.into_iter().next();
        let mut root = match (root, problem) {
            (_, Some((_, YamlProblem::TooLarge { bytes, .. }))) => {
                return Err(LockError::TooLarge { size: bytes });
            }
            (_, Some((mark, problem))) => return Err(form(Some(mark), problem.to_string())),
            (Some(root), None) => root,
            (None, None) => return Err(form(None, YamlProblem::Empty.to_string())),
        };
        // The schema first: a newer form may have keys that this version would call unknown.
        check_schema(&root)?;
        let digests = take_digests(&mut root)?;
        let lock: Self = serde::Deserialize::deserialize(&root)
            .map(|file: super::write::File<'_>| file.into())
            .map_err(|FormError { mark, what }| form(mark, what))?;
        for (index, pin) in lock.pins.iter().enumerate() {
            let contradiction = |what| LockError::Contradiction {
                release: pin.release.clone(),
                what,
            };
            if lock.pins[..index].iter().any(|p| p.release == pin.release) {
                return Err(contradiction("it stands there twice".to_owned()));
            }
            pin.check().map_err(contradiction)?;
            if let Some(found) = digests.get(index)
                && *found != pin.digest()
            {
                let now = pin.digest();
                return Err(contradiction(format!(
                    "its entry was changed after it was written: the digest in it is {found}, that of it is {now}"
                )));
            }
        }
        Ok(lock)
    }
}

impl LockedPin {
    fn check(&self) -> Result<(), String> {
        self.check_words()?;
        for (index, file) in self.files.iter().enumerate() {
            let path = &file.path;
            if self.files[..index].iter().any(|f| f.path == *path) {
                return Err(format!("{path} stands there twice"));
            }
            let mut end = 0;
            for splice in &file.splices {
                if splice.offset < end {
                    return Err(format!(
                        "the splices of {path} are out of order at {}",
                        splice.edit
                    ));
                }
                end = splice.offset.saturating_add(splice.length);
            }
        }
        Ok(())
    }
}

impl LockedPin {
    /// What is shown as it is, or looked for by its digits, has the form that patchctl gives it.
    fn check_words(&self) -> Result<(), String> {
        let is_hex = |text: &str, digits: &[usize]| {
            let all = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
            all && digits.contains(&text.len())
        };
        let is_word = |text: &str| {
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            !text.is_empty() && text.chars().all(fits)
        };
        let is_line = |text: &str| !text.is_empty() && !text.chars().any(char::is_control);
        let mut words = vec![
            ("a release", &self.release, is_line(&self.release)),
            (
                "a commit",
                &self.revision,
                is_hex(&self.revision, &[40, 64]),
            ),
            ("a source", &self.source, is_line(&self.source)),
        ];
        words.extend(
            self.tree
                .iter()
                .map(|tree| ("a tree id", tree, is_hex(tree, &[40, 64]))),
        );
        for overlay in &self.overlays {
            words.push(("an overlay's name", &overlay.id, is_word(&overlay.id)));
            words.push((
                "an overlay's digest",
                &overlay.digest,
                is_hex(&overlay.digest, &[64]),
            ));
        }
        for proven in &self.proven {
            words.push(("a level", &proven.level, is_word(&proven.level)));
            words.push(("a kind of host", &proven.host, is_word(&proven.host)));
            words.push(("a program", &proven.by, is_line(&proven.by)));
            if let Some(suite) = &proven.suite {
                words.push(("a suite's digest", suite, is_hex(suite, &[12])));
            }
        }
        if let Some(level) = &self.lowered_from {
            words.push(("a level", level, is_word(level)));
        }
        match words.iter().find(|(_, _, fits)| !fits) {
            Some((what, text, _)) => Err(format!("`{}` is not {what}", text.escape_debug())),
            None => Ok(()),
        }
    }
}

/// Takes the digests of the pins' entries out of the tree, so that the rest is an entry as it was before schema 2. None
/// in older files.
fn take_digests(root: &mut Node) -> Result<Vec<String>, LockError> {
    let is_older = matches!(root.key("schema").value, Value::Number(_, Some(1)));
    let Value::Map(entries) = &mut root.value else {
        return Ok(Vec::new());
    };
    let pins = entries.iter_mut().find(|entry| entry.key == "pins");
    let Some(Value::List(pins)) = pins
        .map(|entry| &mut entry.value.value)
        .filter(|_| !is_older)
    else {
        return Ok(Vec::new());
    };
    let mut digests = Vec::new();
    for pin in pins {
        let mark = pin.mark;
        let found = match &mut pin.value {
            Value::Map(entries) => entries
                .iter()
                .position(|entry| entry.key == ENTRY_DIGEST)
                .map(|at| entries.remove(at).value),
            // Not of the form, as is said where it is read.
            _ => continue,
        };
        match found.map(|node| node.value) {
            Some(Value::Text(digest) | Value::Number(digest, _)) => digests.push(digest),
            _ => {
                let what = format!("the pin has no `{ENTRY_DIGEST}`, a text");
                return Err(form(Some(mark), what));
            }
        }
    }
    Ok(digests)
}

fn check_schema(root: &Node) -> Result<(), LockError> {
    let Value::Map(_) = &root.value else {
        let what = "expected a lock file: a map with `schema` and `pins`".to_owned();
        return Err(form(Some(root.mark), what));
    };
    match root.key("schema").value {
        Value::Number(_, Some(0)) => {
            let what = "there is no schema 0, expected 1".to_owned();
            Err(form(None, what))
        }
        Value::Number(_, Some(found)) if found > i64::from(SCHEMA) => Err(LockError::Newer {
            found,
            needs: root.key("needs").text().map(str::to_owned),
        }),
        Value::Number(_, Some(found @ 2..)) if root.key("needs").text() != Some(NEEDS) => {
            let what = format!("a file of schema {found} has `needs: {NEEDS}`");
            Err(form(Some(root.key("needs").mark), what))
        }
        _ => Ok(()),
    }
}

fn form(mark: Option<Mark>, what: String) -> LockError {
    let place = |value: fn(&Mark) -> u64| {
        let value = mark.as_ref().map_or(0, value);
        usize::try_from(value).unwrap_or(usize::MAX)
    };
    LockError::Form {
        line: place(|mark| mark.line),
        column: place(|mark| mark.column),
        what,
    }
}

/// Returns true if `path` names a file inside of a tree, on every platform: relative, with `/`, no empty part, no
/// `.` or `..`, no drive, and nothing inside of `.git`. The error says what is wrong.
pub fn check_tree_path(path: &str) -> Result<(), String> {
    let wrong = |why: &str| Err(format!("the path `{}` {why}", path.escape_debug()));
    if path.starts_with('/') || path.contains(':') {
        return wrong("is absolute or names a drive, expected one relative to the tree's root");
    }
    if path.contains('\\') || path.contains('\0') {
        return wrong("has a backslash or a NUL, expected `/` between its parts");
    }
    for part in path.split('/') {
        match part {
            "" => return wrong("has an empty part"),
            "." | ".." => return wrong("has a part `.` or `..`, so it may leave the tree"),
            _ if part.eq_ignore_ascii_case(".git") => {
                return wrong("lies in a git repository's own folder");
            }
            _ => {}
        }
    }
    Ok(())
}

pub(crate) fn tree_path<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let path = String::deserialize(from)?;
    check_tree_path(&path).map_err(D::Error::custom)?;
    Ok(path)
}

pub(crate) fn blob_id<'de, D: Deserializer<'de>>(from: D) -> Result<BlobId, D::Error> {
    let hex = String::deserialize(from)?;
    if hex.len() == 40 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
        Ok(BlobId::from_hex(hex))
    } else {
        let hex = hex.escape_debug();
        Err(D::Error::custom(format!(
            "`{hex}` is no blob id, expected 40 lowercase hex digits"
        )))
    }
}
