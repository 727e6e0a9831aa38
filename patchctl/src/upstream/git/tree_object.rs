//! One tree object, read as strictly as `git fsck` does. libgit2 takes names that stand there twice, in any order.

use git2::Oid;

use crate::store::Kind;
use crate::store::tree_rules::is_dot_git;

/// One entry of a tree object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: Vec<u8>,
    pub(super) mode: Mode,
    pub(super) id: Oid,
}

/// The kinds of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    File(Kind),
    Folder,
    /// A commit of another repository; its files are not here.
    Submodule,
}

const ID: usize = 20;

/// Reads the entries of a tree object.
///
/// # Errors
/// One line, where `git fsck` would complain of the object.
pub(super) fn entries(mut bytes: &[u8]) -> Result<Vec<Entry>, String> {
    let mut entries: Vec<Entry> = Vec::new();
    while !bytes.is_empty() {
        let (entry, rest) = entry(bytes)?;
        bytes = rest;
        entries.push(entry);
    }
    // `a`, `a.b`, `a/`: in order, and one name all the same.
    let mut names: Vec<_> = entries.iter().map(|entry| &entry.name).collect();
    names.sort();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("{} stands there twice", shown(pair[0])));
    }
    match entries
        .windows(2)
        .find(|pair| key(&pair[0]) > key(&pair[1]))
    {
        Some(pair) => Err(format!("{} is not in git's order", shown(&pair[1].name))),
        None => Ok(entries),
    }
}

fn entry(bytes: &[u8]) -> Result<(Entry, &[u8]), String> {
    let cut = || "is cut off".to_owned();
    let blank = bytes
        .iter()
        .position(|byte| *byte == b' ')
        .ok_or_else(cut)?;
    let (mode, rest) = (&bytes[..blank], &bytes[blank + 1..]);
    let end = rest.iter().position(|byte| *byte == 0).ok_or_else(cut)?;
    let (name, rest) = (&rest[..end], &rest[end + 1..]);
    let (id, rest) = rest.split_at_checked(ID).ok_or_else(cut)?;
    let refuse = |why: &str| Err(format!("{} {why}", shown(name)));
    let mode = match mode {
        b"100644" | b"100664" => Mode::File(Kind::File),
        b"100755" => Mode::File(Kind::Executable),
        b"120000" => Mode::File(Kind::Link),
        b"40000" => Mode::Folder,
        b"160000" => Mode::Submodule,
        other => {
            return refuse(&format!(
                "has the mode {}, which git never writes",
                shown(other)
            ));
        }
    };
    match name {
        b"" | b"." | b".." => return refuse("is no name"),
        _ if name.contains(&b'/') => return refuse("has a slash in its name"),
        _ if is_dot_git(&String::from_utf8_lossy(name)) => {
            return refuse("is taken for .git by some systems");
        }
        _ => {}
    }
    let id = Oid::from_bytes(id).map_err(|error| error.message().to_owned())?;
    if id.is_zero() {
        return refuse("has the id of nothing");
    }
    Ok((
        Entry {
            name: name.to_vec(),
            mode,
            id,
        },
        rest,
    ))
}

/// The names in a tree object that [`entries`] takes.
#[cfg(test)]
pub(crate) fn tree_names(bytes: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    Ok(entries(bytes)?
        .into_iter()
        .map(|entry| entry.name)
        .collect())
}

/// git's order: a folder's name counts as if it ended in a slash.
fn key(entry: &Entry) -> Vec<u8> {
    let slash = (entry.mode == Mode::Folder).then_some(b'/');
    entry.name.iter().copied().chain(slash).collect()
}

fn shown(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    format!("{:?}", text.chars().take(80).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(list: &[(&str, &[u8])]) -> Result<Vec<Entry>, String> {
        let mut bytes = Vec::new();
        for (mode, name) in list {
            bytes.extend_from_slice(mode.as_bytes());
            bytes.push(b' ');
            bytes.extend_from_slice(name);
            bytes.push(0);
            bytes.extend_from_slice(&[7; ID]);
        }
        entries(&bytes)
    }

    #[test]
    fn a_plain_tree_is_read() {
        let read = raw(&[
            ("100644", b"a.h"),
            ("40000", b"a"),
            ("100755", b"a0"),
            ("160000", b"sub"),
            ("120000", b"z\xff"),
        ]);
        let names: Vec<_> = read.unwrap().into_iter().map(|entry| entry.name).collect();
        assert_eq!(names, [&b"a.h"[..], b"a", b"a0", b"sub", b"z\xff"]);
        assert_eq!(raw(&[]).unwrap(), []);
    }

    #[test]
    fn what_fsck_refuses_is_refused() {
        let file = "100644";
        for (list, why) in [
            (&[(file, &b"a"[..]), (file, b"a")][..], "twice"),
            (&[("120000", b"a"), ("40000", b"a")], "twice"),
            // Not side by side.
            (&[(file, b"a"), (file, b"a.b"), ("40000", b"a")], "twice"),
            (&[(file, b"b"), (file, b"a")], "order"),
            (&[("40000", b"a"), (file, b"a.h")], "order"),
            (&[("040000", b"a")], "mode"),
            (&[("100600", b"a")], "mode"),
            (&[("", b"a")], "mode"),
            (&[(file, b"")], "no name"),
            (&[(file, b".")], "no name"),
            (&[("40000", b"..")], "no name"),
            (&[(file, b"a/b")], "slash"),
            (&[("40000", b".git")], ".git"),
            (&[("40000", b".GIT")], ".git"),
            (&[("40000", b"git~1")], ".git"),
            (&[(file, b".git::$INDEX_ALLOCATION")], ".git"),
            (&[(file, ".g\u{200c}it".as_bytes())], ".git"),
        ] {
            let error = raw(list).unwrap_err();
            assert!(error.contains(why), "{list:?}: {error}");
        }
    }

    #[test]
    fn a_tree_that_is_cut_off_is_refused() {
        for bytes in [
            &b"1"[..],
            b"100644 ",
            b"100644 a",
            b"100644 a\x00123",
            b"100644 a\0",
        ] {
            assert!(entries(bytes).is_err(), "{bytes:?}");
        }
        let null = [&b"100644 a\0"[..], &[0; ID]].concat();
        assert!(entries(&null).unwrap_err().contains("nothing"));
    }
}
