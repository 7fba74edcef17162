//! What ferroform knows of Terraform's types, values and plans, without I/O.
//!
//! Providers are written with the crate [`ferroform`](https://docs.rs/ferroform), which re-exports what their authors need
//! of this one. Depend on this crate in a library of attribute types, which then does not follow the releases of the server.
//!
//! | looking for | module |
//! |---|---|
//! | types, values, paths | [`ty`], [`value`], [`mod@path`] |
//! | errors and warnings | [`diag`] |
//! | bytes of values: MessagePack and JSON | [`codec`] |
//! | schemas and what they say about plans | [`schema`] |
//! | structs as schemas, and their views | [`model`] |
//! | attribute types with a meaning of their own | [`semantic`] |
//! | validators | [`validate`] |
//! | the steps of a plan, and core's rules for plans and results | [`plan`] |
//! | data that a provider keeps beside a state | [`private`] |

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod codec;
pub mod diag;
pub mod model;
pub mod path;
pub mod plan;
pub mod private;
pub mod schema;
pub mod semantic;
pub mod ty;
pub mod validate;
pub mod value;
