//! Builds the bridge's backend for a pin, or an MLX without Metal to show that it still builds.

mod host_metal;
pub(super) mod metal;
mod mlx_library;
pub(super) mod stub;

use patchctl_apply::LockedPin;

use super::error::Stopped;
use super::verification::Verification;
use super::workspace::Workspace;
use super::{Context, Output, PinSelection};
use crate::report::{Code, Error, Exit, Finding, ReleaseResult, Report, Status};
use crate::toolchain::ToolError;

/// The product of a build.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Product {
    /// MLX with Metal, for the bridge.
    Metal,
    /// MLX's encoder on the runtime for Linux, for the bridge.
    HostMetal,
    /// The bridge's stub, which needs no MLX.
    Stub,
    /// MLX without Metal, compared with the same build of the unpatched tree.
    MlxLibrary,
}

impl Product {
    /// The bridge's backend on this host: Metal on a Mac with Apple silicon, else the stub.
    pub(crate) fn backend_of_host() -> Self {
        match metal::is_here() {
            true => Self::Metal,
            false => Self::Stub,
        }
    }
}

/// Builds `product` for each of the pins.
///
/// # Errors
/// When there is no report to give: the root or its lock cannot be read, no such pin is locked, or no source has its
/// tree.
pub(crate) fn run(
    pins: &PinSelection,
    product: Product,
    context: &Context,
) -> Result<Output, Error> {
    let mut workspace = Workspace::of_lock(context)?;
    if matches!(product, Product::HostMetal) {
        workspace = workspace.complete()?;
    }
    let pins = workspace.selected(pins)?;
    let mut report = Report::new("build");
    if matches!(product, Product::Stub) {
        let (check, exit) = stub::check(context);
        report.checks.push(check);
        return Ok(Output::ending(report, exit));
    }
    let proving = Verification::new(context, None);
    let mut exit = Exit::Success;
    for pin in pins {
        let (level, built) = match product {
            Product::HostMetal => (
                "host-metal",
                host_metal::build(&workspace, &proving, pin, &mut report),
            ),
            Product::MlxLibrary => (
                "mlx-library",
                mlx_library::build(&workspace, pin, &mut report),
            ),
            Product::Metal | Product::Stub => ("metal", metal::build(&workspace, pin, &mut report)),
        };
        let told = match product {
            Product::HostMetal => host_metal::told,
            _ => |error: ToolError| *error.finding,
        };
        let result = row(pin, level, built, told)?;
        exit = exit.and(exit_of(result.status));
        report.results.push(result);
    }
    Ok(Output::ending(report, exit))
}

/// The pin's row: what was found, or the reason for which there is no product.
fn row(
    pin: &LockedPin,
    level: &str,
    built: Result<Vec<Finding>, Stopped>,
    told: fn(ToolError) -> Finding,
) -> Result<ReleaseResult, Error> {
    let (status, findings) = match built {
        Ok(findings) if findings.is_empty() => (Status::Passed, findings),
        Ok(findings) => (Status::Failed, findings),
        Err(stopped) => {
            let error = stopped.row()?;
            (status_of(&error), vec![told(error)])
        }
    };
    Ok(ReleaseResult {
        status,
        findings,
        ..ReleaseResult::new(&pin.release, &pin.revision, level)
    })
}

/// Returns the status of a build that failed.
fn status_of(error: &ToolError) -> Status {
    match error.is_not_run() || error.finding.code == Code::NoRealBackend {
        true => Status::NotRun,
        false => Status::Failed,
    }
}

/// Returns the exit status of a build with this status.
fn exit_of(status: Status) -> Exit {
    match status {
        Status::Passed => Exit::Success,
        Status::NotRun => Exit::Surroundings,
        _ => Exit::Check,
    }
}
