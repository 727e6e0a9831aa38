//! Compiles the overlays' own code without upstream around it.

use camino::Utf8Path;

use super::driver_build::{DriverBuild, FLAGS};
use crate::cpp::Parsed;
use crate::report::Code;
use crate::store::Cache;
use crate::toolchain::{Invocation, ToolError, texts};
use crate::verify::PatchedTree;
use crate::verify::compile::own_code;

impl DriverBuild<'_> {
    /// Compiles what the overlays add outside of functions, without upstream around it.
    ///
    /// # Errors
    /// When it does not compile, or the surroundings fail.
    pub(in crate::verify) fn standalone_checks(
        &self,
        tree: PatchedTree<'_>,
    ) -> Result<(), ToolError> {
        let macros = tree.macros();
        for file in tree.files {
            let upstream = Parsed::new(&tree.upstream(&file.path)?, &macros);
            if let Some(code) = own_code(&upstream, &file.splices) {
                self.standalone_check(tree.root, &file.path, &code)?;
            }
        }
        Ok(())
    }

    fn standalone_check(
        &self,
        tree: &Utf8Path,
        file: &Utf8Path,
        code: &str,
    ) -> Result<(), ToolError> {
        let mut key = self.common()?;
        key.add(tree.as_str());
        key.add(code);
        let passed = self.cache.join("own-code").join(key.name() + ".passed");
        if passed.exists() {
            return Ok(());
        }
        let mut arguments = texts(&FLAGS);
        // It may include headers of upstream's, by itself.
        arguments.push(format!("-I{tree}"));
        arguments.extend(texts(&["-fsyntax-only", "-x", "c++", "-"]));
        let compiler = Invocation {
            input: code.into(),
            ..self.compiler(arguments)
        };
        self.run(file, &compiler, |errors| {
            ToolError::of_code(
                Code::OwnCodeIncomplete,
                "the overlay's own code does not compile alone",
            )
            .file(file)
            .help("say `#include` for each name that it uses, in an edit of the overlay: that upstream's headers bring it in today is no promise")
            .output(errors.replace("<stdin>", "the overlay's code"))
        })?;
        Ok(Cache::quiet(&self.cache).keep(&passed, b"")?)
    }
}
