//! `evidence`: records of what an overlay was measured to do, and on which release.

use camino::Utf8PathBuf;
use semver::Version;

use super::error::OverlayProblem;
use super::validate;
use super::yaml::RawEvidence;
use crate::yaml::{Node, Problems};

/// A record of what an overlay was measured to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The file, relative to the repository's root.
    pub record: Utf8PathBuf,
    /// The heading in it that is meant.
    pub heading: Option<String>,
    /// The release that it was measured on; none, where the record does not know it.
    pub mlx: Option<Version>,
    /// What was measured, one line.
    pub what: String,
}

impl Evidence {
    /// The record as it was written.
    pub fn place(&self) -> String {
        match &self.heading {
            Some(heading) => format!("{}#{heading}", self.record),
            None => self.record.to_string(),
        }
    }
}

/// Checks each, and gives those that are right.
pub(super) fn evidence(
    raw: &[RawEvidence],
    node: &Node,
    problems: &mut Problems<'_>,
) -> Vec<Evidence> {
    let one = |(index, raw): (usize, &RawEvidence)| one(raw, node.item(index), problems);
    raw.iter().enumerate().filter_map(one).collect()
}

fn one(raw: &RawEvidence, node: &Node, problems: &mut Problems<'_>) -> Option<Evidence> {
    let (file, heading) = match raw.record.split_once('#') {
        Some((file, heading)) => (file, Some(heading.to_owned())),
        None => (raw.record.as_str(), None),
    };
    if let Some(why) = validate::path_problem(file) {
        problems.push(node.key("record").mark, OverlayProblem::BadRecord(why));
    }
    validate::filled("what", &raw.what, node, problems);
    let mlx = raw.mlx.as_deref().map(|text| {
        let version = Version::parse(text).ok();
        if version.is_none() {
            let expected = "a release such as `0.32.2`";
            validate::bad_name(text, expected, None, node.key("mlx"), problems);
        }
        version
    });
    Some(Evidence {
        record: file.into(),
        heading,
        // Asked for and not understood: there is a problem already.
        mlx: match mlx {
            Some(version) => Some(version?),
            None => None,
        },
        what: raw.what.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use crate::overlay::load;
    use crate::report::Code;

    fn codes(evidence: &str) -> Vec<Code> {
        let text = format!(
            "schema: 1\noverlay: x\ntitle: t\nwhy: w\nfile: a.cpp\nevidence: [{evidence}]\nhunks:\n  - id: h\n    \
             edits:\n      - {{ at: {{ function: f, position: before }}, insert: \"int a;\\n\" }}\n"
        );
        let faults = load(Utf8Path::new("x.yaml"), text.as_bytes()).err();
        let faults = faults.into_iter().flat_map(|faults| faults.0);
        faults.map(|fault| fault.code).collect()
    }

    #[test]
    fn a_record_is_a_file_of_this_repository_and_its_release_one() {
        assert_eq!(codes("{ record: docs/m.md, what: w }"), []);
        for (evidence, code) in [
            ("{ record: /m.md, what: w }", Code::OverlayBadPath),
            (
                "{ record: ../m.md, mlx: 1.0.0, what: w }",
                Code::OverlayBadPath,
            ),
            ("{ record: '#heading', what: w }", Code::OverlayBadPath),
            (
                "{ record: m.md, mlx: newest, what: w }",
                Code::OverlayBadName,
            ),
            ("{ record: m.md, what: ' ' }", Code::OverlayBadName),
            ("{ record: m.md }", Code::YamlMissingKey),
            ("{ record: m.md, what: w, when: now }", Code::YamlUnknownKey),
        ] {
            assert_eq!(codes(evidence), [code], "{evidence}");
        }
    }
}
