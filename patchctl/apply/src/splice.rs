//! One file: upstream's bytes in, the patched bytes out.

use crate::{BlobId, LockedFile, Splice};

/// The reason for which a file's splices do not lead where the lock says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpliceError {
    /// The bytes are not the ones that the splices are for.
    #[error("{path} is not upstream's file: expected blob {expected}, found {found}")]
    Before {
        /// The file.
        path: String,
        /// The lock's blob.
        expected: BlobId,
        /// That of the bytes.
        found: BlobId,
    },
    /// A splice lies before the end of the one before it.
    #[error(
        "the lock's splices of {path} are out of order at {edit}; write it anew with `patchctl bump`"
    )]
    Order {
        /// The file.
        path: String,
        /// `overlay/hunk.edit`.
        edit: String,
    },
    /// A splice lies behind the file's end.
    #[error(
        "the lock's splice {edit} of {path} ends at byte {end}, the file has {size}; write the lock anew with `patchctl bump`"
    )]
    Range {
        /// The file.
        path: String,
        /// `overlay/hunk.edit`.
        edit: String,
        /// Behind the splice's last byte.
        end: u64,
        /// The file's size in bytes.
        size: u64,
    },
    /// The splices give other bytes than the lock says.
    #[error(
        "the lock's splices of {path} give blob {found}, the lock says {expected}; write it anew with `patchctl bump`"
    )]
    After {
        /// The file.
        path: String,
        /// The lock's blob.
        expected: BlobId,
        /// That of the result.
        found: BlobId,
    },
}

impl LockedFile {
    /// The patched bytes. `upstream` must be the blob that the lock names; the result is the blob that it
    /// names, or an error.
    pub fn patch(&self, upstream: &[u8]) -> Result<Vec<u8>, SpliceError> {
        let found = BlobId::of(upstream);
        if found != self.before {
            return Err(SpliceError::Before {
                path: self.path.clone(),
                expected: self.before.clone(),
                found,
            });
        }
        let patched = splice(&self.path, upstream, &self.splices)?;
        let found = BlobId::of(&patched);
        if found != self.after {
            return Err(SpliceError::After {
                path: self.path.clone(),
                expected: self.after.clone(),
                found,
            });
        }
        Ok(patched)
    }
}

/// Puts `splices` into `upstream`, which is called `path` in errors. Checks order and range, no blob.
pub fn splice(path: &str, upstream: &[u8], splices: &[Splice]) -> Result<Vec<u8>, SpliceError> {
    let added: usize = splices.iter().map(|splice| splice.text.len()).sum();
    let mut patched = Vec::with_capacity(upstream.len() + added);
    let mut done = 0;
    for splice in splices {
        let end = splice.offset.saturating_add(splice.length);
        let (Some(start), Some(end)) = (
            within(splice.offset, upstream.len()),
            within(end, upstream.len()),
        ) else {
            return Err(SpliceError::Range {
                path: path.to_owned(),
                edit: splice.edit.clone(),
                end,
                size: upstream.len() as u64,
            });
        };
        if start < done {
            return Err(SpliceError::Order {
                path: path.to_owned(),
                edit: splice.edit.clone(),
            });
        }
        patched.extend_from_slice(&upstream[done..start]);
        patched.extend_from_slice(splice.text.as_bytes());
        done = end;
    }
    patched.extend_from_slice(&upstream[done..]);
    Ok(patched)
}

fn within(offset: u64, size: usize) -> Option<usize> {
    usize::try_from(offset)
        .ok()
        .filter(|offset| *offset <= size)
}
