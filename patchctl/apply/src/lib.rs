//! Applies patchctl's lock to an upstream tree: check the blob, splice, check the blob.
//!
//! No parser, no git, no network, no compiler: a build script or a CMake step can depend on this alone.
//! The lock file says which bytes go where; `patchctl bump` writes it.
//!
//! # In a build script
//!
//! ```no_run
//! use std::path::PathBuf;
//! use patchctl_apply::{PinChoice, apply};
//!
//! // build.rs. The tree is a copy in OUT_DIR or a checkout of your own, never cargo's registry.
//! let tree = PathBuf::from("third_party/mlx");
//! println!("cargo::rerun-if-changed=overlays/mlx/lock.yaml");
//! match apply("overlays/mlx/lock.yaml", PinChoice::Named("0.32.2"), &tree) {
//!     Ok(report) => {
//!         for file in &report.files {
//!             println!("cargo::rerun-if-changed={}", tree.join(&file.path).display());
//!         }
//!     }
//!     Err(error) => {
//!         eprintln!("{}", error.explained());
//!         std::process::exit(1);
//!     }
//! }
//! ```
//!
//! A second run finds nothing to do and leaves every file's time alone, so nothing is compiled anew:
//!
//! ```
//! use patchctl_apply::{BlobId, Lock, LockedFile, LockedPin, PinChoice, RevisionFrom, apply};
//! use patchctl_apply::markers::{Block, Comment, Digest12, EditName, insertion};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let upstream = "int budget() {\n  return 50;\n}\n";
//! std::fs::write(folder.path().join("device.cpp"), upstream)?;
//!
//! // What `patchctl bump` does, in short.
//! let block = Block {
//!     edit: EditName::new("budget", "read", "1")?,
//!     digest: Digest12::new("0123456789ab")?,
//!     comment: Comment::Slashes,
//! };
//! let splice = insertion(upstream.as_bytes(), 15, &block, "  if (wanted > 0) return wanted;\n")?;
//! let patched = patchctl_apply::splice("device.cpp", upstream.as_bytes(), &[splice.clone()])?;
//! let lock = Lock {
//!     pins: vec![LockedPin {
//!         release: "0.32.2".into(),
//!         revision: "1f8e74e3f12f31365464a6867c6579f0e9b29d85".into(),
//!         revision_from: RevisionFrom::Git,
//!         source: "git:https://example.org/mlx".into(),
//!         tree: None,
//!         overlays: vec![],
//!         files: vec![LockedFile {
//!             path: "device.cpp".into(),
//!             before: BlobId::of(upstream.as_bytes()),
//!             after: BlobId::of(&patched),
//!             splices: vec![splice],
//!         }],
//!         proven: vec![],
//!         lowered_from: None,
//!     }],
//!     ..Lock::default()
//! };
//! let lock_file = folder.path().join("lock.yaml");
//! std::fs::write(&lock_file, lock.to_yaml()?)?;
//!
//! // What a build does.
//! let report = apply(&lock_file, PinChoice::Fitting, folder.path())?;
//! assert_eq!(report.written().count(), 1);
//! assert_eq!(std::fs::read(folder.path().join("device.cpp"))?, patched);
//!
//! let again = apply(&lock_file, PinChoice::Fitting, folder.path())?;
//! assert_eq!(again.written().count(), 0);
//! # Ok(())
//! # }
//! ```
//!
//! [`tree::run`] also checks, removes, and does so without writing. An apply leaves a record at the tree's root, see
//! [`tree::TreeRecord`]; [`tree::take_off`] needs nothing else.

#[doc(hidden)]
pub mod beneath;
mod blob;
mod lock;
pub mod markers;
mod overlays;
mod splice;
mod state;
pub mod tree;
#[doc(hidden)]
pub mod yaml;

use std::path::Path;

pub use blob::{BlobId, hex};
pub use lock::{
    Lock, LockError, LockedFile, LockedOverlay, LockedPin, Proven, RevisionFrom, SCHEMA,
    SIZE_LIMIT, Splice, check_tree_path,
};
pub use overlays::differing_edits;
pub use splice::{SpliceError, splice};
pub use state::{Examined, FileState, Foreign, Known, examine};
pub use tree::{ApplyError, PinChoice, TreeReport};

/// Brings the upstream tree at `tree` to the patched bytes of one pin of the lock file at `lock`.
///
/// Every file is checked before the first is written; a file that is patched already is not touched; blocks
/// of an earlier lock are taken off first. See [`tree::run`] for the rest. Overlays beside the lock are compared with it, see
/// [`TreeReport::differing`].
pub fn apply(
    lock: impl AsRef<Path>,
    pin: PinChoice<'_>,
    tree: impl AsRef<Path>,
) -> Result<TreeReport, ApplyError> {
    let file = lock.as_ref();
    let lock = Lock::read(file)?;
    let pin = lock.choose(pin, tree.as_ref())?;
    let mut report = tree::run(
        &lock,
        pin,
        tree.as_ref(),
        tree::Mode::Apply,
        tree::Options::default(),
    )?;
    let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
    report.differing = differing_edits(pin, folder.unwrap_or(Path::new(".")));
    Ok(report)
}
