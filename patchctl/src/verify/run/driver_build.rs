//! Compiles a tree's encoder, the driver and host-metal into one program or library, and keeps every object that it has
//! made.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;

use super::job::{Job, broken, died, output_to};
use super::key::Key;
use super::linker::{complaint, link_failed};
use super::sources::{Headers, MLX_SOURCES, has_thread_local_tracing};
use crate::embedded_sources::EmbeddedSources;
use crate::report::Code;
use crate::store::Cache;
use crate::toolchain::{Compiler, Invocation, Runner, ToolError, read, texts};
use crate::verify::PatchedTree;
use crate::verify::patched_tree::is_source;

/// A file of MLX's takes at most half a minute at -O0.
const LIMIT: Duration = Duration::from_secs(600);

/// GNU's or LLVM's; it comes with the linker.
const ARCHIVER: &str = "ar";

/// The parts that a driver is built with.
#[derive(Clone)]
pub struct DriverBuild<'a> {
    /// The compiler.
    pub compiler: Compiler,
    /// Our own C++.
    pub sources: EmbeddedSources,
    /// Other projects' headers.
    pub headers: Headers,
    /// More compiler and linker flags, such as `-fsanitize=address`.
    pub flags: Vec<String>,
    /// The folder that objects and programs are kept in. All of it can be made again.
    pub cache: Utf8PathBuf,
    /// Starts the compiler.
    pub runner: &'a dyn Runner,
}

/// A program that was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The program.
    pub program: Utf8PathBuf,
    /// The number of files that were compiled, where the others were in the cache.
    pub compiled: usize,
    /// The objects of the patched files, by path in the tree. A file that the encoder does not need is compiled too.
    pub patched: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
}

/// -O0 runs as well and compiles in half the time; sections let the linker leave out what nothing reaches.
pub(super) const FLAGS: [&str; 9] = [
    "-std=c++20",
    "-fblocks",
    "-O0",
    "-g0",
    "-pthread",
    "-fPIE",
    "-ffunction-sections",
    "-fdata-sections",
    "-Wno-everything",
];

/// As MLX's own build gives them; nothing here depends on their values.
pub(super) const DEFINES: [&str; 4] = [
    "-DMETAL_PATH=\"mlx.metallib\"",
    "-DMLX_METAL_NO_NAX",
    "-DMLX_VERSION=\"0\"",
    "-DFMT_HEADER_ONLY",
];

/// metal-cpp asks for Apple's name of the processor.
#[cfg(target_arch = "aarch64")]
const PROCESSOR: &[&str] = &["-D__arm64__=1"];
#[cfg(not(target_arch = "aarch64"))]
const PROCESSOR: &[&str] = &[];

