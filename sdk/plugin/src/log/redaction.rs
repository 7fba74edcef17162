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
/// use ferroform_plugin::log::Redaction;
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
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes `***` in place of the values of these fields, of events and of spans.
    #[must_use]
    pub fn mask_fields(mut self, names: impl IntoIterator<Item = impl Into<Cow<'static, str>>>) -> Self {
        self.masked.extend(names.into_iter().map(Into::into));
        self
    }

    /// Leaves these fields out.
    #[must_use]
    pub fn omit_fields(mut self, names: impl IntoIterator<Item = impl Into<Cow<'static, str>>>) -> Self {
        self.omitted.extend(names.into_iter().map(Into::into));
        self
    }

    /// Leaves out events that have one of these fields, be it of a span around them.
    #[must_use]
    pub fn omit_events_with(mut self, names: impl IntoIterator<Item = impl Into<Cow<'static, str>>>) -> Self {
        self.events.extend(names.into_iter().map(Into::into));
        self
    }

    /// From now on, writes `***` in place of this text, wherever it stands in a message or in the value of a field. An
    /// empty text is none.
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
