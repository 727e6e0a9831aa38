//! Both readers on code in upstream's style.

mod dialects;

use super::*;

fn parse(text: &str) -> Parsed {
    Parsed::new(text.as_bytes(), &Reading::default())
}

fn parse_without(words: &[&str], text: &str) -> Parsed {
    let reading = Reading {
        macros: words.iter().map(|&word| word.to_owned()).collect(),
        ..Reading::default()
    };
    Parsed::new(text.as_bytes(), &reading)
}

fn names(parsed: &Parsed, kind: ConstructKind) -> Vec<String> {
    parsed.of_kind(kind).map(Construct::display).collect()
}

fn only(parsed: &Parsed, name: &str) -> Construct {
    let mut found = parsed
        .constructs()
        .iter()
        .filter(|construct| name_matches(&construct.name, name));
    let first = found.next().unwrap_or_else(|| panic!("no {name}"));
    assert!(found.next().is_none(), "{name} more than once");
    first.clone()
}

#[test]
fn functions_have_their_full_names_and_signatures() {
    let parsed = parse(
        "namespace a::b {\nnamespace {\nint f(int x) { return x; }\n}\n\
         template <class T>\nstruct X : Y<T> {\n  int g(int a = 3) const noexcept override { return a; }\n  \
         X() : y(1) {}\n  ~X() {}\n  operator bool() const { return true; }\n};\n\
         X<int>::X(int n) {}\nX::operator bool() const { return 0; }\n\
         bool operator==(A a, B b) { return true; }\n\
         MTL::Device* load() { return 0; }\nint& h() { static int i; return i; }\n\
         auto t() -> int { return 1; }\n}\nextern \"C\" { void c() {} }\n",
    );
    assert_eq!(
        names(&parsed, ConstructKind::Function),
        [
            "a::b::(anonymous)::f(int x)",
            "a::b::X::g(int a=3) const noexcept override",
            "a::b::X::X()",
            "a::b::X::~X()",
            "a::b::X::operator bool() const",
            "a::b::X<int>::X(int n)",
            "a::b::X::operator bool() const",
            "a::b::operator==(A a, B b)",
            "a::b::load()",
            "a::b::h()",
            "a::b::t()->int",
            "c()",
        ]
    );
    assert!(
        parsed
            .constructs()
            .iter()
            .all(|construct| construct.distrust.is_none())
    );
}

#[test]
fn a_template_head_belongs_to_its_function_and_a_semicolon_to_its_class() {
    let text = "template <class T>\nvoid f() {}\ntemplate <class T>\nstruct S {\n  int a;\n}  ;\n";
    let parsed = parse(text);
    assert_eq!(only(&parsed, "f").range, 0..30);
    assert_eq!(only(&parsed, "S").range, 31..text.len() - 1);
}

#[test]
fn members_are_found_by_the_name_they_declare() {
    let parsed = parse(
        "class C {\n public:\n  void f();\n  int* p_{nullptr};\n  std::vector<int> v_;\n  \
         struct I { int a; };\n  int n() const { return 1; }\n};\n",
    );
    let names = names(&parsed, ConstructKind::Member);
    for wanted in ["C::f", "C::p_", "C::v_", "C::I", "C::I::a", "C::n"] {
        assert!(
            names.iter().any(|name| name == wanted),
            "{wanted} in {names:?}"
        );
    }
}

#[test]
fn an_export_macro_in_a_class_head_is_distrusted_and_blanking_it_mends_that() {
    let text = "namespace m {\nclass API array {\n public:\n  int f() { return 1; }\n};\n}\n";
    let distrust = only(&parse(text), "array::f").distrust.unwrap();
    assert!(distrust.contains("macros: [API]"), "{distrust}");
    let blanked = parse_without(&["API"], text);
    assert_eq!(only(&blanked, "m::array").distrust, None);
    assert_eq!(
        blanked
            .of_kind(ConstructKind::Function)
            .map(|f| f.distrust.clone())
            .next(),
        Some(None)
    );
}

#[test]
fn a_head_split_over_if_branches_is_not_trusted() {
    let text = "#ifdef A\nvoid f() {\n#else\nvoid g() {\n#endif\n  x();\n}\nvoid h() {}\n";
    let parsed = parse(text);
    let functions: Vec<&Construct> = parsed.of_kind(ConstructKind::Function).collect();
    assert!(functions.iter().any(|function| function.name == "g"));
    for function in functions.iter().filter(|function| function.name != "h") {
        assert!(function.distrust.is_some(), "{}", function.name);
    }
}

