//! `patchctl build --backend metal`: MLX with Metal from a pin's patched tree, for cargo to link.

use camino::Utf8Path;
use patchctl_apply::LockedPin;
use patchctl_apply::beneath::{self, Root};
use sha2::{Digest, Sha256};

use crate::build::{Kind, Library, Made, Tools};
use crate::embedded_sources::short;
use crate::report::{Code, Error, Finding, Report};
use crate::store::unwritable;
use crate::toolchain::ToolError;
use crate::upstream::{FMT, JSON, METAL_CPP, Working, unpacked};

use crate::verify::verifier::MetalBuild;
use crate::workflow::Context;
use crate::workflow::error::Stopped;
use crate::workflow::materialise::{cached_tree, tree_key};
use crate::workflow::patched_revision::PatchedRevision;
use crate::workflow::workspace::Workspace;

/// Returns true if this machine can build and run Metal.
pub(in crate::workflow) fn is_here() -> bool {
    cfg!(all(target_os = "macos", target_arch = "aarch64"))
}

/// Builds MLX from the cache's patched tree, and adds to the report how cargo links it.
pub(super) fn build(
    workspace: &Workspace<'_>,
    pin: &LockedPin,
    report: &mut Report,
) -> Result<Vec<Finding>, Stopped> {
    if !is_here() {
        return Err(not_here().into());
    }
    let context = workspace.context;
    let tools = Tools::find(&context.cache, &context.programs)?;
    let (tree, _) = cached_tree(workspace, pin)?;
    let build = context.store().path("metal", &tree_key(pin)).join("build");
    let _held = context.store().lock("metal", &tree_key(pin))?;
    let made = make_in(context, &tools, &pin.release, &tree, &build)?;
    report.step(&pin.release, made.library.to_string());
    report.next.push(linked_by(&made, &tree));
    Ok(Vec::new())
}

/// Returns the reason for which no pin can be built where there is no real backend.
fn not_here() -> ToolError {
    ToolError::of_code(Code::NoRealBackend, "no real backend here")
        .help("on a Mac with Apple silicon: patchctl build --backend metal, then the command that it names")
}

/// Builds a tree that is patched already.
fn make_in(
    context: &Context,
    tools: &Tools,
    release: &str,
    tree: &Utf8Path,
    build: &Utf8Path,
) -> Result<Made, Stopped> {
    let settings = context.source_settings();
    let what = format!("building MLX {release} with Metal");
    let _working = Working::on(&context.progress, &what);
    let library = Library {
        kind: Kind::Metal {
            metal_cpp: &unpacked(&METAL_CPP, &settings)?,
        },
        tree,
        build,
        fmt: &unpacked(&FMT, &settings)?,
        json: &unpacked(&JSON, &settings)?,
        tools,
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        runner: &context.programs,
    };
    Ok(library.make()?)
}

/// Builds MLX with Metal from the revision with its patched files in it, and lets `act` work on what was built.
///
/// # Errors
/// When the source cannot give the tree, or what its build needs from elsewhere, and when the build fails.
pub(in crate::workflow) fn with_patched<T>(
    context: &Context,
    patched: PatchedRevision<'_>,
    release: &str,
    act: impl FnOnce(MetalBuild<'_>) -> T,
) -> Result<T, Stopped> {
    let tools = Tools::find(&context.cache, &context.programs)?;
    let store = context.store();
    let name = name_of(patched);
    let folder = store.path("metal", &name);
    let _held = store.lock("metal", &name)?;
    // Without a tree's id nothing says that a folder's files are still the same.
    let key = patched.found.revision.tree.as_ref().map(|_| name.as_str());
    let tree = store.kept("trees", key, |into| {
        patched
            .found
            .source
            .materialise(&patched.found.revision, into)?;
        let unwritable = |error: beneath::Error| unwritable(into, &error.into());
        let files = Root::open(into.as_std_path()).map_err(unwritable)?;
        for file in patched.files {
            files.replace(&file.path, &file.bytes).map_err(unwritable)?;
        }
        Ok::<_, Error>(())
    })?;
    let build = folder.join("build");
    let made = make_in(context, &tools, release, &tree.path, &build)?;
    let mut libraries = vec![made.library];
    libraries.extend(made.needed);
    Ok(act(MetalBuild {
        tree: &tree.path,
        folder: &build,
        libraries: &libraries,
    }))
}

/// Another revision, and another patched file, is another folder.
fn name_of(patched: PatchedRevision<'_>) -> String {
    let mut digest = Sha256::new();
    digest.update(&patched.found.revision.commit);
    digest.update(patched.found.revision.tree.as_deref().unwrap_or_default());
    for file in patched.files {
        digest.update(format!("\n{} {}", file.path, file.after.as_str()));
    }
    short(digest)
}

/// The command that links it: the build script looks the overlay's entry points up in it first.
fn linked_by(made: &Made, tree: &Utf8Path) -> String {
    let mut libraries = vec![made.library.as_str()];
    libraries.extend(made.needed.iter().map(|path| path.as_str()));
    format!(
        "MLX_BRIDGE_BACKEND=metal MLX_BRIDGE_LIB={} MLX_SOURCE_DIR={tree} cargo test -p mlx-bridge",
        libraries.join(":"),
    )
}
