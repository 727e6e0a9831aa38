//! Words for counts.

/// The count with its noun: `1 hunk`, `2 hunks`.
pub fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}
