//! The example providers, driven through the protocol as core would.

mod directory;
mod file;
mod guide;
mod install;
mod minimal;
mod pages;
mod provider;
mod service;
mod shapes;
mod support;
mod token;
mod token_file;
mod tour;