#[test]
fn errors_in_a_balanced_sibling_do_not_count() {
    let text = "namespace a {\nvoid f() { if (x) { later(^{ x(); }); } }\nvoid g() { y(); }\n}\n";
    let parsed = parse(text);
    assert!(!parsed.unreadable_nodes().is_empty());
    assert_eq!(only(&parsed, "g").distrust, None);
    assert_eq!(only(&parsed, "a").distrust, None);
}

#[test]
fn a_missing_brace_makes_what_is_around_it_untrusted() {
    let text = "namespace a {\nvoid f() {\n  if (x) {\n}\nvoid g() { y(); }\n}\n";
    let parsed = parse(text);
    let trusted = parsed.constructs().iter().filter(|c| c.distrust.is_none());
    assert_eq!(
        trusted.map(|c| c.name.clone()).collect::<Vec<_>>(),
        Vec::<String>::new()
    );
}

#[test]
fn statements_are_the_direct_children_unless_nested_is_asked_for() {
    let text = "bool f() {\n  auto [a, b] = g();\n  if (a) {\n    return true;\n  } else {\n    h();\n  }\n  \
                for (auto& x : y) {\n    z();\n  }\n  return b;\n}\n";
    let parsed = parse(text);
    let function = only(&parsed, "f");
    let kinds = |nested| -> Vec<Option<StatementKind>> {
        parsed
            .statements(&function, nested)
            .iter()
            .map(|s| s.kind)
            .collect()
    };
    use StatementKind::{Block, Declaration, Expression, For, If, Return};
    assert_eq!(kinds(false), [Declaration, If, For, Return].map(Some));
    let nested = [
        Declaration,
        If,
        Block,
        Return,
        Block,
        Expression,
        For,
        Block,
        Expression,
        Return,
    ];
    assert_eq!(kinds(true), nested.map(Some));
}

#[test]
fn what_stands_in_a_loops_parentheses_is_no_statement() {
    let parsed = parse(
        "void f() {\n  for (int i = 0; i < n; i++) {\n    x();\n  }\n  if (int a = g(); a) {\n  }\n}\n",
    );
    let function = only(&parsed, "f");
    let kinds: Vec<_> = parsed
        .statements(&function, true)
        .iter()
        .filter_map(|s| s.kind)
        .collect();
    use StatementKind::{Block, Expression, For, If};
    assert_eq!(kinds, [For, Block, Expression, If, Block]);
}

#[test]
fn a_comment_directly_above_belongs_to_what_follows() {
    let text = "int a; // trailing\n\n// One.\n\n// Two,\n/* three\n   lines */\nvoid f() {}\n";
    let parsed = parse(text);
    let start = only(&parsed, "f").range.start;
    assert_eq!(
        parsed.with_comment_above(start),
        text.find("// Two").unwrap()
    );
    assert_eq!(
        parse("int a; // trailing\nvoid f() {}\n").with_comment_above(19),
        19
    );
}

#[test]
fn includes_are_named_with_their_quotes() {
    let parsed = parse("#include <cstdlib>\n#  include \"mlx/utils.h\"\n#include MACRO\n");
    assert_eq!(
        names(&parsed, ConstructKind::Include),
        ["<cstdlib>", "\"mlx/utils.h\"", "MACRO"]
    );
    assert_eq!(only(&parsed, "<cstdlib>").range, 0..18);
}

#[test]
fn no_text_makes_the_readers_panic() {
    let pieces = [
        "namespace a {",
        "}",
        "{",
        "class C",
        "void f()",
        "#if X\n",
        "#else\n",
        "#endif\n",
        ";",
        "R\"(",
        ")\"",
        "\n",
        "\"",
        "/*",
        "template <class T> ",
        "int x = 1",
        "\u{e9}",
        "// c\n",
    ];
    let text = proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..30);
    proptest::proptest!(|(text in text)| {
        let parsed = parse(&text.concat());
        for construct in parsed.constructs() {
            assert!(construct.range.end <= parsed.text().len());
            parsed.statements(construct, true);
            parsed.with_comment_above(construct.range.start);
            parsed.is_last_on_line(construct.range.end);
        }
    });
}

