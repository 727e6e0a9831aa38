//! Level `compile`: the overlay's own code alone, and the names that it provides, as an object file has them.

mod own_code;
mod symbols;

#[cfg(test)]
mod tests;

pub(super) use own_code::own_code;
pub(super) use symbols::{ProvidedFault, bridge_header, check_bridge, check_device, not_provided};
