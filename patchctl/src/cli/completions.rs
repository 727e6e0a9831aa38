//! `patchctl completions`: a shell's completion script.

use clap_complete::Shell;

use super::args::examples;
use crate::report::Error;
use crate::workflow::Output;

/// Print a shell's completion script
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  patchctl completions bash > ~/.local/share/bash-completion/completions/patchctl
  patchctl completions zsh > ~/.zfunc/_patchctl
  patchctl completions fish > ~/.config/fish/completions/patchctl.fish";

/// Gives the script for `cli`, the whole command line.
///
/// # Errors
/// None today; every command has the same form.
pub(super) fn run(args: &CompletionsArgs, mut cli: clap::Command) -> Result<Output, Error> {
    let name = cli.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut cli, name, &mut script);
    Ok(Output::Text(String::from_utf8_lossy(&script).into_owned()))
}
