//! The example providers, driven through the protocol as core would.

mod directory;
mod file;
mod file_list;
mod first;
mod guide;
mod install;
mod minimal;
mod pages;
mod provider;
mod release;
mod rotate;
mod service;
mod shapes;
mod state_folder;
mod support;
mod token;
mod token_file;
mod tour;
