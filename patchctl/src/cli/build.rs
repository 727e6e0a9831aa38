//! `patchctl build`: the bridge's backend for a pin, or an MLX without Metal to show that it still builds.

use super::args::examples;
use super::test::PinArgs;
use crate::report::Error;
use crate::workflow::build::{self, Product};
use crate::workflow::{Context, Output};

/// Build the bridge's backend for a pin, from the patched tree
///
/// On a Mac with Apple silicon that is MLX with Metal, and the answer names the variables with which cargo links it;
/// elsewhere it is the stub, which needs no MLX. With --mlx-library it is MLX without Metal instead: it shows that
/// the patched tree builds and links where the overlays have nothing to say, and that they change no object there.
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct BuildArgs {
    /// Which pins
    #[command(flatten)]
    pub pins: PinArgs,

    /// The backend
    #[arg(long, value_enum, default_value_t, conflicts_with = "mlx_library")]
    pub backend: AskedBackend,

    /// MLX without Metal, compared with the same build of the unpatched tree
    #[arg(long)]
    pub mlx_library: bool,
}

/// `--backend`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum AskedBackend {
    /// Metal on a Mac with Apple silicon, else the stub.
    #[default]
    Auto,
    /// MLX with Metal; exit status 3 elsewhere.
    Metal,
    /// MLX's encoder on the runtime for Linux, which runs no kernel: for tests of what calls the override.
    HostMetal,
    /// The override takes nothing.
    Stub,
}

const EXAMPLES: &str = "\
Examples:
  patchctl build
  Every pin, without Metal, checked against the unpatched tree:
    patchctl build --mlx-library --all-pins";

/// Builds.
///
/// # Errors
/// As [`build::run`].
pub(super) fn run(args: &BuildArgs, context: &Context) -> Result<Output, Error> {
    let product = match args.backend {
        _ if args.mlx_library => Product::MlxLibrary,
        AskedBackend::Auto => Product::backend_of_host(),
        AskedBackend::Metal => Product::Metal,
        AskedBackend::HostMetal => Product::HostMetal,
        AskedBackend::Stub => Product::Stub,
    };
    build::run(&args.pins.selection(), product, context)
}
