//! What an object for macOS has to hold, and what the bridge is told of the overlay.

use object::{Object as _, ObjectSymbol as _};

use super::provided::{NameError, ProvidedFault, check_provided, mangled};

/// What is wrong with an object for macOS.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MacFault {
    /// A provided name.
    #[error(transparent)]
    Provided(#[from] ProvidedFault),
    /// The patched file no longer defines the function that decides about a commit.
    #[error("no commit check is defined: neither {}", CHECKS.map(|(name, _)| name).join(" nor "))]
    NoCheck,
    /// The bridge does not call a provided name.
    #[error("the bridge does not refer to {name}")]
    NotCalled {
        /// The name, as the overlay writes it.
        name: String,
    },
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
pub fn check_device<'a>(
    object: &[u8],
    provides: impl IntoIterator<Item = &'a str>,
) -> Result<(), MacFault> {
    check_provided(object, provides)?;
    let file = read(object)?;
    let is_check = |name: &str| CHECKS.iter().any(|(_, symbol)| name.contains(symbol));
    let mut defined = file.symbols().filter(object::ObjectSymbol::is_definition);
    match defined.any(|symbol| symbol.name().is_ok_and(is_check)) {
        true => Ok(()),
        false => Err(MacFault::NoCheck),
    }
}

/// Checks the bridge's object: it calls each of `provides`, by the name that the linker will look for.
///
/// # Errors
/// The first thing that is wrong.
pub fn check_bridge<'a>(
    object: &[u8],
    provides: impl IntoIterator<Item = &'a str>,
) -> Result<(), MacFault> {
    let file = read(object)?;
    for name in provides {
        let wanted = mangled(name).map_err(ProvidedFault::from)?;
        let is_wanted = |is: &str| is.strip_prefix('_') == Some(&*wanted);
        let mut open = file.symbols().filter(object::ObjectSymbol::is_undefined);
        if !open.any(|symbol| symbol.name().is_ok_and(is_wanted)) {
            return Err(MacFault::NotCalled {
                name: name.to_owned(),
            });
        }
    }
    Ok(())
}

fn read(object: &[u8]) -> Result<object::File<'_>, ProvidedFault> {
    object::File::parse(object).map_err(|error| ProvidedFault::Unreadable {
        why: error.to_string(),
    })
}

/// The header that declares an overlay's setter and getter to the bridge, as its build script makes it.
///
/// # Errors
/// When one is no `namespace::name(int)` or `namespace::name()`.
pub fn bridge_header(setter: &str, getter: &str) -> Result<String, NameError> {
    let (set, get) = (path(setter, "(int)")?, path(getter, "()")?);
    let declared = |result: &str, path: &str, parameters: &str| match path.rsplit_once("::") {
        Some((namespace, name)) => {
            format!("namespace {namespace} {{ {result} {name}{parameters}; }}\n")
        }
        None => format!("{result} {path}{parameters};\n"),
    };
    Ok(format!(
        "#pragma once\n{}{}namespace mlx_bridge::provided {{\n\
         inline void set(int mb) {{ ::{set}(mb); }}\n\
         inline int get() {{ return ::{get}(); }}\n}}\n",
        declared("void", set, "(int)"),
        declared("int", get, "()"),
    ))
}

fn path<'a>(name: &'a str, parameters: &str) -> Result<&'a str, NameError> {
    // Says what a name has to look like.
    mangled(name)?;
    name.strip_suffix(parameters)
        .ok_or_else(|| NameError::of(name))
}
