//! The second, independent reading of a file: which braces belong together and in which `#if` each byte
//! stands. It knows tokens and directives, and nothing of C++'s grammar.

use std::collections::HashMap;
use std::ops::Range;

use super::lex::{Lexed, TokenKind, directive_name};

/// Pairs of braces, and the `#if` branches of a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Braces {
    /// Opening brace's offset to closing brace's; to `None` where the branches close it in several places.
    pairs: HashMap<usize, Option<usize>>,
    branches: Vec<Branch>,
    /// The innermost branch from an offset on, in order.
    branch_from: Vec<(usize, Option<usize>)>,
    /// The innermost open brace from an offset on, in order.
    brace_from: Vec<(usize, Option<Open>)>,
}

/// The offset of a brace that is open; `None` where it depends on the branch which one that is.
pub(super) type Open = Option<usize>;

/// One branch of a conditional: from behind its directive to the next one of its group.
#[derive(Debug, Clone)]
struct Branch {
    /// Bytes of its directive.
    directive: Range<usize>,
    /// Bytes of the group's first directive, where that is another.
    first: Option<Range<usize>>,
    /// Index of the branch around it.
    outer: Option<usize>,
    /// An include guard is no condition: it surrounds the whole file.
    guard: bool,
}

struct Group {
    /// The braces that were open where the group began.
    before: Vec<Open>,
    /// Those open at the end of the first branch.
    after_first: Option<Vec<Open>>,
    /// Bytes of the first directive.
    first: Range<usize>,
    /// The branch around the group.
    outer: Option<usize>,
    has_else: bool,
    agree: bool,
    /// Index of the directive's token that opened it.
    opened_by: usize,
}

impl Braces {
    /// Reads a text whose nesting [`super::limits`] has found to be within bounds.
    pub(crate) fn scan(text: &[u8], lexed: &Lexed) -> Self {
        let mut scan = Scan {
            text,
            lexed,
            out: Self::default(),
            open: vec![],
            groups: vec![],
            branch: None,
        };
        scan.run();
        scan.out
    }

    /// The closing brace that belongs to the opening one at `open`, where every branch agrees on it.
    pub(crate) fn closing(&self, open: usize) -> Option<usize> {
        self.pairs.get(&open).copied().flatten()
    }

    /// The innermost brace that is open at `offset`; `None` where none is.
    pub(super) fn around(&self, offset: usize) -> Option<Open> {
        last_before(&self.brace_from, offset).flatten()
    }

    /// The number of conditions that the byte at `offset` stands under.
    pub(super) fn depth(&self, offset: usize) -> usize {
        let around = std::iter::successors(self.innermost(offset), |branch| self.outer(branch));
        around.filter(|branch| !branch.guard).count()
    }

    fn innermost(&self, offset: usize) -> Option<&Branch> {
        let index = last_before(&self.branch_from, offset).flatten();
        index.map(|index| &self.branches[index])
    }

    fn outer(&self, branch: &Branch) -> Option<&Branch> {
        branch.outer.map(|index| &self.branches[index])
    }

    /// The conditions that the byte at `offset` of `text` stands under, outermost first.
    pub(crate) fn stack(&self, text: &[u8], offset: usize) -> Vec<String> {
        let mut conditions = Vec::new();
        let around = std::iter::successors(self.innermost(offset), |branch| self.outer(branch));
        for branch in around.filter(|branch| !branch.guard) {
            let own = normalised(&text[branch.directive.clone()]);
            conditions.push(match &branch.first {
                None => own,
                Some(first) => format!("{own} of {}", normalised(&text[first.clone()])),
            });
        }
        conditions.reverse();
        conditions
    }
}

/// The value of the last entry at or before `offset`.
fn last_before<T: Copy>(entries: &[(usize, T)], offset: usize) -> Option<T> {
    let behind = entries.partition_point(|(from, _)| *from <= offset);
    behind.checked_sub(1).map(|index| entries[index].1)
}

struct Scan<'t> {
    text: &'t [u8],
    lexed: &'t Lexed,
    out: Braces,
    open: Vec<Open>,
    groups: Vec<Group>,
    /// The innermost branch.
    branch: Option<usize>,
}

