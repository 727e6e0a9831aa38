//! A reader who has nothing but the message can mend the overlay: what the help says to write is taken out of
//! it and put where it says, and the bump that failed then ends with 0.

use std::path::Path;

use crate::support::case::Case;
use crate::support::play::Player;

const OVERLAY: &str = "overlays/flush-budget.yaml";

fn player(case: &str) -> Player {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/working");
    let player = Player::new(Case::read(&folder.join(case)).unwrap());
    let outcome = player.scratch.run(&player.acceptance("1.0.0"));
    assert_eq!(outcome.code, Some(0), "{outcome}");
    player
}

/// The last block of YAML in a help text: from its key to the end.
fn yaml(help: &str) -> String {
    let lines: Vec<&str> = help.lines().collect();
    let start = lines.iter().rposition(|line| *line == "    variants:");
    let start = start.unwrap_or_else(|| panic!("no YAML to add in:\n{help}"));
    lines[start..].join("\n") + "\n"
}

/// Puts the YAML in place of the hunk's `edits:`, which the help says; the case's hunk is the last one.
fn mend(player: &Player, yaml: &str) {
    let overlay = player.scratch.read(OVERLAY);
    let (head, _) = overlay.split_once("    edits:\n").unwrap();
    player.scratch.write(OVERLAY, format!("{head}{yaml}"));
}

fn mended_from_the_message(case: &str) {
    let player = player(case);
    let failed = player.scratch.run("bump --mlx 1.1.0");
    assert_eq!(failed.code, Some(1), "{failed}");
    let findings = failed.findings();
    let help = findings[0]["help"].as_str().unwrap();
    let place = format!("{OVERLAY}:8");
    assert!(help.contains(&place), "{place} is not named in:\n{help}");
    mend(&player, &yaml(help));
    // The new place is still looked at by a person once.
    let shown = player.scratch.run("bump --mlx 1.1.0");
    assert_eq!(shown.code, Some(1), "{shown}");
    assert_eq!(
        shown.codes(),
        ["needs-review-shape".to_owned()].into(),
        "{shown}"
    );
    for line in [
        "bump --mlx 1.1.0 --reviewed flush-budget/read",
        "bump --mlx 1.0.0 --reviewed flush-budget/read",
        "verify --all-pins",
    ] {
        let outcome = player.scratch.run(line);
        assert_eq!(
            outcome.code,
            Some(0),
            "{}\n{outcome}",
            player.scratch.read(OVERLAY)
        );
    }
}

#[test]
fn an_overlay_whose_function_was_renamed_is_mended_from_the_message_alone() {
    mended_from_the_message("function-renamed");
}

#[test]
fn an_overlay_whose_function_moved_to_another_class_is_mended_from_the_message_alone() {
    mended_from_the_message("function-moved-to-another-class");
}

#[test]
fn an_overlay_whose_function_was_duplicated_under_ifdef_is_mended_from_the_message_alone() {
    mended_from_the_message("function-duplicated-under-ifdef");
}

#[test]
fn an_overlay_whose_function_moved_into_an_ifdef_is_mended_from_the_message_alone() {
    mended_from_the_message("function-now-inside-an-if");
}

#[test]
fn an_overlay_whose_statement_changed_is_mended_from_the_message_alone() {
    mended_from_the_message("pattern-gone");
}
