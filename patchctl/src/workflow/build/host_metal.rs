//! `patchctl build --backend host-metal`: a pin's real encoder on the runtime for Linux, as a library for cargo to link.

use patchctl_apply::LockedPin;

use crate::report::{Finding, Report};
use crate::toolchain::ToolError;
use crate::upstream::Working;
use crate::workflow::error::Stopped;
use crate::workflow::patched_revision::{PatchedRevision, patched_files};
use crate::workflow::verification::{Verification, no_real_backend};
use crate::workflow::workspace::{Workspace, spec};

/// Builds the library, and adds to the report how cargo links it.
pub(super) fn build(
    workspace: &Workspace<'_>,
    proving: &Verification<'_>,
    pin: &LockedPin,
    report: &mut Report,
) -> Result<Vec<Finding>, Stopped> {
    if let Some(error) = proving.lacks() {
        return Err(error.into());
    }
    let upstream = workspace.upstream(true);
    let found = upstream.resolve(&spec(&pin.release, &pin.revision))?;
    let ids: Vec<String> = pin.overlays.iter().map(|it| it.id.clone()).collect();
    let patched = PatchedRevision {
        found: &found,
        files: &patched_files(&found, pin)?,
        overlays: &workspace.overlays_named(&ids),
    };
    let what = format!("compiling the encoder of {}", pin.release);
    let _working = Working::on(&workspace.context.progress, &what);
    let library = proving.with_tree(patched, |verifier, tree| verifier.library(tree))??;
    report.step(&pin.release, library.to_string());
    report.next.push(format!(
        "MLX_BRIDGE_BACKEND=host-metal MLX_BRIDGE_LIB={library} cargo test -p mlx-bridge --test api"
    ));
    Ok(Vec::new())
}

/// A build that failed, as a finding: where it was not run there is no real backend.
pub(super) fn told(error: ToolError) -> Finding {
    match error.is_not_run() {
        true => no_real_backend(&error),
        false => error.reported(),
    }
}
