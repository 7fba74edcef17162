//! The server through the neutral seam, its layers, and the wire in both protocols.

mod absent;
mod apply;
mod canary;
mod configure;
mod data_source;
mod drift;
mod import;
mod layers;
mod meta;
mod objects;
mod pipeline;
mod plan;
mod private;
mod read;
mod reset;
mod schema_check;
mod schemas;
mod stop;
mod support;
mod timeouts;
mod upgrade;
mod upgrade_fixtures;
mod validate;
mod validators;
mod versions;
mod wire;
