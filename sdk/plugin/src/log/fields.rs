//! The fields of events and spans, as values of a log line.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use tracing::field::{Field, Visit};

use super::line::Value;

/// Integers beyond this lose digits in core, which reads JSON numbers as `f64`; they are written as strings.
const MAX_EXACT: u64 = 1 << 53;

/// The fields of an event or of a span, in the order of their first mention, each name once.
#[derive(Debug, Default)]
pub(super) struct Fields(Vec<(Cow<'static, str>, Value)>);

impl Fields {
    /// Adds the fields of `new`, which replace older ones of the same name.
    pub(super) fn update(&mut self, new: Self) {
        for (name, value) in new.0 {
            self.set(name, value);
        }
    }

    /// Adds what an enclosing span has under other names.
    pub(super) fn inherit(&mut self, outer: &Self) {
        for (name, value) in &outer.0 {
            if !self.0.iter().any(|(known, _)| known == name) {
                self.0.push((name.clone(), value.clone()));
            }
        }
    }

    /// Takes out what `tracing` calls the message, whatever its type; an event without one has an empty message.
    pub(super) fn take_message(&mut self) -> String {
        match self.0.iter().position(|(name, _)| name == "message").map(|at| self.0.remove(at)) {
            Some((_, Value::Text(text) | Value::Literal(text))) => text,
            None => String::new(),
        }
    }

    pub(super) fn into_vec(self) -> Vec<(Cow<'static, str>, Value)> {
        self.0
    }

    fn set(&mut self, name: Cow<'static, str>, value: Value) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    fn literal(&mut self, field: &Field, value: impl fmt::Display) {
        self.set(name(field), Value::Literal(value.to_string()));
    }

    fn text(&mut self, field: &Field, value: impl fmt::Display) {
        self.set(name(field), Value::Text(text_of(format_args!("{value}"))));
    }
}

impl Visit for Fields {
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.literal(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        if value.unsigned_abs() <= MAX_EXACT { self.literal(field, value) } else { self.text(field, value) }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if value <= MAX_EXACT { self.literal(field, value) } else { self.text(field, value) }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        // `Debug` has an exponent where `Display` would have hundreds of digits; JSON has no infinities.
        let value_text = format!("{value:?}");
        if value.is_finite() { self.literal(field, value_text) } else { self.text(field, value_text) }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.text(field, value);
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        let mut text = text_of(format_args!("{value}"));
        let mut cause = value.source();
        while let Some(error) = cause {
            text = text_of(format_args!("{text}: {error}"));
            cause = error.source();
        }
        self.text(field, text);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.text(field, format_args!("{value:?}"));
    }
}

/// The name of a field in JSON. Names with an `@` belong to hclog: core crashes on a level that is a number.
fn name(field: &Field) -> Cow<'static, str> {
    let name: &'static str = field.name();
    match name.strip_prefix("r#").unwrap_or(name) {
        reserved if reserved.starts_with('@') => format!("_{reserved}").into(),
        name => name.into(),
    }
}

/// Unlike `to_string` this does not panic when an author's `Display` or `Debug` reports an error.
fn text_of(value: fmt::Arguments<'_>) -> String {
    let mut text = String::new();
    let _ = fmt::write(&mut text, value);
    text
}
