//! Finding codes are part of the interface: each one that the source can give is listed for its readers.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use regex::Regex;

fn sources(folder: &Path, out: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.extension().is_some_and(|ending| ending == "rs") {
            true => out.push(fs::read_to_string(&path).unwrap()),
            false if path.is_dir() => sources(&path, out),
            false => {}
        }
    }
}

#[test]
fn every_finding_code_of_the_source_stands_in_docs_findings() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    sources(&root.join("src"), &mut texts);
    let code = Regex::new(r#"(?:code: |finding\(\s*|=> \(\s*)"([a-z]+(?:-[a-z0-9]+)+)""#).unwrap();
    let used: BTreeSet<String> = texts
        .iter()
        .map(|text| text.split("mod tests {").next().unwrap_or(text))
        .flat_map(|text| {
            code.captures_iter(text)
                .map(|found| found[1].to_owned())
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(
        used.contains("premise-failed") && used.contains("lock-mismatch"),
        "{used:?}"
    );
    let docs = fs::read_to_string(root.join("../docs/findings.md")).unwrap();
    let missing: Vec<&String> = used
        .iter()
        .filter(|code| !docs.contains(&format!("`{code}`")))
        .collect();
    assert!(missing.is_empty(), "not in docs/findings.md: {missing:?}");
}
