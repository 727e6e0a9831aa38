//! Level `compile`: the overlay's own code alone, and the names that it provides, as an object file has them.

mod mac_object;
mod own_code;
mod provided;

#[cfg(test)]
mod tests;

pub use mac_object::{MacFault, bridge_header, check_bridge, check_device};
pub use own_code::own_code;
pub use provided::{NameError, ProvidedFault, check_provided, mangled, not_provided};
