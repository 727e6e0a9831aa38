//! Overlays: the YAML model, how it is loaded and what is refused.

mod anchor;
mod condition;
mod digest;
mod error;
mod load;
mod model;
mod problems;
mod set;
mod text;
mod tokens;
mod validate;
mod yaml;

pub use digest::{MARKER_DIGEST_DIGITS, edit_digest, overlay_digest};
pub use error::{BadText, MARKER_COLUMNS, MAX_EDIT_TEXT, OverlayProblem};
pub use load::load;
pub use model::{
    Anchor, Condition, Edit, EditText, Holds, Hunk, Overlay, Position, Scope, StatementKind,
    StatementPattern, Variant,
};
pub use set::{AddressError, Overlays, load_all, load_dir};
