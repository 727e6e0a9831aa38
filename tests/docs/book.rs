//! The book holds together: every page is in it, every link leads somewhere.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use regex::Regex;

use super::pages::{pages, prose, root, text};

/// Files of this repository, as a page on the web names them.
const ELSEWHERE: &str = "https://github.com/patchctl/patchctl/";

#[test]
fn every_page_of_docs_stands_in_the_summary_once() {
    let link = Regex::new(r"(?m)^- \[[^\]]+\]\(([^)]+)\)$").unwrap();
    let summary = text("docs/SUMMARY.md");
    let listed: Vec<String> = link
        .captures_iter(&summary)
        .map(|found| format!("docs/{}", &found[1]))
        .collect();
    let lines = summary.lines().filter(|line| line.starts_with("- "));
    assert_eq!(lines.count(), listed.len(), "a line of it is no link");
    let set: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(set.len(), listed.len(), "a page is there twice");
    // Examples have pages of their own, for whoever looks at the code.
    let in_book = |page: &String| {
        page.starts_with("docs/")
            && !page.starts_with("docs/examples/")
            && page != "docs/SUMMARY.md"
    };
    let there = pages();
    let there: BTreeSet<&String> = there.iter().filter(|page| in_book(page)).collect();
    assert_eq!(set, there);
}

/// What mdBook and GitHub make of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn headings(page: &str) -> BTreeSet<String> {
    let prose = prose(page);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect()
}

/// `a/../b` as `b`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                assert!(plain.pop(), "{} leaves the repository", path.display())
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

#[test]
fn every_link_leads_to_a_file_of_this_repository_and_a_heading_of_it_or_to_another_site() {
    let link = Regex::new(r"!?\[[^\]]*\]\(([^)\s]+)\)").unwrap();
    let mut count = 0;
    for page in pages() {
        for found in link.captures_iter(&prose(&page)) {
            let target = &found[1];
            let in_repository = target.strip_prefix(ELSEWHERE).and_then(|rest| {
                let rest = rest
                    .strip_prefix("blob/main/")
                    .or(rest.strip_prefix("tree/main/"));
                rest.map(PathBuf::from)
            });
            if target.starts_with("https://") && in_repository.is_none() {
                continue;
            }
            assert!(!target.contains("http:"), "{page}: {target}");
            count += 1;
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = match (in_repository, file) {
                (Some(path), _) => path,
                (None, "") => PathBuf::from(&page),
                (None, file) => plain(&Path::new(&page).parent().unwrap().join(file)),
            };
            assert!(
                root().join(&path).exists(),
                "{page}: {target}: there is no {}",
                path.display()
            );
            // A page of the book is not a page of the book's site when it lies outside of docs/.
            let leaves = page.starts_with("docs/")
                && !page.starts_with("docs/examples/")
                && !path.starts_with("docs");
            assert!(
                !leaves || target.starts_with(ELSEWHERE),
                "{page}: {target} is not in the book"
            );
            if !heading.is_empty() {
                let there = headings(path.to_str().unwrap());
                assert!(
                    there.contains(heading),
                    "{page}: {target}: there are {there:?}"
                );
            }
        }
    }
    assert!(count > 40, "{count}");
}

#[test]
fn what_an_overlay_of_ours_names_as_evidence_is_a_heading_that_is_there() {
    let overlay = text("overlays/mlx/decode-input-budget.yaml");
    let record = Regex::new(r"(?m)^  - record: ([^#\s]+)#(\S+)$").unwrap();
    let found: Vec<_> = record.captures_iter(&overlay).collect();
    assert!(found.len() > 2);
    for one in found {
        assert!(headings(&one[1]).contains(&one[2]), "{}", &one[0]);
    }
}

#[test]
fn nothing_in_the_pages_names_a_machine_or_a_folder_of_one() {
    let unfit = Regex::new(r"(?m)(?:^|[\s`'(=])/(?:root|home|Users|work|tmp|var)/").unwrap();
    for page in pages() {
        let text = text(&page);
        let found = unfit.find(&text).map(|it| it.as_str());
        assert_eq!(found, None, "{page}");
    }
}

#[test]
fn the_picture_of_a_bump_is_of_the_current_pin_run_and_refers_to_nothing_outside() {
    let picture = text("docs/bump.svg");
    let pins: serde_json::Value = serde_yaml::from_str(&text("overlays/mlx/pins.yaml")).unwrap();
    let current = pins["current"].as_str().unwrap();
    let again = "make it again: ci/picture";
    assert!(
        picture.contains(&format!("$ patchctl bump --mlx {current}</tspan>")),
        "{again}"
    );
    assert!(picture.contains("scenarios on host-metal"), "{again}");
    let rest = picture.replace("http://www.w3.org/2000/svg", "");
    for outside in ["://", "<image", "@import", "href", "/root", "/home", "/tmp"] {
        assert!(!rest.contains(outside), "{outside}");
    }
}
