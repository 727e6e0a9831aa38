//! Prints answers to standard output and standard error, in the form that was asked for.

use std::ffi::OsString;
use std::io::{ErrorKind, Write};

use anstream::{AutoStream, ColorChoice};

use super::args::Format;
use super::environment::Environment;
use super::report_file::ReportFiles;
use crate::cli::{Cli, Global};
use crate::report::{
    Code, Error, Exit, Finding, Report, render_diff, render_error, render_github,
    render_github_text, render_human, render_json, render_json_text, render_markdown,
    render_markdown_text,
};
use crate::workflow::Output;

/// The two streams and the form that was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    format: Format,
    stdout: ColorChoice,
    stderr: ColorChoice,
}

impl Terminal {
    /// As the command line and the environment want it.
    pub fn new(environment: &Environment, global: &Global) -> Self {
        Self {
            format: global.format,
            stdout: environment.stdout_colors(global.color),
            stderr: environment.stderr_colors(global.color),
        }
    }

    /// Prints a command's answer or error, writes it where else it should go, and says how to end.
    pub fn show(&self, command: &str, answer: &Result<Output, Error>, files: &ReportFiles) -> Exit {
        let exit = match answer {
            Ok(Output::Report { exit, .. }) => *exit,
            Ok(_) => Exit::Success,
            Err(error) => {
                self.explain(error);
                error.exit()
            }
        };
        let place = |file: &str| files.in_workspace(file);
        let form = |format| rendered(format, command, answer, &place);
        let mut exit = match (self.format, answer) {
            (Format::Human, Err(_)) => exit,
            (format, _) => self.print(form(format), exit),
        };
        for it in files.write(&form) {
            self.complain(&render_error(&it.error));
            if it.asked_for {
                exit = exit.and(Exit::Surroundings);
            }
        }
        exit
    }

    /// Says on standard error why there is no answer. GitHub Actions reads that stream too, and has the error from
    /// the other one.
    fn explain(&self, error: &Error) {
        if self.format != Format::Github {
            self.complain(&render_error(error));
        }
    }

    /// Prints what clap has to say: help and version, or what is wrong with the command line.
    pub fn show_clap(&self, error: &clap::Error, arguments: &[OsString]) -> Exit {
        let rendered = error.render();
        if !error.use_stderr() {
            // clap ends the help with a line feed and the version without one.
            let text = rendered.ansi().to_string();
            return self.print(Ok(format!("{}\n", text.trim_end())), Exit::Success);
        }
        if self.format != Format::Github {
            self.complain(&rendered.ansi().to_string());
        }
        let text = rendered.to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        let (message, help) = match error.kind() {
            clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                ("no command was given", text)
            }
            _ => text.split_once("\n\n").unwrap_or((text, "")),
        };
        let command = Cli::guess_command(arguments);
        let report = Report {
            ok: false,
            findings: vec![
                Finding::new(Code::Usage, message.trim().to_owned())
                    .help(Some(help.trim().to_owned()).filter(|help| !help.is_empty())),
            ],
            ..Report::new(command.as_deref().unwrap_or("patchctl"))
        };
        match self.format {
            Format::Human => Exit::Usage,
            format => self.print(of_report(format, &report, &|_| None), Exit::Usage),
        }
    }

    /// Writes to standard output. A reader that has gone away (`patchctl status | head -1`) has read what it
    /// wanted: that is no error and changes no status.
    fn print(&self, text: Result<String, serde_json::Error>, exit: Exit) -> Exit {
        let written = text.map_err(std::io::Error::from).and_then(|text| {
            let mut stream = AutoStream::new(std::io::stdout(), self.stdout).lock();
            stream.write_all(text.as_bytes())?;
            stream.flush()
        });
        match written {
            Ok(()) => exit,
            Err(error) if error.kind() == ErrorKind::BrokenPipe => exit,
            Err(error) => {
                let failed = Error::new(Code::Io, "cannot write to standard output");
                self.complain(&render_error(&failed.because(&error)));
                exit.and(Exit::Surroundings)
            }
        }
    }

    fn complain(&self, text: &str) {
        // A stream that is gone cannot be told so.
        let _ = AutoStream::new(std::io::stderr(), self.stderr).write_all(text.as_bytes());
    }
}

/// An answer or error in a form.
fn rendered(
    format: Format,
    command: &str,
    answer: &Result<Output, Error>,
    place: &dyn Fn(&str) -> Option<String>,
) -> Result<String, serde_json::Error> {
    let (text, language) = match answer {
        Ok(Output::Report { report, .. }) => return of_report(format, report, place),
        Err(error) => return of_report(format, &error.report(command), place),
        Ok(Output::Document(text)) => (text, "json"),
        Ok(Output::Diff(text)) => (text, "diff"),
        Ok(Output::Text(text)) => (text, ""),
    };
    let is_document = matches!(answer, Ok(Output::Document(_)));
    Ok(match format {
        Format::Markdown => render_markdown_text(command, text, language),
        Format::Human | Format::Json | Format::Github if is_document => text.clone(),
        Format::Json => return render_json_text(command, text),
        Format::Github => render_github_text(text),
        Format::Human if language == "diff" => render_diff(text),
        Format::Human => text.clone(),
    })
}

fn of_report(
    format: Format,
    report: &Report,
    place: &dyn Fn(&str) -> Option<String>,
) -> Result<String, serde_json::Error> {
    match format {
        Format::Human => Ok(render_human(report)),
        Format::Json => render_json(report),
        Format::Github => Ok(render_github(report, place)),
        Format::Markdown => Ok(render_markdown(report)),
    }
}
