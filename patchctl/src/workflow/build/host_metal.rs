//! `patchctl build --backend host-metal`: a pin's real encoder on the runtime for Linux, as a library for cargo to link.

use camino::Utf8PathBuf;
use patchctl_apply::LockedPin;

use crate::report::Exit;
use crate::report::{Finding, ReleaseResult, Report, Status};
use crate::upstream::{Upstream, Working};
use crate::verify::verifier::failed;

use crate::workflow::locked::{Unpatched, patched_files};
use crate::workflow::patched_revision::PatchedRevision;
use crate::workflow::project::{Project, spec_of};
use crate::workflow::verification::{Verification, no_real_backend};
use crate::workflow::{Context, WorkflowError};

/// Everything that each pin is built with.
pub(in crate::workflow) struct Bench<'a> {
    context: &'a Context,
    project: Project,
    upstream: Upstream,
    proving: Verification<'a>,
}

/// The reason for which a pin has no library.
enum Without {
    /// What its row says, and how the command ends.
    Row(Status, Box<Finding>, Exit),
    /// The command ends without a report.
    Command(WorkflowError),
}

impl<E: Into<WorkflowError>> From<E> for Without {
    fn from(error: E) -> Self {
        Self::Command(error.into())
    }
}

impl<'a> Bench<'a> {
    /// # Errors
    /// When the repository's files cannot be read.
    pub fn new(context: &'a Context) -> Result<Self, WorkflowError> {
        let project = Project::open(context)?;
        Ok(Self {
            upstream: project.upstream(context, true),
            proving: Verification::new(context, None),
            project,
            context,
        })
    }

    /// Adds the pin's row to the report, and how cargo links what was built.
    ///
    /// # Errors
    /// When its source cannot give the tree.
    pub fn build(&self, pin: &LockedPin, report: &mut Report) -> Result<Exit, WorkflowError> {
        let mut result = ReleaseResult::new(&pin.release, &pin.revision, "host-metal");
        let exit = match self.library(pin) {
            Ok(library) => {
                report.step(&pin.release, library.to_string());
                report.next.push(format!(
                    "MLX_BRIDGE_BACKEND=host-metal MLX_BRIDGE_LIB={library} cargo test -p mlx-bridge --test api"
                ));
                Exit::Success
            }
            Err(Without::Command(error)) => return Err(error),
            Err(Without::Row(status, finding, exit)) => {
                result.status = status;
                result.findings.push(*finding);
                exit
            }
        };
        report.results.push(result);
        Ok(exit)
    }

    fn library(&self, pin: &LockedPin) -> Result<Utf8PathBuf, Without> {
        let not_run = |finding| Without::Row(Status::NotRun, Box::new(finding), Exit::Surroundings);
        let fails = |finding| Without::Row(Status::Failed, Box::new(finding), Exit::Check);
        if let Some(error) = self.proving.lacks() {
            return Err(not_run(no_real_backend(&error)));
        }
        let found = self.upstream.resolve(&spec_of(pin))?;
        let files = patched_files(&found, pin).map_err(|error| match *error {
            Unpatched::Unfit(finding) => fails(finding),
            Unpatched::Command(error) => Without::Command(error),
        })?;
        let ids: Vec<String> = pin.overlays.iter().map(|it| it.id.clone()).collect();
        let proposed = PatchedRevision {
            revision: &found.revision,
            source: &found.source,
            files: &files,
            overlays: &self.project.overlays_named(&ids),
        };
        let what = format!("compiling the encoder of {}", pin.release);
        let _working = Working::on(&self.context.progress, &what);
        let library = self
            .proving
            .with_tree(&proposed, |verifier, tree| verifier.library(tree))?;
        library.map_err(|error| match error.is_not_run() {
            true => not_run(no_real_backend(&error)),
            false => fails(failed(&error)),
        })
    }
}
