//! Conversions from the errors of other modules to the error that ends a command.

use std::io::ErrorKind;

use camino::Utf8Path;
use patchctl_apply::tree::Cause;
use patchctl_apply::{ApplyError, LockError};

use crate::report::{Code, Error, Exit};
use crate::toolchain::ToolError;
use crate::workspace::Kept;
use crate::yaml::Faults;

/// The reason for which a pin has no product.
pub(super) enum Stopped {
    /// The pin's row says it.
    Row(ToolError),
    /// The command ends.
    Command(Error),
}

impl From<ToolError> for Stopped {
    fn from(error: ToolError) -> Self {
        Self::Row(error)
    }
}

impl<E: Into<Error>> From<E> for Stopped {
    fn from(error: E) -> Self {
        Self::Command(error.into())
    }
}

impl Stopped {
    /// Returns what the row says.
    ///
    /// # Errors
    /// When the command ends.
    pub(super) fn row(self) -> Result<ToolError, Error> {
        match self {
            Self::Row(error) => Ok(error),
            Self::Command(error) => Err(error),
        }
    }
}

impl From<Faults> for Error {
    fn from(faults: Faults) -> Self {
        let exit = match faults.only_surroundings() {
            true => Exit::Surroundings,
            false => Exit::Usage,
        };
        Self::in_files(exit, faults.0)
    }
}

impl From<ApplyError> for Error {
    fn from(error: ApplyError) -> Self {
        let code = match &error {
            ApplyError::NoPinFits { .. } => Code::ForeignTree,
            ApplyError::NoSuchPin { .. } => Code::NoSuchPin,
            ApplyError::ManyPinsFit { .. } => Code::PinAmbiguous,
            ApplyError::NoTree { .. } => Code::NoTree,
            ApplyError::Busy { .. } => Code::TreeBusy,
            ApplyError::ChangedMeanwhile { .. } => Code::TreeChangedMeanwhile,
            ApplyError::Splice(_) => Code::LockDamaged,
            ApplyError::Record { .. } | ApplyError::NoRecord { .. } => Code::TreeRecord,
            ApplyError::RecordUnreadable { .. } => Code::FileUnreadable,
            _ => Code::TreeNotWritten,
        };
        let new = match &error {
            ApplyError::NoPinFits { misfits, .. } => {
                Self::new(code, error.to_string()).because_of(misfits)
            }
            _ => Self::of(code, &error),
        };
        new.help(error.help()).ending(exit_of_apply(&error))
    }
}

/// The exit status of what kept a tree from being changed.
pub(super) fn exit_of_apply(error: &ApplyError) -> Exit {
    match error.cause() {
        Cause::Content => Exit::Check,
        Cause::Asked => Exit::Usage,
        Cause::Surroundings => Exit::Surroundings,
    }
}

/// The lock file cannot be used.
pub(super) fn lock_unusable(file: &Utf8Path, error: &LockError) -> Error {
    let (code, help) = match error {
        LockError::Unreadable { source, .. } if source.kind() == ErrorKind::NotFound => (
            Code::LockUnreadable,
            Some("nothing is locked yet: patchctl bump --mlx V"),
        ),
        LockError::Unreadable { .. } => (Code::LockUnreadable, None),
        LockError::Newer { .. } => (Code::SchemaUnsupported, None),
        LockError::Form { .. } => (
            Code::LockDamaged,
            Some("take it from version control, or write it anew with `patchctl bump`"),
        ),
        _ => (Code::LockDamaged, None),
    };
    let place = match error {
        LockError::Form { line, column, .. } if *line > 0 => Some((*line as u64, *column as u64)),
        _ => None,
    };
    let (line, column) = place.unzip();
    let new = Error::new(code, format!("{file}: {error}"));
    let new = new.help(help).at(file, line, column);
    match std::error::Error::source(error) {
        Some(cause) => new.because(cause),
        None => new,
    }
}

/// Somebody has changed files since a command was interrupted.
pub(super) fn changed_since(kept: &[Kept]) -> Error {
    let names: Vec<&str> = kept.iter().map(|kept| kept.path.as_str()).collect();
    let mut help = "make each file what it should be, then run the command again".to_owned();
    for one in kept {
        if let Some(before) = &one.before {
            help.push_str(&format!(
                "\n  {} was {before} before the interrupted command",
                one.path
            ));
        }
    }
    let message = format!(
        "files were changed since a command was interrupted: {}",
        names.join(", ")
    );
    Error::new(Code::ChangedSince, message).help(help)
}
