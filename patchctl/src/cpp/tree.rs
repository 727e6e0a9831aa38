//! From tree-sitter's tree to constructs, and whether the reading of each can be trusted.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::braces::Braces;
use super::construct::{Construct, ConstructKind};
use super::lex::{Lexed, TokenKind};
use super::trust::Trust;

/// Every construct of the tree that an anchor can name, in the order of the text.
pub(crate) fn constructs(
    tree: &Tree,
    text: &[u8],
    lexed: &Lexed,
    braces: &Braces,
) -> Vec<Construct> {
    let mut walk = Walk {
        text,
        lexed,
        trust: Trust { text, braces },
        out: Vec::new(),
    };
    walk.children(tree.root_node(), &Around::default());
    walk.out
        .sort_by_key(|construct| (construct.range.start, usize::MAX - construct.range.end));
    walk.out
}

/// The ranges of error and missing nodes, in order.
pub(crate) fn unreadable(tree: &Tree) -> Vec<Range<usize>> {
    fn collect(node: Node<'_>, out: &mut Vec<Range<usize>>) {
        if node.is_error() || node.is_missing() {
            out.push(node.byte_range());
        }
        if node.has_error() {
            let mut cursor = node.walk();
            node.children(&mut cursor)
                .for_each(|child| collect(child, out));
        }
    }
    let mut out = Vec::new();
    collect(tree.root_node(), &mut out);
    out
}

/// What is known of the nodes around the one that is looked at.
#[derive(Clone, Default)]
struct Around {
    names: Vec<String>,
    distrust: Option<String>,
    in_class: bool,
    /// A `template <…>` head that belongs to the next declaration.
    template: Option<usize>,
}

struct Walk<'t> {
    text: &'t [u8],
    lexed: &'t Lexed,
    trust: Trust<'t>,
    out: Vec<Construct>,
}

impl<'t> Walk<'t> {
    fn children(&mut self, node: Node<'t>, around: &Around) {
        let mut cursor = node.walk();
        let children: Vec<Node<'t>> = node.children(&mut cursor).collect();
        for child in children {
            self.node(child, around);
        }
    }

    fn node(&mut self, node: Node<'t>, around: &Around) {
        if node.is_error() {
            let at = self.trust.line(node.start_byte());
            let distrust = format!("the parser cannot read the code around it (from line {at})");
            return self.children(node, &around.distrusting(Some(distrust)));
        }
        match node.kind() {
            "preproc_include" => self.include(node, around),
            "namespace_definition" => self.namespace(node, around),
            "function_definition" => self.function(node, around),
            "class_specifier" | "struct_specifier" | "union_specifier" => self.class(node, around),
            "template_declaration" => {
                let template = around.template.or(Some(node.start_byte()));
                self.children(
                    node,
                    &Around {
                        template,
                        ..around.clone()
                    },
                );
            }
            "field_declaration" | "declaration" | "alias_declaration" | "using_declaration"
            | "friend_declaration" | "type_definition" => {
                if around.in_class {
                    self.member(node, node.child_by_field_name("declarator"), around);
                }
                self.children(node, &around.outside_class());
            }
            // A body that is no function's: tree-sitter has taken a class for something else.
            "declaration_list"
            | "field_declaration_list"
            | "linkage_specification"
            | "compound_statement"
            | "labeled_statement" => self.children(node, around),
            kind if kind.starts_with("preproc_") => self.children(node, around),
            _ => {}
        }
    }

    fn include(&mut self, node: Node<'t>, around: &Around) {
        let Some(path) = node.child_by_field_name("path") else {
            return;
        };
        // The node takes in the line feed; the construct is the line's text.
        let end = path.end_byte();
        let distrust = around
            .distrust
            .clone()
            .or_else(|| self.trust.bad_head(node, end));
        self.push(Construct {
            kind: ConstructKind::Include,
            name: self.string(path.byte_range()),
            signature: Vec::new(),
            range: node.start_byte()..end,
            body: None,
            preprocessor: Vec::new(),
            distrust,
        });
    }

