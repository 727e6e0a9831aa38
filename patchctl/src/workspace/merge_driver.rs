//! The way in which git merges this repository's files, as `.gitattributes` says.

use std::path::Path;

use camino::Utf8Path;
use git2::{AttrCheckFlags, AttrValue, Repository};

use crate::report::{Code, Finding};

/// Returns a warning for each of the files, relative to `root`, that git merges by a driver. `union` joins the lines of both
/// sides without a conflict, so that two entries become one that nobody wrote.
pub fn merged_by_driver(root: &Utf8Path, files: &[&Utf8Path]) -> Vec<Finding> {
    let driver = |file: &&&Utf8Path| {
        let found = driver_of(root.as_std_path(), file.as_std_path())?;
        let message = format!("git merges this file by the driver `{found}`, not line by line");
        let finding = Finding::new(Code::MergeDriver, message).file(file.to_string());
        Some(finding.help(format!("write in .gitattributes: {file} merge -text")))
    };
    files.iter().filter_map(|file| driver(&file)).collect()
}

/// The name of the driver that the attribute `merge` names; `None` where it names none or git's own.
fn driver_of(root: &Path, file: &Path) -> Option<String> {
    let repository = Repository::discover(root).ok()?;
    let work_tree = repository.workdir()?.canonicalize().ok()?;
    let path = root.canonicalize().ok()?.join(file);
    let path = path.strip_prefix(work_tree).ok()?;
    let flags = AttrCheckFlags::FILE_THEN_INDEX;
    let value = repository.get_attr(path, "merge", flags).ok()?;
    match AttrValue::from_string(value) {
        AttrValue::String(driver) if driver != "text" => Some(driver.to_owned()),
        _ => None,
    }
}
