//! Provider binaries that the acceptance tests run on real cores.

pub mod plain;
