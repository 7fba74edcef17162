//! Blocks about what a configuration declares elsewhere now, or no longer.

use crate::address::{MoveEndpoint, RemovedFrom};

/// A `moved` block.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MovedBlock {
    /// Where it was.
    pub from: MoveEndpoint,
    /// Where it is now.
    pub to: MoveEndpoint,
}

/// A `removed` block.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RemovedBlock {
    /// What is no longer declared.
    pub from: RemovedFrom,
    /// `lifecycle { destroy = … }`: whether its objects are destroyed, or only forgotten.
    pub destroy: bool,
}
