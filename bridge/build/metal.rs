//! MLX with Metal, from a tree.

use std::path::{Path, PathBuf};

use super::cmake::CmakePlan;
use super::error::BuildError;
use super::plan::Built;
use super::settings::Settings;
use super::tree;

/// Builds MLX from `given`, or from a patched copy of it.
pub fn build(given: &Path, settings: &Settings) -> Result<Built, BuildError> {
    let root: PathBuf = tree::patched(given, &settings.lock, &settings.out)?.root;
    Ok(Built {
        libraries: CmakePlan::metal(&root, settings).run()?,
        tree: Some(root),
    })
}
