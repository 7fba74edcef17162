//! What is logged while something is done.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::sync::Once;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;

/// Does something, and gives back what came of it and all spans and events of the SDK and the tests, a line each.
pub(crate) fn listening<T>(level: LevelFilter, act: impl FnOnce() -> T) -> (T, String) {
    // One subscriber for the whole process: one for each test makes all threads judge anew what is of interest, and a
    // line that is written meanwhile may be lost.
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let subscriber = tracing_subscriber::registry().with(Lines);
        tracing::subscriber::set_global_default(subscriber).expect("nobody else installs one");
    });
    HEARD.set(Some((level, String::new())));
    let outcome = act();
    let lines = HEARD.take().expect("nobody takes it").1;
    (outcome, lines)
}

thread_local! {
    /// What is said on this thread, down to a level, while somebody listens.
    static HEARD: RefCell<Option<(LevelFilter, String)>> = const { RefCell::new(None) };
}

fn hear(level: Level, line: impl FnOnce() -> String) {
    HEARD.with_borrow_mut(|heard| {
        if let Some((_, lines)) = heard.as_mut().filter(|(limit, _)| level <= *limit) {
            lines.push_str(&line());
            lines.push('\n');
        }
    });
}

/// Writes spans and events as lines.
struct Lines;

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).expect("a string can be written to");
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Lines {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, cx: Context<'_, S>) {
        let level = *attributes.metadata().level();
        hear(level, || {
            let mut fields = Fields(String::new());
            attributes.record(&mut fields);
            let span = cx.span(id).expect("the span is new");
            let line = format!("{level} {}{}", span.name(), fields.0);
            span.extensions_mut().insert(fields);
            line
        });
    }

    fn on_event(&self, event: &Event<'_>, cx: Context<'_, S>) {
        let target = event.metadata().target();
        if !target.starts_with("ferroform") && !target.starts_with(env!("CARGO_CRATE_NAME")) {
            return;
        }
        let level = *event.metadata().level();
        hear(level, || {
            let mut fields = Fields(String::new());
            event.record(&mut fields);
            let within = cx.event_span(event).filter(|span| span.extensions().get::<Fields>().is_some());
            let within = within.map_or("nothing", |span| span.name());
            format!("{level} in {within}:{}", fields.0)
        });
    }
}
