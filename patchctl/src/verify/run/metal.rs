//! The driver on a Mac: linked with a built MLX with Metal, whose encoder it drives on the GPU at hand.

use camino::{Utf8Path, Utf8PathBuf};

use super::driver_build::DriverBuild;
use super::job::output_to;
use super::linker::link_failed;
use crate::toolchain::{ToolError, texts};

/// Parts of macOS that MLX's Metal and CPU backends need, as the bridge links them.
const FRAMEWORKS: [&str; 4] = ["Accelerate", "Foundation", "Metal", "QuartzCore"];

impl DriverBuild<'_> {
    /// Compiles the driver and links it to `program` with an MLX that was built from the patched tree at `root`.
    /// `libraries` are MLX's library and then those that it needs. host-metal stays out of it.
    ///
    /// # Errors
    /// When that fails, or the compiler cannot be started.
    pub(in crate::verify) fn link_with_metal(
        &self,
        root: &Utf8Path,
        libraries: &[Utf8PathBuf],
        program: &Utf8Path,
    ) -> Result<(), ToolError> {
        let mut arguments = texts(&["-std=c++20", "-O0", "-pthread", "-Wno-everything"]);
        arguments.push(format!("-I{root}"));
        arguments.extend(self.headers.flags());
        arguments.push("-DFMT_HEADER_ONLY".to_owned());
        arguments.push(self.sources.path("driver/main.cpp").into_string());
        arguments.extend(libraries.iter().map(ToString::to_string));
        for framework in FRAMEWORKS {
            arguments.extend(texts(&["-framework", framework]));
        }
        arguments.extend(output_to(program));
        self.run(program, &self.compiler(arguments), link_failed)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::super::sources::Headers;
    use super::*;
    use crate::embedded_sources::EmbeddedSources;
    use crate::toolchain::{Compiler, Finished, Invocation, Runner};

    struct Writes(Mutex<Vec<Invocation>>, i32);

    impl Runner for Writes {
        fn run(&self, invocation: &Invocation) -> std::io::Result<Finished> {
            self.0.lock().unwrap().push(invocation.clone());
            Ok(Finished {
                code: Some(self.1),
                too_long: false,
                output: Vec::new(),
                errors: "ld: symbol(s) not found".to_owned(),
            })
        }
    }

    fn link(status: i32) -> (Result<(), ToolError>, Vec<String>) {
        let runner = Writes(Mutex::default(), status);
        let sources = EmbeddedSources::at("ours");
        let headers = Headers {
            metal_cpp: "metal-cpp".into(),
            fmt: "fmt".into(),
            json: "json".into(),
            versions: String::new(),
        };
        let build = DriverBuild {
            compiler: Compiler {
                program: "clang++".to_owned(),
                version: String::new(),
            },
            sources,
            headers,
            flags: Vec::new(),
            cache: "cache".into(),
            runner: &runner,
        };
        let libraries = ["build/libmlx.a".into(), "build/libjaccl.a".into()];
        let linked = build.link_with_metal("tree".into(), &libraries, "build/driver".into());
        let mut started = runner.0.into_inner().unwrap();
        (linked, started.remove(0).arguments)
    }

    #[test]
    fn driver_is_linked_with_library_and_frameworks() {
        let (linked, arguments) = link(0);
        assert_eq!(linked, Ok(()));
        let at = |text: &str| {
            let found = arguments.iter().position(|argument| argument == text);
            found.unwrap_or_else(|| panic!("{text} is not in {arguments:?}"))
        };
        // A static library has to stand behind what refers to it.
        assert!(at("ours/driver/main.cpp") < at("build/libmlx.a"));
        assert!(at("build/libmlx.a") < at("build/libjaccl.a"));
        assert!(at("build/libjaccl.a") < at("Metal"));
        assert!(at("-Itree") < at("ours/driver/main.cpp"));
        // The driver tells the backends apart by the presence of host_metal.h.
        let of_host_metal = |argument: &&String| argument.contains("host-metal");
        assert_eq!(arguments.iter().find(of_host_metal), None);
    }

    #[test]
    fn the_linkers_output_is_passed_on() {
        let (linked, _) = link(1);
        let error = linked.unwrap_err();
        assert_eq!(error.output_text(), "ld: symbol(s) not found");
    }
}
