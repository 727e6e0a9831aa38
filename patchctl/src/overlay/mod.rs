//! Overlays: the YAML model, how it is loaded and what is refused.
//!
//! `yaml.rs` is the file's form, key for key; `load.rs` turns it into `model.rs`, the meaning; `set.rs` reads a
//! folder of them. `crate::yaml` gives the places and checks the form.
//!
//! # What comes next, and where it fits
//! An overlay's `kind` says what it is made of, and with that which keys it has. `hunks` is the only one so
//! far; the other two are refused by name, before their keys can be called unknown.
//!
//! - `new-file`: `file`, the upstream path that must not be there, and `from`, a file beside the overlay that is
//!   put there whole, between markers. Its shape is its absence; it lands where the path is free.
//! - `file-copy`: `file`, `from`, and `base: { release, blob }`, what the copy was made of. Carrying it is a
//!   three-way merge of the copy, its base and the new upstream, so upstream's own changes stay; a bump
//!   writes the merged copy and its new base.
//!
//! Both have no hunks. [`Overlay`] then gets an enum in place of `hunks`, `yaml.rs` a form a kind, and the schema
//! a `oneOf` that `kind` decides. Without `kind` nothing changes, nor does any digest: see `digest.rs`.
//!
//! Named *sets* of overlays belong to `patchctl.yaml`, as `sets: { decode: [decode-input-budget] }`, since one
//! overlay can be in several: an overlay does not know of them. A command then takes `--set`, and the lock
//! has a list of files for each pin and set. `after` may name an overlay outside a set; it orders, it does
//! not require.

mod anchor;
mod digest;
mod load;
mod model;
mod set;
#[cfg(test)]
mod tests;
mod text;
mod values;
mod yaml;

pub use digest::{edit_digest, overlay_digest};
pub use load::load;
pub use model::{
    Anchor, Condition, Edit, EditText, Evidence, Holds, Hunk, ONLY_VARIANT, Overlay, Position,
    Scope, StatementPattern, Variant,
};
pub use set::{Overlays, load_all, load_dir};
pub(crate) use values::path_problem;
pub use yaml::schema;
