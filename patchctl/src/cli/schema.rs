//! `patchctl schema`: the JSON Schema of a YAML file, for editors.

use super::args::examples;

use crate::report::Error;
use crate::verify::decode::decode_schema;
use crate::workflow::Output;
use crate::yaml::reference;
use crate::{overlay, workspace};

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

    /// The same as a page for readers, in Markdown
    #[arg(long)]
    pub markdown: bool,
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
    /// What `test --decode` reads
    Decode,
}

const EXAMPLES: &str = "\
Examples:
  patchctl schema > overlays/schema.json
  patchctl schema --markdown > docs/reference/overlay.md
  patchctl schema config";

/// Gives the schema, which is JSON in either format, or its page.
///
/// # Errors
/// None.
pub(super) fn run(args: &SchemaArgs) -> Result<Output, Error> {
    let (word, file, schema) = match args.of {
        SchemaOf::Overlay => ("overlay", "an overlay", overlay::schema()),
        SchemaOf::Pins => ("pins", "`pins.yaml`", workspace::pins_schema()),
        SchemaOf::Config => ("config", "`patchctl.yaml`", workspace::config_schema()),
        SchemaOf::Decode => ("decode", "a decode model", decode_schema()),
    };
    if args.markdown {
        let title = format!("The keys of {file}");
        let intro = format!(
            "Made from the schema by `patchctl schema {word} --markdown`; unknown keys are errors."
        );
        return Ok(Output::Text(reference(&schema, &title, &intro)));
    }
    Ok(Output::Document(format!("{schema:#}\n")))
}
