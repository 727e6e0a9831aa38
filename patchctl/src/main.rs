//! patchctl: parse, call, render, exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use patchctl::besides::Besides;
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
            let terminal = Terminal::new(&environment, &cli.global);
            let ready = environment.context(&cli.global).and_then(|context| {
                let besides = environment.besides(&cli.global, &context)?;
                Ok((context, besides))
            });
            match ready {
                Ok((context, besides)) => {
                    let answer = cli.command.run(&context);
                    terminal.show(cli.command.name(), &answer, &besides)
                }
                Err(error) => terminal.show(cli.command.name(), &Err(error), &Besides::default()),
            }
        }
        Err(error) => {
            Terminal::for_unparsed(&environment, &arguments).show_clap(&error, &arguments)
        }
    };
    exit.into()
}
