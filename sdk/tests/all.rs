//! The integration tests, as one program: each takes longer to link than most tests take to run.

mod coverage;
mod derive;
mod layers;
mod public_names;
mod server;
