//! The version that a tree of MLX says it is.

use std::fmt;

use camino::Utf8Path;

use crate::toolchain::ToolError;

/// `major.minor.patch` of `mlx/version.h`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version(String);

impl Version {
    /// Where it stands in a tree.
    const FILE: &str = "mlx/version.h";

    /// Reads it; `None` in a tree without the file (before 0.25).
    ///
    /// # Errors
    /// When the file is there and cannot be read, or does not define the three numbers.
    pub fn of(tree: &Utf8Path) -> Result<Option<Self>, ToolError> {
        let path = tree.join(Self::FILE);
        if !path.exists() {
            return Ok(None);
        }
        let text =
            fs_err::read_to_string(&path).map_err(|error| ToolError::unusable(&path, &error))?;
        Self::parse(&text).map(Some).ok_or_else(|| {
            ToolError::broken(format!(
                "{path}: it does not define MLX_VERSION_MAJOR, _MINOR and _PATCH as numbers"
            ))
        })
    }

    fn parse(header: &str) -> Option<Self> {
        let number = |part: &str| {
            header.lines().find_map(|line| {
                let mut words = line.split_whitespace();
                let is_it = words.next() == Some("#define") && words.next() == Some(part);
                is_it.then(|| words.next()?.parse::<u32>().ok()).flatten()
            })
        };
        let (major, minor, patch) = (
            number("MLX_VERSION_MAJOR")?,
            number("MLX_VERSION_MINOR")?,
            number("MLX_VERSION_PATCH")?,
        );
        Some(Self(format!("{major}.{minor}.{patch}")))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
