//! The names that an overlay provides, as an object file has them.
//!
//! MLX is built with hidden symbols since 0.30.4: a function that is not said to be visible is there and cannot be
//! called from outside.

use camino::Utf8PathBuf;
use object::{Object as _, ObjectSymbol as _, SymbolScope};

use crate::toolchain::{self, ToolError};

/// A fault of a provided name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(in crate::verify) enum ProvidedFault {
    /// The object does not define it.
    #[error("{0} is not defined")]
    Missing(String),
    /// It is defined, and nobody outside can call it.
    #[error("{0} is defined and hidden: say that it is visible")]
    Hidden(String),
    /// It is no name of a function.
    #[error("'{0}' is no function that can be looked for: write namespace::name(int, bool)")]
    NoFunction(String),
    /// The object cannot be read.
    #[error("the object file cannot be read: {0}")]
    Unreadable(String),
}

/// Checks that an object (ELF or Mach-O) defines a name for others to call.
///
/// # Errors
/// When it does not.
pub(super) fn check_provided(object: &[u8], name: &str) -> Result<(), ProvidedFault> {
    let file = read(object)?;
    let wanted = mangled(name).ok_or_else(|| ProvidedFault::NoFunction(name.to_owned()))?;
    // Mach-O puts an underscore before every name.
    let is_wanted = |is: &str| is == wanted || is.strip_prefix('_') == Some(&*wanted);
    let symbol = file
        .symbols()
        .find(|symbol| symbol.is_definition() && symbol.name().is_ok_and(is_wanted));
    match symbol.map(|symbol| symbol.scope()) {
        None => Err(ProvidedFault::Missing(name.to_owned())),
        Some(SymbolScope::Dynamic) => Ok(()),
        Some(_) => Err(ProvidedFault::Hidden(name.to_owned())),
    }
}

pub(super) fn read(object: &[u8]) -> Result<object::File<'_>, ProvidedFault> {
    object::File::parse(object).map_err(|error| ProvidedFault::Unreadable(error.to_string()))
}

/// Returns the fault of a provided name in all objects of the patched files; none where one of them has it.
///
/// # Errors
/// When an object cannot be read.
pub(in crate::verify) fn not_provided(
    objects: &[Utf8PathBuf],
    name: &str,
) -> Result<Option<ProvidedFault>, ToolError> {
    let mut fault = ProvidedFault::Missing(name.to_owned());
    for object in objects {
        match check_provided(&toolchain::read(object)?, name) {
            Ok(()) => return Ok(None),
            Err(ProvidedFault::Missing(_)) => {}
            // Defined, and hidden: that says more than that another object lacks it.
            Err(other) => fault = other,
        }
    }
    Ok(Some(fault))
}

/// Returns a function's name as the linker sees it (Itanium C++ ABI), for plain functions of built-in types.
pub(super) fn mangled(name: &str) -> Option<String> {
    let (path, rest) = name.split_once('(')?;
    let parameters = rest.strip_suffix(')')?.trim();
    let parts: Vec<&str> = path.split("::").collect();
    let is_word = |part: &&str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if !parts.iter().all(is_word) {
        return None;
    }
    let lengths = parts.iter().map(|part| format!("{}{part}", part.len()));
    let lengths: String = lengths.collect();
    let mut symbol = match parts.len() {
        1 => format!("_Z{lengths}"),
        _ => format!("_ZN{lengths}E"),
    };
    if parameters.is_empty() {
        symbol.push('v');
    } else {
        for parameter in parameters.split(',') {
            symbol.push(code_of(parameter.trim())?);
        }
    }
    Some(symbol)
}

fn code_of(built_in: &str) -> Option<char> {
    Some(match built_in {
        "void" => 'v',
        "bool" => 'b',
        "char" => 'c',
        "int" => 'i',
        "unsigned" | "unsigned int" => 'j',
        "long" => 'l',
        "unsigned long" => 'm',
        "float" => 'f',
        "double" => 'd',
        _ => return None,
    })
}
