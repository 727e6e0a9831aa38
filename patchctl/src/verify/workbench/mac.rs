//! The objects for the Mac itself, as far as level `compile` can make them elsewhere.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::{Case, compile, said};
use crate::overlay::Overlay;
use crate::report::Finding;
use crate::toolchain::{ToolError, Zig};
use crate::verify::compile::{MacFault, bridge_header, check_bridge, check_device};
use crate::verify::run::{DEVICE, Subject, Workshop};

/// What came of it.
pub(super) struct OnMac {
    pub(super) findings: Vec<Finding>,
    pub(super) seen: String,
}

/// Compiles the patched sources and the bridge for macOS on Apple silicon, and looks into the objects.
pub(super) fn objects(
    workshop: &Workshop<'_>,
    mac: &Zig,
    case: Case<'_>,
) -> Result<OnMac, ToolError> {
    let patched = compile::patched(case.files);
    let entry_points = case
        .overlays
        .iter()
        .find_map(|overlay| entry_points(overlay));
    let header = entry_points.and_then(|(setter, getter)| bridge_header(setter, getter).ok());
    let subject = Subject {
        tree: case.tree,
        patched: &patched,
    };
    let objects = match workshop.mac_objects(mac, subject, header.as_deref()) {
        Err(error) if !error.is_not_run() => {
            return Err(upstreams_own(workshop, mac, case).unwrap_or(error));
        }
        ended => ended?,
    };
    let mut findings = Vec::new();
    for (name, object) in &objects {
        if let Err(fault) = check(name, object, case, entry_points)? {
            findings.push(said::mac(name, &fault));
        }
    }
    let names: Vec<&str> = objects.iter().map(|(name, _)| name.as_str()).collect();
    Ok(OnMac {
        findings,
        seen: format!("for macOS on Apple silicon: {} compiled", names.join(", ")),
    })
}

fn entry_points(overlay: &Overlay) -> Option<(&str, &str)> {
    let role = |role: &str| overlay.provides.get(role).map(|name| &**name);
    role("setter").zip(role("getter"))
}

/// What upstream's own files say, where they do not compile for macOS either: nothing about the overlays.
fn upstreams_own(workshop: &Workshop<'_>, mac: &Zig, case: Case<'_>) -> Option<ToolError> {
    let mut own: BTreeMap<Utf8PathBuf, Vec<u8>> = BTreeMap::new();
    for file in case.files {
        own.insert(
            file.path.clone(),
            fs_err::read(case.tree.join(&file.path)).ok()?,
        );
    }
    let subject = Subject {
        tree: case.tree,
        patched: &own,
    };
    let error = workshop.mac_objects(mac, subject, None).err()?;
    Some(error.of_upstream())
}

/// What is wrong with one object.
fn check(
    name: &Utf8Path,
    object: &Utf8Path,
    case: Case<'_>,
    entry_points: Option<(&str, &str)>,
) -> Result<Result<(), MacFault>, ToolError> {
    let bytes = fs_err::read(object).map_err(|error| ToolError::unusable(object, &error))?;
    Ok(if name == DEVICE {
        let of_overlay = |overlay: &&Overlay| {
            let mut files = overlay.hunks.iter().flat_map(|hunk| &hunk.variants);
            files.any(|variant| variant.edits.iter().any(|edit| edit.file == DEVICE))
        };
        let overlays = case.overlays.iter().copied().filter(of_overlay);
        let names = overlays.flat_map(|overlay| overlay.provides.values());
        check_device(&bytes, names.map(|name| &**name))
    } else if name.starts_with("bridge") {
        let names = entry_points.map(|(setter, getter)| [setter, getter]);
        check_bridge(&bytes, names.into_iter().flatten())
    } else {
        Ok(())
    })
}
