//! What a log must not hold.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use super::line::{Record, Value};

/// What stands in the log for a redacted value.
const MASK: &str = "***";

/// Rules for what a log must not hold, by the names of fields and by texts. They apply to the events of all crates in
/// the process, those of an HTTP client too.
///
/// Clones share their texts, so a secret that is known only later can be added when it is:
///
/// ```
/// use std::sync::LazyLock;
///
/// use ferroform::Redaction;
///
/// static LOGS: LazyLock<Redaction> =
///     LazyLock::new(|| Redaction::new().mask_fields(["password", "authorization"]).omit_fields(["body"]));
///
/// // In `main`: `Serve::new(assemble::<Cloud>()).redact_logs(LOGS.clone()).run()`. In `configure`:
/// let token = "s3cr3t";
/// LOGS.mask_text(token);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Redaction {
    masked: Vec<Cow<'static, str>>,
    omitted: Vec<Cow<'static, str>>,
    events: Vec<Cow<'static, str>>,
    texts: Arc<RwLock<Texts>>,
}

/// The secrets; never shown.
#[derive(Default)]
struct Texts(Vec<String>);

impl std::fmt::Debug for Texts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} texts", self.0.len())
    }
}

impl Redaction {
    /// No rules.
    ///
    /// ```
    /// use ferroform::Redaction;
    /// # use std::io::{self, Write};
    /// # use std::sync::{Arc, Mutex};
    /// # use std::time::SystemTime;
    /// # use ferroform_plugin::log::{HclogLayer, Levels};
    /// # use tracing::level_filters::LevelFilter;
    /// # use tracing_subscriber::layer::SubscriberExt as _;
    /// # #[derive(Clone, Default)]
    /// # struct Lines(Arc<Mutex<Vec<u8>>>);
    /// # impl Write for Lines {
    /// #     fn write(&mut self, bytes: &[u8]) -> io::Result<usize> { self.0.lock().unwrap().write(bytes) }
    /// #     fn flush(&mut self) -> io::Result<()> { Ok(()) }
    /// # }
    ///
    /// /// What the log holds of some events.
    /// fn logged(rules: Redaction, events: impl FnOnce()) -> String {
    ///     # let levels = Levels { provider: LevelFilter::INFO, sdk: LevelFilter::OFF, transport: LevelFilter::OFF };
    ///     # let lines = Lines::default();
    ///     # let layer = HclogLayer::new(levels, || SystemTime::UNIX_EPOCH, lines.clone()).redact(rules);
    ///     # tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), events);
    ///     # let written = lines.0.lock().unwrap().clone();
    ///     # String::from_utf8(written).unwrap()
    /// }
    ///
    /// let line = logged(Redaction::new(), || tracing::info!(region = "eu-1", "made a bucket"));
    /// assert!(line.contains("eu-1"));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes `***` in place of the values of these fields, of events and of spans.
    ///
    /// ```
    /// use ferroform::Redaction;
    /// # use std::io::{self, Write};
    /// # use std::sync::{Arc, Mutex};
    /// # use std::time::SystemTime;
    /// # use ferroform_plugin::log::{HclogLayer, Levels};
    /// # use tracing::level_filters::LevelFilter;
    /// # use tracing_subscriber::layer::SubscriberExt as _;
    /// # #[derive(Clone, Default)]
    /// # struct Lines(Arc<Mutex<Vec<u8>>>);
    /// # impl Write for Lines {
    /// #     fn write(&mut self, bytes: &[u8]) -> io::Result<usize> { self.0.lock().unwrap().write(bytes) }
    /// #     fn flush(&mut self) -> io::Result<()> { Ok(()) }
    /// # }
    ///
    /// /// What the log holds of some events.
    /// fn logged(rules: Redaction, events: impl FnOnce()) -> String {
    ///     # let levels = Levels { provider: LevelFilter::INFO, sdk: LevelFilter::OFF, transport: LevelFilter::OFF };
    ///     # let lines = Lines::default();
    ///     # let layer = HclogLayer::new(levels, || SystemTime::UNIX_EPOCH, lines.clone()).redact(rules);
    ///     # tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), events);
    ///     # let written = lines.0.lock().unwrap().clone();
    ///     # String::from_utf8(written).unwrap()
    /// }
    ///
    /// let rules = Redaction::new().mask_fields(["password"]);
    /// let line = logged(rules, || tracing::info!(user = "ada", password = "s3cr3t", "made a user"));
    /// assert!(line.contains(r#""user":"ada""#) && line.contains(r#""password":"***""#));
    /// ```
    #[must_use]
    pub fn mask_fields(mut self, names: impl IntoIterator<Item = impl Into<Cow<'static, str>>>) -> Self {
        self.masked.extend(names.into_iter().map(Into::into));
        self
    }

