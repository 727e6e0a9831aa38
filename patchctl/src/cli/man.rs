//! `patchctl man`: the manual pages, one a command.

use camino::Utf8PathBuf;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::args::{examples, folder};
use super::version;
use crate::report::{Code, Error, OrError, Report};
use crate::workflow::{Context, Output};

/// Print the manual page, or write all of them into a folder
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct ManArgs {
    /// Write one page a command into this folder, which is made where it is missing
    #[arg(long, value_name = "DIR", value_parser = folder)]
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
pub(super) fn run(args: &ManArgs, context: &Context, cli: clap::Command) -> Result<Output, Error> {
    // clap's own `help` has no page. Building fills in the names that subcommands are shown by, such as `patchctl-bump`,
    // and hands the global options down.
    let mut cli = cli.disable_help_subcommand(true);
    cli.build();
    let Some(folder) = &args.out else {
        let (_, page) = page(&cli)?;
        return Ok(Output::Text(String::from_utf8_lossy(&page).into_owned()));
    };
    let folder = context.path(folder);
    let mut report = Report::new("man");
    fs_err::create_dir_all(&folder).or_error(Code::Io, || "cannot make the folder".to_owned())?;
    for command in std::iter::once(&cli).chain(cli.get_subcommands()) {
        let (name, page) = page(command)?;
        let path = folder.join(name);
        fs_err::write(&path, page).or_error(Code::Io, || "cannot write the page".to_owned())?;
        report.changed.push(path.into_string());
    }
    Ok(report.into())
}

fn page(command: &clap::Command) -> Result<(String, Vec<u8>), Error> {
    let source = format!("patchctl {}", version::short());
    let man = Man::new(command.clone()).source(source).manual("patchctl");
    let mut page = Vec::new();
    write_page(&man, command, &mut page)
        .or_error(Code::Io, || "cannot render the page".to_owned())?;
    Ok((man.get_filename(), page))
}

/// clap_mangen's own page calls what stands below the options EXTRA and fills its lines.
fn write_page(man: &Man, command: &clap::Command, page: &mut Vec<u8>) -> std::io::Result<()> {
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(page)?;
    }
    let below = command.get_after_long_help();
    sections(&below.map(ToString::to_string).unwrap_or_default()).to_writer(page)
}

/// Paragraphs such as `Examples:` with the lines below as sections with those lines.
fn sections(text: &str) -> Roff {
    let mut roff = Roff::new();
    for paragraph in text.split("\n\n") {
        let Some((heading, lines)) = paragraph.split_once(":\n") else {
            continue;
        };
        roff.control("SH", [heading.to_uppercase().as_str()]);
        // Between these two requests a line stays a line.
        roff.control("nf", []);
        for line in lines.lines() {
            roff.text([roman(line)]);
        }
        roff.control("fi", []);
    }
    roff
}
