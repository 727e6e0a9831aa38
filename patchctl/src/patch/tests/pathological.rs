//! Texts that are made to be read slowly, deeply or at great length: each is read and searched on a small stack, and
//! ends with a place or a miss.

use std::fmt::Write as _;

use super::super::condition::holds;
use super::super::likeness::likeliest;
use super::super::locate::locate;
use crate::cpp::{Limit, Parsed, Reading};
use crate::overlay::{
    Anchor, Condition, EditText, Holds, Position, Scope, StatementPattern, Variant,
};

/// A text whose parts stand `n` times.
type Make = fn(usize) -> String;

/// A text and the limit that it exceeds at 100,000 parts; `None` where it exceeds none at 2,000.
const TEXTS: &[(&str, Make, Option<Limit>)] = &[
    (
        "nested classes",
        |n| "struct a{".repeat(n),
        Some(Limit::Nesting),
    ),
    (
        "nested namespaces",
        |n| "namespace a{".repeat(n),
        Some(Limit::Nesting),
    ),
    (
        "nested functions",
        |n| "void f(){".repeat(n),
        Some(Limit::Nesting),
    ),
    (
        "nested lambdas",
        |n| format!("int x={}", "[]{return ".repeat(n)),
        Some(Limit::Nesting),
    ),
    ("parentheses", |n| "(".repeat(n), Some(Limit::Nesting)),
    ("square brackets", |n| "a[".repeat(n), Some(Limit::Nesting)),
    ("braces", |n| "{".repeat(n), Some(Limit::Nesting)),
    (
        "template brackets",
        |n| "a<".repeat(n),
        Some(Limit::Nesting),
    ),
    ("template lists", |n| "a<a,".repeat(n), Some(Limit::Nesting)),
    (
        "template brackets that end",
        |n| format!("{}b{} c;", "a<".repeat(n), ">".repeat(n)),
        Some(Limit::Nesting),
    ),
    (
        "comparisons",
        |n| format!("x={}1;", "a<b&&".repeat(n)),
        Some(Limit::Nesting),
    ),
    (
        "function pointers",
        |n| format!("int {}x{};", "(*".repeat(n), ")()".repeat(n)),
        Some(Limit::Nesting),
    ),
    (
        "parameters of parameters",
        |n| format!("void f({}", "int(".repeat(n)),
        Some(Limit::Nesting),
    ),
    ("conditions", |n| "#if a\n".repeat(n), Some(Limit::Nesting)),
    (
        "conditions with an else",
        |n| "#if a\n#else\n".repeat(n),
        Some(Limit::Nesting),
    ),
    (
        "elif",
        |n| format!("#if 0\n{}#endif\n", "#elif a\nint f(){}\n".repeat(n)),
        Some(Limit::Tokens),
    ),
    (
        "a condition without end",
        |n| format!("#if {}\n#endif\n", "a ".repeat(n)),
        Some(Limit::Statement),
    ),
    ("closing braces", |n| "}".repeat(n), Some(Limit::Unbalanced)),
    (
        "closing parentheses",
        |n| ")".repeat(n),
        Some(Limit::Unbalanced),
    ),
    (
        "brackets that cross",
        |n| "int ) ( } ; { ".repeat(n),
        Some(Limit::Unbalanced),
    ),
    (
        "comparisons in statements",
        |n| "a<a,a<a,a<a;".repeat(n),
        Some(Limit::Unbalanced),
    ),
    (
        "attributes",
        |n| "[[a]];".repeat(n),
        Some(Limit::Attributes),
    ),
    (
        "pointers",
        |n| format!("int {}p;", "*".repeat(n)),
        Some(Limit::Statement),
    ),
    (
        "negations",
        |n| format!("int x={}1;", "!".repeat(n)),
        Some(Limit::Statement),
    ),
    (
        "sums",
        |n| format!("int x=1{};", "+1".repeat(n)),
        Some(Limit::Statement),
    ),
    (
        "choices",
        |n| format!("int x={}1;", "a?b:".repeat(n)),
        Some(Limit::Statement),
    ),
    (
        "casts",
        |n| format!("int x={}1;", "(a)".repeat(n)),
        Some(Limit::Statement),
    ),
    (
        "calls",
        |n| format!("int x=f{};", "(a)".repeat(n)),
        Some(Limit::Statement),
    ),
    (
        "scopes",
        |n| format!("{}b c;", "a::".repeat(n)),
        Some(Limit::Statement),
    ),
    (
        "assignments",
        |n| format!("void f(){{{}1;}}", "a=".repeat(n)),
        Some(Limit::Statement),
    ),
    ("words", |n| "a ".repeat(n), Some(Limit::Statement)),
    (
        "words of a class",
        |n| "class ".repeat(n),
        Some(Limit::Statement),
    ),
    (
        "ifs in ifs",
        |n| format!("void f(){{{};}}", "if(a)".repeat(n)),
        Some(Limit::Statement),
    ),
    (
        "labels",
        |n| format!("void f(){{{};}}", "a:".repeat(n)),
        Some(Limit::Statement),
    ),
    (
        "template heads",
        |n| format!("{}struct S{{}};", "template<class T>".repeat(n)),
        Some(Limit::Statement),
    ),
    (
        "operators",
        |n| "operator ".repeat(n),
        Some(Limit::Statement),
    ),
    (
        "else ifs",
        |n| format!("void f(){{{};}}", "if(a)b;else ".repeat(n)),
        Some(Limit::Tokens),
    ),
    (
        "catches",
        |n| format!("void f(){{try{{}}{}}}", "catch(a){}".repeat(n)),
        Some(Limit::Tokens),
    ),
    (
        "functions",
        |n| "int f(){}\n".repeat(n),
        Some(Limit::Tokens),
    ),
    (
        "members",
        |n| format!("struct A{{{}}};", "int f(){}\n".repeat(n)),
        Some(Limit::Tokens),
    ),
    (
        "heads that are no classes",
        |n| "class A B{};".repeat(n),
        Some(Limit::Tokens),
    ),
    (
        "statements",
        |n| format!("void f(){{{}}}", "b=c;".repeat(n)),
        Some(Limit::Tokens),
    ),
    (
        "a list",
        |n| format!("int x[]={{{}}};", "1,".repeat(3 * n)),
        Some(Limit::Tokens),
    ),
    ("semicolons", |n| ";".repeat(3 * n), Some(Limit::Tokens)),
    ("comments", |n| "/**/".repeat(3 * n), Some(Limit::Tokens)),
    (
        "long names",
        |n| {
            format!(
                "namespace {} {{{}}}",
                "a".repeat(n),
                "int f(){}\n".repeat(n / 8)
            )
        },
        Some(Limit::Names),
    ),
    ("lines", |n| "\n".repeat(90 * n), Some(Limit::Text)),
    ("spaces", |n| " ".repeat(90 * n), Some(Limit::Text)),
    ("one word", |n| "a".repeat(90 * n), Some(Limit::Text)),
    (
        "a raw string without end",
        |n| format!("R\"({}", "x".repeat(90 * n)),
        Some(Limit::Text),
    ),
    ("zero bytes", |n| "\0".repeat(90 * n), Some(Limit::Text)),
    (
        "continued lines",
        |n| "\\\n".repeat(50 * n),
        Some(Limit::Text),
    ),
];

