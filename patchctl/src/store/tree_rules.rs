//! The rules for paths and links of a tree, decided from their text alone: those of `git fsck`, and that no two
//! paths are one on a file system that ignores case or the form of Unicode.

use std::collections::HashMap;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use unicode_normalization::UnicodeNormalization;

use super::limits::Count;

/// A path below a tree's root, or why it is none. A leading `./` is dropped.
pub(crate) fn inside(path: &str) -> Result<Utf8PathBuf, &'static str> {
    if path.contains(['\\', '\0']) {
        return Err("has a backslash or a NUL in its name");
    }
    let mut clean = Utf8PathBuf::new();
    for component in Utf8Path::new(path).components() {
        match component {
            Utf8Component::Normal(name) if is_dot_git(name) => {
                return Err("is inside a .git folder");
            }
            Utf8Component::Normal(name) => clean.push(name),
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir => return Err("leaves the folder with `..`"),
            Utf8Component::RootDir | Utf8Component::Prefix(_) => {
                return Err("is an absolute path");
            }
        }
    }
    if clean.as_str().is_empty() {
        return Err("is empty");
    }
    Ok(clean)
}

/// Returns true if some file system takes the name for `.git`: HFS+ skips some code points, NTFS ignores trailing dots
/// and blanks, has streams after a colon, and `git~1` as a short name.
pub(crate) fn is_dot_git(name: &str) -> bool {
    let seen: String = name
        .chars()
        .filter(|letter| !is_ignored_by_hfs(*letter))
        .collect();
    let head = seen.split([':', '\\']).next().unwrap_or_default();
    let head = head.trim_end_matches([' ', '.']);
    head.eq_ignore_ascii_case(".git") || head.eq_ignore_ascii_case("git~1")
}

/// The code points that git's `utf8.c` (`next_hfs_char`) lists.
fn is_ignored_by_hfs(letter: char) -> bool {
    matches!(letter, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Returns true if a symbolic link at `path` with `target` stays inside the tree, whatever other such links there are:
/// `..` only at the head, and not more of it than there are folders above the link.
pub(super) fn link_stays_inside(path: &Utf8Path, target: &str) -> bool {
    if target.is_empty() || target.contains(['\\', '\0']) {
        return false;
    }
    let mut up_left = path.components().count().saturating_sub(1);
    let mut went_down = false;
    for component in Utf8Path::new(target).components() {
        match component {
            // Behind a name, `..` may lead anywhere: the name may itself be a link.
            Utf8Component::ParentDir if went_down || up_left == 0 => return false,
            Utf8Component::ParentDir => up_left -= 1,
            Utf8Component::Normal(name) if is_dot_git(name) => return false,
            Utf8Component::Normal(_) => went_down = true,
            Utf8Component::CurDir => {}
            Utf8Component::RootDir | Utf8Component::Prefix(_) => return false,
        }
    }
    true
}

/// The entry at a path of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    File,
    Link,
    Folder,
}

/// The paths of a tree that were seen so far.
#[derive(Debug, Default)]
pub(super) struct Paths {
    /// By the name that a file system without case and Unicode forms would give them.
    seen: HashMap<String, (String, Place)>,
    count: Count,
}

impl Paths {
    /// Takes a file or link at `path` in, with the folders above it.
    ///
    /// # Errors
    /// One line, where the path leaves the tree, clashes with one that was taken in before, or exceeds a limit.
    pub(super) fn add(&mut self, path: &str, is_link: bool) -> Result<(), String> {
        let clean = inside(path).map_err(|why| format!("{path:?} {why}"))?;
        if clean.as_str() != path {
            return Err(format!("{path:?} is not written plainly, as {clean}"));
        }
        self.count.add(path.as_bytes())?;
        let place = if is_link { Place::Link } else { Place::File };
        self.take(path, place)?;
        for (at, _) in path.rmatch_indices('/') {
            // A folder that is known is known with all above it.
            if !self.take(&path[..at], Place::Folder)? {
                break;
            }
            self.count.add(&path.as_bytes()[..at])?;
        }
        Ok(())
    }

    /// Returns true if the path is new.
    fn take(&mut self, path: &str, place: Place) -> Result<bool, String> {
        let known = self.seen.entry(folded(path));
        let (other, there) = match known {
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert((path.to_owned(), place));
                return Ok(true);
            }
            std::collections::hash_map::Entry::Occupied(known) => known.get().clone(),
        };
        if other == path && (place, there) == (Place::Folder, Place::Folder) {
            return Ok(false);
        }
        if other == path {
            return Err(format!("{path:?} stands there twice"));
        }
        // Two files are each other's business where a file system keeps them apart; writing finds out.
        if (place, there) == (Place::File, Place::File) {
            return Ok(true);
        }
        Err(format!(
            "{path:?} and {other:?} are one name on some file systems, and not both are files"
        ))
    }
}

