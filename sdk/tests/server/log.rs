//! What is logged while something is done.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;

/// Does something, and gives back what came of it and all spans and events of the SDK and the tests, a line each.
pub(crate) fn listening<T>(level: LevelFilter, act: impl FnOnce() -> T) -> (T, String) {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::registry().with(lines.clone().with_filter(level));
    let outcome = tracing::subscriber::with_default(subscriber, act);
    let lines = lines.0.lock().unwrap().clone();
    (outcome, lines)
}

/// Writes spans and events as lines.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<String>>);

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).expect("a string can be written to");
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Lines {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, cx: Context<'_, S>) {
        let mut fields = Fields(String::new());
        attributes.record(&mut fields);
        let span = cx.span(id).expect("the span is new");
        writeln!(self.0.lock().unwrap(), "{} {}{}", attributes.metadata().level(), span.name(), fields.0)
            .unwrap();
        span.extensions_mut().insert(fields);
    }

    fn on_event(&self, event: &Event<'_>, cx: Context<'_, S>) {
        let target = event.metadata().target();
        if !target.starts_with("ferroform") && !target.starts_with(env!("CARGO_CRATE_NAME")) {
            return;
        }
        let mut fields = Fields(String::new());
        event.record(&mut fields);
        let within = cx.event_span(event).map_or("nothing", |span| span.name());
        writeln!(self.0.lock().unwrap(), "{} in {within}:{}", event.metadata().level(), fields.0).unwrap();
    }
}
