//! Every finding code of the repository's own files has a row in `docs/findings.md`.

use regex::Regex;

/// The sources that name codes: as `=> "some-code"` in a `code` function, or as `("some-code", …)` of a finding.
const SOURCES: [(&str, &str); 8] = [
    ("yaml/problem.rs", include_str!("problem.rs")),
    ("yaml/check.rs", include_str!("check.rs")),
    ("yaml/form.rs", include_str!("form.rs")),
    (
        "verify/decode/problem.rs",
        include_str!("../verify/decode/problem.rs"),
    ),
    ("overlay/error.rs", include_str!("../overlay/error.rs")),
    (
        "workspace/problem.rs",
        include_str!("../workspace/problem.rs"),
    ),
    (
        "workspace/place/agree.rs",
        include_str!("../workspace/place/agree.rs"),
    ),
    (
        "workspace/place/edit.rs",
        include_str!("../workspace/place/edit.rs"),
    ),
];

#[test]
fn every_code_has_its_row_and_every_row_of_ours_its_code() {
    let docs = include_str!("../../../docs/findings.md");
    let prefix = "(?:yaml|file|schema|overlay|config|pins|pin|place|decode)";
    let literal = Regex::new(&format!(r#""({prefix}-[a-z0-9]+(?:-[a-z0-9]+)*)""#)).unwrap();
    let row = Regex::new(r"(?m)^\| `([a-z0-9-]+)` \| \S.* \| \S.* \|$").unwrap();
    let rows: Vec<&str> = row
        .captures_iter(docs)
        .filter_map(|captures| Some(captures.get(1)?.as_str()))
        .collect();
    let mut codes = Vec::new();
    for (file, text) in SOURCES {
        let before = codes.len();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let found = literal.captures_iter(code);
        codes.extend(found.filter_map(|captures| Some(captures.get(1)?.as_str())));
        assert!(
            codes.len() > before || file == "yaml/form.rs",
            "{file} names no code"
        );
    }
    for code in &codes {
        assert!(rows.contains(code), "{code} has no row");
    }
    let ours = rows
        .iter()
        .filter(|row| row.starts_with("overlay-") || row.starts_with("yaml-"));
    for row in ours {
        assert!(codes.contains(row), "no problem has the code {row}");
    }
}
