use patchctl_apply::Splice;

use super::super::own_code::own_code;
use crate::cpp::{Dialect, Parsed, Reading};

const UPSTREAM: &str = "\
#include <cstdlib>

namespace a::b {

namespace {
int hidden() { return 1; }
} // namespace

bool Encoder::full() const {
  int limit = 1;
  return limit > 0;
}

} // namespace a::b
";

fn splice(before: &str, text: &str) -> Splice {
    Splice {
        edit: "o/h.e".to_owned(),
        line: 1,
        offset: UPSTREAM.find(before).unwrap() as u64,
        length: 0,
        text: text.to_owned(),
    }
}

#[test]
fn own_code_stands_in_its_namespaces() {
    let splices = [
        splice("#include", "#include <atomic>\n"),
        splice("int hidden", "int inner;\n"),
        splice("bool Encoder", "std::atomic<int> slot;\n"),
        splice("  return limit", "  limit = slot;\n"),
        splice("} // namespace a::b", "int get() { return slot; }\n"),
    ];
    let parsed = Parsed::new(UPSTREAM.as_bytes(), &Reading::default());
    assert_eq!(
        own_code(|_| Some(&parsed), &splices).unwrap(),
        "#include <atomic>\n\
         namespace a { namespace b { namespace {\nint inner;\n}}}\n\
         namespace a { namespace b {\nstd::atomic<int> slot;\n}}\n\
         namespace a { namespace b {\nint get() { return slot; }\n}}\n"
    );
}

#[test]
fn code_inside_functions_is_not_own_code() {
    let parsed = Parsed::new(UPSTREAM.as_bytes(), &Reading::default());
    assert_eq!(
        own_code(
            |_| Some(&parsed),
            &[splice("  return limit", "  limit = 2;\n")]
        ),
        None
    );
}

#[test]
fn other_languages_are_not_own_code() {
    for dialect in [Dialect::Text, Dialect::Metal, Dialect::Cuda] {
        let reading = Reading {
            dialect,
            macros: Vec::new(),
        };
        let parsed = Parsed::new(UPSTREAM.as_bytes(), &reading);
        let splices = [splice("#include", "constant int x = 1;\n")];
        assert_eq!(own_code(|_| Some(&parsed), &splices), None);
    }
}