    fn namespace(&mut self, node: Node<'t>, around: &Around) {
        let Some(body) = node.child_by_field_name("body") else {
            return;
        };
        let name = node.child_by_field_name("name");
        let name = name.map_or("(anonymous)".to_owned(), |name| {
            self.squeezed(name.byte_range())
        });
        let distrust = around
            .distrust
            .clone()
            .or_else(|| self.trust.bad_body(node, body));
        let mut names = around.names.clone();
        names.push(name);
        self.push(Construct {
            kind: ConstructKind::Namespace,
            name: names.join("::"),
            signature: Vec::new(),
            range: node.byte_range(),
            body: Some(body.byte_range()),
            preprocessor: Vec::new(),
            distrust: distrust.clone(),
        });
        let inside = Around {
            names,
            distrust,
            in_class: false,
            template: None,
        };
        self.children(body, &inside);
    }

    fn class(&mut self, node: Node<'t>, around: &Around) {
        let (Some(body), Some(name)) = (
            node.child_by_field_name("body"),
            node.child_by_field_name("name"),
        ) else {
            return;
        };
        let mut names = around.names.clone();
        names.push(self.squeezed(name.byte_range()));
        let distrust = around
            .distrust
            .clone()
            .or_else(|| self.trust.bad_body(node, body));
        let start = around.template.unwrap_or(node.start_byte());
        self.push(Construct {
            kind: ConstructKind::Class,
            name: names.join("::"),
            signature: Vec::new(),
            range: start..self.behind_semicolon(node.end_byte()),
            body: Some(body.byte_range()),
            preprocessor: Vec::new(),
            distrust: distrust.clone(),
        });
        self.children(
            body,
            &Around {
                names,
                distrust,
                in_class: true,
                template: None,
            },
        );
    }

    fn function(&mut self, node: Node<'t>, around: &Around) {
        let declarator = node.child_by_field_name("declarator");
        let function = declarator.and_then(function_declarator);
        let body = node.child_by_field_name("body");
        if around.in_class {
            self.member(node, declarator, around);
        }
        let Some(function) = function else {
            return self.misread(node, declarator, body, around);
        };
        // Defaulted, deleted and try-block functions have no plain body; only definitions are anchors.
        let Some(body) = body.filter(|body| body.kind() == "compound_statement") else {
            return;
        };
        let distrust = around
            .distrust
            .clone()
            .or_else(|| self.trust.bad_body(node, body));
        let Some((name, signature_from)) = self.function_name(declarator, function) else {
            return;
        };
        let mut names = around.names.clone();
        names.push(name.trim_start_matches("::").to_owned());
        self.push(Construct {
            kind: ConstructKind::Function,
            name: names.join("::"),
            signature: self.texts(&(signature_from..function.end_byte())),
            range: around.template.unwrap_or(node.start_byte())..node.end_byte(),
            body: Some(body.byte_range()),
            preprocessor: Vec::new(),
            distrust,
        });
    }

    /// The function's name as written, and where its parameter list begins.
    fn function_name(
        &self,
        declarator: Option<Node<'t>>,
        function: Node<'t>,
    ) -> Option<(String, usize)> {
        let inner = function.child_by_field_name("declarator")?;
        let conversion = function.kind() == "operator_cast";
        let list = if conversion { inner } else { function };
        let list = list.child_by_field_name("parameters")?.start_byte();
        // `X::operator bool`: the class stands outside of the conversion's own node.
        let outer = declarator.filter(|outer| outer.kind() == "qualified_identifier");
        let start = match conversion {
            true => outer.unwrap_or(function).start_byte(),
            false => inner.start_byte(),
        };
        Some((self.squeezed(start..list), list))
    }

    /// `class MLX_API array {` comes as a function without parameters; what stands in it is found, and
    /// not trusted.
    fn misread(
        &mut self,
        node: Node<'t>,
        declarator: Option<Node<'t>>,
        body: Option<Node<'t>>,
        around: &Around,
    ) {
        let (Some(declarator), Some(body)) = (declarator, body) else {
            return;
        };
        let head = self.string(node.start_byte()..declarator.end_byte());
        let macro_name = head
            .split_whitespace()
            .nth(1)
            .unwrap_or_default()
            .to_owned();
        let mut inside = around.distrusting(Some(format!(
            "it stands in `{head}` (line {}), which the parser does not read as a class; if \
             `{macro_name}` is an export macro, add `macros: [{macro_name}]` to the overlay",
            self.trust.line(node.start_byte()),
        )));
        inside.names.push(self.squeezed(declarator.byte_range()));
        inside.in_class = true;
        self.children(body, &inside);
    }

