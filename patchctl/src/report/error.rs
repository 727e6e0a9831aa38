//! The error that ends a command without a report: a finding or several, the causes below them, an exit status.

use std::error::Error as StdError;
use std::{fmt, iter};

use super::Text;
use super::{Code, Exit, Finding, Report};

/// The reason for which a command has no report. A check that failed is not one of these: it is a report.
///
/// Enums of errors stay where code branches on the variant; what only reaches the reader is one of these, made where it
/// is first known and completed where it passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    exit: Exit,
    /// Never empty.
    findings: Vec<Finding>,
    /// Outermost first.
    causes: Vec<String>,
    /// True if each finding points at a line of a file, which a person is then shown.
    framed: bool,
}

impl Error {
    /// An error that ends the command with the code's exit status.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            exit: code.exit(),
            findings: vec![Finding::new(code, message)],
            causes: Vec::new(),
            framed: false,
        }))
    }

    /// An error of the command line.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Code::Usage, message)
    }

    /// An error with the message and the causes of another.
    pub(crate) fn of(code: Code, error: &dyn StdError) -> Self {
        let causes = iter::successors(error.source(), |cause| (**cause).source());
        Self::new(code, error.to_string()).because_of(causes)
    }

    /// Mistakes in files, each shown with its line. `findings` must not be empty.
    pub(crate) fn in_files(exit: Exit, findings: Vec<Finding>) -> Self {
        Self(Box::new(Inner {
            exit,
            findings,
            causes: Vec::new(),
            framed: true,
        }))
    }

    /// Replaces the exit status of the code.
    #[must_use]
    pub(crate) fn ending(mut self, exit: Exit) -> Self {
        self.0.exit = exit;
        self
    }

    /// Adds a cause and all that lie below it.
    #[must_use]
    pub(crate) fn because(self, cause: &dyn StdError) -> Self {
        self.because_of(iter::successors(Some(cause), |cause| (**cause).source()))
    }

    /// Adds causes that stand beside each other.
    #[must_use]
    pub(crate) fn because_of(
        mut self,
        causes: impl IntoIterator<Item = impl fmt::Display>,
    ) -> Self {
        let causes = causes.into_iter().map(|cause| cause.to_string());
        self.0.causes.extend(causes);
        self
    }

    /// Says what to do.
    #[must_use]
    pub(crate) fn help(self, help: impl Text) -> Self {
        self.change(|finding| finding.help(help))
    }

    /// Names the file, and the place in it as far as it is known.
    #[must_use]
    pub(crate) fn at(
        self,
        file: impl Text,
        line: impl Into<Option<u64>>,
        column: impl Into<Option<u64>>,
    ) -> Self {
        self.change(|finding| finding.file(file).at(line, column))
    }

    fn change(mut self, change: impl FnOnce(Finding) -> Finding) -> Self {
        if let Some(last) = self.0.findings.pop() {
            self.0.findings.push(change(last));
        }
        self
    }

    /// Returns the exit status.
    pub fn exit(&self) -> Exit {
        self.0.exit
    }

    /// Returns true if the first finding has this code.
    pub(crate) fn is(&self, code: Code) -> bool {
        self.0.findings.first().is_some_and(|it| it.code == code)
    }

    /// Returns the stable code of the first finding.
    pub fn code(&self) -> &'static str {
        self.0.findings.first().map_or("", Finding::code)
    }

    /// Returns the advice of the first finding.
    pub fn advice(&self) -> Option<&str> {
        self.0.findings.first()?.help.as_deref()
    }

    /// Returns the causes below the message, outermost first.
    pub(super) fn causes(&self) -> &[String] {
        &self.0.causes
    }

    /// Returns the findings if each points at a line of a file.
    pub(super) fn framed(&self) -> Option<&[Finding]> {
        self.0.framed.then_some(&*self.0.findings)
    }

    /// Returns what a report says of it, causes included.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let mut findings = self.0.findings.clone();
        if let Some(first) = findings.first_mut() {
            for cause in self.causes() {
                first.message.push_str(": ");
                first.message.push_str(cause);
            }
        }
        findings
    }

    /// Makes the report that the machine-readable forms give in place of the command's own.
    pub(crate) fn report(&self, command: &str) -> Report {
        Report {
            ok: false,
            findings: self.findings(),
            ..Report::new(command)
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, finding) in self.0.findings.iter().enumerate() {
            let end = if index == 0 { "" } else { "\n" };
            write!(f, "{end}{}", finding.message)?;
        }
        Ok(())
    }
}

impl StdError for Error {}

/// Makes an error of the system into one of ours, where it passes.
pub(crate) trait OrError<T> {
    /// Replaces the error with one of this code; the old one becomes the cause.
    fn or_error(self, code: Code, message: impl FnOnce() -> String) -> Result<T, Error>;
}

impl<T, E: StdError> OrError<T> for Result<T, E> {
    fn or_error(self, code: Code, message: impl FnOnce() -> String) -> Result<T, Error> {
        self.map_err(|cause| Error::new(code, message()).because(&cause))
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn causes_follow_the_message() {
        let denied = Err::<(), _>(io::Error::from(io::ErrorKind::PermissionDenied));
        let error = denied
            .or_error(Code::Io, || "cannot write x".to_owned())
            .unwrap_err()
            .help("try another folder")
            .at("x", 3, None);
        assert_eq!(error.exit(), Exit::Surroundings);
        assert_eq!(error.to_string(), "cannot write x");
        assert_eq!(error.causes(), ["permission denied"]);
        let report = error.report("bump");
        let expected = Finding::new(Code::Io, "cannot write x: permission denied")
            .help("try another folder")
            .file("x")
            .line(3);
        assert_eq!(report.findings, [expected]);
        assert!(!report.ok);
    }
}
