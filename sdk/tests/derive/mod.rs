//! The derive macros, from the outside: schemas, views, errors, and what must not compile.

mod blocks;
mod convert;
mod errors;
mod fixture;
mod flatten;
mod hygiene;
mod into_model;
mod schema;
mod ui;
mod variants;
mod views;
mod with;
