//! Level `compile`.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::{Built, Case, said};
use crate::cpp::Parsed;
use crate::patch::{PatchedFile, macros};
use crate::report::Code;
use crate::report::{Finding, counted};
use crate::toolchain::ToolError;
use crate::verify::compile::{not_provided, own_code};
use crate::verify::run::{Subject, Workshop};

/// What came of it.
pub(super) struct Compiled {
    pub(super) built: Built,
    pub(super) provided: Provided,
}

/// What came of looking the provided names up.
pub(super) struct Provided {
    pub(super) findings: Vec<Finding>,
    pub(super) seen: String,
}

/// Compiles the overlays' own code, then the whole of what the encoder needs, and looks the provided names up.
pub(super) fn compile(workshop: &Workshop<'_>, case: Case<'_>) -> Result<Compiled, ToolError> {
    own_codes(workshop, case)?;
    let patched = patched(case.files);
    let built = build(workshop, case.tree, &patched)?;
    let objects: Vec<Utf8PathBuf> = built.patched.values().cloned().collect();
    let provided = provided(case, &objects)?;
    Ok(Compiled { built, provided })
}

/// Compiles what the overlays add outside of functions, without upstream around it.
pub(super) fn own_codes(workshop: &Workshop<'_>, case: Case<'_>) -> Result<(), ToolError> {
    case.files
        .iter()
        .try_for_each(|file| alone(workshop, case, file))
}

/// Looks up what the overlays provide in the objects of the patched files.
pub(super) fn provided(case: Case<'_>, objects: &[Utf8PathBuf]) -> Result<Provided, ToolError> {
    let mut findings = Vec::new();
    let mut names = 0;
    for overlay in case.overlays {
        for name in overlay.provides.values() {
            names += 1;
            if let Some(fault) = not_provided(objects, name)? {
                findings.push(said::provided(&overlay.id, &fault));
            }
        }
    }
    Ok(Provided {
        findings,
        seen: format!(
            "{} compiled, {} found there",
            counted(objects.len(), "patched file"),
            counted(names, "provided name")
        ),
    })
}

/// The patched bytes, by path.
pub(super) fn patched(files: &[PatchedFile]) -> BTreeMap<Utf8PathBuf, Vec<u8>> {
    let each = files.iter();
    each.map(|file| (file.path.clone(), file.bytes.clone()))
        .collect()
}

fn alone(workshop: &Workshop<'_>, case: Case<'_>, file: &PatchedFile) -> Result<(), ToolError> {
    let path = case.tree.join(&file.path);
    let upstream = fs_err::read(&path).map_err(|error| ToolError::unusable(&file.path, &error))?;
    let owned: Vec<_> = case.overlays.iter().map(|&it| it.clone()).collect();
    let parsed = Parsed::new(&upstream, &macros(&owned));
    match own_code(&parsed, &file.splices) {
        Some(code) => workshop.own_code(case.tree, &file.path, &code),
        None => Ok(()),
    }
}

/// Builds the patched tree. Where it fails, upstream alone is asked, with the same files as they are there: if that fails
/// as well, it says nothing about the overlays.
pub(super) fn build(
    workshop: &Workshop<'_>,
    tree: &Utf8Path,
    patched: &BTreeMap<Utf8PathBuf, Vec<u8>>,
) -> Result<Built, ToolError> {
    let error = match workshop.build(Subject { tree, patched }) {
        Err(error) if matches!(error.code, Code::CompileFailed | Code::LinkFailed) => error,
        ended => return ended,
    };
    let mut untouched = BTreeMap::new();
    for path in patched.keys() {
        if let Ok(bytes) = fs_err::read(tree.join(path)) {
            untouched.insert(path.clone(), bytes);
        }
    }
    let alone = Subject {
        tree,
        patched: &untouched,
    };
    match workshop.build(alone) {
        Ok(_) => Err(error),
        Err(upstream) => Err(upstream.of_upstream()),
    }
}
