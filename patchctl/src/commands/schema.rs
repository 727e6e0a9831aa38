//! `patchctl schema`: the JSON Schema of a YAML file, for editors.

use super::args::examples;
use super::{CommandError, Output};
use crate::{overlay, pins};

/// Print the JSON Schema of a YAML file, for editors
///
/// Editors with a YAML language server read it through a first line such as
/// `# yaml-language-server: $schema=../schema.json`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct SchemaArgs {
    /// Which file's
    #[arg(value_enum, default_value_t)]
    pub of: SchemaOf,
}

/// The YAML files that a person writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum SchemaOf {
    /// An overlay
    #[default]
    Overlay,
    /// pins.yaml
    Pins,
    /// patchctl.yaml
    Config,
}

const EXAMPLES: &str = "\
Examples:
  patchctl schema > overlays/schema.json
  patchctl schema config";

/// Gives the schema, which is JSON in either format.
///
/// # Errors
/// None.
pub fn run(args: &SchemaArgs) -> Result<Output, CommandError> {
    let schema = match args.of {
        SchemaOf::Overlay => overlay::schema(),
        SchemaOf::Pins => pins::pins_schema(),
        SchemaOf::Config => pins::config_schema(),
    };
    Ok(Output::Document(format!("{schema:#}\n")))
}
