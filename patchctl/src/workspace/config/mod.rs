//! `patchctl.yaml`: where upstream comes from, where the overlays are, where else the pin is written.

mod checks;
mod load;
mod yaml;

#[cfg(test)]
mod tests;

pub use checks::{CheckCommand, Needs, OwnCheck};
pub use load::{CONFIG_FILE, Config, PinPlaces, config_schema};

pub(super) use yaml::RawPlace;