fn folded(path: &str) -> String {
    if path.is_ascii() {
        return path.to_ascii_lowercase();
    }
    let shown = path.chars().filter(|letter| !is_ignored_by_hfs(*letter));
    let upper: String = shown.nfd().collect::<String>().to_uppercase();
    upper.to_lowercase().nfd().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_leave_the_tree_are_refused() {
        assert_eq!(inside("./mlx/array.h").unwrap(), "mlx/array.h");
        for bad in [
            "",
            ".",
            "..",
            "../x",
            "a/../../x",
            "/etc/passwd",
            "a\\..\\b",
            ".git/config",
            "a/.GIT/x",
            "a\0b",
        ] {
            assert!(inside(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn dot_git_is_known_in_disguise() {
        for name in [
            ".git",
            ".GiT",
            "git~1",
            "GIT~1",
            ".git.",
            ".git . .",
            ".git::$INDEX_ALLOCATION",
            ".g\u{200c}it",
            "\u{feff}.git",
        ] {
            assert!(is_dot_git(name), "{name:?}");
            assert!(inside(&format!("a/{name}/config")).is_err(), "{name:?}");
        }
        for name in [
            ".gitignore",
            ".github",
            "git",
            "git~2",
            "a.git",
            ".gitmodules",
        ] {
            assert!(!is_dot_git(name), "{name:?}");
        }
    }

    #[test]
    fn links_that_leave_the_tree_are_refused() {
        let stays = |path: &str, target: &str| link_stays_inside(path.into(), target);
        assert!(stays("a/link", "b.h"));
        assert!(stays("a/link", "../b.h"));
        assert!(stays("a/b/link", "../../c/d"));
        assert!(stays("a/link", "./b.h"));
        for (path, target) in [
            ("link", "../x"),
            ("a/link", "../../x"),
            ("link", "/etc/passwd"),
            // `d` may be a link to the root's own folder: then this is one up from the root.
            ("a/link", "d/../.."),
            ("link", "d/.."),
            ("link", ""),
            ("link", ".git/config"),
            ("link", "..\\x"),
        ] {
            assert!(!stays(path, target), "{path} -> {target}");
        }
    }

    fn all(paths: &[(&str, bool)]) -> Result<(), String> {
        let mut seen = Paths::default();
        paths
            .iter()
            .try_for_each(|(path, link)| seen.add(path, *link))
    }

    #[test]
    fn twins_are_refused_unless_both_are_files() {
        assert!(all(&[("a/b", false), ("a/c", false), ("a/B", false)]).is_ok());
        for bad in [
            &[("a", false), ("a", false)][..],
            &[("a", true), ("a/b", false)],
            &[("a/b", false), ("a", true)],
            &[("a/b/c", false), ("a/b", false)],
            &[("A", true), ("a/b", false)],
            &[("a/b", false), ("A/c", false)],
            &[("x/Stra\u{df}e", true), ("x/STRASSE", false)],
            // One letter, and a letter with its accent.
            &[("\u{e9}", true), ("e\u{301}", false)],
            &[("a\u{200d}", true), ("a", false)],
            &[("a//b", false)],
            &[("./a", false)],
        ] {
            assert!(all(bad).is_err(), "{bad:?}");
        }
    }
}
