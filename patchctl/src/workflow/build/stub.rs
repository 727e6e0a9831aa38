//! The stub's row: the bridge where there is no Metal. It proves nothing about a release.

use crate::build::{Backend, BuildError, Cxx, Kit, RoundTrip, SETTINGS, Wrong};
use crate::report::Exit;
use crate::report::{Check, Code, Finding, Status};
use crate::upstream::Working;

use crate::workflow::Context;

/// Compiles the stub and sets the override through it, a process for each environment. Without a C++ compiler
/// there is nothing that could be built here at all, so that is the surroundings' failure at every level.
pub(in crate::workflow) fn check(context: &Context) -> (Check, Exit) {
    let _working = Working::on(&context.progress, "round trips through the stub");
    let (status, exit, findings) = match round_trip(context) {
        Ok(Ok(())) => (Status::Passed, Exit::Success, Vec::new()),
        Ok(Err(wrong)) => (Status::Failed, Exit::Check, vec![override_wrong(&wrong)]),
        Err(error) => {
            let (status, exit) = outcome_of(&error);
            (status, exit, vec![failed(&error)])
        }
    };
    let check = Check {
        name: "stub".to_owned(),
        status,
        what: format!(
            "takes every override and reads 0, in {} environments; proves nothing about a release",
            SETTINGS.len()
        ),
        findings,
    };
    (check, exit)
}

fn round_trip(context: &Context) -> Result<Result<(), Wrong>, BuildError> {
    let kit = Kit::lay_out(&context.cache)?;
    let cxx = Cxx::find(&context.programs)?;
    let program = kit.stub(None, &cxx, &context.programs)?;
    let round_trip = RoundTrip {
        program: &program,
        backend: Backend::Stub,
    };
    Ok(round_trip.run(&context.programs)?.map(|_| ()))
}

/// What a build that ended badly means for the one who asked for it.
pub(in crate::workflow) fn outcome_of(error: &BuildError) -> (Status, Exit) {
    if error.is_surroundings() {
        (Status::NotRun, Exit::Surroundings)
    } else {
        (Status::Failed, Exit::Check)
    }
}

/// A build that ended badly, as a finding.
pub(in crate::workflow) fn failed(error: &BuildError) -> Finding {
    let code = match error {
        BuildError::NoTool { .. } => Code::ToolMissing,
        BuildError::Failed { .. } => Code::BuildFailed,
        BuildError::CannotStart { .. } | BuildError::File { .. } | BuildError::Hangs { .. } => {
            Code::BuildNotPossible
        }
    };
    Finding::new(code, error.to_string())
        .help(error.help())
        .excerpt(error.output())
}

/// A round trip that did not come back as it should.
pub(in crate::workflow) fn override_wrong(wrong: &Wrong) -> Finding {
    let under = match wrong.environment.as_str() {
        "" => String::new(),
        environment => format!(" under {environment}"),
    };
    let Wrong {
        expected, found, ..
    } = wrong;
    Finding::new(
        Code::OverrideWrong,
        format!("the round trip{under} should say `{expected}` and says `{found}`"),
    )
}
