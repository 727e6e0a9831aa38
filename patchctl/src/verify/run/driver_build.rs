//! Compiles a tree's encoder, the driver and host-metal into one program, and keeps every object that it has made.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::headers::Headers;
use super::linker;
use super::sources::{self, MLX_SOURCES, Traits, is_listed};
use super::store::{add, add_files, add_headers, hex, read, write};
use crate::embedded_sources::EmbeddedSources;
use crate::report::Code;
use crate::store::Cache;
use crate::toolchain::{Compiler, Runner, ToolError};
use crate::verify::PatchedTree;
use crate::verify::patched_tree::is_source;

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
    /// The number of files were compiled, where the others were in the cache.
    pub compiled: usize,
    /// The objects of the patched files, by path in the tree. A file that the encoder does not need is compiled too.
    pub patched: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
}

/// Something to compile.
pub(super) struct Job {
    /// For messages: the path in the tree, or the name of a file of ours.
    pub(super) name: Utf8PathBuf,
    path: Utf8PathBuf,
    arguments: Vec<String>,
    pub(super) object: Utf8PathBuf,
    is_patched: bool,
    pub(super) is_linked: bool,
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
        self.build_in(tree, &self.cache)
    }

    /// Builds the driver for a tree that nobody wants again: what the cache lacks is made in `apart`.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub fn build_apart(&self, tree: PatchedTree<'_>, apart: &Utf8Path) -> Result<Built, ToolError> {
        self.build_in(tree, apart)
    }

    fn build_in(&self, tree: PatchedTree<'_>, folder: &Utf8Path) -> Result<Built, ToolError> {
        let (jobs, compiled) = self.compile_in(tree, folder)?;
        let patched = jobs.iter().filter(|job| job.is_patched);
        let patched = patched.map(|job| (job.name.clone(), job.object.clone()));
        Ok(Built {
            program: self.link(&jobs, tree.root, folder)?,
            compiled,
            patched: patched.collect(),
        })
    }

    /// Every object of a tree's encoder, the driver and host-metal; how many of them were not in the cache.
    pub(super) fn compile_all(
        &self,
        tree: PatchedTree<'_>,
    ) -> Result<(Vec<Job>, usize), ToolError> {
        self.compile_in(tree, &self.cache)
    }

    fn compile_in(
        &self,
        tree: PatchedTree<'_>,
        folder: &Utf8Path,
    ) -> Result<(Vec<Job>, usize), ToolError> {
        let traits = sources::traits(tree.root)?;
        let common = self.common()?;
        let patched = Self::lay_out(tree, &common, folder)?;
        let mut jobs = self.jobs(tree, traits, &common, patched.as_deref())?;
        let kept = Cache::quiet(&self.cache);
        for job in &mut jobs {
            if kept.is_whole(&job.object) {
                continue;
            }
            let inside = job.object.strip_prefix(&self.cache);
            job.object = folder.join(inside.unwrap_or(&job.object));
        }
        let store = Cache::quiet(folder);
        let is_here = |job: &&Job| kept.is_whole(&job.object) || store.is_whole(&job.object);
        let missing: Vec<&Job> = jobs.iter().filter(|job| !is_here(job)).collect();
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
        if let Some(first) = failures.into_iter().next() {
            return Err(first);
        }
        let compiled = missing.len();
        Ok((jobs, compiled))
    }

    /// A digest of what every object depends on: compiler, flags, the SDK's stand-in and the others' headers.
    pub(super) fn common(&self) -> Result<String, ToolError> {
        let mut digest = Sha256::new();
        for text in [&*self.compiler.version, &*self.headers.versions] {
            add(&mut digest, text.as_bytes());
        }
        for flag in FLAGS.iter().chain(&DEFINES).chain(PROCESSOR) {
            add(&mut digest, flag.as_bytes());
        }
        for flag in &self.flags {
            add(&mut digest, flag.as_bytes());
        }
        add_files(&mut digest, &self.sources.below("host-metal/sdk"))?;
        Ok(hex(digest))
    }

    /// Puts the patched files into a folder of their own, to be looked at before the tree.
    pub(super) fn lay_out(
        tree: PatchedTree<'_>,
        common: &str,
        root: &Utf8Path,
    ) -> Result<Option<Utf8PathBuf>, ToolError> {
        if tree.files.is_empty() {
            return Ok(None);
        }
        let mut digest = Sha256::new();
        add(&mut digest, common.as_bytes());
        for file in tree.files {
            add(&mut digest, file.path.as_str().as_bytes());
            add(&mut digest, &file.bytes);
        }
        let folder = root.join("patched").join(hex(digest));
        for file in tree.files {
            write(root, &folder.join(&file.path), &file.bytes)?;
        }
        Ok(Some(folder))
    }

    fn jobs(
        &self,
        tree: PatchedTree<'_>,
        traits: Traits,
        common: &str,
        patched: Option<&Utf8Path>,
    ) -> Result<Vec<Job>, ToolError> {
        let mut seen = Sha256::new();
        add(&mut seen, common.as_bytes());
        let mut seen_by_runtime = seen.clone();
        add_headers(&mut seen, tree)?;
        let seen_by_mlx = hex(seen.clone());
        let ours = self.own_files();
        add_files(&mut seen, &ours)?;
        add_files(&mut seen_by_runtime, &ours)?;
        let (seen_by_driver, seen_by_runtime) = (hex(seen), hex(seen_by_runtime));
        let mut jobs = Vec::new();
        for name in MLX_SOURCES.map(Utf8Path::new) {
            let is_patched = tree.patched(name).is_some();
            let path = match patched {
                Some(folder) if is_patched => folder.join(name),
                _ => tree.root.join(name),
            };
            if path.exists() {
                let arguments = self.arguments(tree, patched, &path, &[]);
                jobs.push(self.job(name, path, arguments, &seen_by_mlx, is_patched, true)?);
            }
        }
        for name in tree.files.iter().map(|file| &file.path) {
            let Some(folder) = patched.filter(|_| is_source(name) && !is_listed(name)) else {
                continue;
            };
            let path = folder.join(name);
            let arguments = self.arguments(tree, patched, &path, &[]);
            jobs.push(self.job(name, path, arguments, &seen_by_mlx, true, false)?);
        }
        let runtime = self.sources.path("host-metal/runtime");
        let is_source = |path: &Utf8PathBuf| matches!(path.extension(), Some("cpp" | "S"));
        for path in ours.into_iter().filter(is_source) {
            let mut defines = Vec::new();
            if traits.thread_local_tracing {
                defines.push("-DHOST_METAL_THREAD_LOCAL_TRACING");
            }
            let name = Utf8PathBuf::from(path.file_name().unwrap_or_default());
            // The runtime includes no header of MLX: it is the same for all trees.
            let (arguments, seen) = if path.starts_with(&runtime) {
                (self.own_arguments(&path), &seen_by_runtime)
            } else {
                (
                    self.arguments(tree, patched, &path, &defines),
                    &seen_by_driver,
                )
            };
            jobs.push(self.job(&name, path, arguments, seen, false, true)?);
        }
        Ok(jobs)
    }

    /// Our own files that an object can depend on.
    fn own_files(&self) -> Vec<Utf8PathBuf> {
        let mut files = self.sources.below("driver");
        files.extend(self.sources.below("host-metal"));
        files.retain(|path| matches!(path.extension(), Some("h" | "cpp" | "S")));
        files
    }

    fn job(
        &self,
        name: &Utf8Path,
        path: Utf8PathBuf,
        arguments: Vec<String>,
        seen: &str,
        is_patched: bool,
        is_linked: bool,
    ) -> Result<Job, ToolError> {
        let mut digest = Sha256::new();
        add(&mut digest, seen.as_bytes());
        add(&mut digest, name.as_str().as_bytes());
        add(&mut digest, &read(&path)?);
        let object = self
            .cache
            .join("objects")
            .join(format!("{}.o", hex(digest)));
        Ok(Job {
            name: name.to_owned(),
            path,
            arguments,
            object,
            is_patched,
            is_linked,
        })
    }

    /// For a file that includes MLX's headers.
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
        let headers = &self.headers;
        for folder in [&headers.metal_cpp, &headers.fmt, &headers.json] {
            arguments.push(format!("-isystem{folder}"));
        }
        for folder in patched.into_iter().chain([tree.root]) {
            arguments.push(format!("-fmacro-prefix-map={folder}/="));
        }
        arguments.extend(DEFINES.iter().chain(defines).map(ToString::to_string));
        // As MLX is built since 0.30.4: what is not said to be visible cannot be called from outside.
        arguments.push("-fvisibility=hidden".to_owned());
        arguments
    }

    /// For a file of the runtime.
    fn own_arguments(&self, path: &Utf8Path) -> Vec<String> {
        let mut arguments: Vec<String> = FLAGS
            .iter()
            .chain(PROCESSOR)
            .map(ToString::to_string)
            .collect();
        arguments.extend(self.flags.iter().cloned());
        arguments.push(format!("-isystem{}", self.sources.path("host-metal/sdk")));
        arguments.extend(["-c".to_owned(), path.to_string()]);
        arguments
    }

    fn compile(&self, job: &Job, store: &Cache) -> Result<(), ToolError> {
        store.make(&job.object, |unfinished| {
            let mut arguments = job.arguments.clone();
            arguments.extend(["-o".to_owned(), unfinished.to_string()]);
            let finished = self.start_with(arguments, Vec::new())?;
            if let Some(error) = self.broken(&job.name, &finished) {
                return Err(error);
            }
            if !finished.is_success() {
                let output = finished
                    .errors
                    .replace(job.path.as_str(), job.name.as_str());
                let message = format!("{} does not compile", job.name);
                return Err(ToolError::of_code(Code::CompileFailed, message)
                    .file(&job.name)
                    .output(output));
            }
            self.has_written(&job.name, unfinished)
        })
    }

    fn link(
        &self,
        jobs: &[Job],
        tree: &Utf8Path,
        folder: &Utf8Path,
    ) -> Result<Utf8PathBuf, ToolError> {
        let objects = || {
            jobs.iter()
                .filter(|job| job.is_linked)
                .map(|job| &job.object)
        };
        let mut digest = Sha256::new();
        for object in objects() {
            add(&mut digest, object.as_str().as_bytes());
        }
        let program = folder.join("programs").join(hex(digest));
        let store = Cache::quiet(folder);
        if store.is_whole(&program) {
            return Ok(program);
        }
        store.make(&program, |unfinished| {
            let mut arguments: Vec<String> = ["-pthread", "-pie", "-Wl,--gc-sections"]
                .map(str::to_owned)
                .into();
            arguments.extend(self.flags.iter().cloned());
            arguments.extend(objects().map(ToString::to_string));
            arguments.extend(["-o".to_owned(), unfinished.to_string()]);
            let finished = self.start_with(arguments, Vec::new())?;
            if finished.is_success() {
                Ok(())
            } else {
                let broken = self.broken(&program, &finished);
                Err(broken.unwrap_or_else(|| linker::complaint(&finished.errors, tree)))
            }
        })?;
        Ok(program)
    }
}
