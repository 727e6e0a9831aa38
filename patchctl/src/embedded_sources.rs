//! The C++ that patchctl carries in itself (crate `mlx-bridge-native`), laid out in the cache for compilers to read.

use camino::{Utf8Path, Utf8PathBuf};
use mlx_bridge_native::FILES;
use sha2::{Digest, Sha256};

use crate::store::Cache;
use crate::toolchain::ToolError;

/// The files of `mlx-bridge-native` in a folder, with the layout that they have in its package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedSources {
    root: Utf8PathBuf,
    cache: Utf8PathBuf,
}

impl EmbeddedSources {
    /// Writes the files to a folder of `cache` that is named after their bytes. Files that are there are kept.
    ///
    /// # Errors
    /// When the cache cannot be written.
    pub fn lay_out(cache: &Utf8Path) -> Result<Self, ToolError> {
        let mut digest = Sha256::new();
        for (path, text) in FILES {
            digest.update(format!("{path} {}\n{text}", text.len()));
        }
        let root = cache.join("sources").join(short(digest));
        let store = Cache::quiet(cache);
        for (path, text) in FILES {
            // Another process may do the same at this moment: it writes these bytes too.
            store.keep(&root.join(path), text.as_bytes())?;
        }
        Ok(Self {
            root,
            cache: cache.to_owned(),
        })
    }

    /// Files in `root` that a test does not read, or has written itself.
    #[cfg(test)]
    pub(crate) fn at(root: &str) -> Self {
        Self {
            root: root.into(),
            cache: root.into(),
        }
    }

    /// The path of a file or folder, which is given by its path in the package.
    pub(crate) fn path(&self, inside: &str) -> Utf8PathBuf {
        self.root.join(inside)
    }

    /// The cache that they lie in.
    pub(crate) fn cache(&self) -> Cache {
        Cache::quiet(&self.cache)
    }

    /// The folder of all files.
    pub(crate) fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// The paths of all files below a folder of the package.
    pub(crate) fn below(&self, folder: &str) -> Vec<Utf8PathBuf> {
        let files = FILES.iter().map(|(path, _)| Utf8Path::new(path));
        let below = files.filter(|path| path.starts_with(folder));
        below.map(|path| self.root.join(path)).collect()
    }
}

/// Twelve hex digits.
pub(crate) fn short(digest: Sha256) -> String {
    let mut digits = patchctl_apply::hex(&digest.finalize());
    digits.truncate(12);
    digits
}
