mod agree;
mod any;
mod cmake;
mod keyed;
mod rewrite;

use super::super::{Config, Pin, PinPlaces};
use super::{PinPlace, PinValue, find};
use crate::report::Finding;

/// The places of a configuration: `pin` is what stands below `pin:`, indented by two.
fn places(pin: &str) -> PinPlaces {
    let text = format!("schema: 1\npin:\n{pin}");
    Config::parse(text.as_bytes()).unwrap().places
}

/// One place in `f`, given by its way and form.
fn place(way: &str) -> PinPlace {
    places(&format!("  authority: {{ file: f, {way} }}\n"))
        .authority
        .unwrap()
}

fn found(way: &str, text: &str) -> Result<PinValue, Box<Finding>> {
    find(&place(way), text.as_bytes())
}

/// The value with its place, `line:column value`, or what is wrong.
fn at(way: &str, text: &str) -> String {
    match found(way, text) {
        Ok(found) => {
            assert_eq!(
                &text.as_bytes()[found.range.clone()],
                found.value.as_bytes()
            );
            format!("{}:{} {}", found.line, found.column, found.value)
        }
        Err(fault) => {
            assert_eq!(fault.file.as_deref(), Some("f"));
            let line = fault.line.map(|line| line.to_string());
            format!("{}: {}", line.as_deref().unwrap_or("-"), fault.message)
        }
    }
}

fn pin(release: &str) -> Pin {
    Pin {
        release: release.to_owned(),
        revision: "1f8e74e3f12f31365464a6867c6579f0e9b29d85".to_owned(),
    }
}