/// Reads and searches a text in every way, on a stack of 256 kB.
fn look(text: String) -> Option<Limit> {
    let looking = move || {
        let parsed = Parsed::new(text.as_bytes(), &Reading::default());
        let exceeded = parsed.exceeded().map(|exceeded| exceeded.limit);
        let function = |name: &str| Scope::Function {
            name: name.to_owned(),
            signature: None,
        };
        let scopes = [
            function("A::f"),
            function("f"),
            function("gone"),
            Scope::Namespace("n".to_owned()),
            Scope::Include("<n>".to_owned()),
            Scope::Class {
                name: "a".to_owned(),
                member: Some("f".to_owned()),
            },
        ];
        for scope in scopes {
            let condition = Condition {
                file: "a.cpp".into(),
                scope: scope.clone(),
                holds: Holds::Tokens("b = c".to_owned()),
                absent: true,
                line: 1,
            };
            let held = holds(&condition, Some(&parsed));
            let statement = StatementPattern {
                kind: None,
                tokens: Some("b".to_owned()),
                nested: true,
            };
            for statement in [None, Some(statement)] {
                let anchor = Anchor {
                    scope: scope.clone(),
                    statement,
                    expression: None,
                    preprocessor: Vec::new(),
                    position: Position::After,
                };
                let insert = EditText::Insert(String::new());
                let found = locate(&parsed, "a.cpp".into(), &anchor, &insert);
                if exceeded.is_some() {
                    let message = found.unwrap_err().message;
                    assert!(
                        message.starts_with("a.cpp is not read as C++:"),
                        "{message}"
                    );
                    assert!(held.is_err());
                }
            }
        }
        let variant = Variant {
            name: "only".to_owned(),
            when: Vec::new(),
            edits: Vec::new(),
            expect: Vec::new(),
            line: 1,
        };
        likeliest(&parsed, "A::f", &variant, Some(&parsed));
        let _ = parsed.unreadable_nodes_with(&[(0, "int y;\n")]);
        exceeded
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10);
    thread.spawn(looking).unwrap().join().unwrap()
}

#[test]
fn large_texts_exceed_their_limit() {
    let mut wrong = String::new();
    for (what, make, limit) in TEXTS {
        let found = look(make(100_000));
        if found != *limit {
            let _ = writeln!(wrong, "{what}: {found:?}");
        }
    }
    assert_eq!(wrong, "");
}

#[test]
fn deep_texts_are_read_on_a_small_stack() {
    for (_, make, _) in TEXTS {
        look(make(250));
        look(make(1900));
    }
}
