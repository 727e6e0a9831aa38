//! Builds the bridge's backend for a pin, or an MLX without Metal to show that it still builds.

pub(super) mod host_metal;
pub(super) mod metal;
pub(super) mod mlx_library;
pub(super) mod stub;

use super::locked::{Locked, PinSelection};
use super::{Context, Output, WorkflowError};
use crate::report::{Exit, Report};
use crate::toolchain::ToolError;

/// The reason for which a build has no result.
pub(in crate::workflow) enum Stopped {
    /// The pin's row says it.
    Row(ToolError),
    /// The command ends.
    Command(WorkflowError),
}

impl From<ToolError> for Stopped {
    fn from(error: ToolError) -> Self {
        Self::Row(error)
    }
}

impl<E: Into<WorkflowError>> From<E> for Stopped {
    fn from(error: E) -> Self {
        Self::Command(error.into())
    }
}

impl Stopped {
    /// Returns what the row says.
    ///
    /// # Errors
    /// When the command ends.
    pub(in crate::workflow) fn row(self) -> Result<ToolError, WorkflowError> {
        match self {
            Self::Row(error) => Ok(error),
            Self::Command(error) => Err(error),
        }
    }
}

/// The options of a build.
#[derive(Debug)]
pub(crate) struct Options {
    /// The pins.
    pub pins: PinSelection,
    /// The product for each pin.
    pub product: Product,
}

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

/// Builds.
///
/// # Errors
/// When there is no report to give: the root or its lock cannot be read, no such pin is locked, or no source has its
/// tree.
pub(crate) fn run(options: &Options, context: &Context) -> Result<Output, WorkflowError> {
    let locked = Locked::open(context)?;
    let pins = locked.pins(&options.pins)?;
    let mut report = Report::new("build");
    let mut exit = Exit::Success;
    match options.product {
        Product::Stub => {
            let (check, ended) = stub::check(context);
            report.checks.push(check);
            exit = ended;
        }
        Product::HostMetal => {
            let bench = host_metal::Bench::new(context)?;
            for pin in pins {
                exit = exit.and(bench.build(pin, &mut report)?);
            }
        }
        Product::Metal => {
            for pin in pins {
                exit = exit.and(metal::build(context, &locked, pin, &mut report)?);
            }
        }
        Product::MlxLibrary => {
            for pin in pins {
                exit = exit.and(mlx_library::check(context, &locked, pin, &mut report)?);
            }
        }
    }
    Ok(Output::ending(report, exit))
}
