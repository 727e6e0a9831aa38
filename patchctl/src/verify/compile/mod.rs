//! Level `compile`: the overlay's own code alone, and the names that it provides, as an object file has them.

mod mac_object;
mod own_code;
mod provided;

#[cfg(test)]
mod tests;

pub(super) use mac_object::{bridge_header, check_bridge, check_device};
pub(super) use own_code::own_code;
pub(super) use provided::{ProvidedFault, not_provided};
