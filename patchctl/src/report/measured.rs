//! Numbers as a table: a row a setting, a column a phase.

use super::Measured;
use super::style::once;

/// The table's lines, in columns; none without numbers.
pub(super) fn table(measured: &[Measured]) -> Vec<String> {
    let rows = aligned(grid(measured)).into_iter();
    rows.map(|row| row.join("  ").trim_end().to_owned())
        .collect()
}

/// The cells, each as wide as the widest of its column.
pub(super) fn aligned(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    for column in 0..rows.first().map_or(0, Vec::len) {
        let width = rows.iter().map(|row| row[column].chars().count()).max();
        for row in &mut rows {
            row[column] = format!("{:width$}", row[column], width = width.unwrap_or(0));
        }
    }
    rows
}

/// The cells, each row as long as the first, which names the phases; none without numbers.
pub(super) fn grid(measured: &[Measured]) -> Vec<Vec<String>> {
    let phases = once(measured.iter().map(|one| &one.phase));
    let settings = once(measured.iter().map(|one| &one.under));
    if settings.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![vec![String::new()]];
    rows[0].extend(phases.iter().copied().cloned());
    rows.extend(settings.iter().map(|setting| {
        let mut row = vec![(*setting).to_owned()];
        row.extend(phases.iter().map(|phase| {
            let cell = measured.iter();
            let cell = cell.filter(|one| one.phase == **phase && one.under == **setting);
            cell.map(number).collect::<Vec<_>>().join(", ")
        }));
        row
    }));
    rows
}

/// Bytes as MiB or KiB; what a number is of otherwise stands above the table.
fn number(measured: &Measured) -> String {
    match (&*measured.unit, measured.value.as_f64()) {
        ("bytes", Some(bytes)) if bytes < 1e5 => format!("{:.1} KiB", bytes / f64::from(1 << 10)),
        ("bytes", Some(bytes)) => format!("{:.1} MiB", bytes / f64::from(1 << 20)),
        (_, Some(value)) if value.fract() != 0.0 => format!("{value:.1}"),
        _ => measured.value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_settings_columns_are_phases() {
        let one = |what: &str, phase: &str, under: &str, value: u64, unit: &str| Measured {
            what: what.to_owned(),
            phase: phase.to_owned(),
            under: under.to_owned(),
            value: value.into(),
            unit: unit.to_owned(),
        };
        let mean = serde_json::Number::from_f64(22.46).unwrap();
        let measured = [
            one("buffers", "prefill", "50 ops", 31, "a prompt"),
            one("peak", "prefill", "50 ops", 3 << 19, "bytes"),
            Measured {
                value: mean,
                ..one("buffers", "decode", "50 ops", 0, "a token")
            },
            one("peak", "decode", "50 ops", 1024, "bytes"),
            one("buffers", "prefill", "1000 ops", 4, "a prompt"),
        ];
        let expected = [
            "          prefill      decode",
            "50 ops    31, 1.5 MiB  22.5, 1.0 KiB",
            "1000 ops  4",
        ];
        assert_eq!(table(&measured), expected);
        assert_eq!(table(&[]), Vec::<String>::new());
    }
}
