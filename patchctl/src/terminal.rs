//! Where answers are printed: what goes to standard output, what to standard error, and in which form.

use std::ffi::OsString;
use std::io::{ErrorKind, Write};

use anstream::{AutoStream, ColorChoice};

use crate::cli::{Cli, Global};
use crate::commands::{CommandError, Format, Output};
use crate::environment::Environment;
use crate::exit::Exit;
use crate::report::{
    Finding, Report, render_diff, render_error, render_findings, render_human, render_json,
    render_json_text,
};

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

    /// For a command line that could not be understood: what can be read from it all the same.
    pub fn for_unparsed(environment: &Environment, arguments: &[OsString]) -> Self {
        Self::new(environment, &Global::guess(arguments))
    }

    /// Prints a command's answer or error, and says how to end.
    pub fn show(&self, command: &str, answer: Result<Output, CommandError>) -> Exit {
        match answer {
            Ok(Output::Report { report, exit }) => {
                let text = match self.format {
                    Format::Human => Ok(render_human(&report)),
                    Format::Json => render_json(&report),
                };
                self.print(text, exit)
            }
            Ok(Output::Text(text)) => self.show_text(command, &text, str::to_owned),
            Ok(Output::Diff(text)) => self.show_text(command, &text, render_diff),
            Ok(Output::Document(text)) => self.print(Ok(text), Exit::Success),
            Err(error) => {
                let text = match &error {
                    // Each points at its line of a file.
                    CommandError::Faults(_) | CommandError::Places(_) => {
                        render_findings(&error.findings())
                    }
                    other => {
                        render_error(&other.to_string(), &other.causes(), other.help().as_deref())
                    }
                };
                self.complain(&text);
                self.document_of_error(&error.report(command), error.exit())
            }
        }
    }

    fn show_text(&self, command: &str, text: &str, for_people: fn(&str) -> String) -> Exit {
        let text = match self.format {
            Format::Human => Ok(for_people(text)),
            Format::Json => render_json_text(command, text),
        };
        self.print(text, Exit::Success)
    }

    /// Prints what clap has to say: help and version, or what is wrong with the command line.
    pub fn show_clap(&self, error: &clap::Error, arguments: &[OsString]) -> Exit {
        let rendered = error.render();
        if !error.use_stderr() {
            // clap ends the help with a line feed and the version without one.
            let text = rendered.ansi().to_string();
            return self.print(Ok(format!("{}\n", text.trim_end())), Exit::Success);
        }
        self.complain(&rendered.ansi().to_string());
        let text = rendered.to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        let (message, help) = match error.kind() {
            clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                ("no command was given", text)
            }
            _ => text.split_once("\n\n").unwrap_or((text, "")),
        };
        let report = Report {
            ok: false,
            findings: vec![Finding {
                code: "usage".to_owned(),
                message: message.trim().to_owned(),
                help: Some(help.trim().to_owned()).filter(|help| !help.is_empty()),
                ..Finding::default()
            }],
            ..Report::new(Cli::guess_command(arguments).unwrap_or("patchctl"))
        };
        self.document_of_error(&report, Exit::Usage)
    }

    fn document_of_error(&self, report: &Report, exit: Exit) -> Exit {
        match self.format {
            Format::Human => exit,
            Format::Json => self.print(render_json(report), exit),
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
                let causes = [error.to_string()];
                self.complain(&render_error(
                    "cannot write to standard output",
                    &causes,
                    None,
                ));
                exit.and(Exit::Surroundings)
            }
        }
    }

    fn complain(&self, text: &str) {
        // A stream that is gone cannot be told so.
        let _ = AutoStream::new(std::io::stderr(), self.stderr).write_all(text.as_bytes());
    }
}
