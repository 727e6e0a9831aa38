//! The encoder on host-metal as a library, for the bridge to be linked with.

use camino::Utf8PathBuf;
use sha2::{Digest, Sha256};

use super::driver_build::{DriverBuild, Job};
use super::linker::link_failed;
use super::store::{add, hex};
use crate::store::Cache;
use crate::toolchain::ToolError;
use crate::verify::PatchedTree;

/// GNU's or LLVM's; it comes with the linker.
const ARCHIVER: &str = "ar";

impl DriverBuild<'_> {
    /// Builds what a driver is built from, without the driver, as a static library for others to link.
    ///
    /// # Errors
    /// When a file does not compile, or the surroundings fail.
    pub(in crate::verify) fn library(
        &self,
        tree: PatchedTree<'_>,
    ) -> Result<Utf8PathBuf, ToolError> {
        let (jobs, _) = self.compile_all(tree)?;
        let is_in_it = |job: &&Job| job.is_linked && job.name != "main.cpp";
        let mut digest = Sha256::new();
        for job in jobs.iter().filter(is_in_it) {
            add(&mut digest, job.object.as_str().as_bytes());
        }
        let folder = self.cache.join("libraries-host-metal").join(hex(digest));
        let library = folder.join("libmlx_host_metal.a");
        let store = Cache::quiet(&self.cache);
        if store.is_whole(&library) {
            return Ok(library);
        }
        store.make(&library, |unfinished| {
            let mut arguments = vec!["rcs".to_owned(), unfinished.to_string()];
            let objects = jobs.iter().filter(is_in_it);
            arguments.extend(objects.map(|job| job.object.to_string()));
            let finished = self.start_program(ARCHIVER, arguments, Vec::new())?;
            if finished.is_success() {
                Ok(())
            } else {
                Err(self
                    .broken(&library, &finished)
                    .unwrap_or_else(|| link_failed(&finished.errors)))
            }
        })?;
        Ok(library)
    }
}
