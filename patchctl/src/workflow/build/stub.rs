//! The stub's row: the bridge where there is no Metal. It proves nothing about a release.

use super::{exit_of, status_of};
use crate::build::{self, SETTINGS};
use crate::embedded_sources::EmbeddedSources;
use crate::report::{Check, Exit, Status};
use crate::toolchain::{Compiler, ToolError};
use crate::upstream::Working;
use crate::workflow::Context;

/// Compiles the stub and sets the override through it, a process for each environment. Without a C++ compiler
/// there is nothing that could be built here at all, so that is the surroundings' failure at every level.
pub(in crate::workflow) fn check(context: &Context) -> (Check, Exit) {
    let _working = Working::on(&context.progress, "round trips through the stub");
    let (status, findings) = match round_trip(context) {
        Ok(_) => (Status::Passed, Vec::new()),
        Err(error) => (status_of(&error), vec![*error.finding]),
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
    (check, exit_of(status))
}

fn round_trip(context: &Context) -> Result<Option<String>, ToolError> {
    let sources = EmbeddedSources::lay_out(&context.cache)?;
    let cxx = Compiler::any(&context.programs)?;
    let program = build::stub(&sources, None, &cxx, &context.programs)?;
    build::round_trip(&program, &context.programs)
}