    /// Leaves these fields out.
    ///
    /// ```
    /// use ferroform::Redaction;
    /// # use std::io::{self, Write};
    /// # use std::sync::{Arc, Mutex};
    /// # use std::time::SystemTime;
    /// # use ferroform_plugin::log::{HclogLayer, Levels};
    /// # use tracing::level_filters::LevelFilter;
    /// # use tracing_subscriber::layer::SubscriberExt as _;
    /// # #[derive(Clone, Default)]
    /// # struct Lines(Arc<Mutex<Vec<u8>>>);
    /// # impl Write for Lines {
    /// #     fn write(&mut self, bytes: &[u8]) -> io::Result<usize> { self.0.lock().unwrap().write(bytes) }
    /// #     fn flush(&mut self) -> io::Result<()> { Ok(()) }
    /// # }
    ///
    /// /// What the log holds of some events.
    /// fn logged(rules: Redaction, events: impl FnOnce()) -> String {
    ///     # let levels = Levels { provider: LevelFilter::INFO, sdk: LevelFilter::OFF, transport: LevelFilter::OFF };
    ///     # let lines = Lines::default();
    ///     # let layer = HclogLayer::new(levels, || SystemTime::UNIX_EPOCH, lines.clone()).redact(rules);
    ///     # tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), events);
    ///     # let written = lines.0.lock().unwrap().clone();
    ///     # String::from_utf8(written).unwrap()
    /// }
    ///
    /// // The body of a request is long, and may hold anything.
    /// let rules = Redaction::new().omit_fields(["body"]);
    /// let line = logged(rules, || tracing::info!(status = 201, body = "{...}", "made a bucket"));
    /// assert!(line.contains(r#""status":201"#) && !line.contains("body"));
    /// ```
    #[must_use]
    pub fn omit_fields(mut self, names: impl IntoIterator<Item = impl Into<Cow<'static, str>>>) -> Self {
        self.omitted.extend(names.into_iter().map(Into::into));
        self
    }

    /// Leaves out events that have one of these fields, be it of a span around them.
    ///
    /// ```
    /// use ferroform::Redaction;
    /// # use std::io::{self, Write};
    /// # use std::sync::{Arc, Mutex};
    /// # use std::time::SystemTime;
    /// # use ferroform_plugin::log::{HclogLayer, Levels};
    /// # use tracing::level_filters::LevelFilter;
    /// # use tracing_subscriber::layer::SubscriberExt as _;
    /// # #[derive(Clone, Default)]
    /// # struct Lines(Arc<Mutex<Vec<u8>>>);
    /// # impl Write for Lines {
    /// #     fn write(&mut self, bytes: &[u8]) -> io::Result<usize> { self.0.lock().unwrap().write(bytes) }
    /// #     fn flush(&mut self) -> io::Result<()> { Ok(()) }
    /// # }
    ///
    /// /// What the log holds of some events.
    /// fn logged(rules: Redaction, events: impl FnOnce()) -> String {
    ///     # let levels = Levels { provider: LevelFilter::INFO, sdk: LevelFilter::OFF, transport: LevelFilter::OFF };
    ///     # let lines = Lines::default();
    ///     # let layer = HclogLayer::new(levels, || SystemTime::UNIX_EPOCH, lines.clone()).redact(rules);
    ///     # tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), events);
    ///     # let written = lines.0.lock().unwrap().clone();
    ///     # String::from_utf8(written).unwrap()
    /// }
    ///
    /// // The HTTP client logs each frame with its payload.
    /// let rules = Redaction::new().omit_events_with(["payload"]);
    /// let lines = logged(rules, || {
    ///     tracing::info!("made a bucket");
    ///     tracing::info!(payload = "00ff", "received a frame");
    /// });
    /// assert!(lines.contains("made a bucket") && !lines.contains("received a frame"));
    /// ```
    #[must_use]
    pub fn omit_events_with(mut self, names: impl IntoIterator<Item = impl Into<Cow<'static, str>>>) -> Self {
        self.events.extend(names.into_iter().map(Into::into));
        self
    }

