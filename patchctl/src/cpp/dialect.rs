//! Dialects of C++, and the words of each that the grammar has no rule for.

use camino::Utf8Path;
use patchctl_apply::markers::Comment;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A dialect of C++.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[schemars(rename = "dialect")]
pub enum Dialect {
    /// C++ and Objective-C++, with MLX's macros.
    #[default]
    #[serde(rename = "c++")]
    Cpp,
    /// The Metal shading language.
    #[serde(rename = "metal")]
    Metal,
    /// CUDA.
    #[serde(rename = "cuda")]
    Cuda,
    /// Lines, where there is no grammar: CMake, Python, TOML, YAML, shell. A comment begins with `#`.
    #[serde(rename = "text")]
    Text,
}

/// The words of MLX and of the libraries in it; every dialect has them.
const EVERYWHERE: &[&str] = &[
    "MLX_API",
    "MLX_NOINLINE",
    "POCKETFFT_NOINLINE",
    "POCKETFFT_RESTRICT",
];
const METAL: &[&str] = &[
    "METAL_FUNC",
    "MLX_MTL_CONST",
    "MLX_MTL_LOOP_UNROLL",
    "MLX_MTL_PRAGMA_UNROLL",
    "STEEL_CONST",
    "STEEL_PRAGMA_NO_UNROLL",
    "STEEL_PRAGMA_UNROLL",
    "constant",
    "device",
    "fragment",
    "kernel",
    "object_data",
    "ray_data",
    "thread",
    "threadgroup",
    "threadgroup_imageblock",
    "vertex",
];
const CUDA: &[&str] = &[
    "MLX_UNROLL",
    "PRAGMA_LOOP_UNROLL",
    "CUTE_DEVICE",
    "CUTE_HOST_DEVICE",
    "CUTE_NO_UNROLL",
    "CUTE_UNROLL",
    "CUTLASS_DEVICE",
    "CUTLASS_HOST_DEVICE",
    "CUTLASS_PRAGMA_NO_UNROLL",
    "CUTLASS_PRAGMA_UNROLL",
    "__constant__",
    "__device__",
    "__forceinline__",
    "__global__",
    "__grid_constant__",
    "__host__",
    "__managed__",
    "__noinline__",
    "__restrict__",
    "__shared__",
];

impl Dialect {
    /// The dialect of a file by its extension; headers below `metal/kernels/` are Metal's.
    pub fn of(path: &Utf8Path) -> Self {
        match path.extension() {
            Some("metal") => Self::Metal,
            Some("cu" | "cuh") => Self::Cuda,
            Some("cmake" | "py" | "pyi" | "sh" | "toml" | "yaml" | "yml") => Self::Text,
            _ if path.file_name() == Some("CMakeLists.txt") => Self::Text,
            Some("h") if path.as_str().contains("metal/kernels/") => Self::Metal,
            _ => Self::Cpp,
        }
    }

    /// The sign that begins a comment.
    pub fn comment(self) -> Comment {
        match self {
            Self::Text => Comment::Hash,
            Self::Cpp | Self::Metal | Self::Cuda => Comment::Slashes,
        }
    }

    /// Returns true if the parser is not to see `word`.
    pub(super) fn hides(self, word: &[u8]) -> bool {
        let own = match self {
            Self::Cpp | Self::Text => &[],
            Self::Metal => METAL,
            Self::Cuda => CUDA,
        };
        let mut words = EVERYWHERE.iter().chain(own);
        words.any(|it| it.as_bytes() == word)
    }

    /// Returns true if the parser is to see neither `word` nor the parentheses behind it.
    pub(super) fn hides_call(self, word: &[u8]) -> bool {
        match self {
            Self::Cpp | Self::Text => false,
            Self::Metal => word == b"coherent",
            Self::Cuda => matches!(
                word,
                b"__align__" | b"__cluster_dims__" | b"__launch_bounds__" | b"__maxnreg__"
            ),
        }
    }

    /// Returns true if a call of `word` that no semicolon ends is a macro that makes instances of templates.
    pub(super) fn instantiates(self, word: &[u8]) -> bool {
        self == Self::Metal && word.starts_with(b"instantiate_")
    }
}

/// The way in which a text is read: another one can give other constructs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reading {
    /// The dialect.
    pub dialect: Dialect,
    /// Words that the parser is not to see either, such as an export macro: tree-sitter-cpp takes `class API array {` for a
    /// function and reports no error.
    pub macros: Vec<String>,
}

impl Reading {
    /// Reads a file as its extension says.
    pub fn of(path: &Utf8Path) -> Self {
        Self {
            dialect: Dialect::of(path),
            macros: Vec::new(),
        }
    }

    pub(super) fn hides(&self, word: &[u8]) -> bool {
        self.dialect.hides(word) || self.macros.iter().any(|it| it.as_bytes() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_says_the_dialect() {
        let of = |path: &str| Dialect::of(Utf8Path::new(path));
        assert_eq!(of("mlx/a.metal"), Dialect::Metal);
        assert_eq!(of("mlx/backend/metal/kernels/steel/a.h"), Dialect::Metal);
        assert_eq!(of("mlx/CMakeLists.txt"), Dialect::Text);
        assert_eq!(of("python/mlx/a.py"), Dialect::Text);
        assert_eq!(of("mlx/a.cu"), Dialect::Cuda);
        assert_eq!(of("mlx/a.cuh"), Dialect::Cuda);
        for path in [
            "mlx/backend/metal/a.h",
            "mlx/backend/metal/kernels/a.cpp",
            "mlx/a.mm",
        ] {
            assert_eq!(of(path), Dialect::Cpp, "{path}");
        }
    }
}
