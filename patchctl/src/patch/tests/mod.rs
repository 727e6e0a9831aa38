//! Carrying overlays onto small files in upstream's style.

mod order;
mod pathological;
mod positions;
mod proof;
mod refusals;
mod suggestions;

use std::sync::Arc;

use camino::Utf8PathBuf;
use patchctl_apply::{BlobId, markers};

use super::*;
use crate::cpp::Parsed;
use crate::overlay::{Overlay, load, load_all};
use crate::report::{Code, Finding};

const DEVICE: &str = "\
// Header.

#include <cstdlib>
#include <sstream>

namespace mlx::core::metal {

// Whether it is time.
bool Encoder::needs_commit() const {
  auto [max_ops, max_mb] = device_.limits();
  return (ops_ > max_ops) || ((sizes_ >> 20) > max_mb);
}

void Encoder::commit() {
  buffer_->commit();
}

} // namespace mlx::core::metal
";

/// An overlay's file and what stands in it.
fn yaml(id: &str, body: &str) -> (Utf8PathBuf, Vec<u8>) {
    let yaml = format!(
        "schema: 1\noverlay: {id}\ntitle: t\nwhy: w\nfile: d.cpp\nreleases: '>=0.1.0'\n{body}"
    );
    (format!("{id}.yaml").into(), yaml.into_bytes())
}

fn overlay(id: &str, body: &str) -> Overlay {
    let (file, bytes) = yaml(id, body);
    load(&file, &bytes).unwrap_or_else(|faults| panic!("{faults}"))
}

fn texts(text: &str) -> Texts {
    texts_for(&[&edit("{ function: f, position: begin }")], text)
}

/// The text as each of the overlays reads it.
fn texts_for(overlays: &[&Overlay], text: &str) -> Texts {
    let mut texts = Texts::default();
    for overlay in overlays {
        let reading = overlay.reading("d.cpp".into());
        let parsed = Arc::new(Parsed::new(text.as_bytes(), &reading));
        texts.insert("d.cpp".into(), BlobId::of(text.as_bytes()), parsed);
    }
    texts
}

/// Carries, and gives the patched text or the findings' codes.
fn carried(overlays: &[&Overlay], text: &str) -> Result<String, Vec<Finding>> {
    let texts = texts_for(overlays, text);
    let carried = carry(overlays, &texts);
    let around = Where {
        folder: "overlays",
        texts: &texts,
        base: None,
        elsewhere: None,
    };
    let found: Vec<Finding> = carried
        .problems
        .iter()
        .flat_map(|p| findings(p, &around))
        .collect();
    if !found.is_empty() {
        assert!(
            carried.files.is_empty(),
            "nothing may be patched where a hunk fails"
        );
        return Err(found);
    }
    let file = &carried.files[0];
    assert_eq!(structure(&texts, file, overlays), []);
    assert_eq!(
        markers::take_off(&file.bytes).unwrap().bytes,
        text.as_bytes()
    );
    Ok(String::from_utf8(file.bytes.clone()).unwrap())
}

fn codes(overlays: &[&Overlay], text: &str) -> Vec<Code> {
    carried(overlays, text)
        .unwrap_err()
        .into_iter()
        .map(|finding| finding.code)
        .collect()
}

fn edit(at: &str) -> Overlay {
    overlay(
        "o",
        &format!(
            "hunks:\n  - id: h\n    edits:\n      - at: {at}\n        insert: |\n          X;\n"
        ),
    )
}

/// The line after which, and before which, the block stands.
fn between(at: &str, text: &str) -> (String, String) {
    let patched = carried(&[&edit(at)], text).unwrap_or_else(|found| panic!("{found:#?}"));
    let lines: Vec<&str> = patched.lines().collect();
    let begin = lines
        .iter()
        .position(|line| line.contains("patchctl:begin"))
        .unwrap();
    assert_eq!(lines[begin + 1], "X;");
    let line = |index: Option<usize>| index.and_then(|i| lines.get(i)).map(|l| (*l).to_owned());
    (
        line(begin.checked_sub(1)).unwrap_or_default(),
        line(Some(begin + 3)).unwrap_or_default(),
    )
}

const VARIANTS: &str = "\
hunks:
  - id: h
    variants:
      - name: new
        when: [{ in: { function: 'Encoder::needs_commit' }, tokens: 'auto [ max_ops , max_mb ] =' }]
        edits:
          - at: { function: 'Encoder::needs_commit', position: begin }
            insert: |
              X;
        expect: [{ in: { function: 'Encoder::needs_commit' }, tokens: '( sizes_ >> 20 ) > max_mb' }]
      - name: old
        when: [{ in: { function: 'Device::needs_commit' }, tokens: '> max_mb_' }]
        edits:
          - at: { function: 'Device::needs_commit', position: begin }
            insert: |
              Y;
";
