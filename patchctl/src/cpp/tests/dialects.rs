//! Dialects, and what the grammar has no rule for.

use super::super::blank::blanked;
use super::*;

fn read(dialect: Dialect, text: &str) -> Parsed {
    let macros = Vec::new();
    Parsed::new(text.as_bytes(), &Reading { dialect, macros })
}

/// The trusted functions, each with its first and last line.
fn trusted(parsed: &Parsed) -> Vec<String> {
    let functions = parsed.of_kind(ConstructKind::Function);
    let trusted = functions.filter(|it| it.distrust.is_none());
    let line = |at| parsed.lines().number(at);
    trusted
        .map(|it| {
            format!(
                "{} {}-{}",
                it.name,
                line(it.range.start),
                line(it.range.end)
            )
        })
        .collect()
}

#[test]
fn metal_is_read() {
    let text = "template <int N>\n[[kernel, max_threads(N * 32)]] void a(\n    const device int* x [[buffer(0)]],\n    \
                volatile coherent(system) device int* y [[buffer(1), use(b)]]) {}\n\
                instantiate_a(f32, float) instantiate_a(\"i32\", int)\n\
                kernel\nvoid b() {}\nstruct S {\n  int c(int i) const thread {\n    return i;\n  }\n};\n";
    let parsed = read(Dialect::Metal, text);
    assert_eq!(trusted(&parsed), ["a 1-4", "b 5-7", "S::c 9-11"]);
    let last = parsed.of_kind(ConstructKind::Function).last();
    assert_eq!(last.unwrap().display(), "S::c(int i) const thread");
    assert!(parsed.unreadable_nodes().is_empty());
}

#[test]
fn cuda_is_read() {
    let text = "template <class T>\n__global__ __launch_bounds__(N, f(1)) void a(const T* __restrict__ x) {\n  \
                __shared__ int s[4];\n}\nvoid b() {\n  a<int><<<dim3(1), 2 << 3, 0, s<1>()>>>(x);\n  c = d << e;\n}\n";
    let parsed = read(Dialect::Cuda, text);
    assert_eq!(trusted(&parsed), ["a 1-4", "b 5-8"]);
    assert!(parsed.unreadable_nodes().is_empty());
    let statements = parsed.statements(&parsed.constructs()[0], false);
    let text = &text[statements[0].range.clone()];
    assert_eq!(text, "__shared__ int s[4];");
}

#[test]
fn default_arguments_in_braces_are_read() {
    for arguments in [
        "A a = {}",
        "A a = {1, {2}}, B b = {}",
        "A a = {f({1}), .b = 2}",
    ] {
        let parsed = read(Dialect::Cpp, &format!("void f({arguments}) {{\n}}\n"));
        assert_eq!(trusted(&parsed), ["f 1-2"], "{arguments}");
        let function = &parsed.constructs()[0];
        assert_eq!(
            function.signature.concat(),
            format!("({arguments})").replace(' ', "")
        );
    }
}

#[test]
fn calls_of_macros_between_declarations_are_read() {
    let text = "namespace n {\nDEFINE(A, b)\nclass A : B<c> {\n  DEFINE()\n  NAME(A)\n  int f() { return 1; }\n\n public:\n  \
                NAME(A)\n  A() {}\n};\n}\n";
    assert_eq!(
        trusted(&read(Dialect::Cpp, text)),
        ["n::A::f 4-6", "n::A::A 9-10"]
    );
}

#[test]
fn a_macro_that_may_begin_a_loop_or_a_declaration_is_not_hidden() {
    for text in [
        "void f() {\n  FOR_EACH(x)\n  g(x);\n}\n",
        "void f() {\n  g();\n  FOR_EACH(x)\n  g(x);\n}\n",
        "class AB {\n  AB(int x)\n      : y(x) {}\n};\n",
        "class AB {\n  AB(int x)\n      noexcept {}\n};\n",
        "TEST(A, b) {\n}\n",
        "CALL(a);\n",
        "int x = CALL(a)\n    + y;\n",
    ] {
        let blanked = blanked(text.as_bytes(), &Reading::default());
        assert_eq!(String::from_utf8(blanked).unwrap(), text);
    }
}

#[test]
fn a_comment_does_not_end_a_macros_body() {
    let text = "#define A(x) /* { */ \\\n  if (x) { /* y */ \\\n  }\nvoid f() {}\n";
    let parsed = read(Dialect::Cpp, text);
    assert_eq!(trusted(&parsed), ["f 4-4"]);
    assert!(parsed.unreadable_nodes().is_empty());
}

#[test]
fn a_word_before_a_loop_belongs_to_it() {
    let text = "void f() {\n  g();\n  STEEL_PRAGMA_UNROLL\n  for (int i = 0; i < 4; i++) {\n    h(i);\n  }\n}\n";
    let parsed = read(Dialect::Metal, text);
    let statements = parsed.statements(&parsed.constructs()[0], false);
    assert_eq!(statements[1].kind, Some(StatementKind::For));
    assert!(text[statements[1].range.clone()].starts_with("STEEL_PRAGMA_UNROLL"));
}

#[test]
fn local_names_and_assertions_are_statements() {
    let text = "void f() {\n  using A = int;\n  typedef int B;\n  using n::C;\n  static_assert(sizeof(A) == 4);\n  A a;\n}\n";
    let parsed = read(Dialect::Cpp, text);
    let statements = parsed.statements(&parsed.constructs()[0], false);
    let kinds: Vec<_> = statements.iter().map(|it| it.kind).collect();
    let named = Some(StatementKind::Declaration);
    assert_eq!(kinds, [None, None, None, None, named]);
}

#[test]
fn the_words_of_a_dialect_are_names_in_another() {
    let text = "void device() {}\nvoid g(int kernel, int constant) {}\n";
    assert_eq!(trusted(&read(Dialect::Cpp, text)), ["device 1-1", "g 2-2"]);
    assert_eq!(trusted(&read(Dialect::Cuda, text)), ["device 1-1", "g 2-2"]);
}

#[test]
fn what_is_hidden_keeps_length_and_lines() {
    let pieces = [
        "FOO(",
        "kernel ",
        "[[",
        "]]",
        "<<<",
        ">>>",
        "= {",
        "}",
        "(",
        ")",
        ",",
        ";\n",
        "\n",
        "class A {\n",
        "__align__",
        "/* x */",
        "#define A \\\n",
        "\u{e9}",
        "void f",
        "instantiate_a(x)\n",
    ];
    let text = proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..30);
    proptest::proptest!(|(text in text)| {
        let text = text.concat();
        for dialect in [Dialect::Cpp, Dialect::Metal, Dialect::Cuda] {
            let reading = Reading { dialect, ..Reading::default() };
            let blanked = blanked(text.as_bytes(), &reading);
            assert_eq!(blanked.len(), text.len());
            let pairs = blanked.iter().zip(text.as_bytes());
            assert!(pairs.clone().all(|(a, b)| (*a == b'\n') == (*b == b'\n')));
            assert!(pairs.clone().all(|(a, b)| a == b || matches!(a, b' ' | b'0')));
            assert!(String::from_utf8(blanked).is_ok());
        }
    });
}
