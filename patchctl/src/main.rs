//! patchctl: parse, call, render, exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use patchctl::cli::Cli;
use patchctl::cli::bug;
use patchctl::cli::environment::Environment;
use patchctl::cli::report_file::ReportFiles;
use patchctl::cli::terminal::Terminal;

fn main() -> ExitCode {
    bug::report_panics();
    let environment = Environment::read();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let exit = match Cli::try_parse_from(&arguments) {
        Ok(cli) => {
            let terminal = Terminal::new(&environment, &cli.global);
            let ready = environment.context(&cli.global).and_then(|context| {
                let files = environment.report_files(&cli.global, &context)?;
                Ok((context, files))
            });
            match ready {
                Ok((context, files)) => {
                    let answer = cli.command.run(&context);
                    terminal.show(cli.command.name(), &answer, &files)
                }
                Err(error) => {
                    terminal.show(cli.command.name(), &Err(error), &ReportFiles::default())
                }
            }
        }
        Err(error) => {
            Terminal::for_unparsed(&environment, &arguments).show_clap(&error, &arguments)
        }
    };
    exit.into()
}
