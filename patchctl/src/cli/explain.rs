//! `patchctl explain`: what a finding's code means.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};

use super::args::examples;
use crate::report::{Error, Page, Report, findings_page};
use crate::workflow::Output;

/// Explain a finding's code, or list all codes
///
/// Prints what the code means and what to do. docs/findings.md has the same text.
#[derive(Debug, clap::Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct ExplainArgs {
    /// The code, as a report shows it in brackets
    #[arg(value_parser = CodeParser, hide_possible_values = true)]
    code: Option<&'static Page>,

    /// Print all codes as a page for readers, in Markdown
    #[arg(long, conflicts_with = "code")]
    markdown: bool,
}

const EXAMPLES: &str = "\
Examples:
  patchctl explain premise-failed
  patchctl explain
  patchctl explain --markdown > docs/findings.md";

/// Takes a finding's code. Completion offers all of them; an error names only the nearest.
#[derive(Clone)]
struct CodeParser;

impl TypedValueParser for CodeParser {
    type Value = &'static Page;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        if let Some(page) = value.to_str().and_then(Page::of) {
            return Ok(page);
        }
        let codes = PossibleValuesParser::new(Page::all().map(|page| page.code));
        let refused = codes.parse_ref(command, argument, value);
        let mut error = refused.err().unwrap_or_else(|| {
            clap::Error::new(clap::error::ErrorKind::InvalidValue).with_cmd(command)
        });
        error.remove(ContextKind::ValidValue);
        if error.get(ContextKind::SuggestedValue).is_none() {
            let tip = "`patchctl explain` lists all codes".into();
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
        }
        Err(error)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let codes = Page::all().map(|page| PossibleValue::new(page.code));
        Some(Box::new(codes))
    }
}

/// Gives the page of the code, or all.
///
/// # Errors
/// None; clap refuses a code that there is not.
pub(super) fn run(args: &ExplainArgs) -> Result<Output, Error> {
    if args.markdown {
        return Ok(Output::Text(findings_page()));
    }
    let codes = match args.code {
        Some(page) => vec![page],
        None => Page::all().collect(),
    };
    let report = Report {
        codes,
        ..Report::new("explain")
    };
    Ok(report.into())
}
