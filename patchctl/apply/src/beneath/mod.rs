//! Files below a root, reached without following a link. For patchctl's own crates, no stable interface.
//!
//! A [`Root`] is an open folder. Its methods take paths relative to it, and refuse `..`, absolute paths and every
//! symbolic link on the way, the last part included. So nothing that a repository or an upstream tree holds can
//! lead a read or a write out of the root. The path of the root itself may hold links: the user named it.
//!
//! On Linux the kernel resolves a path at once (`openat2` with `RESOLVE_BENEATH`, `RESOLVE_NO_SYMLINKS` and
//! `RESOLVE_NO_MAGICLINKS`). Where it refuses, and on other Unix systems, every folder of the path is opened from
//! the one before it with `O_NOFOLLOW`. A folder that is replaced meanwhile does not matter to either. Elsewhere
//! every part of the path is looked at before it is used, which another process could outrun.
//!
//! FIFOs, sockets and devices are never read. A read has a limit.
//!
//! This is a module and not a crate: two crates use it, one of which depends on the other, and
//! patchctl-apply stays one package to publish and to audit.

mod error;
#[cfg(not(unix))]
#[path = "other.rs"]
mod system;
#[cfg(unix)]
#[path = "unix.rs"]
mod system;

mod read;
mod root;
mod write;

pub use error::{Error, Kind};
pub use read::{Entry, read_file};
pub use root::Root;