impl DriverBuild<'_> {
    /// Builds the driver for a tree.
    ///
    /// # Errors
    /// When a file does not compile, a symbol stays open, or the surroundings fail.
    pub fn build(&self, tree: PatchedTree<'_>) -> Result<Built, ToolError> {
        self.build_apart(tree, &self.cache)
    }

    /// Builds the driver for a tree that nobody wants again: what the cache lacks is made in `apart`.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub fn build_apart(&self, tree: PatchedTree<'_>, apart: &Utf8Path) -> Result<Built, ToolError> {
        let (jobs, compiled) = self.objects(tree, apart)?;
        let patched = jobs.iter().filter(|job| job.is_patched);
        let patched = patched.map(|job| (job.name.clone(), job.object.clone()));
        let linked = jobs.iter().filter(|job| job.is_linked);
        let objects: Vec<&str> = linked.map(|job| job.object.as_str()).collect();
        let program = apart.join("programs").join(Key::of(&objects).name());
        Cache::quiet(apart).ensure(&program, |unfinished| {
            let mut arguments = texts(&["-pthread", "-pie", "-Wl,--gc-sections"]);
            arguments.extend(self.flags.iter().cloned());
            arguments.extend(texts(&objects));
            arguments.extend(output_to(unfinished));
            self.run(&program, &self.compiler(arguments), |errors| {
                complaint(errors, tree.root)
            })
        })?;
        Ok(Built {
            program,
            compiled,
            patched: patched.collect(),
        })
    }

    /// Builds the encoder on host-metal, without the driver, as a static library for the bridge to be linked with.
    ///
    /// # Errors
    /// When a file does not compile, or the surroundings fail.
    pub(in crate::verify) fn library(
        &self,
        tree: PatchedTree<'_>,
    ) -> Result<Utf8PathBuf, ToolError> {
        let (jobs, _) = self.objects(tree, &self.cache)?;
        let in_it = jobs
            .iter()
            .filter(|job| job.is_linked && job.name != "main.cpp");
        let objects: Vec<&str> = in_it.map(|job| job.object.as_str()).collect();
        let folder = self
            .cache
            .join("libraries-host-metal")
            .join(Key::of(&objects).name());
        let library = folder.join("libmlx_host_metal.a");
        Cache::quiet(&self.cache).ensure(&library, |unfinished| {
            let archiver = Invocation {
                program: ARCHIVER.to_owned(),
                ..self.compiler(texts(&[&["rcs", unfinished.as_str()], &*objects].concat()))
            };
            self.run(&library, &archiver, link_failed)
        })?;
        Ok(library)
    }

    /// Makes every object of a tree's encoder, the driver and host-metal. Those that the cache lacks are made in `folder`;
    /// gives the number of those that were not there either.
    fn objects(
        &self,
        tree: PatchedTree<'_>,
        folder: &Utf8Path,
    ) -> Result<(Vec<Job>, usize), ToolError> {
        let mut jobs = self.jobs(tree, folder)?;
        let (kept, store) = (Cache::quiet(&self.cache), Cache::quiet(folder));
        let missing = jobs.iter_mut().filter_map(|job| {
            if kept.is_whole(&job.object) {
                return None;
            }
            let inside = job.object.strip_prefix(&self.cache);
            job.object = folder.join(inside.unwrap_or(&job.object));
            (!store.is_whole(&job.object)).then_some(&*job)
        });
        let missing: Vec<&Job> = missing.collect();
        // All are tried, so that a failure is reported once and the rest is there the next time; but a compiler that
        // hangs would hang over each.
        let broken = AtomicBool::new(false);
        let mut failures: Vec<ToolError> = missing
            .par_iter()
            .filter(|_| !broken.load(Ordering::Relaxed))
            .filter_map(|job| self.compile(job, &store).err())
            .inspect(|error| {
                broken.fetch_or(error.is_broken(), Ordering::Relaxed);
            })
            .collect();
        failures.sort_by_key(|error| !error.is_broken());
        match failures.into_iter().next() {
            Some(first) => Err(first),
            None => {
                let compiled = missing.len();
                Ok((jobs, compiled))
            }
        }
    }

    /// Makes a digest of what every object depends on: compiler, flags, the SDK's stand-in and the others' headers.
    pub(super) fn common(&self) -> Result<Key, ToolError> {
        let mut key = Key::of([&self.compiler.version, &self.headers.versions]);
        for flag in FLAGS.iter().chain(&DEFINES).chain(PROCESSOR) {
            key.add(flag);
        }
        for flag in &self.flags {
            key.add(flag);
        }
        key.add_files(&self.sources.below("host-metal/sdk"))?;
        Ok(Key::of([key.name()]))
    }

    fn jobs(&self, tree: PatchedTree<'_>, folder: &Utf8Path) -> Result<Vec<Job>, ToolError> {
        let mut defines = Vec::new();
        if has_thread_local_tracing(tree.root)? {
            defines.push("-DHOST_METAL_THREAD_LOCAL_TRACING");
        }
        let common = self.common()?;
        let patched = lay_out(tree, &common, folder)?;
        let patched = patched.as_deref();
        let mut ours = self.sources.below("driver");
        ours.extend(self.sources.below("host-metal"));
        ours.retain(|path| matches!(path.extension(), Some("h" | "cpp" | "S")));
        // The runtime includes no header of MLX: it is the same for all trees.
        let mut seen_by_runtime = common.clone();
        seen_by_runtime.add_files(&ours)?;
        let mut seen_by_mlx = common;
        seen_by_mlx.add_headers(tree)?;
        let mut seen_by_driver = seen_by_mlx.clone();
        seen_by_driver.add_files(&ours)?;

        let mut jobs = Vec::new();
        let listed = MLX_SOURCES.map(Utf8Path::new);
        let others = tree.files.iter().map(|file| file.path.as_path());
        let others = others.filter(|name| is_source(name) && !listed.contains(name));
        for name in listed.into_iter().chain(others) {
            let is_patched = tree.patched(name).is_some();
            let path = match patched {
                Some(folder) if is_patched => folder.join(name),
                _ => tree.root.join(name),
            };
            if path.exists() {
                let arguments = self.arguments(tree, patched, &path, &[]);
                jobs.push(Job {
                    is_patched,
                    is_linked: listed.contains(&name),
                    ..self.job(name, path, arguments, &seen_by_mlx)?
                });
            }
        }
        let runtime = self.sources.path("host-metal/runtime");
        ours.retain(|path| path.extension() != Some("h"));
        for path in ours {
            let (arguments, seen) = match path.starts_with(&runtime) {
                true => (self.own_arguments(&path), &seen_by_runtime),
                false => {
                    let arguments = self.arguments(tree, patched, &path, &defines);
                    (arguments, &seen_by_driver)
                }
            };
            let name = Utf8PathBuf::from(path.file_name().unwrap_or_default());
            jobs.push(self.job(&name, path, arguments, seen)?);
        }
        Ok(jobs)
    }

    /// Starts the compiler, or a linker through it.
    pub(super) fn compiler(&self, arguments: Vec<String>) -> Invocation {
        Invocation {
            program: self.compiler.program.clone(),
            arguments,
            limit: LIMIT,
            ..Invocation::default()
        }
    }

    /// Compiles an object in `store`.
    pub(super) fn compile(&self, job: &Job, store: &Cache) -> Result<(), ToolError> {
        store.make(&job.object, |unfinished| {
            let (name, mut compiler) = (&job.name, job.compiler.clone());
            compiler.arguments.extend(output_to(unfinished));
            self.run(name, &compiler, |errors| {
                let message = format!("{name} does not compile{}", job.target);
                ToolError::of_code(Code::CompileFailed, message)
                    .file(name)
                    .output(errors.replace(job.path.as_str(), name.as_str()))
            })?;
            // With status 0 it has written an object.
            match fs_err::metadata(unfinished) {
                Ok(data) if data.len() > 0 => Ok(()),
                _ => {
                    let output = "it ended with status 0 and wrote nothing";
                    Err(died(&compiler.program, name, output))
                }
            }
        })
    }

    /// Runs a tool over `what` to its good end. Its verdict becomes the error that `refused` makes of its output.
    pub(super) fn run(
        &self,
        what: &Utf8Path,
        tool: &Invocation,
        refused: impl FnOnce(&str) -> ToolError,
    ) -> Result<(), ToolError> {
        let finished = self.runner.start(tool)?;
        match broken(&tool.program, &self.cache, what, &finished) {
            Some(error) => Err(error),
            None if finished.is_success() => Ok(()),
            None => Err(refused(&finished.errors)),
        }
    }

    fn job(
        &self,
        name: &Utf8Path,
        path: Utf8PathBuf,
        arguments: Vec<String>,
        seen: &Key,
    ) -> Result<Job, ToolError> {
        let mut key = seen.clone();
        key.add(name.as_str());
        key.add(read(&path)?);
        Ok(Job {
            name: name.to_owned(),
            path,
            target: "",
            compiler: self.compiler(arguments),
            object: self.cache.join("objects").join(key.name() + ".o"),
            is_patched: false,
            is_linked: true,
        })
    }

    /// Returns the arguments for a file that includes MLX's headers.
    fn arguments(
        &self,
        tree: PatchedTree<'_>,
        patched: Option<&Utf8Path>,
        path: &Utf8Path,
        defines: &[&str],
    ) -> Vec<String> {
        let mut arguments = self.own_arguments(path);
        let host_metal = &self.sources.path("host-metal");
        let quoted = patched.into_iter().chain([tree.root, host_metal]);
        arguments.extend(quoted.map(|folder| format!("-I{folder}")));
        arguments.extend(self.headers.flags());
        for folder in patched.into_iter().chain([tree.root]) {
            arguments.push(format!("-fmacro-prefix-map={folder}/="));
        }
        arguments.extend(texts(&DEFINES));
        arguments.extend(texts(defines));
        // As MLX is built since 0.30.4: what is not said to be visible cannot be called from outside.
        arguments.push("-fvisibility=hidden".to_owned());
        arguments
    }

    /// Returns the arguments for a file of the runtime.
    fn own_arguments(&self, path: &Utf8Path) -> Vec<String> {
        let mut arguments = texts(&[&FLAGS[..], PROCESSOR].concat());
        arguments.extend(self.flags.iter().cloned());
        arguments.push(format!("-isystem{}", self.sources.path("host-metal/sdk")));
        arguments.extend(["-c".to_owned(), path.to_string()]);
        arguments
    }
}

/// Puts the patched files into a folder of their own below `root`, to be looked at before the tree.
pub(super) fn lay_out(
    tree: PatchedTree<'_>,
    common: &Key,
    root: &Utf8Path,
) -> Result<Option<Utf8PathBuf>, ToolError> {
    if tree.files.is_empty() {
        return Ok(None);
    }
    let mut key = common.clone();
    for file in tree.files {
        key.add(file.path.as_str());
        key.add(&file.bytes);
    }
    let folder = root.join("patched").join(key.name());
    let store = Cache::quiet(root);
    for file in tree.files {
        store.keep(&folder.join(&file.path), &file.bytes)?;
    }
    Ok(Some(folder))
}
