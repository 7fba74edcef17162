//! Ephemeral resources: what the server holds every open, renewal and close to, and the typed trait.

mod close;
mod double;
mod open;
mod renew;
mod typed;
