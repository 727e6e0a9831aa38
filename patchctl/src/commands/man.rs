//! `patchctl man`: the manual pages, one a command.

use camino::Utf8PathBuf;
use clap_mangen::Man;

use super::args::examples;
use super::{CommandError, Context, Output};
use crate::report::Report;

/// Print the manual page, or write all of them into a folder
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct ManArgs {
    /// Write one page a command into this folder, which is made where it is missing
    #[arg(long, value_name = "DIR")]
    pub out: Option<Utf8PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  patchctl man | man -l -
  patchctl man --out ~/.local/share/man/man1";

/// Gives the main page, or writes the pages of `cli`, the whole command line.
///
/// # Errors
/// When the folder or a page cannot be written.
pub fn run(args: &ManArgs, context: &Context, cli: clap::Command) -> Result<Output, CommandError> {
    let Some(folder) = &args.out else {
        let (_, page) = page(cli)?;
        return Ok(Output::Text(String::from_utf8_lossy(&page).into_owned()));
    };
    let folder = context.path(folder);
    let mut report = Report::new("man");
    fs_err::create_dir_all(&folder).map_err(|source| cannot("make the folder", source))?;
    for command in with_subcommands(cli) {
        let (name, page) = page(command)?;
        let path = folder.join(name);
        fs_err::write(&path, page).map_err(|source| cannot("write the page", source))?;
        report.changed.push(path.into_string());
    }
    Ok(report.into())
}

/// The program's own command and one for each of its commands, named `patchctl-bump` as their pages are.
fn with_subcommands(mut cli: clap::Command) -> Vec<clap::Command> {
    // Fills in the names that subcommands are shown by, and hands the global options down.
    cli.build();
    let subcommands: Vec<_> = cli
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
        .cloned()
        .collect();
    let mut all = vec![cli];
    all.extend(subcommands);
    all
}

fn page(command: clap::Command) -> Result<(String, Vec<u8>), CommandError> {
    let man = Man::new(command);
    let mut page = Vec::new();
    man.render(&mut page)
        .map_err(|source| cannot("render the page", source))?;
    Ok((man.get_filename(), page))
}

fn cannot(what: &str, source: std::io::Error) -> CommandError {
    CommandError::Io {
        what: format!("cannot {what}"),
        source,
    }
}
