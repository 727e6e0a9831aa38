//! What `patchctl --version` says.

use std::fmt::Write;
use std::sync::LazyLock;

/// `0.1.0`, with the commit where the build knew it.
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

/// The same, and the libraries whose behaviour decides results: objects and merges, and the parser.
pub fn long() -> &'static str {
    static LONG: LazyLock<String> = LazyLock::new(with_libraries);
    &LONG
}

fn with_libraries() -> String {
    let mut text = short().to_owned();
    let (major, minor, patch) = git2::Version::get().libgit2_version();
    let _ = write!(text, "\nlibgit2 {major}.{minor}.{patch}");
    if let Some(version) = option_env!("PATCHCTL_TREE_SITTER_CPP") {
        let _ = write!(text, "\ntree-sitter-cpp {version}");
    }
    text
}
