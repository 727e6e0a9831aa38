//! patchctl: parse, call, render, exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use patchctl::bug;
use patchctl::cli::Cli;
use patchctl::environment::Environment;
use patchctl::terminal::Terminal;

fn main() -> ExitCode {
    bug::report_panics();
    let environment = Environment::read();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let exit = match Cli::try_parse_from(&arguments) {
        Ok(cli) => {
            let answer = environment
                .context(&cli.global)
                .and_then(|context| cli.command.run(&context));
            Terminal::new(&environment, &cli.global).show(cli.command.name(), answer)
        }
        Err(error) => {
            Terminal::for_unparsed(&environment, &arguments).show_clap(&error, &arguments)
        }
    };
    exit.into()
}
