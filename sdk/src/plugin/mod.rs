//! The process side of a provider: what core's plugin loader expects, apart from the calls themselves.

pub mod log;