#[test]
fn a_function_that_is_closed_in_two_branches_is_never_trusted() {
    let parsed = parse("void f() {\n#if A\n  a();\n}\n#else\n}\n#endif\nvoid g() {\n}\n");
    let f = |it: &&Construct| name_matches(&it.name, "f");
    assert!(
        parsed
            .constructs()
            .iter()
            .filter(f)
            .all(|f| f.distrust.is_some())
    );
}

#[test]
fn availability_checks_are_read() {
    let unreadable = |condition: &str| {
        let text = format!("void f() {{\n  if ({condition}) {{\n    x();\n  }}\n}}\n");
        parse(&text).unreadable_nodes().len()
    };
    for condition in [
        "__builtin_available(macOS 26.2, iOS 26, *)",
        "a && __builtin_available ( /* */ macOS 15, * ) && b",
    ] {
        assert_eq!(unreadable(condition), 0, "{condition}");
    }
    assert_ne!(unreadable("__builtin_available(macOS 15, {})"), 0);
    assert_ne!(unreadable("available(macOS 15, *)"), 0);
}

#[test]
fn reading_on_finds_the_errors_of_reading_anew() {
    for condition in ["__builtin_available(macOS 26, *)", "available(macOS 26, *)"] {
        reads_on_as_anew(&format!(
            "namespace a {{\nvoid f() {{\n  if ({condition}) {{\n    x();\n  }}\n}}\nvoid g() {{\n}}\n}}\n"
        ));
    }
}

fn reads_on_as_anew(base: &str) {
    let parsed = parse(base);
    let pieces = [
        "int y;\n",
        "}\n",
        "{\n",
        "if (a) {\n}\n",
        "#if X\n",
        "#endif\n",
        "(;\n",
        "// c\n",
        "\"\n",
    ];
    let starts: Vec<usize> = (1..=9)
        .map(|number| parsed.lines().range(number).start)
        .collect();
    let piece = (
        proptest::sample::select(starts),
        proptest::sample::select(pieces.to_vec()),
    );
    proptest::proptest!(|(mut edits in proptest::collection::vec(piece, 1..4))| {
        edits.sort_by_key(|(offset, _)| *offset);
        let mut text = base.to_owned();
        for (offset, piece) in edits.iter().rev() {
            text.insert_str(*offset, piece);
        }
        let anew = parse(&text).unreadable_nodes();
        let on = parsed.unreadable_nodes_with(&edits);
        assert_eq!(Ok(anew), on, "{text}");
    });
}

#[test]
fn macro_words_are_compared_and_no_part_of_names() {
    let text = "void f(device float* x) {\n  threadgroup float s[32];\n}\n";
    let parsed = parse_without(&["device", "threadgroup"], text);
    let function = only(&parsed, "f");
    assert_eq!(function.display(), "f(device float* x)");
    let wanted = pattern("threadgroup float s").unwrap();
    assert_eq!(parsed.find_tokens(&function.range, &wanted).len(), 1);
}

#[test]
fn nothing_is_trusted_beside_spellings_that_are_not_followed() {
    for text in [
        "%:if 0\nvoid f() {}\n%:endif\n",
        "void g() <% %>\nvoid f() {}\n",
        "// a \\ \nvoid f() {}\n",
    ] {
        let parsed = parse(text);
        assert!(
            parsed
                .of_kind(ConstructKind::Function)
                .all(|it| it.distrust.is_some()),
            "{text}"
        );
    }
}

#[test]
fn an_include_inside_of_braces_is_untrusted() {
    let text = "#include <a>\nextern \"C\" {\n#include <b>\n}\nnamespace n {\n#include <c>\n}\n";
    let parsed = parse(text);
    let trusted = parsed
        .of_kind(ConstructKind::Include)
        .map(|it| it.distrust.is_none());
    assert_eq!(trusted.collect::<Vec<_>>(), [true, false, false]);
}

#[test]
fn a_function_whose_namespace_is_misread_is_untrusted_under_each_of_its_names() {
    let text = "namespace n {\nclass A {\n  DEFINE()\n  int a() { return 1; }\n}\n};\nint g() {\n  return 2;\n}\n}\n";
    let parsed = parse(text);
    let read = parsed
        .of_kind(ConstructKind::Function)
        .find(|it| name_matches(&it.name, "g"));
    assert!(read.is_none_or(|it| it.distrust.is_some()));
    assert!(parsed.untrusted(ConstructKind::Function, "n::g").is_some());
    assert_eq!(parsed.untrusted(ConstructKind::Function, "m::h"), None);
}