impl Scan<'_> {
    fn run(&mut self) {
        for (index, token) in self.lexed.tokens.iter().enumerate() {
            let at = token.range.start;
            match (token.kind, self.text[at]) {
                (TokenKind::Punct, b'{') => self.open.push(Some(at)),
                (TokenKind::Punct, b'}') => {
                    if let Some(Some(open)) = self.open.pop() {
                        self.close(open, at);
                    }
                }
                (TokenKind::Directive, _) => self.directive(index, token.range.clone()),
                _ => continue,
            }
            let innermost = self.open.last().copied();
            self.out.brace_from.push((token.range.end, innermost));
        }
        if self.lexed.broken.is_some() {
            self.out.pairs.clear();
        }
    }

    /// A brace that is closed in two branches has no one partner.
    fn close(&mut self, open: usize, at: usize) {
        let pair = self.out.pairs.entry(open);
        pair.and_modify(|at| *at = None).or_insert(Some(at));
    }

    fn directive(&mut self, index: usize, range: Range<usize>) {
        match directive_name(&self.text[range.clone()]).as_slice() {
            b"if" | b"ifdef" | b"ifndef" => {
                let outer = self.branch;
                self.begin_branch(range.clone(), None, outer);
                self.groups.push(Group {
                    before: self.open.clone(),
                    after_first: None,
                    first: range,
                    outer,
                    has_else: false,
                    agree: true,
                    opened_by: index,
                });
            }
            name @ (b"else" | b"elif" | b"elifdef" | b"elifndef") => {
                let Some(mut group) = self.groups.pop() else {
                    return;
                };
                self.out.branch_from.push((range.start, group.outer));
                self.compare(&mut group);
                self.open = group.before.clone();
                group.has_else |= name == b"else";
                self.begin_branch(range, Some(group.first.clone()), group.outer);
                self.groups.push(group);
            }
            b"endif" => {
                let Some(mut group) = self.groups.pop() else {
                    return;
                };
                self.out.branch_from.push((range.start, group.outer));
                self.compare(&mut group);
                self.finish(&group, index);
                self.branch = group.outer;
            }
            _ => {}
        }
    }

    fn begin_branch(
        &mut self,
        directive: Range<usize>,
        first: Option<Range<usize>>,
        outer: Option<usize>,
    ) {
        let index = self.out.branches.len();
        self.out.branch_from.push((directive.end, Some(index)));
        self.out.branches.push(Branch {
            directive,
            first,
            outer,
            guard: false,
        });
        self.branch = Some(index);
    }

    /// Branches agree when each leaves as many braces open as the first.
    fn compare(&self, group: &mut Group) {
        match &group.after_first {
            None => group.after_first = Some(self.open.clone()),
            Some(first) => group.agree &= first.len() == self.open.len(),
        }
    }

    fn finish(&mut self, group: &Group, index: usize) {
        let first = group.after_first.clone().unwrap_or_default();
        // Without an #else the empty branch leaves things as they were.
        let agree = group.agree && (group.has_else || first.len() == group.before.len());
        self.open = first;
        // Which brace closes which depends on the branch: none that is open can be trusted where the branches
        // disagree, else none that a branch opened.
        let kept = if agree {
            let both = self.open.iter().zip(&group.before);
            both.take_while(|(now, before)| now == before).count()
        } else {
            0
        };
        self.open[kept..].fill(None);
        // One that a single branch closed has a partner in that branch alone.
        for open in group.before[kept.min(group.before.len())..]
            .iter()
            .flatten()
        {
            self.out.pairs.insert(*open, None);
        }
        if let Some(branch) = self
            .branch
            .filter(|_| self.is_guard(group.opened_by, index))
        {
            self.out.branches[branch].guard = true;
        }
    }

    /// `#ifndef X`, `#define X`, …, `#endif` around everything.
    fn is_guard(&self, opened_by: usize, closed_by: usize) -> bool {
        let tokens = &self.lexed.tokens;
        let line = |index: usize| {
            let token = tokens
                .get(index)
                .filter(|token| token.kind == TokenKind::Directive)?;
            Some(normalised(&self.text[token.range.clone()]))
        };
        if opened_by != 0 || closed_by + 1 != tokens.len() {
            return false;
        }
        let (Some(first), Some(second)) = (line(0), line(1)) else {
            return false;
        };
        first
            .strip_prefix("#ifndef ")
            .is_some_and(|name| second == format!("#define {name}"))
    }
}

