//! `patchctl build`: the bridge's backend for a pin, or an MLX without Metal to show that it still builds.

use crate::exit::Exit;
use crate::report::Report;

use super::args::examples;
use super::locked::Locked;
use super::test::PinSelection;
use super::{CommandError, Context, Output, host_metal, metal, mlx_library, stub};

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
    pub pins: PinSelection,

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
/// When there is no report to give: the root or its lock cannot be read, no such pin is locked, or no source has its
/// tree.
pub fn run(args: &BuildArgs, context: &Context) -> Result<Output, CommandError> {
    let locked = Locked::open(context)?;
    let pins = args.pins.of(&locked)?;
    let mut report = Report::new("build");
    let mut exit = Exit::Success;
    if args.mlx_library {
        for pin in pins {
            let ended = mlx_library::check(context, &locked, pin, &mut report)?;
            exit = exit.and(ended);
        }
        return Ok(Output::ending(report, exit));
    }
    if args.backend == AskedBackend::HostMetal {
        let bench = host_metal::Bench::new(context)?;
        for pin in pins {
            exit = exit.and(bench.build(pin, &mut report)?);
        }
        return Ok(Output::ending(report, exit));
    }
    let metal = match args.backend {
        AskedBackend::Auto => metal::is_here(),
        AskedBackend::Metal => true,
        AskedBackend::HostMetal | AskedBackend::Stub => false,
    };
    if metal {
        for pin in pins {
            let ended = metal::build(context, &locked, pin, &mut report)?;
            exit = exit.and(ended);
        }
    } else {
        let (check, ended) = stub::check(context);
        report.checks.push(check);
        exit = ended;
    }
    Ok(Output::ending(report, exit))
}
