//! The overlay's own includes and namespace-scope code, without upstream around it.
//!
//! Every revision's headers bring in what an overlay includes (`std::atomic` without `<atomic>`), so that a dropped
//! include does not fail upstream's compile. Alone it does.

use std::fmt::Write as _;

use patchctl_apply::Splice;

use crate::cpp::{ConstructKind, Parsed};

/// Puts together what the splices add outside of functions and classes, each piece in its namespace. `upstream` is the
/// untouched file that the offsets are in. None where nothing stands outside.
pub fn own_code(upstream: &Parsed, splices: &[Splice]) -> Option<String> {
    let mut includes = String::new();
    let mut code = String::new();
    for splice in splices {
        // What takes the place of upstream's lines may need anything around it.
        let text = splice.text.trim_start();
        if text.starts_with("#if 0") || text.starts_with("#else") {
            continue;
        }
        let offset = splice.offset as usize;
        let around = upstream.around(&(offset..offset));
        if around
            .iter()
            .any(|scope| scope.kind != ConstructKind::Namespace)
        {
            continue;
        }
        let Some(innermost) = around.last() else {
            includes.push_str(&splice.text);
            continue;
        };
        // Writing to a string cannot fail.
        let _ = writeln!(code, "{}", opening(&innermost.name));
        code.push_str(&splice.text);
        let _ = writeln!(code, "{}", "}".repeat(innermost.name.split("::").count()));
    }
    let all = includes + &code;
    (!all.is_empty()).then_some(all)
}

/// `namespace mlx { namespace core {`, for a full name.
fn opening(name: &str) -> String {
    let parts = name.split("::").map(|part| match part {
        "(anonymous)" => "namespace {".to_owned(),
        part => format!("namespace {part} {{"),
    });
    parts.collect::<Vec<_>>().join(" ")
}
