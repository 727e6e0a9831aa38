//! Overlays: the YAML model, how it is loaded and what is refused.

mod model;

pub use model::{
    Anchor, Condition, Edit, EditText, Holds, Hunk, Overlay, Position, Scope, StatementKind,
    StatementPattern, Variant,
};
