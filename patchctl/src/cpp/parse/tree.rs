//! From tree-sitter's tree to constructs. The walk keeps its own stack: a tree can be as deep as the text is long.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use tree_sitter::{Node, Tree};

use super::super::construct::{Construct, ConstructKind, spelled};
use super::super::lex::TokenKind;
use super::super::limits::NAMES;
use super::Parsed;
use super::declarator::{function_declarator, innermost_name};

/// Every construct of `tree` that an anchor can name, in the order of the text. `parsed` has the tokens, lines and
/// braces.
///
/// # Errors
/// The offset at which their names exceed the limit.
pub(super) fn constructs(tree: &Tree, parsed: &Parsed) -> Result<Vec<Construct>, usize> {
    let mut walk = Walk {
        parsed,
        names: 0,
        stack: Vec::new(),
        out: Vec::new(),
    };
    let mut around = Around::default();
    if let Some((at, what)) = parsed.lexed.unclear {
        let line = walk.line(at);
        around = around.distrusting(format!(
            "{what} (line {line}) is not read as a compiler does"
        ));
    }
    walk.children(tree.root_node(), &around);
    while let Some((node, around)) = walk.stack.pop() {
        walk.node(node, &around);
        if walk.names > NAMES {
            return Err(node.start_byte());
        }
    }
    walk.out
        .sort_by_key(|construct| (construct.range.start, usize::MAX - construct.range.end));
    Ok(walk.out)
}

/// Facts about the nodes around a node.
#[derive(Clone, Default)]
struct Around {
    scope: Rc<Scope>,
    in_class: bool,
    /// Where a `template <…>` head begins that belongs to the next declaration.
    template: Option<usize>,
    /// Offset of the innermost opening brace.
    brace: Option<usize>,
}

/// A namespace or class, and whether it is trusted.
#[derive(Default)]
struct Scope {
    /// Its full name; empty for the file.
    name: String,
    distrust: Option<Arc<str>>,
}

pub(super) struct Walk<'t> {
    pub(super) parsed: &'t Parsed,
    /// Bytes of all names so far.
    names: usize,
    /// Nodes to look at.
    stack: Vec<(Node<'t>, Around)>,
    out: Vec<Construct>,
}

impl<'t> Walk<'t> {
    fn children(&mut self, node: Node<'t>, around: &Around) {
        let mut cursor = node.walk();
        let children = node.children(&mut cursor);
        self.stack
            .extend(children.map(|child| (child, around.clone())));
    }

    /// Goes on inside of a braced body.
    fn inside(&mut self, body: Node<'t>, around: &Around) {
        let at = body.start_byte();
        let mut around = around.clone();
        if self.parsed.text().get(at) == Some(&b'{') {
            around.brace = Some(at);
        }
        self.children(body, &around);
    }

