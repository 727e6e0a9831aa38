//! `patchctl build --backend metal`: MLX with Metal from a pin's patched tree, for cargo to link.

use patchctl_apply::LockedPin;
use patchctl_apply::tree::{Mode, Options};

use crate::build::{BuildError, Kind, Library, Made, Tools};
use crate::exit::Exit;
use crate::report::{Finding, ReleaseResult, Report, Status, Step};
use crate::upstream::{FMT, JSON, METAL_CPP, Working, unpacked};

use super::locked::Locked;
use super::materialise::{cached_tree, materialise};
use super::mlx_library::hold;
use super::{CommandError, Context, stub};

/// Whether this machine can build and run it.
pub(super) fn is_here() -> bool {
    cfg!(all(target_os = "macos", target_arch = "aarch64"))
}

/// What a pin's row says where there is no real backend.
pub(super) fn not_here() -> Finding {
    Finding {
        code: "no-real-backend".to_owned(),
        message: "no real backend here".to_owned(),
        help: Some(
            "on a Mac with Apple silicon: patchctl build --backend metal, then the command that it names".to_owned(),
        ),
        ..Finding::default()
    }
}

/// Adds the pin's row to the report, and how cargo links what was built.
///
/// # Errors
/// When no source has the pin's tree, or what its build needs from elsewhere.
pub(super) fn build(
    context: &Context,
    locked: &Locked,
    pin: &LockedPin,
    report: &mut Report,
) -> Result<Exit, CommandError> {
    let made = if is_here() {
        Some(make(context, locked, pin)?)
    } else {
        None
    };
    let (status, exit, findings) = match made {
        None => (Status::NotRun, Exit::Surroundings, vec![not_here()]),
        Some(Err(error)) => {
            let (status, exit) = stub::outcome_of(&error);
            (status, exit, vec![stub::failed(&error)])
        }
        Some(Ok(made)) => {
            report.steps.push(Step {
                name: pin.release.clone(),
                what: made.library.to_string(),
            });
            report.next.push(linked_by(&made, context, pin));
            (Status::Passed, Exit::Success, Vec::new())
        }
    };
    report.results.push(ReleaseResult {
        release: pin.release.clone(),
        revision: pin.revision.clone(),
        status,
        level: "metal".to_owned(),
        landed: Vec::new(),
        shown: Vec::new(),
        findings,
    });
    Ok(exit)
}

/// Builds it from the cache's patched tree.
fn make(
    context: &Context,
    locked: &Locked,
    pin: &LockedPin,
) -> Result<Result<Made, BuildError>, CommandError> {
    let programs = &context.programs;
    let tools = match Tools::find(&context.cache, programs) {
        Ok(tools) => tools,
        Err(error) => return Ok(Err(error)),
    };
    let settings = context.source_settings();
    let tree = cached_tree(context, pin);
    let name = tree.file_name().unwrap_or("tree");
    let folder = context.cache.join("metal").join(name);
    let _held = hold(&folder)?;
    if !tree.exists() {
        materialise(context, locked, pin, &tree)?;
    }
    let options = Options::default();
    patchctl_apply::tree::run(&locked.lock, pin, tree.as_std_path(), Mode::Apply, options)?;
    let what = format!("building MLX {} with Metal", pin.release);
    let _working = Working::on(&context.progress, &what);
    let library = Library {
        kind: Kind::Metal {
            metal_cpp: &unpacked(&METAL_CPP, &settings)?,
        },
        tree: &tree,
        build: &folder.join("build"),
        fmt: &unpacked(&FMT, &settings)?,
        json: &unpacked(&JSON, &settings)?,
        tools: &tools,
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        runner: programs,
    };
    Ok(library.make())
}

/// The command that links it: the build script looks the overlay's entry points up in it first.
fn linked_by(made: &Made, context: &Context, pin: &LockedPin) -> String {
    let mut libraries = vec![made.library.as_str()];
    libraries.extend(made.needed.iter().map(|path| path.as_str()));
    format!(
        "MLX_BRIDGE_BACKEND=metal MLX_BRIDGE_LIB={} MLX_SOURCE_DIR={} cargo test -p mlx-bridge",
        libraries.join(":"),
        cached_tree(context, pin)
    )
}
