//! Why the bridge cannot be built. Every message says what to do.
//!
//! Written out, since a derive would cost the stub's build more than all of this crate.

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use super::provides::OVERLAY;
use super::settings::{BACKEND, LIBRARY, LOCK, SOURCE};

/// An error of the build script.
#[derive(Debug)]
pub enum BuildError {
    /// Not run by cargo.
    NotCargo {
        /// The variable.
        name: &'static str,
    },
    /// A variable that must be text is not.
    NotText {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: OsString,
    },
    /// No such backend.
    UnknownBackend {
        /// The value.
        found: String,
    },
    /// Metal was asked for where there is none.
    NoMetal {
        /// The target.
        target: String,
    },
    /// The Linux runtime was asked for elsewhere.
    NoHostMetal {
        /// The target.
        target: String,
    },
    /// The Linux runtime comes as a library.
    HostMetalLibrary,
    /// A library was given, and nothing says what it is.
    WhichLibrary {
        /// The library.
        library: PathBuf,
        /// The target.
        target: String,
    },
    /// The overlay's entry points are not known.
    Provides {
        /// The overlay's file.
        overlay: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The library cannot be read or is none.
    NoLibrary {
        /// The file.
        library: PathBuf,
        /// Why.
        why: String,
    },
    /// The library is an MLX without the overlay.
    Unpatched {
        /// The file.
        library: PathBuf,
        /// The signatures of the entry points that are missing.
        missing: String,
        /// Whether the encoder is in it.
        encoder: bool,
    },
    /// Metal needs a tree, and there is none.
    NoTree,
    /// MLX has to be built, and this host cannot.
    #[cfg_attr(
        any(target_os = "macos", test),
        allow(dead_code, reason = "for other hosts")
    )]
    NotThisHost {
        /// The host, as a triple.
        host: String,
    },
    /// The tree given is not what the lock knows.
    #[cfg(any(target_os = "macos", test))]
    Tree {
        /// The tree.
        tree: PathBuf,
        /// What is wrong, and what to do.
        why: String,
    },
    /// A file cannot be written or copied.
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

impl Error for BuildError {}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotCargo { name } => write!(f, "{name} is not set: run this through cargo"),
            Self::NotText { name, value } => write!(f, "{name} is {value:?}, which is not UTF-8"),
            Self::UnknownBackend { found } => write!(
                f,
                "{BACKEND} is `{found}`: expected auto, metal, host-metal or stub"
            ),
            Self::NoMetal { target } => write!(
                f,
                "{BACKEND} is metal, and {target} has no Metal: build for macOS on Apple silicon, or set \
                 {BACKEND} to stub, which overrides nothing"
            ),
            Self::NoHostMetal { target } => write!(
                f,
                "{BACKEND} is host-metal, and {target} is not Linux: set it to metal or stub"
            ),
            Self::HostMetalLibrary => write!(
                f,
                "{BACKEND} is host-metal, and {LIBRARY} names no library: `patchctl test` builds one and sets \
                 both"
            ),
            Self::WhichLibrary { library, target } => write!(
                f,
                "{LIBRARY} names {}, and on {target} it may be an MLX without Metal or one on the host-metal \
                 runtime: set {BACKEND} to stub or to host-metal",
                library.display()
            ),
            Self::Provides { overlay, what } => write!(
                f,
                "cannot read the entry points of {}: {what}; {LOCK} names the lock.yaml that {OVERLAY} stands \
                 beside",
                overlay.display()
            ),
            Self::NoLibrary { library, why } => {
                write!(f, "{} cannot be linked as MLX: {why}", library.display())
            }
            Self::Unpatched {
                library,
                missing,
                encoder,
            } => {
                let what = if *encoder {
                    "its Metal encoder was compiled without the overlay"
                } else {
                    "it is an unpatched MLX, one without Metal, or no MLX at all"
                };
                write!(
                    f,
                    "{} does not define {missing}: {what}. Apply the lock to its tree with `patchctl apply DIR`, \
                     build that with Metal, and try again; a stub is never linked in its place",
                    library.display()
                )
            }
            Self::NoTree => write!(
                f,
                "the metal backend needs MLX: set {SOURCE} to a tree of it (`patchctl apply --materialise DIR` \
                 makes a patched one), or {LIBRARY} to a library built from one; or set {BACKEND} to stub, \
                 which overrides nothing"
            ),
            Self::NotThisHost { host } => write!(
                f,
                "MLX with Metal is built on a Mac, and this is {host}: set {LIBRARY} to a library built there"
            ),
            #[cfg(any(target_os = "macos", test))]
            Self::Tree { tree, why } => {
                write!(
                    f,
                    "{} is no tree that the lock knows: {why}",
                    tree.display()
                )
            }
            Self::Write { path, why } => write!(f, "cannot write {}: {why}", path.display()),
        }
    }
}
