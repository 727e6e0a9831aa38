//! `patchctl build --mlx-library`: the patched tree without Metal builds, links, says which version it is, and the
//! overlays change none of its objects.

use camino::Utf8Path;
use patchctl_apply::LockedPin;
use patchctl_apply::tree::{Mode, Options};

use crate::build::{self, Kind, Library, Linked, Made, Tools, version_of};
use crate::report::{Code, Error, Finding, Report};
use crate::store::unwritable;
use crate::toolchain::ToolError;
use crate::upstream::{FMT, JSON, Working, unpacked};

use crate::workflow::error::Stopped;
use crate::workflow::materialise::{patched_tree, tree_key};
use crate::workflow::workspace::Workspace;

/// Object files that a finding names.
const NAMED: usize = 10;

/// Builds and compares; each step is in the report.
///
/// # Errors
/// When no source has the pin's tree, or what its build needs from elsewhere, and when the build fails.
pub(super) fn build(
    workspace: &Workspace<'_>,
    pin: &LockedPin,
    report: &mut Report,
) -> Result<Vec<Finding>, Stopped> {
    let context = workspace.context;
    let tools = Tools::find(&context.cache, &context.programs)?;
    let store = context.store();
    let key = tree_key(pin);
    let folder = store.path("libraries", &key);
    // Another build of the same pin is waited for.
    let _held = store.lock("libraries", &key)?;
    fs_err::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
    // A tree of its own, since the overlays are taken out and put back. One that a killed run left in between is made anew.
    let tree = store.entry("library-trees", &key, |into| {
        patched_tree(workspace, pin, &workspace.found(pin)?, into).map(|_| ())
    })?;
    let settings = context.source_settings();
    let library = Library {
        kind: Kind::WithoutMetal,
        tree: &tree,
        build: &folder.join("build"),
        fmt: &unpacked(&FMT, &settings)?,
        json: &unpacked(&JSON, &settings)?,
        tools: &tools,
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        runner: &context.programs,
    };
    let made = {
        let what = format!("building MLX {} without Metal", pin.release);
        let _working = Working::on(&context.progress, &what);
        library.make()?
    };
    let bench = Bench {
        workspace,
        pin,
        folder: &folder,
        library,
        made,
    };
    let mut step = |what: String| report.step(&pin.release, what);
    step(format!(
        "{} objects in {}",
        bench.made.objects.count(),
        bench.made.library
    ));
    let mut findings = bench.link(&mut step)?;
    match bench.compare()? {
        None => step("the unpatched tree gives the same objects".to_owned()),
        Some(finding) => findings.push(finding),
    }
    Ok(findings)
}

/// A pin's library with everything that it was built with.
struct Bench<'a> {
    workspace: &'a Workspace<'a>,
    pin: &'a LockedPin,
    folder: &'a Utf8Path,
    library: Library<'a>,
    made: Made,
}

impl Bench<'_> {
    /// Puts the overlays into the tree, or takes them out.
    fn bring(&self, mode: Mode) -> Result<(), Error> {
        let tree = self.library.tree.as_std_path();
        let lock = &self.workspace.lock;
        patchctl_apply::tree::run(lock, self.pin, tree, mode, Options::default())?;
        Ok(())
    }

    /// Links the stub with the library and asks it for its version.
    fn link(&self, step: &mut dyn FnMut(String)) -> Result<Vec<Finding>, ToolError> {
        let (tree, tools) = (self.library.tree, self.library.tools);
        let Some(expected) = version_of(tree)? else {
            step("not linked: this release has no mlx/version.h to ask it by".to_owned());
            return Ok(Vec::new());
        };
        let linked = Linked {
            library: &self.made.library,
            tree,
            into: self.folder,
        };
        let programs = &self.workspace.context.programs;
        let program = build::stub(&tools.sources, Some(linked), &tools.cxx, programs)?;
        let reported = match build::round_trip(&program, programs) {
            Err(wrong) if !wrong.is_not_run() => return Ok(vec![*wrong.finding]),
            reported => reported?.unwrap_or_default(),
        };
        if reported == expected {
            step(format!(
                "linked with the stub, it says that it is {reported}"
            ));
            return Ok(Vec::new());
        }
        Ok(vec![Finding::new(
            Code::VersionDiffers,
            format!("the library says that it is {reported}, its mlx/version.h says {expected}"),
        )])
    }

    /// Takes the overlays out, builds what that changes, puts them back. A tree that is left in between by a
    /// killed run is brought back by the next one.
    fn compare(&self) -> Result<Option<Finding>, Stopped> {
        let _working = Working::on(
            &self.workspace.context.progress,
            "building the unpatched tree",
        );
        self.bring(Mode::Remove)?;
        let unpatched = self.library.again();
        self.bring(Mode::Apply)?;
        let differing = self.made.objects.differing(&unpatched?.objects);
        if differing.is_empty() {
            return Ok(None);
        }
        let named: Vec<&str> = differing
            .iter()
            .take(NAMED)
            .map(|path| path.as_str())
            .collect();
        Ok(Some(Finding::new(Code::ObjectsDiffer, format!(
                "{} objects of a build without Metal are changed by the overlays, expected none",
                differing.len()
            )).help("an overlay for Metal alone belongs into files that only a Metal build compiles").excerpt(named.join("\n"))))
    }
}
