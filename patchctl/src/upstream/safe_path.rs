//! Paths and links that stay inside a tree, decided from their text alone.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

/// A path below a tree's root, or why it is none. `./` at its head is let go.
pub(super) fn inside(path: &str) -> Result<Utf8PathBuf, &'static str> {
    if path.contains(['\\', '\0']) {
        return Err("has a backslash or a NUL in its name");
    }
    let mut clean = Utf8PathBuf::new();
    for component in Utf8Path::new(path).components() {
        match component {
            Utf8Component::Normal(name) if name.eq_ignore_ascii_case(".git") => {
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

/// Whether a symbolic link at `path` with `target` stays inside the tree, whatever other such links there are:
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
            Utf8Component::Normal(name) if name.eq_ignore_ascii_case(".git") => return false,
            Utf8Component::Normal(_) => went_down = true,
            Utf8Component::CurDir => {}
            Utf8Component::RootDir | Utf8Component::Prefix(_) => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leaves_the_tree_is_refused() {
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
    fn a_link_that_leaves_the_tree_is_refused_however_it_is_written() {
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
}