/// A directive with its white space folded: `#  if  A\⏎ && B` is `#if A && B`.
pub(crate) fn normalised(directive: &[u8]) -> String {
    let text = String::from_utf8_lossy(directive)
        .replace("\\\r\n", " ")
        .replace("\\\n", " ");
    let text = text.split("//").next().unwrap_or_default();
    let words: Vec<&str> = text.trim_start_matches('#').split_whitespace().collect();
    format!("#{}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::super::lex::lex_all;
    use super::*;

    fn scan(text: &str) -> Braces {
        Braces::scan(text.as_bytes(), &lex_all(text.as_bytes()))
    }

    fn at(text: &str, wanted: &str) -> usize {
        text.find(wanted).unwrap()
    }

    #[test]
    fn braces_in_literals_and_comments_do_not_count() {
        let text = "void f() { g(\"}\", '}', R\"(})\"); /* } */ } // }";
        assert_eq!(scan(text).closing(9), Some(at(text, "} // }")));
    }

    #[test]
    fn a_head_in_two_branches_closes_nothing_but_keeps_what_is_around_it() {
        let text = "n {\n#ifdef A\nvoid f() {\n#else\nvoid g() {\n#endif\n}\n}";
        let braces = scan(text);
        assert_eq!(braces.closing(at(text, "{\n#ifdef")), Some(text.len() - 1));
        assert_eq!(braces.closing(at(text, "{\n#else")), None);
        assert_eq!(braces.closing(at(text, "{\n#endif")), None);
    }

    #[test]
    fn branches_that_disagree_make_every_open_brace_untrusted() {
        let text = "n {\n#ifdef A\nx {\n#endif\n}\n}";
        assert_eq!(scan(text).closing(2), None);
    }

    #[test]
    fn a_brace_closed_in_two_branches_has_no_partner() {
        let text = "f {\n#if A\n a(); }\n#else\n }\n#endif\n";
        assert_eq!(scan(text).closing(2), None);
    }

    #[test]
    fn a_brace_closed_in_one_branch_alone_has_no_partner() {
        for text in [
            "f {\n#if A\n}\n#else\n a();\n#endif\n}",
            "f {\n#if A\n}\ng {\n#else\n a();\n#endif\n}",
            "f {\n#if A\n a();\n#else\n}\ng {\n#endif\n}",
            "f {\n#if A\n}\ng {\n#endif\n}",
        ] {
            assert_eq!(scan(text).closing(2), None, "{text}");
        }
    }

    #[test]
    fn the_stack_names_each_condition_outermost_first() {
        let text = "#if  A \\\n && B // c\nx\n#else\n#ifdef C\ny\n#endif\n#endif\nz";
        let braces = scan(text);
        assert_eq!(braces.stack(text.as_bytes(), at(text, "x")), ["#if A && B"]);
        assert_eq!(
            braces.stack(text.as_bytes(), at(text, "y")),
            ["#else of #if A && B", "#ifdef C"]
        );
        assert_eq!(
            braces.stack(text.as_bytes(), at(text, "z")),
            Vec::<String>::new()
        );
    }

    #[test]
    fn the_innermost_open_brace_is_known_and_none_where_branches_disagree() {
        let text = "n {\nf {\n} x\n#ifdef A\ny {\n#endif\nz }\n";
        let braces = scan(text);
        assert_eq!(braces.around(at(text, "f {")), Some(Some(2)));
        assert_eq!(braces.around(at(text, "} x")), Some(Some(6)));
        assert_eq!(braces.around(at(text, "x\n#")), Some(Some(2)));
        assert_eq!(braces.around(at(text, "z")), Some(None));
        assert_eq!(braces.around(0), None);
    }

    #[test]
    fn an_include_guard_is_no_condition() {
        let text = "// c\n#ifndef X_H\n#define X_H\nint a;\n#endif // X_H\n";
        assert!(
            scan(text)
                .stack(text.as_bytes(), at(text, "int"))
                .is_empty()
        );
        let not = "int b;\n#ifndef X_H\n#define X_H\nint a;\n#endif\n";
        assert_eq!(
            scan(not).stack(not.as_bytes(), at(not, "int a")),
            ["#ifndef X_H"]
        );
    }
}
