//! The crate as its users see it.
#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod beneath;
mod lock;
mod markers_properties;
mod markers_read;
mod markers_written;
mod overlays;
mod splices;
mod tree_case;
mod tree_choice;
mod tree_leftovers;
mod tree_record;
mod tree_refused;
mod tree_states;
