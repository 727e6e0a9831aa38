//! The text of `patchctl --version`.

use std::fmt::Write;
use std::sync::LazyLock;

/// `0.1.0`, with the commit where the build knew it. One line.
pub fn short() -> &'static str {
    static SHORT: LazyLock<String> = LazyLock::new(|| {
        let number = env!("CARGO_PKG_VERSION");
        match option_env!("PATCHCTL_COMMIT") {
            Some(commit) => format!("{number} ({commit})"),
            None => number.to_owned(),
        }
    });
    &SHORT
}

/// The same, and what else decides results: the libraries that read objects, C++ and YAML, the host, and the
/// form of the lock.
pub fn long() -> &'static str {
    static LONG: LazyLock<String> = LazyLock::new(with_libraries);
    &LONG
}

fn with_libraries() -> String {
    let mut text = short().to_owned();
    if option_env!("PATCHCTL_COMMIT").is_none() {
        text.push_str("\ncommit: not known to this build");
    }
    let (major, minor, patch) = git2::Version::get().libgit2_version();
    let _ = write!(text, "\nlibraries: libgit2 {major}.{minor}.{patch}");
    // Empty where there was no Cargo.lock to read.
    let libraries = env!("PATCHCTL_LIBRARIES");
    if !libraries.is_empty() {
        let _ = write!(text, ", {libraries}");
    }
    if let Some(target) = option_env!("PATCHCTL_TARGET") {
        let _ = write!(text, "\nhost: {target}");
    }
    let _ = write!(text, "\nlock.yaml: schema {}", patchctl_apply::SCHEMA);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_version_begins_with_the_short_one() {
        assert_eq!(short().lines().count(), 1);
        let mut lines = long().lines();
        assert_eq!(lines.next(), Some(short()));
        let libraries = lines.find(|line| line.starts_with("libraries: ")).unwrap();
        for library in ["libgit2 ", "git2 ", "tree-sitter ", "tree-sitter-cpp "] {
            let version = libraries.split(", ").find_map(|it| {
                it.trim_start_matches("libraries: ")
                    .strip_prefix(library)
                    .map(str::to_owned)
            });
            let version = version.unwrap_or_else(|| panic!("{library}: {libraries}"));
            assert!(
                version.starts_with(|it: char| it.is_ascii_digit()),
                "{version}"
            );
        }
    }

    #[test]
    fn version_names_no_build_folder() {
        assert!(!long().contains(env!("CARGO_MANIFEST_DIR")));
        assert!(!long().contains('/'));
    }
}
