//! The server of ferroform: everything between the bytes of a call and the code of a provider.
//!
//! Providers are written with the crate [`ferroform`](https://docs.rs/ferroform). This one is for tools that read or answer
//! calls of the provider protocol themselves: test harnesses, recorders, proxies.
//!
//! | looking for | module |
//! |---|---|
//! | requests and responses of all procedures | [`protocol`] |
//! | protobuf messages of both protocols | [`wire`] |
//! | what each procedure does | [`server`] |
//! | providers, resources and the other concepts over untyped values | [`dynamic`] |
//! | what the typed traits of `ferroform` share with those of `dynamic` | [`shared`] |
//! | cancellation, time, waiting, panics | [`cancel`], [`clock`], [`wait`], [`panics`] |

#![cfg_attr(docsrs, feature(doc_cfg))]

#[macro_use(withheld_debug)]
extern crate ferroform_plugin;

pub mod cancel;
pub mod clock;
pub mod dynamic;
pub mod panics;
pub mod protocol;
pub mod server;
pub mod shared;
pub mod wait;
pub mod wire;

use ferroform_core::{codec, diag, model, path, plan, private, schema, ty, validate, value};
use ferroform_plugin as plugin;