    /// From now on, writes `***` in place of this text, wherever it stands in a message or in the value of a field. An
    /// empty text is none.
    ///
    /// ```
    /// use ferroform::Redaction;
    /// # use std::io::{self, Write};
    /// # use std::sync::{Arc, Mutex};
    /// # use std::time::SystemTime;
    /// # use ferroform_plugin::log::{HclogLayer, Levels};
    /// # use tracing::level_filters::LevelFilter;
    /// # use tracing_subscriber::layer::SubscriberExt as _;
    /// # #[derive(Clone, Default)]
    /// # struct Lines(Arc<Mutex<Vec<u8>>>);
    /// # impl Write for Lines {
    /// #     fn write(&mut self, bytes: &[u8]) -> io::Result<usize> { self.0.lock().unwrap().write(bytes) }
    /// #     fn flush(&mut self) -> io::Result<()> { Ok(()) }
    /// # }
    ///
    /// /// What the log holds of some events.
    /// fn logged(rules: Redaction, events: impl FnOnce()) -> String {
    ///     # let levels = Levels { provider: LevelFilter::INFO, sdk: LevelFilter::OFF, transport: LevelFilter::OFF };
    ///     # let lines = Lines::default();
    ///     # let layer = HclogLayer::new(levels, || SystemTime::UNIX_EPOCH, lines.clone()).redact(rules);
    ///     # tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), events);
    ///     # let written = lines.0.lock().unwrap().clone();
    ///     # String::from_utf8(written).unwrap()
    /// }
    ///
    /// let rules = Redaction::new();
    /// // The token is known once the provider is configured.
    /// rules.mask_text("s3cr3t");
    /// let line = logged(rules, || tracing::info!("asked https://api.example.com/?token=s3cr3t"));
    /// assert!(line.contains("?token=***") && !line.contains("s3cr3t"));
    /// ```
    pub fn mask_text(&self, text: impl Into<String>) {
        let text = text.into();
        let mut texts = self.texts.write().unwrap_or_else(PoisonError::into_inner);
        if !text.is_empty() && !texts.0.contains(&text) {
            // The longest first: a secret that is part of another one must not break that one up.
            let place = texts.0.partition_point(|other| other.len() >= text.len());
            texts.0.insert(place, text);
        }
    }

    /// Applies the rules; `false` for an event that is left out.
    pub(super) fn apply(&self, record: &mut Record) -> bool {
        let has = |names: &[Cow<'static, str>], name: &str| names.iter().any(|it| it == name);
        if record.fields.iter().any(|(name, _)| has(&self.events, name)) {
            return false;
        }
        record.fields.retain(|(name, _)| !has(&self.omitted, name));
        for (name, value) in &mut record.fields {
            if has(&self.masked, name) {
                *value = Value::Text(MASK.to_owned());
            }
        }
        let texts = self.texts.read().unwrap_or_else(PoisonError::into_inner);
        for secret in &texts.0 {
            mask(&mut record.message, secret);
            for (_, value) in &mut record.fields {
                match value {
                    Value::Text(text) => mask(text, secret),
                    Value::Literal(literal) if literal.contains(secret.as_str()) => {
                        *value = Value::Text(MASK.to_owned());
                    }
                    Value::Literal(_) => {}
                }
            }
        }
        true
    }
}

fn mask(text: &mut String, secret: &str) {
    if text.contains(secret) {
        *text = text.replace(secret, MASK);
    }
}
