//! The files that a report is also written to: the file of `--report`, and a step's summary in GitHub Actions.

use std::io::{self, Write};
use std::str::FromStr;

use camino::{Utf8Path, Utf8PathBuf};

use super::Global;
use super::args::Format;
use super::environment::Environment;
use crate::report::{Code, Error, OrError};
use crate::workflow::Context;

/// `--report FILE`: the form is in the name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportFile {
    path: Utf8PathBuf,
    format: Format,
}

impl FromStr for ReportFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = Utf8PathBuf::from(text);
        let format = match path.extension() {
            Some("md") => Format::Markdown,
            Some("json") => Format::Json,
            _ => return Err("a report's name ends in `.md` (Markdown) or `.json`".to_owned()),
        };
        Ok(Self { path, format })
    }
}

/// The files that an answer is written to, and the folders that its paths are relative to.
#[derive(Debug, Clone, Default)]
pub struct ReportFiles {
    report: Option<ReportFile>,
    summary: Option<Utf8PathBuf>,
    root: Option<Utf8PathBuf>,
    workspace: Option<Utf8PathBuf>,
}

impl ReportFiles {
    /// Looks whether the report can be written, before any work is done for it.
    ///
    /// # Errors
    /// When it cannot.
    pub fn new(
        environment: &Environment,
        global: &Global,
        context: &Context,
    ) -> Result<Self, Error> {
        let report = global.report.as_ref().map(|report| ReportFile {
            path: context.path(&report.path),
            format: report.format,
        });
        if let Some(report) = &report {
            probe(&report.path).or_error(Code::Io, || {
                format!("the report {} cannot be written", report.path)
            })?;
        }
        let (summary, workspace) = (&environment.step_summary, &environment.workspace);
        let root = context.root().ok();
        Ok(Self {
            report,
            summary: summary.clone().filter(|_| global.format == Format::Github),
            workspace: workspace.clone().or_else(|| root.clone()),
            root,
        })
    }

    /// The path, as seen from the workspace, of a file of the repository; `None` for one that is not in it.
    pub fn in_workspace(&self, file: &str) -> Option<String> {
        let path = self.root.as_ref()?.join(file);
        let relative = path.strip_prefix(self.workspace.as_ref()?).ok()?;
        path.is_file().then(|| relative.to_string())
    }

    /// Writes what `render` makes of each form, and gives what could not be written.
    pub fn write(
        &self,
        render: &dyn Fn(Format) -> Result<String, serde_json::Error>,
    ) -> Vec<Unwritten> {
        let mut unwritten = Vec::new();
        let mut note = |written: io::Result<()>, what: String, asked_for| {
            let error = written.err();
            unwritten.extend(error.map(|error| Unwritten {
                error: Error::new(Code::Io, what).because(&error),
                asked_for,
            }));
        };
        let text = |format| render(format).map_err(io::Error::from);
        if let Some(ReportFile { path, format }) = &self.report {
            let written = text(*format).and_then(|text| replace(path, &text));
            note(
                written,
                format!("the report {path} cannot be written"),
                true,
            );
        }
        if let Some(path) = &self.summary {
            let written = text(Format::Markdown).and_then(|text| append(path, &text));
            let what = "the step's summary cannot be written".to_owned();
            note(written, what, false);
        }
        unwritten
    }
}

/// A file that could not be written.
#[derive(Debug)]
pub struct Unwritten {
    /// The file and the cause.
    pub error: Error,
    /// True if the user named the file.
    pub asked_for: bool,
}

fn folder_of(path: &Utf8Path) -> &Utf8Path {
    path.parent().unwrap_or(Utf8Path::new("."))
}

/// Makes a file beside it and takes it away again: the folder is there and can be written.
fn probe(path: &Utf8Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    unfinished(path).map(drop)
}

/// A file beside `path` that goes away unless it is given its name.
fn unfinished(path: &Utf8Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".patchctl-report-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any file that a program makes; the umask takes from it.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder_of(path))
}

/// Whole or not at all: a reader sees the old file or the new one.
fn replace(path: &Utf8Path, text: &str) -> io::Result<()> {
    let mut file = unfinished(path)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn append(path: &Utf8Path, text: &str) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    let mut file = options.append(true).create(true).open(path)?;
    file.write_all(format!("{text}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_in_the_name() {
        let format = |text: &str| text.parse::<ReportFile>().map(|it| it.format);
        assert_eq!(format("out/bump.md"), Ok(Format::Markdown));
        assert_eq!(format("bump.json"), Ok(Format::Json));
        for wrong in ["bump", "bump.txt", ".md", "bump.MD", ""] {
            assert!(format(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn report_replaces_the_old_one_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().join("r.md")).unwrap();
        replace(&path, "a long one\n").unwrap();
        probe(&path).unwrap();
        replace(&path, "short\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "short\n");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn unwritable_report_is_known_before() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        assert!(probe(&folder.join("absent/r.md")).is_err());
        std::fs::create_dir(folder.join("r.md")).unwrap();
        assert!(probe(&folder.join("r.md")).is_err());
    }

    #[test]
    fn only_workspace_files_have_a_path_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        std::fs::create_dir_all(folder.join("sub/overlays")).unwrap();
        std::fs::write(folder.join("sub/overlays/a.yaml"), "").unwrap();
        let files = ReportFiles {
            root: Some(folder.join("sub")),
            workspace: Some(folder.to_owned()),
            ..ReportFiles::default()
        };
        let path = |file| files.in_workspace(file);
        assert_eq!(
            path("overlays/a.yaml"),
            Some("sub/overlays/a.yaml".to_owned())
        );
        assert_eq!(path("mlx/device.cpp"), None);
        assert_eq!(path("/etc/passwd"), None);
    }
}
