//! The pages that a reader meets, and the fenced blocks in them.

use std::fs;
use std::path::{Path, PathBuf};

/// This repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Paths relative to the root: the Markdown files of `docs/`, and those beside the code.
pub fn pages() -> Vec<String> {
    let beside = [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "bridge/README.md",
    ];
    let mut pages: Vec<String> = beside.map(str::to_owned).into();
    below(&root().join("docs"), "docs", &mut pages);
    pages.sort();
    pages
}

fn below(folder: &Path, name: &str, pages: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{name}/{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            below(&path, &name, pages);
        } else if name.ends_with(".md") {
            pages.push(name);
        }
    }
}

/// A page's text.
pub fn text(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// A fenced block.
#[derive(Debug)]
pub struct Block {
    /// 1-based line of its first line.
    pub line: usize,
    /// The language and the words after it: `["sh", "needs-crates"]`.
    pub info: Vec<String>,
    /// Its text.
    pub text: String,
}

impl Block {
    /// Whether it holds commands for a shell.
    pub fn is_shell(&self) -> bool {
        self.info.first().is_some_and(|word| word == "sh")
    }

    /// The file of the repository that the block is, for the commands after it: `file=overlays/mlx/x.yaml`.
    pub fn file(&self) -> Option<&str> {
        self.info.iter().find_map(|word| word.strip_prefix("file="))
    }

    /// What stands behind the language.
    pub fn kind(&self) -> Option<&str> {
        self.info.get(1).map(String::as_str)
    }
}

/// A page's fenced blocks.
pub fn blocks(page: &str) -> Vec<Block> {
    let text = text(page);
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in text.lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(info), None) => {
                let words = info.split([',', ' ']).filter(|word| !word.is_empty());
                open = Some(Block {
                    line: index + 2,
                    info: words.map(str::to_owned).collect(),
                    text: String::new(),
                });
            }
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{page}: a block is not closed");
    blocks
}

/// A page's text without its fenced blocks.
pub fn prose(page: &str) -> String {
    let mut inside = false;
    let text = text(page);
    let lines = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !fence && !inside
    });
    lines.collect::<Vec<_>>().join("\n")
}
