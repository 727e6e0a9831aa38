//! Level `compile`.

use camino::Utf8PathBuf;

use super::{Proof, findings};
use crate::report::{Code, counted};
use crate::toolchain::ToolError;
use crate::verify::PatchedTree;
use crate::verify::compile::not_provided;
use crate::verify::run::{Built, DriverBuild};

/// Looks up what the overlays provide in the objects of the patched files.
pub(super) fn provided(
    tree: PatchedTree<'_>,
    objects: &[Utf8PathBuf],
    proof: &mut Proof,
) -> Result<(), ToolError> {
    let mut names = 0;
    for overlay in tree.overlays {
        for name in overlay.provides.values() {
            names += 1;
            if let Some(fault) = not_provided(objects, name)? {
                let finding = findings::provided(&overlay.id, &fault);
                proof.findings.push(finding);
            }
        }
    }
    proof.seen.push(format!(
        "{} compiled, {} found there",
        counted(objects.len(), "patched file"),
        counted(names, "provided name")
    ));
    Ok(())
}

/// Builds the driver. What upstream's own files do not compile or link either says nothing about the overlays.
pub(super) fn build(build: &DriverBuild<'_>, tree: PatchedTree<'_>) -> Result<Built, ToolError> {
    let error = match build.build(tree) {
        Err(error) if matches!(error.finding.code, Code::CompileFailed | Code::LinkFailed) => error,
        ended => return ended,
    };
    match build.build(tree.with(&tree.untouched()?)) {
        Ok(_) => Err(error),
        Err(upstream) => Err(upstream.of_upstream()),
    }
}
