//! Upgrades of states and identities, typed, through the protocol.

mod identities;
mod mistakes;
mod record;
mod shapes;
mod states;
mod worked_example;

pub(crate) use record::Cloud;
