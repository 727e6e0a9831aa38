//! The table of mutants: a line a fault, with what noticed it and how long that took.

use std::fmt::Write;

use super::measured::aligned;
use super::style::{BAD, FAINT, STRONG, paint, visible};
use super::{MutantRow, Report};

/// A table a release.
pub(super) fn mutants(out: &mut String, report: &Report) {
    for rows in report
        .mutants
        .chunk_by(|one, other| one.release == other.release)
    {
        if !out.is_empty() {
            out.push('\n');
        }
        table(out, rows);
    }
}

fn table(out: &mut String, rows: &[MutantRow]) {
    let noticed = rows.iter().filter(|row| row.killer.is_some()).count();
    let release = paint(STRONG, visible(&rows[0].release));
    let _ = writeln!(out, "{release}: {} faults, {noticed} noticed", rows.len());
    let overlay = |row: &MutantRow| row.hunk.split('/').next().map(str::to_owned);
    let one_overlay = rows.iter().all(|row| overlay(row) == overlay(&rows[0]));
    let cells = rows.iter().map(|row| {
        let name = match row.hunk.split_once('/') {
            Some((_, rest)) if one_overlay => rest,
            _ => &*row.hunk,
        };
        let line = row.line.map(|line| format!(":{line}")).unwrap_or_default();
        let by = match (&row.killer, &row.scenario) {
            (_, Some(scenario)) => format!("scenario {scenario}"),
            (Some(killer), None) => killer.clone(),
            (None, None) => "survived".to_owned(),
        };
        vec![format!("{name}{line}"), visible(&row.what).into_owned(), by]
    });
    for (row, mut cells) in rows.iter().zip(aligned(cells.collect())) {
        if row.killer.is_none() {
            cells[2] = paint(BAD, &cells[2]);
        }
        let seconds = row.milliseconds as f64 / 1000.0;
        let seconds = paint(FAINT, format!("{seconds:5.1} s"));
        let _ = writeln!(out, "    {}  {seconds}", cells.join("  "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(release: &str, line: Option<u64>, what: &str, killer: Option<&str>) -> MutantRow {
        MutantRow {
            release: release.to_owned(),
            hunk: "budget/check.read".to_owned(),
            line,
            operator: "comparison".to_owned(),
            what: what.to_owned(),
            killer: killer.map(str::to_owned),
            scenario: killer
                .filter(|it| *it == "scenario")
                .map(|_| "up-and-down".to_owned()),
            how: None,
            milliseconds: 2140,
        }
    }

    #[test]
    fn a_fault_has_a_line_with_what_noticed_it() {
        let report = Report {
            mutants: vec![
                row("0.32.0", None, "the edit is left out", Some("own-code")),
                row(
                    "0.32.2",
                    Some(3),
                    "`a > b` became `a < b`",
                    Some("scenario"),
                ),
                row("0.32.2", Some(12), "`a` became `b`", None),
            ],
            ..Report::new("verify")
        };
        let mut out = String::new();
        mutants(&mut out, &report);
        assert_eq!(
            anstream::adapter::strip_str(&out).to_string(),
            "\
0.32.0: 1 faults, 1 noticed
    check.read  the edit is left out  own-code    2.1 s

0.32.2: 2 faults, 1 noticed
    check.read:3   `a > b` became `a < b`  scenario up-and-down    2.1 s
    check.read:12  `a` became `b`          survived                2.1 s
"
        );
    }
}
