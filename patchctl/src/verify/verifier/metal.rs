//! Levels `compile` and `run` on a Mac, of an MLX that CMake has built from the patched tree.

use camino::{Utf8Path, Utf8PathBuf};

use super::{Level, Proof, Verifier, behaviour, compile};
use crate::toolchain::ToolError;
use crate::verify::PatchedTree;

/// An MLX with Metal, built from the patched tree.
#[derive(Debug, Clone, Copy)]
pub struct MetalBuild<'a> {
    /// The patched tree.
    pub tree: &'a Utf8Path,
    /// CMake's build folder, which holds the objects.
    pub folder: &'a Utf8Path,
    /// MLX's library, then those that it needs.
    pub libraries: &'a [Utf8PathBuf],
}

impl MetalBuild<'_> {
    /// The object of a source, where CMake puts it.
    fn object(&self, source: &Utf8Path) -> Utf8PathBuf {
        let name = format!("{source}.o");
        self.folder.join("CMakeFiles/mlx.dir").join(name)
    }
}

impl Verifier<'_> {
    pub(super) fn on_metal(
        &self,
        tree: PatchedTree<'_>,
        built: MetalBuild<'_>,
        highest: Level,
        proof: &mut Proof,
    ) -> Result<(), ToolError> {
        let driver = self.driver()?;
        driver.build.standalone_checks(tree)?;
        let objects = tree.files.iter().map(|file| built.object(&file.path));
        let objects: Vec<Utf8PathBuf> = objects.filter(|object| object.is_file()).collect();
        compile::provided(tree, &objects, proof)?;
        if !proof.reaches(Level::Compile, highest) {
            return Ok(());
        }
        compile::all_driven(tree)?;
        let program = built.folder.join("patchctl-driver");
        driver
            .build
            .link_with_metal(built.tree, built.libraries, &program)?;
        behaviour::behave(driver, &program, None, proof)?;
        proof.reaches(Level::Run, highest);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Mutex;

    use super::*;
    use crate::embedded_sources::EmbeddedSources;
    use crate::report::Code;
    use crate::toolchain::{Compiler, Finished, Invocation, Runner};
    use crate::verify::verifier::tests::verifier;

    /// A Mac's compiler, and a driver that says what it is told to.
    struct Mac {
        version: &'static str,
        said: &'static str,
        started: Mutex<Vec<String>>,
    }

    impl Runner for Mac {
        fn run(&self, invocation: &Invocation) -> io::Result<Finished> {
            let is_version = invocation.arguments == ["--version"];
            let is_driver = invocation.program.ends_with("patchctl-driver");
            if invocation.program == "clang++" || is_driver {
                self.started
                    .lock()
                    .unwrap()
                    .push(invocation.program.clone());
            } else {
                return Err(io::ErrorKind::NotFound.into());
            }
            Ok(Finished {
                code: Some(0),
                too_long: false,
                output: match (is_version, is_driver) {
                    (true, _) => self.version.into(),
                    (_, true) => self.said.into(),
                    _ => Vec::new(),
                },
                errors: String::new(),
            })
        }
    }

    fn proof(version: &'static str, said: &'static str) -> (Proof, Vec<String>) {
        let runner = Mac {
            version,
            said,
            started: Mutex::default(),
        };
        let sources = EmbeddedSources::at("ours");
        let verifier = verifier("cache".into(), sources, &runner);
        let tree = PatchedTree {
            root: Utf8Path::new("tree"),
            files: &[],
            overlays: &[],
        };
        let built = MetalBuild {
            tree: Utf8Path::new("patched"),
            folder: Utf8Path::new("build"),
            libraries: &["build/libmlx.a".into()],
        };
        let proof = verifier.prove(tree, Some(built), Level::Run);
        (proof, runner.started.into_inner().unwrap())
    }

    const XCODE: &str = "Apple clang version 17.0.0 (clang-1700.0.13.3)\n";

    #[test]
    fn the_gpus_encoder_decides() {
        let (passes, started) = proof(
            XCODE,
            concat!(
                r#"{"device":{"backend":"metal","architecture":"applegpu_g16s","override":true,"check":"c"}}"#,
                "\n",
                r#"{"scenario":"one"}"#,
                "\n",
                r#"{"commit":{"phase":"default","on":"main","ops":[1,1],"why":"flush"}}"#,
                "\n",
                r#"{"end":"one"}"#,
                "\n"
            ),
        );
        assert_eq!(passes.reached, Some(Level::Run), "{passes:?}");
        assert_eq!(passes.seen[1], "1 of 1 scenarios on metal");
        // Its version, the link, the run.
        assert_eq!(started, ["clang++", "clang++", "build/patchctl-driver"]);

        let (fails, _) = proof(XCODE, "");
        assert_eq!(fails.reached, Some(Level::Compile));
        assert_eq!(fails.findings[0].code, Code::BehaviourDiffers);
    }

    #[test]
    fn another_gpu_is_not_run() {
        let (proof, _) = proof(
            XCODE,
            concat!(
                r#"{"device":{"backend":"metal","architecture":"applegpu_g13d","override":true,"check":"c"}}"#,
                "\n",
                r#"{"scenario":"one"}"#,
                "\n",
                r#"{"end":"one"}"#,
                "\n"
            ),
        );
        assert_eq!(proof.reached, Some(Level::Compile));
        let why = proof.not_run.unwrap().to_string();
        assert!(why.contains("the GPU at hand, applegpu_g13d"), "{why}");
    }

    #[test]
    fn an_xcode_that_is_too_old_is_no_compiler() {
        let (proof, _) = proof("Apple clang version 14.0.3 (clang-1403.0.22.14.1)\n", "");
        assert_eq!(proof.reached, None);
        let why = proof.not_run.unwrap().to_string();
        assert!(why.starts_with("no clang 19 or later here"), "{why}");
        assert_eq!(Compiler::CLANGS.last(), Some(&"clang++"));
    }
}
