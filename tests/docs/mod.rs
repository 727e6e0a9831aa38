//! What the documentation tells a reader to type.

mod book;
mod commands;
mod pages;

use crate::program::run;

#[test]
fn the_page_of_finding_codes_is_what_explain_gives() {
    let folder = tempfile::tempdir().unwrap();
    let made = run(folder.path(), "explain --markdown").stdout;
    let path = format!("{}/../docs/findings.md", env!("CARGO_MANIFEST_DIR"));
    let committed = std::fs::read_to_string(&path).unwrap();
    assert!(
        committed == made,
        "write it anew: patchctl explain --markdown > docs/findings.md"
    );
}

#[test]
fn the_reference_pages_are_what_the_schemas_give() {
    let folder = tempfile::tempdir().unwrap();
    for page in ["overlay", "config", "pins", "decode"] {
        let made = run(folder.path(), &format!("schema {page} --markdown")).stdout;
        let path = format!("{}/../docs/reference/{page}.md", env!("CARGO_MANIFEST_DIR"));
        let committed = std::fs::read_to_string(&path).unwrap();
        assert!(
            committed == made,
            "write it anew: patchctl schema {page} --markdown > docs/reference/{page}.md"
        );
    }
}
