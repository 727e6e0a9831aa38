//! The names that an overlay provides, and the commit check, as an object file has them.
//!
//! MLX is built with hidden symbols since 0.30.4: a function that is not said to be visible is there and cannot be
//! called from outside.

use camino::Utf8PathBuf;
use object::{Object as _, ObjectSymbol as _, SymbolScope};

use crate::toolchain::{self, ToolError};

/// A fault of a provided name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ProvidedFault {
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
fn check_provided(object: &[u8], name: &str) -> Result<(), ProvidedFault> {
    match scope(object, true, is_function(name)?)? {
        None => Err(ProvidedFault::Missing(name.to_owned())),
        Some(SymbolScope::Dynamic) => Ok(()),
        Some(_) => Err(ProvidedFault::Hidden(name.to_owned())),
    }
}

/// Returns the scope of the first symbol of that name that an object defines, or refers to without a definition.
fn scope(
    object: &[u8],
    is_defined: bool,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Option<SymbolScope>, ProvidedFault> {
    let unreadable = |error: object::Error| ProvidedFault::Unreadable(error.to_string());
    let file = object::File::parse(object).map_err(unreadable)?;
    let mut symbols = file.symbols().filter(|symbol| match is_defined {
        true => symbol.is_definition(),
        false => symbol.is_undefined(),
    });
    let symbol = symbols.find(|symbol| symbol.name().is_ok_and(&is_wanted));
    Ok(symbol.map(|symbol| symbol.scope()))
}

/// Tells the symbol of a function. Mach-O puts an underscore before every name.
fn is_function(name: &str) -> Result<impl Fn(&str) -> bool + use<>, ProvidedFault> {
    let wanted = mangled(name).ok_or_else(|| ProvidedFault::NoFunction(name.to_owned()))?;
    Ok(move |is: &str| is == wanted || is.strip_prefix('_') == Some(&*wanted))
}

/// Returns the fault of a provided name in all objects of the patched files; none where one of them has it.
///
/// # Errors
/// When an object cannot be read.
pub(super) fn not_provided(
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
fn mangled(name: &str) -> Option<String> {
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

/// The commit check as releases call it, and the part of its symbol that says so.
const CHECKS: [(&str, &str); 2] = [
    (
        "CommandEncoder::needs_commit",
        "5metal14CommandEncoder12needs_commitE",
    ),
    (
        "Device::command_buffer_needs_commit",
        "5metal6Device27command_buffer_needs_commitE",
    ),
];

/// Checks the object of the file that the commit check is in: it defines that, and each of `provides` for others to
/// call.
///
/// # Errors
/// The first thing that is wrong.
pub(super) fn check_device<'a>(
    object: &[u8],
    provides: impl IntoIterator<Item = &'a str>,
) -> Result<(), String> {
    for name in provides {
        check_provided(object, name).map_err(|fault| fault.to_string())?;
    }
    let is_check = |name: &str| CHECKS.iter().any(|(_, symbol)| name.contains(symbol));
    match scope(object, true, is_check).map_err(|fault| fault.to_string())? {
        Some(_) => Ok(()),
        None => Err(format!(
            "no commit check is defined: neither {}",
            CHECKS.map(|(name, _)| name).join(" nor ")
        )),
    }
}

/// Checks the bridge's object: it calls each of `provides`, by the name that the linker will look for.
///
/// # Errors
/// The first thing that is wrong.
pub(super) fn check_bridge<'a>(
    object: &[u8],
    provides: impl IntoIterator<Item = &'a str>,
) -> Result<(), String> {
    for name in provides {
        let found = scope(
            object,
            false,
            is_function(name).map_err(|it| it.to_string())?,
        );
        if found.map_err(|fault| fault.to_string())?.is_none() {
            return Err(format!("the bridge does not refer to {name}"));
        }
    }
    Ok(())
}

/// Writes the header that declares an overlay's setter and getter to the bridge, as its build script makes it. `None` where
/// one is no `namespace::name(int)` or `namespace::name()`.
pub(super) fn bridge_header(setter: &str, getter: &str) -> Option<String> {
    let (set, get) = (path(setter, "(int)")?, path(getter, "()")?);
    let declared = |result: &str, path: &str, parameters: &str| match path.rsplit_once("::") {
        Some((namespace, name)) => {
            format!("namespace {namespace} {{ {result} {name}{parameters}; }}\n")
        }
        None => format!("{result} {path}{parameters};\n"),
    };
    Some(format!(
        "#pragma once\n{}{}namespace mlx_bridge::provided {{\n\
         inline void set(int mb) {{ ::{set}(mb); }}\n\
         inline int get() {{ return ::{get}(); }}\n}}\n",
        declared("void", set, "(int)"),
        declared("int", get, "()"),
    ))
}

fn path<'a>(name: &'a str, parameters: &str) -> Option<&'a str> {
    mangled(name)?;
    name.strip_suffix(parameters)
}

#[cfg(test)]
mod tests;
