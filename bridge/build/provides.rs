//! The names that the overlay adds to MLX, from its `provides`: the only place where they stand. No header
//! of upstream declares them.

use std::fmt::Write as _;
use std::path::Path;

use super::error::BuildError;

/// The overlay whose names these are, beside the lock.
pub const OVERLAY: &str = "decode-input-budget.yaml";

/// The overlay's entry points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provides {
    /// Takes the override.
    pub setter: EntryPoint,
    /// Gives it.
    pub getter: EntryPoint,
}

/// A function in a namespace, with built-in types only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryPoint {
    /// As the overlay has it: `mlx::core::metal::set_mb_per_buffer_override(int)`.
    pub signature: String,
    namespace: Vec<String>,
    name: String,
    takes_int: bool,
}

impl Provides {
    /// Reads them from the overlay's YAML. The rest of it is no concern of a build.
    pub fn read(overlay: &Path) -> Result<Self, BuildError> {
        let wrong = |what: String| BuildError::Provides {
            overlay: overlay.to_owned(),
            what,
        };
        let text = std::fs::read_to_string(overlay).map_err(|error| wrong(error.to_string()))?;
        Self::parse(&text).map_err(wrong)
    }

    /// Reads them from YAML text; the error says what is wrong.
    pub fn parse(yaml: &str) -> Result<Self, String> {
        let overlay: serde_yaml::Value =
            serde_yaml::from_str(yaml).map_err(|error| error.to_string())?;
        let role = |role: &str, takes_int| {
            let signature = overlay
                .get("provides")
                .and_then(|provides| provides.get(role)?.as_str())
                .ok_or_else(|| format!("it has no `provides: {{ {role}: … }}`"))?;
            EntryPoint::parse(signature, takes_int)
        };
        Ok(Self {
            setter: role("setter", true)?,
            getter: role("getter", false)?,
        })
    }

    /// Both.
    pub fn all(&self) -> [&EntryPoint; 2] {
        [&self.setter, &self.getter]
    }

    /// A C++ header that declares both, and calls each by its role.
    pub fn header(&self) -> String {
        let mut text = format!(
            "// Made by mlx-bridge's build script from the `provides` of {OVERLAY}.\n#pragma once\n\n"
        );
        for (entry, result) in [(&self.setter, "void"), (&self.getter, "int")] {
            let _ = writeln!(
                text,
                "namespace {} {{\n{result} {}({});\n}}\n",
                entry.namespace.join("::"),
                entry.name,
                if entry.takes_int { "int" } else { "" },
            );
        }
        let _ = write!(
            text,
            "namespace mlx_bridge::provided {{\n\
             inline void set(int mb) {{\n  ::{}(mb);\n}}\n\
             inline int get() {{\n  return ::{}();\n}}\n\
             }} // namespace mlx_bridge::provided\n",
            self.setter.path(),
            self.getter.path(),
        );
        text
    }
}

impl EntryPoint {
    fn parse(signature: &str, takes_int: bool) -> Result<Self, String> {
        let expected = if takes_int { "(int)" } else { "()" };
        let wrong = |why: &str| format!("`{signature}` {why}");
        let compact: String = signature.split_whitespace().collect();
        let path = compact
            .strip_suffix(expected)
            .ok_or_else(|| wrong(&format!("does not end in `{expected}`")))?;
        let mut parts: Vec<String> = path.split("::").map(str::to_owned).collect();
        if !parts.iter().all(|part| is_identifier(part)) {
            return Err(wrong("is no qualified name of a function"));
        }
        let name = parts.pop().unwrap_or_default();
        if parts.is_empty() {
            return Err(wrong("is in no namespace"));
        }
        Ok(Self {
            signature: signature.to_owned(),
            namespace: parts,
            name,
            takes_int,
        })
    }

    fn path(&self) -> String {
        format!("{}::{}", self.namespace.join("::"), self.name)
    }

    /// The symbol, by the Itanium ABI's mangling of a nested name with built-in parameters; Mach-O puts an
    /// underscore in front.
    pub fn symbol(&self) -> String {
        let mut symbol = String::from("_ZN");
        for part in self.namespace.iter().chain([&self.name]) {
            let _ = write!(symbol, "{}{part}", part.len());
        }
        symbol.push('E');
        symbol.push(if self.takes_int { 'i' } else { 'v' });
        symbol
    }
}

fn is_identifier(part: &str) -> bool {
    !part.starts_with(|first: char| first.is_ascii_digit())
        && !part.is_empty()
        && part
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
