//! Which levels of proof were asked for, and what is said of those that were not run.

use crate::exit::Exit;
use crate::report::{NotRun, Report};

use super::args::Level;

/// Notes in the report what lies above `structure`. A level asked for by name that cannot be run is the
/// surroundings' failure; `auto` takes what there is.
pub(super) fn note(report: &mut Report, asked: Level) -> Exit {
    let above: &[&str] = match asked {
        Level::Structure => &[],
        Level::Compile => &["compile"],
        Level::Auto | Level::Run => &["compile", "run"],
    };
    report.not_run.extend(above.iter().map(|level| NotRun {
        what: (*level).to_owned(),
        why: "this version of patchctl proves the level `structure` only".to_owned(),
        help: None,
    }));
    match asked {
        Level::Compile | Level::Run => Exit::Surroundings,
        Level::Auto | Level::Structure => Exit::Success,
    }
}
