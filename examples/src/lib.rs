//! Example providers written with ferroform.
//!
//! [`demo`] is a library module so that other programs of this workspace can serve the same provider; the file
//! `demo/main.rs` is the program around it. The smallest provider is all in `minimal/main.rs`.

pub mod demo;