    fn node(&mut self, node: Node<'t>, around: &Around) {
        if node.is_error() {
            let at = self.line(node.start_byte());
            let distrust = format!("the parser cannot read the code around it (from line {at})");
            return self.children(node, &around.distrusting(distrust));
        }
        match node.kind() {
            "preproc_include" => self.include(node, around),
            "namespace_definition" => self.namespace(node, around),
            "function_definition" => self.function(node, around),
            "class_specifier" | "struct_specifier" | "union_specifier" => self.class(node, around),
            "template_declaration" => {
                let mut around = around.clone();
                around.template.get_or_insert(node.start_byte());
                self.children(node, &around);
            }
            "field_declaration" | "declaration" | "alias_declaration" | "using_declaration"
            | "friend_declaration" | "type_definition" => {
                if around.in_class {
                    self.member(node, node.child_by_field_name("declarator"), around);
                }
                let mut around = around.clone();
                around.in_class = false;
                self.children(node, &around);
            }
            // A body that is no function's: tree-sitter has taken a class for something else.
            "declaration_list"
            | "field_declaration_list"
            | "linkage_specification"
            | "compound_statement"
            | "labeled_statement" => self.inside(node, around),
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
        let distrust = around.or(|| match around.brace {
            Some(brace) => Some(format!(
                "it stands inside of the brace of line {}, which its text may close",
                self.line(brace)
            )),
            None => self.bad_head(node, end, None),
        });
        let name = self.string(path.byte_range());
        let range = node.start_byte()..end;
        self.push(ConstructKind::Include, name, range, None, distrust);
    }

    fn namespace(&mut self, node: Node<'t>, around: &Around) {
        let Some(body) = node.child_by_field_name("body") else {
            return;
        };
        let name = node.child_by_field_name("name");
        let name = name.map_or("(anonymous)".to_owned(), |name| {
            self.squeezed(name.byte_range())
        });
        let range = node.byte_range();
        self.scope(ConstructKind::Namespace, &name, range, node, body, around);
    }

    fn class(&mut self, node: Node<'t>, around: &Around) {
        let (Some(body), Some(name)) = (
            node.child_by_field_name("body"),
            node.child_by_field_name("name"),
        ) else {
            return;
        };
        let name = self.squeezed(name.byte_range());
        let range = self.declared(node, around);
        self.scope(ConstructKind::Class, &name, range, node, body, around);
    }

    /// Adds a namespace or class, and goes on inside of it.
    fn scope(
        &mut self,
        kind: ConstructKind,
        name: &str,
        range: Range<usize>,
        node: Node<'t>,
        body: Node<'t>,
        around: &Around,
    ) {
        let name = around.full(name);
        let distrust = around.or(|| self.bad_body(node, body, around.brace));
        self.push(kind, name.clone(), range, Some(body), distrust.clone());
        let inside = around.scope(name, distrust, kind == ConstructKind::Class);
        self.inside(body, &inside);
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
        let distrust = around.or(|| self.bad_body(node, body, around.brace));
        let Some((name, signature_from)) = self.function_name(declarator, function) else {
            return;
        };
        let name = around.full(name.trim_start_matches("::"));
        let range = self.begin(node, around)..node.end_byte();
        self.push(ConstructKind::Function, name, range, Some(body), distrust);
        let signature = signature_from..self.parsed.with_hidden_behind(function.end_byte());
        let signature = self.parsed.tokens_within(&signature).iter();
        let signature = signature.map(|it| self.string(it.range.clone())).collect();
        if let Some(function) = self.out.last_mut() {
            function.signature = signature;
        }
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
        /// Bytes of a head that a message shows.
        const SHOWN: usize = 80;
        let (Some(declarator), Some(body)) = (declarator, body) else {
            return;
        };
        let end = declarator.end_byte().min(node.start_byte() + SHOWN);
        let head = self.string(node.start_byte()..end);
        let macro_name = head.split_whitespace().nth(1).unwrap_or_default();
        let inside = around.distrusting(format!(
            "it stands in `{head}` (line {}), which the parser does not read as a class; if \
             `{macro_name}` is an export macro, add `macros: [{macro_name}]` to the overlay",
            self.line(node.start_byte()),
        ));
        let name = inside.full(&self.squeezed(declarator.byte_range()));
        self.names += name.len();
        let distrust = inside.scope.distrust.clone();
        self.inside(body, &inside.scope(name, distrust, true));
    }

    fn member(&mut self, node: Node<'t>, declarator: Option<Node<'t>>, around: &Around) {
        let named = declarator.map(innermost_name);
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
        let body = node
            .child_by_field_name("body")
            .filter(|b| b.kind() == "compound_statement");
        let distrust = around.or(|| match body {
            Some(body) => self.bad_body(node, body, around.brace),
            None => self.bad_head(node, node.end_byte(), around.brace),
        });
        let name = around.full(&self.squeezed(name.byte_range()));
        let range = self.declared(node, around);
        self.push(ConstructKind::Member, name, range, body, distrust);
    }

    fn push(
        &mut self,
        kind: ConstructKind,
        name: String,
        range: Range<usize>,
        body: Option<Node<'t>>,
        distrust: Option<Arc<str>>,
    ) {
        self.names += name.len();
        self.out.push(Construct {
            kind,
            name,
            signature: Vec::new(),
            range,
            body: body.map(|body| body.byte_range()),
            distrust,
        });
    }

    /// The bytes of a class or member, its template head and its semicolon included.
    fn declared(&self, node: Node<'t>, around: &Around) -> Range<usize> {
        self.begin(node, around)..self.behind_semicolon(node.end_byte())
    }

    /// The first byte of a declaration, with its template head and the words before it that the parser does not see.
    fn begin(&self, node: Node<'t>, around: &Around) -> usize {
        let start = around.template.unwrap_or(node.start_byte());
        self.parsed.with_hidden_before(start)
    }

    /// The end, moved behind a semicolon that is the next token.
    fn behind_semicolon(&self, end: usize) -> usize {
        let tokens = self.parsed.tokens();
        let next = tokens.get(tokens.partition_point(|token| token.range.start < end));
        let next = next.filter(|it| it.kind == TokenKind::Punct && self.parsed.bytes(it) == b";");
        next.map_or(end, |semicolon| semicolon.range.end)
    }

    fn string(&self, range: Range<usize>) -> String {
        String::from_utf8_lossy(&self.parsed.text()[range]).into_owned()
    }

    /// A name without macros and comments.
    fn squeezed(&self, range: Range<usize>) -> String {
        let tokens = self.parsed.tokens_within(&range).iter();
        let seen = tokens.filter(|token| !self.parsed.is_hidden(token));
        spelled(seen.map(|token| self.string(token.range.clone())))
    }
}

impl Around {
    /// A name as the file sees it.
    fn full(&self, name: &str) -> String {
        match self.scope.name.as_str() {
            "" => name.to_owned(),
            scope => format!("{scope}::{name}"),
        }
    }

    /// The reason why something here cannot be trusted: the scope's, else its own.
    fn or(&self, own: impl FnOnce() -> Option<String>) -> Option<Arc<str>> {
        self.scope.distrust.clone().or_else(|| own().map(Arc::from))
    }

    fn distrusting(&self, why: String) -> Self {
        let distrust = self.or(|| Some(why));
        let name = self.scope.name.clone();
        Self {
            scope: Rc::new(Scope { name, distrust }),
            ..self.clone()
        }
    }

    /// The inside of a namespace or class.
    fn scope(&self, name: String, distrust: Option<Arc<str>>, in_class: bool) -> Self {
        Self {
            scope: Rc::new(Scope { name, distrust }),
            in_class,
            template: None,
            brace: self.brace,
        }
    }
}
