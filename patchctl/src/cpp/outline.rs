//! A text without a grammar: its lines, and the lines that each stands under by indentation.

use super::construct::{Construct, ConstructKind};
use super::limits::{self, Exceeded, Limit};
use super::lines::Lines;

/// A tab leads to the next multiple of this column.
const TAB: usize = 8;

/// Every line that is not blank.
pub(super) fn constructs(text: &[u8], lines: &Lines) -> Result<Vec<Construct>, Exceeded> {
    if text.len() > limits::TEXT {
        return Err(Exceeded::new(Limit::Text, b"", 0));
    }
    if lines.count() > limits::TOKENS {
        return Err(Exceeded::new(Limit::Tokens, text, text.len()));
    }
    let of_line = |number| {
        let range = lines.range(number);
        let line = &text[range.clone()];
        let name = line.trim_ascii();
        let start = range.start + (line.len() - line.trim_ascii_start().len());
        (!name.is_empty()).then(|| Construct {
            kind: ConstructKind::Line,
            name: String::from_utf8_lossy(name).into_owned(),
            signature: Vec::new(),
            range: start..start + name.len(),
            body: None,
            distrust: None,
        })
    };
    Ok((1..=lines.count()).filter_map(of_line).collect())
}

/// The lines above the one at `offset` that it stands under, outermost first. Blank lines and comments are none; of a call
/// whose brackets end in a line of their own, the line counts on which it begins.
pub(super) fn around(text: &[u8], lines: &Lines, offset: usize) -> Vec<String> {
    let mut around = Vec::new();
    let here = lines.number(offset);
    let own = &text[lines.range(here)];
    let (mut inner, mut closes) = (columns(own), closes_bracket(own));
    for number in (1..here).rev() {
        let line = &text[lines.range(number)];
        let name = line.trim_ascii();
        let indent = columns(line);
        if name.is_empty() || name.starts_with(b"#") {
            continue;
        }
        if indent < inner || closes && indent == inner {
            closes = closes_bracket(line);
            if !closes {
                around.push(String::from_utf8_lossy(name).into_owned());
            }
            inner = indent;
        }
        if inner == 0 && !closes {
            break;
        }
    }
    around.reverse();
    around
}

/// Returns true if the line stands under the one on which its bracket opens, at the same indentation.
fn closes_bracket(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), Some(b')' | b']' | b'}'))
}

/// The column of a line's first byte that is no white space.
fn columns(line: &[u8]) -> usize {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    blanks.fold(0, |column, byte| match byte {
        b'\t' => (column / TAB + 1) * TAB,
        _ => column + 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(text: &str, line: &str) -> Vec<String> {
        let offset = text.find(line).unwrap();
        around(text.as_bytes(), &Lines::of(text.as_bytes()), offset)
    }

    #[test]
    fn lines_stand_under_lines_with_less_indentation() {
        let text = "class A:\n    # a comment\n    def f(\n        self,\n    ):\n\n# at the margin\n        return 1\n";
        assert_eq!(outline(text, "return 1"), ["class A:", "def f("]);
        assert_eq!(outline(text, "self,"), ["class A:", "def f("]);
        assert_eq!(outline(text, "):"), ["class A:", "def f("]);
        assert_eq!(outline(text, "class A:"), Vec::<String>::new());
    }

    #[test]
    fn tabs_count_to_the_next_stop() {
        let text = "if(A)\n    if(B)\n\tset(X 1)\n    endif()\nendif()\n";
        assert_eq!(outline(text, "set(X"), ["if(A)", "if(B)"]);
        assert_eq!(outline(text, "endif()"), ["if(A)"]);
    }

    #[test]
    fn blank_lines_are_no_constructs() {
        let text = b"a\r\n\r\n  b \r\n";
        let lines = constructs(text, &Lines::of(text)).unwrap();
        let named: Vec<_> = lines
            .iter()
            .map(|it| (&*it.name, it.range.clone()))
            .collect();
        assert_eq!(named, [("a", 0..1), ("b", 7..8)]);
    }
}
