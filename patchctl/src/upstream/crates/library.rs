//! The libraries that a build of MLX's Metal backend needs, which packages carry too.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use semver::Version;

use super::packages::resolved;
use super::table::{CrateRelease, Place, safemlx_sys};
use crate::report::Error;
use crate::upstream::git::source::GitSource;
use crate::upstream::{Resolved, Settings, Source};

/// A library that [`unpacked`] can bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Library {
    /// For messages.
    pub name: &'static str,
    archive: &'static str,
    sha256: &'static str,
    root: &'static str,
    /// Git's id of the tree below `root`.
    tree: &'static str,
}

/// Apple's C++ headers for Metal, of macOS 26.
pub const METAL_CPP: Library = Library {
    name: "metal-cpp-26",
    archive: "vendor/metal-cpp-26.zip",
    sha256: "4df3c078b9aadcb516212e9cb03004cbc5ce9a3e9c068fa3144d021db585a3a4",
    root: "metal-cpp",
    tree: "68a8efdea7394f4c542b5a3fec73401c17e7b639",
};

/// The formatting library that MLX uses.
pub const FMT: Library = Library {
    name: "fmt-12.1.0",
    archive: "vendor/fmt-12.1.0.tar.gz",
    sha256: "ea7de4299689e12b6dddd392f9896f08fb0777ac7168897a244a6d6085043fea",
    root: "fmt-12.1.0",
    tree: "07e6ac840f6697f4a83181d249a4c6aaf23b374e",
};

/// The JSON library that MLX uses.
pub const JSON: Library = Library {
    name: "json-3.11.3",
    archive: "vendor/json-v3.11.3.tar.xz",
    sha256: "d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d",
    root: "json",
    tree: "880b3b2b40ba9cc68589cdb407017ac272d75b45",
};

/// The folder in the cache that holds `what`, brought and unpacked where it is not there as it should be. It belongs to the
/// cache: read it, write elsewhere.
///
/// # Errors
/// When cargo cannot bring the package, an archive is altered, or the cache cannot be written.
pub fn unpacked(what: &Library, settings: &Settings) -> Result<Utf8PathBuf, Error> {
    let row = CrateRelease {
        release: Version::new(0, 0, 0),
        commit: String::new(),
        tree: what.tree.into(),
        package: safemlx_sys(),
        place: Place::Archive {
            archive: what.archive.into(),
            sha256: what.sha256.into(),
            root: what.root.into(),
        },
        left_out: BTreeMap::new(),
    };
    let library = Resolved {
        described: what.name.into(),
        is_release: false,
        ..resolved(&row)
    };
    let source = GitSource::packages(vec![row], settings.clone());
    let store = settings.store();
    store.entry("upstream-trees", what.tree, |into| {
        source.materialise(&library, into)
    })
}
