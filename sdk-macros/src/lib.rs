//! Derive macros of the ferroform SDK; use them through the `ferroform` crate.
