//! Compiles the overlays' own code without upstream around it.

use camino::Utf8Path;
use sha2::{Digest, Sha256};

use super::driver_build::{DriverBuild, FLAGS};
use super::store::{add, hex, write};
use crate::cpp::Parsed;
use crate::overlay::Overlay;
use crate::patch::macros;
use crate::report::Code;
use crate::toolchain::ToolError;
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
        let overlays: Vec<Overlay> = tree.overlays.iter().map(|&it| it.clone()).collect();
        let macros = macros(&overlays);
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
        let mut digest = Sha256::new();
        add(&mut digest, self.common()?.as_bytes());
        add(&mut digest, tree.as_str().as_bytes());
        add(&mut digest, code.as_bytes());
        let folder = self.cache.join("own-code");
        let passed = folder.join(format!("{}.passed", hex(digest)));
        if passed.exists() {
            return Ok(());
        }
        let mut arguments: Vec<String> = FLAGS.map(str::to_owned).into();
        // It may include headers of upstream's, by itself.
        arguments.push(format!("-I{tree}"));
        arguments.extend(["-fsyntax-only", "-x", "c++", "-"].map(str::to_owned));
        let finished = self.start_with(arguments, code.as_bytes().to_vec())?;
        if let Some(error) = self.broken(file, &finished) {
            return Err(error);
        }
        if !finished.is_success() {
            return Err(ToolError::of_code(Code::OwnCodeIncomplete,
                "the overlay's own code does not compile alone",
            )
            .file(file)
            .help("say `#include` for each name that it uses, in an edit of the overlay: that upstream's headers bring it in today is no promise")
            .output(finished.errors.replace("<stdin>", "the overlay's code")));
        }
        write(&self.cache, &passed, b"")
    }
}
