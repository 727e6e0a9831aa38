//! What an object for macOS has to hold, and what the bridge is told of the overlay.

use object::{Object as _, ObjectSymbol as _};

use super::provided::{ProvidedFault, check_provided, mangled, read};

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
pub(in crate::verify) fn check_device<'a>(
    object: &[u8],
    provides: impl IntoIterator<Item = &'a str>,
) -> Result<(), String> {
    for name in provides {
        check_provided(object, name).map_err(|fault| fault.to_string())?;
    }
    let file = read(object).map_err(|fault| fault.to_string())?;
    let is_check = |name: &str| CHECKS.iter().any(|(_, symbol)| name.contains(symbol));
    let mut defined = file.symbols().filter(object::ObjectSymbol::is_definition);
    match defined.any(|symbol| symbol.name().is_ok_and(is_check)) {
        true => Ok(()),
        false => Err(format!(
            "no commit check is defined: neither {}",
            CHECKS.map(|(name, _)| name).join(" nor ")
        )),
    }
}

/// Checks the bridge's object: it calls each of `provides`, by the name that the linker will look for.
///
/// # Errors
/// The first thing that is wrong.
pub(in crate::verify) fn check_bridge<'a>(
    object: &[u8],
    provides: impl IntoIterator<Item = &'a str>,
) -> Result<(), String> {
    let file = read(object).map_err(|fault| fault.to_string())?;
    for name in provides {
        let wanted =
            mangled(name).ok_or_else(|| ProvidedFault::NoFunction(name.to_owned()).to_string())?;
        let is_wanted = |is: &str| is.strip_prefix('_') == Some(&*wanted);
        let mut open = file.symbols().filter(object::ObjectSymbol::is_undefined);
        if !open.any(|symbol| symbol.name().is_ok_and(is_wanted)) {
            return Err(format!("the bridge does not refer to {name}"));
        }
    }
    Ok(())
}

/// Writes the header that declares an overlay's setter and getter to the bridge, as its build script makes it. `None` where
/// one is no `namespace::name(int)` or `namespace::name()`.
pub(in crate::verify) fn bridge_header(setter: &str, getter: &str) -> Option<String> {
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
