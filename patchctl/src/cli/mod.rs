//! The command line: global options, commands, and the way from one to the other.

mod abort_at;
mod apply;
mod args;
pub mod bug;
mod build;
mod bump;
mod completions;
mod diff;
pub mod environment;
mod explain;
mod man;
mod progress;
pub mod report_file;
mod retire;
mod review;
mod schema;
mod status;
pub mod terminal;
mod test;
mod verify;
mod version;

use std::ffi::OsString;

use camino::Utf8PathBuf;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use self::apply::ApplyArgs;
use self::args::{Color, EXIT_STATUS, Format, folder, source};
use self::build::BuildArgs;
use self::bump::BumpArgs;
use self::completions::CompletionsArgs;
use self::diff::DiffArgs;
use self::explain::ExplainArgs;
use self::man::ManArgs;
use self::report_file::ReportFile;
use self::retire::RetireArgs;
use self::review::ReviewArgs;
use self::schema::SchemaArgs;
use self::status::StatusArgs;
use self::test::TestArgs;
use self::verify::VerifyArgs;
use crate::report::Error;
use crate::upstream::SourceSpec;
use crate::workflow::{self, Context, Output};

/// Keep C++ changes alive on top of Apple's MLX, over every release
///
/// patchctl carries a small set of changes (overlays: YAML files with hunks) from one MLX release to the next.
/// It finds the places by their structure, proves that each hunk landed where it means to, and locks the
/// bytes; a hunk that does not land is an error that shows what moved, never a silent loss.
#[derive(Debug, Parser)]
#[command(
    name = "patchctl",
    version = version::short(),
    long_version = version::long(),
    after_long_help = EXIT_STATUS,
    propagate_version = false,
    subcommand_required = true,
    arg_required_else_help = false,
    max_term_width = 100,
)]
pub struct Cli {
    /// Options that every command takes.
    #[command(flatten)]
    pub global: Global,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// Options that every command takes.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// The folder with patchctl.yaml; else the nearest one upwards that holds it
    #[arg(long, global = true, value_name = "DIR", value_parser = folder)]
    pub root: Option<Utf8PathBuf>,

    /// The form of the answer; `json` is one document on standard output and nothing else
    #[arg(long, global = true, value_enum, default_value_t)]
    pub format: Format,

    /// Write the report to FILE too: Markdown by `.md`, JSON by `.json`
    #[arg(long, global = true, value_name = "FILE")]
    pub report: Option<ReportFile>,

    /// When to use colours; `auto` respects NO_COLOR
    #[arg(long, global = true, value_enum, default_value_t)]
    pub color: Color,

    /// Use what is on this machine; never the network
    #[arg(long, global = true)]
    pub offline: bool,

    /// Where MLX comes from: `git:PATH-OR-URL`, `crates` or `dir:PATH`
    ///
    /// May be given several times, in order; replaces the order in patchctl.yaml.
    #[arg(long = "source", global = true, value_name = "SOURCE", value_parser = source)]
    pub sources: Vec<SourceSpec>,
}

impl Global {
    /// The format and the colours that a command line asks for which clap could not understand: an error in
    /// it is answered in the form that was asked for.
    pub fn guess(arguments: &[OsString]) -> Self {
        Self {
            format: guess_value(arguments, "--format").unwrap_or_default(),
            color: guess_value(arguments, "--color").unwrap_or_default(),
            ..Self::default()
        }
    }
}

/// The last `--name value` or `--name=value` that makes sense.
fn guess_value<T: ValueEnum>(arguments: &[OsString], name: &str) -> Option<T> {
    let value = |at: usize| -> Option<&str> {
        let text = arguments[at].to_str()?;
        match text.strip_prefix(name)? {
            "" => arguments.get(at + 1)?.to_str(),
            rest => rest.strip_prefix('='),
        }
    };
    (0..arguments.len())
        .rev()
        .find_map(|at| T::from_str(value(at)?, false).ok())
}

impl Cli {
    /// Parses a command line. Gives the name of its command too, as it is typed and as it stands in JSON.
    ///
    /// # Errors
    /// With what clap has to say: what is wrong with the line, or the help or version that it asks for.
    pub fn parse_named(arguments: &[OsString]) -> Result<(String, Self), clap::Error> {
        let mut command = Self::command();
        let matches = command.try_get_matches_from_mut(arguments)?;
        let name = matches.subcommand_name().unwrap_or("patchctl").to_owned();
        let cli = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        Ok((name, cli))
    }

    /// The command that a command line names which clap could not understand.
    pub fn guess_command(arguments: &[OsString]) -> Option<String> {
        let cli = Self::command();
        let mut words = arguments.iter().skip(1).filter_map(|word| word.to_str());
        words.find_map(|word| Some(cli.find_subcommand(word)?.get_name().to_owned()))
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
#[expect(
    missing_docs,
    reason = "a doc comment here would replace the argument struct's help"
)]
pub enum Command {
    Bump(BumpArgs),
    Review(ReviewArgs),
    Retire(RetireArgs),
    Verify(VerifyArgs),
    Apply(ApplyArgs),
    Build(BuildArgs),
    Test(TestArgs),
    Status(StatusArgs),
    Diff(DiffArgs),
    Explain(ExplainArgs),
    Schema(SchemaArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

impl Command {
    /// Runs the command.
    ///
    /// # Errors
    /// As the command's own `run`.
    pub fn run(&self, context: &Context) -> Result<Output, Error> {
        match self {
            Self::Bump(args) => bump::run(args, context),
            Self::Review(args) => review::run(args, context),
            Self::Retire(args) => retire::run(args, context),
            Self::Verify(args) => verify::run(args, context),
            Self::Apply(args) => apply::run(args, context),
            Self::Build(args) => build::run(args, context),
            Self::Test(args) => test::run(args, context),
            Self::Status(args) => {
                workflow::status::run(args.check, args.upstream, &args.require, context)
            }
            Self::Diff(args) => {
                let lines = args.context.unwrap_or_default();
                workflow::diff::run(args.mlx.as_deref(), lines, context)
            }
            Self::Explain(args) => explain::run(args),
            Self::Schema(args) => schema::run(args),
            Self::Completions(args) => completions::run(args, Cli::command()),
            Self::Man(args) => man::run(args, context, Cli::command()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn format_and_command_of_a_wrong_line() {
        let format = |line| Global::guess(&words(line)).format;
        assert_eq!(
            format("patchctl verify --format json --nonsense"),
            Format::Json
        );
        assert_eq!(format("patchctl --format=json"), Format::Json);
        assert_eq!(format("patchctl --format xml"), Format::Human);
        assert_eq!(format("patchctl --format"), Format::Human);
        let command = |line| Cli::guess_command(&words(line));
        assert_eq!(
            command("patchctl --nonsense verify --x").as_deref(),
            Some("verify")
        );
        assert_eq!(command("patchctl bmp"), None);
    }
}
