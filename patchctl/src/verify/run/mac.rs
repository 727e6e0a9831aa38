//! Compiles for the Mac itself, on any machine: zig brings a clang with Darwin's and libc++'s headers. It links nothing,
//! as Apple's frameworks are not there.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::driver_build::{DEFINES, DriverBuild};
use super::failure_class::hangs;
use super::store::{add, add_files, add_headers, hex, read, write};
use crate::report::Code;
use crate::store::Cache;
use crate::toolchain::{Invocation, ToolError, Zig};
use crate::verify::PatchedTree;
use crate::verify::patched_tree::is_source;

/// What is compiled: a file, and the folders that its headers are looked for in besides those of all.
struct Source {
    name: Utf8PathBuf,
    path: Utf8PathBuf,
    includes: Vec<String>,
    digest: Sha256,
}

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
        let mut common = Sha256::new();
        for text in [&*zig.version, &*self.headers.versions] {
            add(&mut common, text.as_bytes());
        }
        for flag in FLAGS.iter().chain(&DEFINES) {
            add(&mut common, flag.as_bytes());
        }
        let sdk = self.mac_sdk(&mut common)?;
        let mut sources = self.of_tree(tree, &common)?;
        sources.extend(
            provides
                .map(|text| self.of_bridge(text, &common))
                .transpose()?,
        );
        let objects = sources.into_par_iter().map(|source| {
            let object = self.mac_object(zig, &sdk, &source)?;
            Ok((source.name, object))
        });
        objects.collect()
    }

    /// Lays out the part of the SDK's stand-in that zig lacks.
    fn mac_sdk(&self, common: &mut Sha256) -> Result<Utf8PathBuf, ToolError> {
        let sdk = self.sources.path("host-metal/sdk");
        let mut headers = self.sources.below("host-metal/sdk");
        headers.retain(|header| {
            FROM_SDK
                .iter()
                .any(|folder| header.starts_with(sdk.join(folder)))
        });
        let mut digest = Sha256::new();
        add_files(&mut digest, &headers)?;
        add_files(common, &headers)?;
        let laid_out = self.cache.join("mac-sdk").join(hex(digest));
        for header in headers {
            let inside = header.strip_prefix(&sdk).unwrap_or(&header);
            write(&self.cache, &laid_out.join(inside), &read(&header)?)?;
        }
        Ok(laid_out)
    }

    fn of_tree(&self, tree: PatchedTree<'_>, common: &Sha256) -> Result<Vec<Source>, ToolError> {
        let Some(folder) = Self::lay_out(tree, "macos", &self.cache)? else {
            return Ok(Vec::new());
        };
        let mut seen = common.clone();
        add_headers(&mut seen, tree)?;
        let headers = &self.headers;
        let own = [format!("-I{folder}"), format!("-I{}", tree.root)];
        let others = [&headers.metal_cpp, &headers.fmt, &headers.json];
        let others = others.map(|folder| format!("-isystem{folder}"));
        let sources = tree.files.iter().filter(|file| is_source(&file.path));
        Ok(sources
            .map(|file| {
                let mut digest = seen.clone();
                add(&mut digest, file.path.as_str().as_bytes());
                add(&mut digest, &file.bytes);
                Source {
                    name: file.path.clone(),
                    path: folder.join(&file.path),
                    includes: own.iter().chain(&others).cloned().collect(),
                    digest,
                }
            })
            .collect())
    }

    fn of_bridge(&self, provides: &str, common: &Sha256) -> Result<Source, ToolError> {
        let mut digest = common.clone();
        let files = ["cpp/bridge.h", "cpp/metal.cc"].map(|file| self.sources.path(file));
        add_files(&mut digest, &files)?;
        add(&mut digest, provides.as_bytes());
        let folder = self.cache.join("mac-bridge").join(hex(digest.clone()));
        write(
            &self.cache,
            &folder.join("mlx_bridge_provides.h"),
            provides.as_bytes(),
        )?;
        let [_, path] = files;
        Ok(Source {
            name: "bridge/native/cpp/metal.cc".into(),
            path,
            includes: vec![format!("-I{folder}"), format!("-I{}", self.sources.root())],
            digest,
        })
    }

    fn mac_object(
        &self,
        zig: &Zig,
        sdk: &Utf8Path,
        source: &Source,
    ) -> Result<Utf8PathBuf, ToolError> {
        let name = hex(source.digest.clone());
        let object = self.cache.join("mac-objects").join(format!("{name}.o"));
        let store = Cache::quiet(&self.cache);
        if store.is_whole(&object) {
            return Ok(object);
        }
        let zig_cache = self.cache.join("zig");
        store.make(&object, |unfinished| {
            let mut arguments = zig.leading.clone();
            arguments.push("c++".to_owned());
            arguments.extend(FLAGS.iter().chain(&DEFINES).map(ToString::to_string));
            arguments.push(format!("-isystem{sdk}"));
            arguments.extend(source.includes.iter().cloned());
            let output = ["-o".to_owned(), unfinished.to_string()];
            arguments.extend([source.path.to_string()].into_iter().chain(output));
            let environment = ["ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"];
            let invocation = Invocation {
                program: zig.program.clone(),
                arguments,
                environment: environment
                    .map(|name| (name.to_owned(), zig_cache.to_string()))
                    .into(),
                input: Vec::new(),
                limit: LIMIT,
            };
            let finished = self
                .runner
                .run(&invocation)
                .map_err(|error| ToolError::cannot_start(&invocation.program, &error))?;
            if finished.is_success() {
                return Ok(());
            }
            let file = &source.name;
            Err(match finished.too_long {
                true => hangs(file),
                false => {
                    let message = format!("{file} does not compile for macOS on Apple silicon");
                    ToolError::of_code(Code::CompileFailed, message)
                        .file(file)
                        .output(finished.errors.replace(source.path.as_str(), file.as_str()))
                }
            })
        })?;
        Ok(object)
    }
}
