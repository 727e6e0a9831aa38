//! The driver on a Mac: linked with a built MLX with Metal, whose encoder it drives on the GPU at hand.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use super::headers::Headers;
use super::linker::link_failed;
use crate::embedded_sources::EmbeddedSources;
use crate::toolchain::{Invocation, Runner, ToolError};

/// What MLX's Metal and CPU backends need of macOS, as the bridge links it.
const FRAMEWORKS: [&str; 4] = ["Accelerate", "Foundation", "Metal", "QuartzCore"];

/// One file and a link.
const LIMIT: Duration = Duration::from_secs(600);

/// A driver for one built library.
pub struct MetalDriver<'a> {
    /// The compiler's path or name.
    pub compiler: &'a str,
    /// Our own C++; host-metal stays out of it.
    pub sources: &'a EmbeddedSources,
    /// Other projects' headers.
    pub headers: &'a Headers,
    /// The patched tree that the library was built from.
    pub tree: &'a Utf8Path,
    /// MLX's library, then those that it needs.
    pub libraries: &'a [Utf8PathBuf],
    /// Where the program goes.
    pub program: &'a Utf8Path,
    /// Starts the compiler.
    pub runner: &'a dyn Runner,
}

impl MetalDriver<'_> {
    /// Compiles and links it.
    ///
    /// # Errors
    /// When that fails, or the compiler cannot be started.
    pub fn link(&self) -> Result<(), ToolError> {
        let invocation = Invocation {
            program: self.compiler.to_owned(),
            arguments: self.arguments(),
            environment: Vec::new(),
            input: Vec::new(),
            limit: LIMIT,
        };
        let finished = self.runner.run(&invocation);
        let finished =
            finished.map_err(|error| ToolError::cannot_start(&invocation.program, &error))?;
        if finished.is_success() {
            Ok(())
        } else {
            Err(link_failed(&finished.errors))
        }
    }

    fn arguments(&self) -> Vec<String> {
        let mut arguments: Vec<String> = ["-std=c++20", "-O0", "-pthread", "-Wno-everything"]
            .map(str::to_owned)
            .into();
        arguments.push(format!("-I{}", self.tree));
        let headers = self.headers;
        for folder in [&headers.metal_cpp, &headers.fmt, &headers.json] {
            arguments.push(format!("-isystem{folder}"));
        }
        arguments.push("-DFMT_HEADER_ONLY".to_owned());
        arguments.push(self.sources.path("driver/main.cpp").into_string());
        arguments.extend(self.libraries.iter().map(ToString::to_string));
        for framework in FRAMEWORKS {
            arguments.extend(["-framework".to_owned(), framework.to_owned()]);
        }
        arguments.extend(["-o".to_owned(), self.program.to_string()]);
        arguments
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::toolchain::Finished;

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
        let driver = MetalDriver {
            compiler: "clang++",
            sources: &sources,
            headers: &headers,
            tree: Utf8Path::new("tree"),
            libraries: &["build/libmlx.a".into(), "build/libjaccl.a".into()],
            program: Utf8Path::new("build/driver"),
            runner: &runner,
        };
        let linked = driver.link();
        let mut started = runner.0.into_inner().unwrap();
        (linked, started.remove(0).arguments)
    }

    #[test]
    fn the_driver_is_linked_with_the_patched_library_its_needs_and_the_frameworks() {
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
        // Whether host_metal.h is there is how the driver tells the backends apart.
        let of_host_metal = |argument: &&String| argument.contains("host-metal");
        assert_eq!(arguments.iter().find(of_host_metal), None);
    }

    #[test]
    fn what_the_linker_says_is_passed_on() {
        let (linked, _) = link(1);
        let output = linked.unwrap_err().output;
        assert_eq!(output.as_deref(), Some("ld: symbol(s) not found"));
    }
}
