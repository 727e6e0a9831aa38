//! patchctl: parse, call, render, exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use patchctl::cli::bug;
use patchctl::cli::environment::Environment;
use patchctl::cli::report_file::ReportFiles;
use patchctl::cli::terminal::Terminal;
use patchctl::cli::{Cli, Global};
use patchctl::toolchain::watcher;

fn main() -> ExitCode {
    let mut given = std::env::args_os().skip(1);
    if given.next().is_some_and(|first| first == watcher::WATCH) {
        watcher::serve(std::io::stdin().lock());
        return ExitCode::SUCCESS;
    }
    if let Ok(program) = std::env::current_exe() {
        watcher::enable(program);
    }
    bug::report_panics();
    let environment = Environment::read();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let exit = match Cli::parse_named(&arguments) {
        Ok((name, cli)) => {
            let terminal = Terminal::new(&environment, &cli.global);
            let ready = environment.context(&cli.global).and_then(|context| {
                let files = ReportFiles::new(&environment, &cli.global, &context)?;
                Ok((context, files))
            });
            match ready {
                Ok((context, files)) => {
                    let answer = cli.command.run(&context);
                    terminal.show(&name, &answer, &files)
                }
                Err(error) => terminal.show(&name, &Err(error), &ReportFiles::default()),
            }
        }
        Err(error) => {
            Terminal::new(&environment, &Global::guess(&arguments)).show_clap(&error, &arguments)
        }
    };
    exit.into()
}
