//! Compiles for the Mac itself, on any machine: zig brings a clang with Darwin's and libc++'s headers. It links nothing,
//! as Apple's frameworks are not there.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;

use super::driver_build::{DEFINES, DriverBuild, lay_out};
use super::job::Job;
use super::key::Key;
use crate::store::Cache;
use crate::toolchain::{Invocation, ToolError, Zig, read, texts};
use crate::verify::PatchedTree;
use crate::verify::patched_tree::is_source;

/// Apple silicon with the oldest system that MLX's own wheels run on.
const FLAGS: [&str; 9] = [
    "-target",
    "aarch64-macos.14.0",
    "-std=c++20",
    "-fblocks",
    "-O0",
    "-g0",
    "-fvisibility=hidden",
    "-Wno-everything",
    "-c",
];

/// Apple's own of which zig has no headers. The others of the SDK's stand-in come with it and must not be hidden.
const FROM_SDK: [&str; 4] = ["objc", "CoreFoundation", "CoreGraphics", "IOSurface"];

/// The first use unpacks zig's own files.
const LIMIT: Duration = Duration::from_secs(900);

impl DriverBuild<'_> {
    /// Compiles the patched sources of a tree to objects for macOS on Apple silicon, and the bridge where `provides`
    /// is the text of the header that declares the overlay's entry points to it. Gives the objects by the names of
    /// what they were made from.
    ///
    /// # Errors
    /// When a file does not compile, or the surroundings fail.
    pub(in crate::verify) fn mac_objects(
        &self,
        zig: &Zig,
        tree: PatchedTree<'_>,
        provides: Option<&str>,
    ) -> Result<Vec<(Utf8PathBuf, Utf8PathBuf)>, ToolError> {
        let store = Cache::quiet(&self.cache);
        let mut common = Key::of([&zig.version, &self.headers.versions]);
        for flag in FLAGS.iter().chain(&DEFINES) {
            common.add(flag);
        }
        let sdk = self.mac_sdk(&mut common)?;
        let mut jobs = Vec::new();
        if let Some(folder) = lay_out(tree, &Key::of(["macos"]), &self.cache)? {
            let mut seen = common.clone();
            seen.add_headers(tree)?;
            let own = [format!("-I{folder}"), format!("-I{}", tree.root)];
            let includes = [&own[..], &self.headers.flags()].concat();
            for file in tree.files.iter().filter(|file| is_source(&file.path)) {
                let mut key = seen.clone();
                key.add(file.path.as_str());
                key.add(&file.bytes);
                let path = folder.join(&file.path);
                jobs.push(self.mac_job(zig, &sdk, &file.path, path, &includes, key));
            }
        }
        if let Some(header) = provides {
            let mut key = common;
            let files = ["cpp/bridge.h", "cpp/metal.cc"].map(|file| self.sources.path(file));
            key.add_files(&files)?;
            key.add(header);
            let folder = self.cache.join("mac-bridge").join(key.clone().name());
            let file = folder.join("mlx_bridge_provides.h");
            store.keep(&file, header.as_bytes())?;
            let includes = [format!("-I{folder}"), format!("-I{}", self.sources.root())];
            let [_, path] = files;
            let name = "bridge/native/cpp/metal.cc".into();
            jobs.push(self.mac_job(zig, &sdk, name, path, &includes, key));
        }
        let objects = jobs.into_par_iter().map(|job| {
            if !store.is_whole(&job.object) {
                self.compile(&job, &store)?;
            }
            Ok((job.name, job.object))
        });
        objects.collect()
    }

    /// Lays out the part of the SDK's stand-in that zig lacks.
    fn mac_sdk(&self, common: &mut Key) -> Result<Utf8PathBuf, ToolError> {
        let sdk = self.sources.path("host-metal/sdk");
        let mut headers = self.sources.below("host-metal/sdk");
        let folders = FROM_SDK.map(|folder| sdk.join(folder));
        headers.retain(|header| folders.iter().any(|folder| header.starts_with(folder)));
        let mut key = Key::default();
        key.add_files(&headers)?;
        common.add_files(&headers)?;
        let laid_out = self.cache.join("mac-sdk").join(key.name());
        let store = Cache::quiet(&self.cache);
        for header in headers {
            let inside = header.strip_prefix(&sdk).unwrap_or(&header);
            store.keep(&laid_out.join(inside), &read(&header)?)?;
        }
        Ok(laid_out)
    }

    fn mac_job(
        &self,
        zig: &Zig,
        sdk: &Utf8Path,
        name: &Utf8Path,
        path: Utf8PathBuf,
        includes: &[String],
        key: Key,
    ) -> Job {
        let mut arguments = zig.leading.clone();
        arguments.push("c++".to_owned());
        arguments.extend(texts(&[&FLAGS[..], &DEFINES].concat()));
        arguments.push(format!("-isystem{sdk}"));
        arguments.extend(includes.iter().cloned());
        arguments.push(path.to_string());
        let zig_cache = self.cache.join("zig").into_string();
        let variables = ["ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"];
        Job {
            name: name.to_owned(),
            path,
            target: " for macOS on Apple silicon",
            compiler: Invocation {
                program: zig.program.clone(),
                arguments,
                environment: variables
                    .map(|name| (name.to_owned(), zig_cache.clone()))
                    .into(),
                limit: LIMIT,
                ..Invocation::default()
            },
            object: self.cache.join("mac-objects").join(key.name() + ".o"),
            is_patched: true,
            is_linked: false,
        }
    }
}
