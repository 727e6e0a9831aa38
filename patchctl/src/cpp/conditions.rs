//! `#if` lines that say the same.

/// Returns true if two stacks of conditions say the same: `#if defined(X)` is `#ifdef X`.
pub(crate) fn same_conditions(one: &[String], other: &[String]) -> bool {
    let mut pairs = one.iter().zip(other);
    one.len() == other.len() && pairs.all(|(a, b)| a == b || plain(a) == plain(b))
}

/// A condition with each line in its short form.
fn plain(condition: &str) -> String {
    let lines = condition.split(" of ").map(|line| {
        let wanted = line.strip_prefix("#if ")?;
        let (word, wanted) = match wanted.strip_prefix('!') {
            Some(wanted) => ("#ifndef", wanted.trim_start()),
            None => ("#ifdef", wanted),
        };
        let name = wanted.strip_prefix("defined")?.trim_start();
        let inner = name.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
        let is_name = |it: &str| it.chars().all(|c| c.is_alphanumeric() || c == '_');
        let name = inner.unwrap_or(name).trim();
        is_name(name).then(|| format!("{word} {name}"))
    });
    let short = condition.split(" of ").zip(lines);
    let short = short.map(|(line, short)| short.unwrap_or_else(|| line.to_owned()));
    short.collect::<Vec<_>>().join(" of ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defined_is_ifdef() {
        let same = |one: &str, other: &str| same_conditions(&[one.to_owned()], &[other.to_owned()]);
        for other in ["#if defined(X)", "#if defined X", "#if defined ( X )"] {
            assert!(same("#ifdef X", other), "{other}");
            assert!(
                same(&format!("#else of {other}"), "#else of #ifdef X"),
                "{other}"
            );
        }
        assert!(same("#ifndef X", "#if !defined(X)") && same("#if ! defined X", "#ifndef X"));
        for other in [
            "#ifndef X",
            "#ifdef Y",
            "#if X",
            "#if defined(X) && Y",
            "#if defined(X) || defined(Y)",
            "#if !defined(X)",
        ] {
            assert!(!same("#ifdef X", other), "{other}");
        }
        assert!(!same_conditions(&["#ifdef X".to_owned()], &[]));
    }
}
