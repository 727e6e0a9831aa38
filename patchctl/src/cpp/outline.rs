//! A text without a grammar: its lines, and the lines that each stands under by indentation.

use super::construct::{Construct, ConstructKind};
use super::limits::{self, Exceeded, Limit};
use super::lines::Lines;

/// A tab leads to the next multiple of this column.
const TAB: usize = 8;

/// The lines of a text that are not blank.
#[derive(Default)]
pub(super) struct Outline {
    pub(super) lines: Vec<Construct>,
    /// For each line the one that it stands under, by index.
    above: Vec<Option<usize>>,
}

/// A line that later ones may stand under.
struct Open {
    columns: usize,
    /// The line that they stand under; of a line that closes a bracket, that is the line above it.
    above: Option<usize>,
}

impl Outline {
    /// Reads the lines. Each stands under the nearest line above with less indentation, comments left out. One that begins
    /// with a closing bracket stands under the line on which the bracket opens, and what is below it does too.
    pub(super) fn read(text: &[u8], lines: &Lines) -> Result<Self, Exceeded> {
        if text.len() > limits::TEXT {
            return Err(Exceeded::new(Limit::Text, b"", 0));
        }
        if lines.count() > limits::TOKENS {
            return Err(Exceeded::new(Limit::Tokens, text, text.len()));
        }
        let mut outline = Self::default();
        let mut open: Vec<Open> = Vec::new();
        for number in 1..=lines.count() {
            let range = lines.range(number);
            let line = &text[range.clone()];
            let name = line.trim_ascii();
            let Some(first) = name.first() else { continue };
            let columns = columns(line);
            let closes = matches!(first, b')' | b']' | b'}');
            let mut around = open.iter().rev();
            let above = around.find(|it| it.columns < columns + usize::from(closes));
            let above = above.and_then(|it| it.above);
            if *first != b'#' {
                while open.last().is_some_and(|it| it.columns >= columns) {
                    open.pop();
                }
                let own = if closes {
                    above
                } else {
                    Some(outline.lines.len())
                };
                open.push(Open {
                    columns,
                    above: own,
                });
            }
            let start = range.start + (line.len() - line.trim_ascii_start().len());
            outline.above.push(above);
            outline.lines.push(Construct {
                kind: ConstructKind::Line,
                name: String::from_utf8_lossy(name).into_owned(),
                signature: Vec::new(),
                range: start..start + name.len(),
                body: None,
                distrust: None,
            });
        }
        Ok(outline)
    }

    /// The lines that the one at byte `start` stands under, outermost first.
    pub(super) fn around(&self, start: usize) -> Vec<&str> {
        let index = self.lines.partition_point(|it| it.range.start < start);
        let above = |&index: &usize| self.above[index];
        let first = self.above.get(index).copied().flatten();
        let around = std::iter::successors(first, above);
        let mut around: Vec<&str> = around.map(|index| &*self.lines[index].name).collect();
        around.reverse();
        around
    }
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

    fn read(text: &str) -> Outline {
        Outline::read(text.as_bytes(), &Lines::of(text.as_bytes())).unwrap()
    }

    fn around(text: &str, line: &str) -> Vec<String> {
        let outline = read(text);
        let around = outline.around(text.find(line).unwrap());
        around.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn lines_stand_under_lines_with_less_indentation() {
        let text = "class A:\n    # a comment\n    def f(\n        self,\n    ):\n\n# at the margin\n        return 1\n";
        assert_eq!(around(text, "return 1"), ["class A:", "def f("]);
        assert_eq!(around(text, "self,"), ["class A:", "def f("]);
        assert_eq!(around(text, "):"), ["class A:", "def f("]);
        assert_eq!(around(text, "# a comment"), ["class A:"]);
        assert_eq!(around(text, "class A:"), Vec::<String>::new());
    }

    #[test]
    fn tabs_count_to_the_next_stop() {
        let text = "if(A)\n    if(B)\n\tset(X 1)\n    endif()\nendif()\n";
        assert_eq!(around(text, "set(X"), ["if(A)", "if(B)"]);
        assert_eq!(around(text, "endif()"), ["if(A)"]);
    }

    #[test]
    fn blank_lines_are_no_constructs() {
        let outline = read("a\r\n\r\n  b \r\n");
        let named = outline.lines.iter().map(|it| (&*it.name, it.range.clone()));
        assert_eq!(Vec::from_iter(named), [("a", 0..1), ("b", 7..8)]);
    }

    #[test]
    fn many_equal_lines_are_read_once() {
        let text = format!("a\n{}", "    b\n".repeat(200_000));
        let outline = read(&text);
        let under = outline
            .lines
            .iter()
            .filter(|it| outline.around(it.range.start) == ["a"]);
        assert_eq!(under.count(), 200_000);
    }
}