    fn member(&mut self, node: Node<'t>, declarator: Option<Node<'t>>, around: &Around) {
        let named = declarator.and_then(innermost_name);
        let type_name = || {
            let class = node.child_by_field_name("type")?;
            class
                .child_by_field_name("body")
                .and(class.child_by_field_name("name"))
        };
        let Some(name) = named
            .or_else(type_name)
            .or(node.child_by_field_name("name"))
        else {
            return;
        };
        let mut names = around.names.clone();
        names.push(self.squeezed(name.byte_range()));
        let body = node
            .child_by_field_name("body")
            .filter(|b| b.kind() == "compound_statement");
        let head_end = body.map_or(node.end_byte(), |body| body.start_byte());
        let distrust = around.distrust.clone().or_else(|| match body {
            Some(body) => self.trust.bad_body(node, body),
            None => self.trust.bad_head(node, head_end),
        });
        let start = around.template.unwrap_or(node.start_byte());
        self.push(Construct {
            kind: ConstructKind::Member,
            name: names.join("::"),
            signature: Vec::new(),
            range: start..self.behind_semicolon(node.end_byte()),
            body: body.map(|body| body.byte_range()),
            preprocessor: Vec::new(),
            distrust,
        });
    }

    fn push(&mut self, mut construct: Construct) {
        construct.preprocessor = self.trust.braces.stack(construct.range.start);
        self.out.push(construct);
    }

    /// The end, moved behind a semicolon that is the next token.
    fn behind_semicolon(&self, end: usize) -> usize {
        let tokens = &self.lexed.tokens;
        let next = tokens.get(tokens.partition_point(|token| token.range.start < end));
        let next = next
            .filter(|next| next.kind == TokenKind::Punct && self.text[next.range.start] == b';');
        next.map_or(end, |semicolon| semicolon.range.end)
    }

    fn string(&self, range: Range<usize>) -> String {
        String::from_utf8_lossy(&self.text[range]).into_owned()
    }

    fn texts(&self, range: &Range<usize>) -> Vec<String> {
        let tokens = &self.lexed.tokens;
        let first = tokens.partition_point(|token| token.range.start < range.start);
        let inside = tokens[first..]
            .iter()
            .take_while(|token| token.range.end <= range.end);
        inside
            .map(|token| self.string(token.range.clone()))
            .collect()
    }

    /// A name without white space and comments, except between words (`operator bool`).
    fn squeezed(&self, range: Range<usize>) -> String {
        let mut out = String::new();
        for text in self.texts(&range) {
            let glue = out.ends_with(|c: char| c.is_alphanumeric() || c == '_')
                && text.starts_with(|c: char| c.is_alphanumeric() || c == '_');
            out.push_str(if glue { " " } else { "" });
            out.push_str(&text);
        }
        out
    }
}

impl Around {
    fn distrusting(&self, distrust: Option<String>) -> Self {
        Self {
            distrust: self.distrust.clone().or(distrust),
            ..self.clone()
        }
    }

    fn outside_class(&self) -> Self {
        Self {
            in_class: false,
            ..self.clone()
        }
    }
}

/// The function's declarator under pointers, references and parentheses.
fn function_declarator(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        // `operator bool() const`: the whole is name and parameters.
        "function_declarator" | "operator_cast" => Some(node),
        "pointer_declarator"
        | "reference_declarator"
        | "parenthesized_declarator"
        | "qualified_identifier" => {
            let mut cursor = node.walk();
            node.named_children(&mut cursor)
                .find_map(function_declarator)
        }
        _ => None,
    }
}

/// The name that a declarator declares.
fn innermost_name(node: Node<'_>) -> Option<Node<'_>> {
    match node.child_by_field_name("declarator") {
        Some(inner) => innermost_name(inner),
        None => {
            let mut cursor = node.walk();
            let wraps = node.kind().ends_with("_declarator");
            let inner = if wraps {
                node.named_children(&mut cursor).last()
            } else {
                None
            };
            inner.map_or(Some(node), innermost_name)
        }
    }
}
