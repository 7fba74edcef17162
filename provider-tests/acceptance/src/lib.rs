//! Provider binaries that the acceptance tests run on real cores, and their providers.

pub mod cloud;
pub mod corner;
#[cfg(test)]
mod newest;
pub mod plain;
pub mod probe;
pub mod small;
pub mod wide;
pub mod wrong;
