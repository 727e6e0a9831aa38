//! What a build of MLX's Metal backend needs from elsewhere, and packages carry too.

use camino::Utf8PathBuf;

use super::table::{Package, Place, safemlx_sys};
use crate::upstream::cache::Cache;
use crate::upstream::settings::Settings;
use crate::upstream::tree_writer::write_tree;
use crate::upstream::{SourceError, Working};

/// Something that [`unpacked`] can bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carried {
    /// For paths and messages.
    pub name: &'static str,
    archive: &'static str,
    sha256: &'static str,
    root: &'static str,
}

/// Apple's C++ headers for Metal, of macOS 26.
pub const METAL_CPP: Carried = Carried {
    name: "metal-cpp-26",
    archive: "vendor/metal-cpp-26.zip",
    sha256: "4df3c078b9aadcb516212e9cb03004cbc5ce9a3e9c068fa3144d021db585a3a4",
    root: "metal-cpp",
};

/// The formatting library that MLX uses.
pub const FMT: Carried = Carried {
    name: "fmt-12.1.0",
    archive: "vendor/fmt-12.1.0.tar.gz",
    sha256: "ea7de4299689e12b6dddd392f9896f08fb0777ac7168897a244a6d6085043fea",
    root: "fmt-12.1.0",
};

/// The JSON library that MLX uses.
pub const JSON: Carried = Carried {
    name: "json-3.11.3",
    archive: "vendor/json-v3.11.3.tar.xz",
    sha256: "d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d",
    root: "json",
};

/// The folder in the cache that holds `what`, brought and unpacked where it is not there yet. It belongs to the cache:
/// read it, write elsewhere.
///
/// # Errors
/// When cargo cannot bring the package, an archive is altered, or the cache cannot be written.
pub fn unpacked(what: &Carried, settings: &Settings) -> Result<Utf8PathBuf, SourceError> {
    bring(&safemlx_sys(), what, settings)
}

fn bring(
    package: &Package,
    what: &Carried,
    settings: &Settings,
) -> Result<Utf8PathBuf, SourceError> {
    let cache = Cache::new(&settings.cache, &settings.progress);
    let into = cache.carried(what.name, what.sha256);
    // The folder appears whole or not at all, so that it is there says enough.
    if into.is_dir() {
        return Ok(into);
    }
    let _lock = cache.lock(&into)?;
    if into.is_dir() {
        return Ok(into);
    }
    let opened = package.bring(settings)?;
    let _working = Working::on(&settings.progress, &format!("unpacking {}", what.name));
    let place = Place::Archive {
        archive: what.archive.into(),
        sha256: what.sha256.into(),
        root: what.root.into(),
    };
    write_tree(&into, |take| opened.each(&place, take))?.map_err(|why| {
        package.unreachable(
            why,
            format!(
                "look at {}, then remove it: cargo brings it again",
                opened.path()
            ),
        )
    })?;
    Ok(into)
}
