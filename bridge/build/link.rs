//! What the program is linked with, as the lines that cargo reads.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::error::BuildError;
use super::settings::Target;

/// What MLX's Metal and CPU backends need of macOS.
const FRAMEWORKS: [&str; 4] = ["Accelerate", "Foundation", "Metal", "QuartzCore"];

/// A library file, by what the linker has to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Library {
    folder: PathBuf,
    kind: &'static str,
    name: String,
}

impl Library {
    /// From `…/libNAME.a`, `.so` or `.dylib`.
    fn of(path: &Path) -> Result<Self, BuildError> {
        let wrong = || BuildError::NoLibrary {
            library: path.to_owned(),
            why: "its name is not lib….a, lib….so or lib….dylib".to_owned(),
        };
        let kind = match path.extension().and_then(|extension| extension.to_str()) {
            Some("a") => "static:-bundle",
            Some("so" | "dylib") => "dylib",
            _ => return Err(wrong()),
        };
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let name = stem
            .and_then(|stem| stem.strip_prefix("lib"))
            .ok_or_else(wrong)?;
        Ok(Self {
            folder: path.parent().unwrap_or(Path::new(".")).to_owned(),
            kind,
            name: name.to_owned(),
        })
    }
}

/// Cargo's lines for linking `libraries`, in that order, and what MLX needs of the target's system.
/// A shared library's folder becomes a run path of this package's own programs.
pub fn directives(
    libraries: &[PathBuf],
    target: &Target,
    compiler_runtime: Option<&Path>,
) -> Result<Vec<String>, BuildError> {
    let mut lines = Vec::new();
    for path in libraries {
        let library = Library::of(path)?;
        let folder = library.folder.display();
        lines.push(format!("cargo:rustc-link-search=native={folder}"));
        lines.push(format!(
            "cargo:rustc-link-lib={}={}",
            library.kind, library.name
        ));
        if library.kind == "dylib" {
            lines.push(format!("cargo:rustc-link-arg=-Wl,-rpath,{folder}"));
        }
    }
    match target.os.as_str() {
        "macos" => {
            if target.has_metal() {
                let linked =
                    FRAMEWORKS.map(|name| format!("cargo:rustc-link-lib=framework={name}"));
                lines.extend(linked);
            }
            lines.push("cargo:rustc-link-lib=dylib=c++".to_owned());
            if let Some(folder) = compiler_runtime {
                lines.push(format!(
                    "cargo:rustc-link-search=native={}",
                    folder.display()
                ));
                lines.push("cargo:rustc-link-lib=static=clang_rt.osx".to_owned());
            }
        }
        "linux" => {
            for name in ["stdc++", "dl", "pthread"] {
                lines.push(format!("cargo:rustc-link-lib=dylib={name}"));
            }
        }
        _ => {}
    }
    Ok(lines)
}

/// The folder of clang's runtime library, which defines what `__builtin_available` calls; rustc links
/// without it. `None` where clang does not say, and then the linker will.
pub fn compiler_runtime() -> Option<PathBuf> {
    let output = Command::new("clang")
        .arg("--print-resource-dir")
        .output()
        .ok()?;
    let folder = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    Some(folder.join("lib/darwin")).filter(|folder| folder.join("libclang_rt.osx.a").is_file())
}
