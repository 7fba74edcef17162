//! From bodies of a configuration to values of a schema.

mod as_blocks;
mod body;
pub(super) mod deprecated;
mod deprecated_use;
pub(super) mod dynamic;
pub(super) mod marks;
mod references;
#[cfg(test)]
mod tests;

pub(super) use body::{Decoded, decode, decode_stored, is_write_only, misplaced_ephemeral, retain_known};
pub(super) use dynamic::entries;
pub(super) use references::check_references;
