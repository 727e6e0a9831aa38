//! Why the bridge cannot be built. Every message says what to do.

use std::ffi::OsString;
use std::path::PathBuf;

use super::provides::OVERLAY;
use super::settings::{BACKEND, LIBRARY, LOCK, SOURCE};

/// An error of the build script.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Not run by cargo.
    #[error("{name} is not set: run this through cargo")]
    NotCargo {
        /// The variable.
        name: &'static str,
    },
    /// A variable that must be text is not.
    #[error("{name} is {value:?}, which is not UTF-8")]
    NotText {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: OsString,
    },
    /// No such backend.
    #[error("{BACKEND} is `{found}`: expected auto, metal, host-metal or stub")]
    UnknownBackend {
        /// The value.
        found: String,
    },
    /// Metal was asked for where there is none.
    #[error(
        "{BACKEND} is metal, and {target} has no Metal: build for macOS on Apple silicon, or set {BACKEND} to \
         stub, which overrides nothing"
    )]
    NoMetal {
        /// The target.
        target: String,
    },
    /// The Linux runtime was asked for elsewhere.
    #[error("{BACKEND} is host-metal, and {target} is not Linux: set it to metal or stub")]
    NoHostMetal {
        /// The target.
        target: String,
    },
    /// The Linux runtime comes as a library.
    #[error(
        "{BACKEND} is host-metal, and {LIBRARY} names no library: `patchctl test` builds one and sets both"
    )]
    HostMetalLibrary,
    /// A library was given, and nothing says what it is.
    #[error(
        "{LIBRARY} names {}, and on {target} it may be an MLX without Metal or one on the host-metal runtime: \
         set {BACKEND} to stub or to host-metal", library.display()
    )]
    WhichLibrary {
        /// The library.
        library: PathBuf,
        /// The target.
        target: String,
    },
    /// The overlay's entry points are not known.
    #[error("cannot read the entry points of {}: {what}; {LOCK} names the lock.yaml that {OVERLAY} stands beside", overlay.display())]
    Provides {
        /// The overlay's file.
        overlay: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The library cannot be read or is none.
    #[error("{} cannot be linked as MLX: {why}", library.display())]
    NoLibrary {
        /// The file.
        library: PathBuf,
        /// Why.
        why: String,
    },
    /// The library is an MLX without the overlay.
    #[error(
        "{} does not define {missing}: {}. Apply the lock to its tree with `patchctl apply DIR`, build that with \
         Metal, and try again; a stub is never linked in its place",
        library.display(),
        if *encoder {
            "its Metal encoder was compiled without the overlay"
        } else {
            "it is an unpatched MLX, one without Metal, or no MLX at all"
        }
    )]
    Unpatched {
        /// The file.
        library: PathBuf,
        /// The signatures of the entry points that are missing.
        missing: String,
        /// Whether the encoder is in it.
        encoder: bool,
    },
    /// Metal needs a tree, and there is none.
    #[error(
        "the metal backend needs MLX: set {SOURCE} to a tree of it (`patchctl apply --materialise DIR` makes a \
         patched one), or {LIBRARY} to a library built from one; or set {BACKEND} to stub, which overrides nothing"
    )]
    NoTree,
    /// The tree given is not what the lock knows.
    #[error("{} is no tree that the lock knows: {why}", tree.display())]
    Tree {
        /// The tree.
        tree: PathBuf,
        /// What is wrong, and what to do.
        why: String,
    },
    /// A file cannot be written or copied.
    #[error("cannot write {}: {why}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
}
