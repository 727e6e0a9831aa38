//! Stands in for config.rs, pins_file.rs and reviewed.rs (helper `overlay`), which replace it.
#![allow(missing_docs)]
use crate::commands::CommandError;
use crate::patch::EditKey;
use crate::upstream::SourceSpec;
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
pub struct Config {
    pub overlays: Utf8PathBuf,
    sources: Vec<SourceSpec>,
}
impl Config {
    pub fn load(_root: &Utf8Path) -> Result<Self, CommandError> {
        Ok(Self {
            overlays: "overlays/mlx".into(),
            sources: vec![SourceSpec::Crates],
        })
    }
    pub fn sources(&self, _root: &Utf8Path) -> Vec<SourceSpec> {
        self.sources.clone()
    }
}
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct Pin {
    pub release: String,
    pub revision: String,
}
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct Pins {
    pub schema: u32,
    pub current: Option<String>,
    #[serde(default)]
    pub pins: Vec<Pin>,
}
impl Pins {
    pub fn load(path: &Utf8Path) -> Result<Self, CommandError> {
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(serde_yaml::from_str(&text).unwrap_or_default()),
            Err(_) => Ok(Self::default()),
        }
    }
    pub fn set(&mut self, release: &str, revision: &str, current: bool) {
        self.pins.retain(|p| p.release != release);
        self.pins.push(Pin {
            release: release.into(),
            revision: revision.into(),
        });
        self.pins.sort_by(|a, b| a.release.cmp(&b.release));
        if current || self.current.is_none() {
            self.current = Some(release.into());
        }
    }
    pub fn to_yaml(&self) -> String {
        serde_yaml::to_string(self).unwrap_or_default()
    }
}
impl Default for Pins {
    fn default() -> Self {
        Self {
            schema: 1,
            current: None,
            pins: vec![],
        }
    }
}
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct Entry {
    overlay: String,
    hunk: String,
    edit: String,
    variant: String,
    shape: String,
    edit_digest: String,
    seen: String,
    r#where: String,
}
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct Reviewed {
    schema: u32,
    reviewed: Vec<Entry>,
}
impl Reviewed {
    pub fn load(path: &Utf8Path) -> Result<Self, CommandError> {
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(serde_yaml::from_str(&text).unwrap_or(Self {
                schema: 1,
                reviewed: vec![],
            })),
            Err(_) => Ok(Self {
                schema: 1,
                reviewed: vec![],
            }),
        }
    }
    pub fn holds(&self, key: &EditKey, shape: &str) -> bool {
        self.reviewed.iter().any(|e| {
            e.overlay == key.overlay
                && e.hunk == key.hunk
                && e.edit == key.edit
                && e.variant == key.variant
                && e.shape == shape
                && e.edit_digest == key.digest
        })
    }
    pub fn add(&mut self, key: &EditKey, shape: &str, seen: &str, place: &str) {
        if !self.holds(key, shape) {
            self.reviewed.push(Entry {
                overlay: key.overlay.clone(),
                hunk: key.hunk.clone(),
                edit: key.edit.clone(),
                variant: key.variant.clone(),
                shape: shape.into(),
                edit_digest: key.digest.clone(),
                seen: seen.into(),
                r#where: place.into(),
            });
        }
    }
    pub fn to_yaml(&self) -> String {
        serde_yaml::to_string(self).unwrap_or_default()
    }
}
