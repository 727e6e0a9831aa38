//! Compiles the overlays' own includes and namespace-scope code without upstream around it.
//!
//! Every revision's headers bring in what an overlay includes (`std::atomic` without `<atomic>`), so that a dropped
//! include does not fail upstream's compile. Alone it does.

use std::fmt::Write as _;

use patchctl_apply::Splice;

use super::driver_build::{DriverBuild, FLAGS};
use crate::cpp::{ConstructKind, Dialect, Parsed};
use crate::report::Code;
use crate::store::Cache;
use crate::toolchain::{Invocation, ToolError, texts};
use crate::verify::PatchedTree;

impl DriverBuild<'_> {
    /// Compiles the code that the overlays add outside of functions, without upstream around it.
    ///
    /// # Errors
    /// When it does not compile, or the surroundings fail.
    pub(in crate::verify) fn standalone_checks(
        &self,
        tree: PatchedTree<'_>,
    ) -> Result<(), ToolError> {
        let upstream_texts = tree.upstream_texts()?;
        let store = Cache::quiet(&self.cache);
        for file in tree.files {
            let upstream = |splice: &Splice| {
                let overlay = tree.overlays.iter().find(|it| it.has(&splice.edit))?;
                upstream_texts.parsed(&file.path, overlay)
            };
            let Some(code) = own_code(upstream, &file.splices) else {
                continue;
            };
            let mut key = self.common()?;
            key.add(tree.root.as_str());
            key.add(&code);
            let passed = self.cache.join("own-code").join(key.name() + ".passed");
            if passed.exists() {
                continue;
            }
            let mut arguments = texts(&FLAGS);
            // It may include headers of upstream's, by itself.
            arguments.push(format!("-I{}", tree.root));
            arguments.extend(texts(&["-fsyntax-only", "-x", "c++", "-"]));
            let compiler = Invocation {
                input: code.into(),
                ..self.compiler(arguments)
            };
            self.run(&file.path, &compiler, |errors| {
                ToolError::of_code(
                    Code::OwnCodeIncomplete,
                    "the overlay's own code does not compile alone",
                )
                .file(&file.path)
                .help("say `#include` for each name that it uses, in an edit of the overlay: that upstream's headers bring it in today is no promise")
                .output(errors.replace("<stdin>", "the overlay's code"))
            })?;
            store.keep(&passed, b"")?;
        }
        Ok(())
    }
}

/// Puts together what the splices add outside of functions and classes, each piece in its namespace. `upstream` gives the
/// untouched file that the offsets are in, as the splice's overlay reads it; what is not C++ is left out. None where nothing
/// stands outside.
pub(super) fn own_code<'p>(
    upstream: impl Fn(&Splice) -> Option<&'p Parsed>,
    splices: &[Splice],
) -> Option<String> {
    let mut includes = String::new();
    let mut code = String::new();
    for splice in splices {
        // Code in the place of upstream's lines may need anything around it.
        let text = splice.text.trim_start();
        if text.starts_with("#if 0") || text.starts_with("#else") {
            continue;
        }
        let offset = splice.offset as usize;
        let read = upstream(splice);
        if read.is_some_and(|it| it.reading().dialect != Dialect::Cpp) {
            continue;
        }
        let around = read.map(|it| it.around(&(offset..offset)));
        let around = around.unwrap_or_default();
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
