//! patchctl.
fn main() {}
