//! The names that an overlay provides, as an object file has them.
//!
//! MLX is built with hidden symbols since 0.30.4: a function that is not said to be visible is there and cannot be
//! called from outside.

use camino::Utf8PathBuf;
use object::{Object as _, ObjectSymbol as _, SymbolScope};

use crate::toolchain::ToolError;

/// A provided name that cannot be looked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{name}' is no function that can be looked for: write namespace::name(int, bool)")]
pub struct NameError {
    name: String,
}

impl NameError {
    pub(super) fn of(name: &str) -> Self {
        Self {
            name: name.to_owned(),
        }
    }
}

/// What is wrong with a provided name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProvidedFault {
    /// The object does not define it.
    #[error("{name} is not defined")]
    Missing {
        /// The name, as the overlay writes it.
        name: String,
    },
    /// It is defined, and nobody outside can call it.
    #[error("{name} is defined and hidden: say that it is visible")]
    Hidden {
        /// The name, as the overlay writes it.
        name: String,
    },
    /// It is no name of a function.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The object cannot be read.
    #[error("the object file cannot be read: {why}")]
    Unreadable {
        /// Why.
        why: String,
    },
}

/// Checks that an object (ELF or Mach-O) defines each of `names` for others to call.
///
/// # Errors
/// The first thing that is wrong.
pub fn check_provided<'a>(
    object: &[u8],
    names: impl IntoIterator<Item = &'a str>,
) -> Result<(), ProvidedFault> {
    let file = object::File::parse(object).map_err(|error| ProvidedFault::Unreadable {
        why: error.to_string(),
    })?;
    for name in names {
        let wanted = mangled(name)?;
        // Mach-O puts an underscore before every name.
        let is_wanted = |is: &str| is == wanted || is.strip_prefix('_') == Some(&*wanted);
        let symbol = file
            .symbols()
            .find(|symbol| symbol.is_definition() && symbol.name().is_ok_and(is_wanted));
        let Some(symbol) = symbol else {
            return Err(ProvidedFault::Missing {
                name: name.to_owned(),
            });
        };
        if symbol.scope() != SymbolScope::Dynamic {
            return Err(ProvidedFault::Hidden {
                name: name.to_owned(),
            });
        }
    }
    Ok(())
}

/// What is wrong with a provided name in all objects of the patched files; none where one of them has it.
///
/// # Errors
/// When an object cannot be read.
pub fn not_provided(
    objects: &[Utf8PathBuf],
    name: &str,
) -> Result<Option<ProvidedFault>, ToolError> {
    let mut fault = ProvidedFault::Missing {
        name: name.to_owned(),
    };
    for object in objects {
        let bytes = fs_err::read(object).map_err(|error| ToolError::unusable(object, &error))?;
        match check_provided(&bytes, [name]) {
            Ok(()) => return Ok(None),
            Err(ProvidedFault::Missing { .. }) => {}
            // Defined, and hidden: that says more than that another object lacks it.
            Err(other) => fault = other,
        }
    }
    Ok(Some(fault))
}

/// A function's name as the linker sees it (Itanium C++ ABI), for plain functions of built-in types.
///
/// # Errors
/// When it is no such function.
pub fn mangled(name: &str) -> Result<String, NameError> {
    let wrong = || NameError::of(name);
    let (path, rest) = name.split_once('(').ok_or_else(wrong)?;
    let parameters = rest.strip_suffix(')').ok_or_else(wrong)?.trim();
    let parts: Vec<&str> = path.split("::").collect();
    let is_word = |part: &&str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if !parts.iter().all(is_word) {
        return Err(wrong());
    }
    let lengths: String = parts
        .iter()
        .map(|part| format!("{}{part}", part.len()))
        .collect();
    let mut symbol = if parts.len() > 1 {
        format!("_ZN{lengths}E")
    } else {
        format!("_Z{lengths}")
    };
    if parameters.is_empty() {
        symbol.push('v');
    } else {
        for parameter in parameters.split(',') {
            symbol.push(code_of(parameter.trim()).ok_or_else(wrong)?);
        }
    }
    Ok(symbol)
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
