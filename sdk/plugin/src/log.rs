//! Logs in the form that core reads from the provider's standard error.
//!
//! A provider logs with the macros of the [`tracing`] crate. Every event becomes one hclog JSON object on one line:
//!
//! ```json
//! {"@level":"info","@message":"made","@timestamp":"2025-03-01T12:00:00.000000Z","@module":"provider.acme.api","@caller":"src/api.rs:10","size":3,"tf_rpc":"ApplyResourceChange"}
//! ```
//!
//! After the fields of the event come those of the spans around it, the inner ones first; where a name occurs twice,
//! the inner one is kept. The server opens a span at level ERROR around each call with `tf_rpc`, `tf_req_id`,
//! `tf_provider_addr` and so on. It has that level because a span above the highest enabled level does not exist,
//! and its fields would be missing from the lines that are written.
//!
//! [`Levels`] says which variables choose the level. With none of them set nothing is formatted and nothing is
//! written: `tracing` disables the call sites themselves.
//!
//! Logging never waits for the host: what it does not read in time is dropped and counted, see [`Stderr`].

mod fields;
mod hclog;
mod levels;
mod line;
mod queue;
mod redaction;

use std::time::SystemTime;

use tracing_subscriber::layer::SubscriberExt as _;

pub use self::hclog::HclogLayer;
pub use self::levels::Levels;
#[cfg(feature = "client")]
pub(crate) use self::line::date;
pub use self::queue::Stderr;
pub use self::redaction::Redaction;

/// Makes this process log to core: events of the provider called `name`.
///
/// An author who has set a global `tracing` subscriber keeps it, and nothing is added to it; such a subscriber can
/// have an [`HclogLayer`] among its layers.
///
/// ```
/// ferroform_plugin::log::install("acme");
/// tracing::info!(bucket = "logs", "made a bucket");
/// ```
///
/// With a subscriber of the author's:
///
/// ```
/// use tracing_subscriber::Registry;
///
/// tracing::subscriber::set_global_default(Registry::default())?;
/// ferroform_plugin::log::install("acme");
/// assert!(tracing::dispatcher::get_default(|dispatch| dispatch.is::<Registry>()));
/// # Ok::<(), tracing::subscriber::SetGlobalDefaultError>(())
/// ```
pub fn install(name: &str) {
    install_redacted(name, []);
}

/// The same with rules for what the log must not hold.
pub fn install_redacted(name: &str, redactions: impl IntoIterator<Item = Redaction>) {
    // The only error is that the author has installed a subscriber, which is theirs to choose.
    let layer = HclogLayer::new(Levels::from_env(name), SystemTime::now, Stderr);
    let layer = redactions.into_iter().fold(layer, HclogLayer::redact);
    let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(layer));
}
