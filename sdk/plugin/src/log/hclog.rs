//! The `tracing` layer that turns events into lines.

use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record as SpanRecord};
use tracing::subscriber::Interest;
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use super::fields::Fields;
use super::levels::{Levels, module};
use super::line::Record;
use super::redaction::Redaction;

/// A `tracing` layer that writes each event as one hclog JSON object on one line, with one call of the writer.
///
/// Its levels count for the whole subscriber, other layers included: only so can `tracing` disable call sites for
/// good. Errors of the writer are ignored, since there is nowhere left to report them. A call that logs waits for the
/// writer, so take one that does not wait for the host, such as [`Stderr`](super::Stderr).
///
/// ```
/// use std::time::SystemTime;
///
/// use ferroform_plugin::log::{HclogLayer, Levels, Stderr};
/// use tracing_subscriber::layer::SubscriberExt as _;
///
/// let layer = HclogLayer::new(Levels::from_env("acme"), SystemTime::now, Stderr);
/// let subscriber = tracing_subscriber::registry().with(layer);
/// # drop(subscriber);
/// ```
#[derive(Debug)]
pub struct HclogLayer<W> {
    levels: Levels,
    clock: fn() -> SystemTime,
    redactions: Vec<Redaction>,
    writer: Mutex<W>,
}

impl<W: Write> HclogLayer<W> {
    /// A layer that takes the time from `clock` and writes what `levels` let through to `writer`.
    #[must_use]
    pub fn new(levels: Levels, clock: fn() -> SystemTime, writer: W) -> Self {
        Self { levels, clock, redactions: Vec::new(), writer: Mutex::new(writer) }
    }

    /// The same layer, whose lines hold nothing that these rules are about.
    #[must_use]
    pub fn redact(mut self, redaction: Redaction) -> Self {
        self.redactions.push(redaction);
        self
    }
}

impl<S, W> Layer<S> for HclogLayer<W>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    W: Write + Send + 'static,
{
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.levels.allow(metadata) { Interest::always() } else { Interest::never() }
    }

    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        self.levels.allow(metadata)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.levels.highest())
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, cx: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let Some(span) = cx.span(id) {
            span.extensions_mut().insert(fields);
        }
    }

    fn on_record(&self, id: &Id, values: &SpanRecord<'_>, cx: Context<'_, S>) {
        // The author's `Debug` may log and so read this span: it must have run before the extensions are locked.
        let mut new = Fields::default();
        values.record(&mut new);
        if let Some(span) = cx.span(id)
            && let Some(fields) = span.extensions_mut().get_mut::<Fields>()
        {
            fields.update(new);
        }
    }

    fn on_event(&self, event: &Event<'_>, cx: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let message = fields.take_message();
        for span in cx.event_scope(event).into_iter().flatten() {
            if let Some(outer) = span.extensions().get::<Fields>() {
                fields.inherit(outer);
            }
        }

        let metadata = event.metadata();
        let mut record = Record {
            level: *metadata.level(),
            message,
            time: (self.clock)(),
            module: module(metadata.target()),
            caller: metadata.file().zip(metadata.line()).map(|(file, line)| format!("{file}:{line}")),
            fields: fields.into_vec(),
        };
        if !self.redactions.iter().all(|redaction| redaction.apply(&mut record)) {
            return;
        }
        let line = record.to_line();
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writer.write_all(line.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::sync::Arc;
    use std::time::{Duration, UNIX_EPOCH};
    use std::{fmt, io};

    use tracing::{debug, enabled, error, error_span, field, info, trace, trace_span, warn};
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    /// Keeps what each single call of the writer gets.
    #[derive(Clone, Default)]
    struct Calls(Arc<Mutex<Vec<String>>>);

    impl Write for Calls {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let call = String::from_utf8(bytes.to_vec()).map_err(io::Error::other)?;
            self.0.lock().map_err(|_| io::ErrorKind::Other)?.push(call);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Calls {
        fn take(&self) -> Vec<String> {
            std::mem::take(&mut self.0.lock().expect("no test panics while it holds the lock"))
        }
    }

    fn subscriber(levels: Levels, calls: &Calls) -> impl Subscriber + Send + Sync + 'static {
        let clock = || UNIX_EPOCH + Duration::from_micros(1_740_830_400_000_007);
        tracing_subscriber::registry().with(HclogLayer::new(levels, clock, calls.clone()))
    }

    fn levels(provider: LevelFilter, sdk: LevelFilter) -> Levels {
        Levels { provider, sdk, transport: LevelFilter::OFF }
    }

    /// The lines that `act` writes with all levels on; `CALLER` stands for the line of the macro, which may move.
    #[track_caller]
    fn check(act: impl FnOnce(), expect: &[&str]) {
        let calls = Calls::default();
        let levels = levels(LevelFilter::TRACE, LevelFilter::TRACE);
        tracing::subscriber::with_default(subscriber(levels, &calls), act);
        assert_eq!(calls.take().iter().map(|line| without_caller(line)).collect::<Vec<_>>(), expect);
    }

    /// Replaces this file and a line number by `CALLER`.
    fn without_caller(line: &str) -> String {
        let line = line.strip_suffix('\n').expect("a call writes a whole line");
        let Some((head, rest)) = line.split_once(concat!(file!(), ":")) else { return line.to_owned() };
        format!("{head}CALLER{}", rest.trim_start_matches(|char: char| char.is_ascii_digit()))
    }

    #[test]
    fn an_event_becomes_a_line() {
        check(
            || info!(target: "acme::api", size = 3, "made a \"bucket\""),
            &[
                r#"{"@level":"info","@message":"made a \"bucket\"","@timestamp":"2025-03-01T12:00:00.000007Z","@module":"provider.acme.api","@caller":"CALLER","size":3}"#,
            ],
        );
        check(
            || error!("in the sdk"),
            &[
                r#"{"@level":"error","@message":"in the sdk","@timestamp":"2025-03-01T12:00:00.000007Z","@module":"sdk.plugin","@caller":"CALLER"}"#,
            ],
        );
    }

    #[test]
    fn each_level_has_its_name() {
        let expect = ["error", "warn", "info", "debug", "trace"].map(|level| {
            format!(r#"{{"@level":"{level}","@message":"it","@timestamp":"2025-03-01T12:00:00.000007Z","@module":"provider.acme","@caller":"CALLER"}}"#)
        });
        check(
            || {
                error!(target: "acme", "it");
                warn!(target: "acme", "it");
                info!(target: "acme", "it");
                debug!(target: "acme", "it");
                trace!(target: "acme", "it");
            },
            &expect.each_ref().map(String::as_str),
        );
    }

    /// The fields of the one line that `act` writes.
    #[track_caller]
    fn check_fields(act: impl FnOnce(), expect: &str) {
        let head = r#"{"@level":"info","@message":"it","@timestamp":"2025-03-01T12:00:00.000007Z","@module":"provider.acme","@caller":"CALLER","#;
        check(act, &[&format!("{head}{expect}}}")]);
    }

    #[test]
    fn values_keep_their_type_where_core_can_read_it() {
        check_fields(
            || info!(target: "acme", yes = true, least = -5, most = 9_007_199_254_740_992_u64, "it"),
            r#""yes":true,"least":-5,"most":9007199254740992"#,
        );
        check_fields(
            || info!(target: "acme", a = 9_007_199_254_740_993_u64, b = i64::MIN, c = u128::MAX, "it"),
            r#""a":"9007199254740993","b":"-9223372036854775808","c":"340282366920938463463374607431768211455""#,
        );
        check_fields(
            || info!(target: "acme", a = 0.5, b = 1e300, c = f64::NAN, d = f64::NEG_INFINITY, "it"),
            r#""a":0.5,"b":1e300,"c":"NaN","d":"-inf""#,
        );
        check_fields(
            || info!(target: "acme", text = "a\nb", debug = ?Some("x"), display = %'y', r#type = "t", "it"),
            r#""text":"a\nb","debug":"Some(\"x\")","display":"y","type":"t""#,
        );
    }

    #[test]
    fn redacted_values_are_in_no_line() {
        let calls = Calls::default();
        let redaction =
            Redaction::new().mask_fields(["password"]).omit_fields(["body"]).omit_events_with(["handshake"]);
        let later = redaction.clone();
        let layer = HclogLayer::new(
            levels(LevelFilter::TRACE, LevelFilter::OFF),
            || UNIX_EPOCH + Duration::from_secs(1),
            calls.clone(),
        );
        let subscriber = tracing_subscriber::registry().with(layer.redact(redaction));
        tracing::subscriber::with_default(subscriber, || {
            error_span!(target: "acme", "login", password = "p1", body = "b1").in_scope(|| {
                info!(target: "acme", password = 12, user = "u", "first");
            });
            info!(target: "acme", handshake = true, "second");
            error_span!(target: "acme", "tls", handshake = true).in_scope(|| info!(target: "acme", "third"));
            info!(target: "acme", "token t0k not known yet");
            later.mask_text("t0k");
            later.mask_text("t0k-long");
            later.mask_text("");
            later.mask_text("4711");
            info!(target: "acme", header = "Bearer t0k-long", other = ?Some("t0k"), pin = 4711, "token t0k known");
        });
        let lines: Vec<String> = calls
            .take()
            .iter()
            .map(|line| {
                let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
                let own = line.as_object().expect("an object").iter();
                own.filter(|(name, _)| *name == "@message" || !name.starts_with('@'))
                    .map(|(name, value)| format!("{name}={value} "))
                    .collect()
            })
            .collect();
        assert_eq!(
            lines,
            [
                r#"@message="first" password="***" user="u" "#,
                r#"@message="token t0k not known yet" "#,
                r#"@message="token *** known" header="Bearer ***" other="Some(\"***\")" pin="***" "#,
            ]
        );
        assert!(!format!("{later:?}").contains("t0k"));
    }

    #[test]
    fn an_error_comes_with_its_causes() {
        #[derive(Debug)]
        struct Outer(io::Error);
        impl fmt::Display for Outer {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("no bucket")
            }
        }
        impl Error for Outer {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(&self.0)
            }
        }
        let outer = Outer(io::Error::other("no route"));
        check_fields(
            || info!(target: "acme", error = &outer as &(dyn Error + 'static), "it"),
            r#""error":"no bucket: no route""#,
        );
    }

    #[test]
    fn a_display_that_fails_does_not_panic() {
        struct Failing;
        impl fmt::Display for Failing {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("begun")?;
                Err(fmt::Error)
            }
        }
        check_fields(|| info!(target: "acme", it = %Failing, "it"), r#""it":"begun""#);
    }

    #[test]
    fn names_of_hclog_are_renamed() {
        check_fields(
            || info!(target: "acme", { "@level" = 5, "@message" = true, "@timestamp" = 0.5, "@x" = 1, level = 2 }, "it"),
            r#""_@level":5,"_@message":true,"_@timestamp":0.5,"_@x":1,"level":2"#,
        );
    }

    #[test]
    fn the_message_is_a_string_whatever_it_was() {
        let head = |message| {
            format!(
                r#"{{"@level":"info","@message":"{message}","@timestamp":"2025-03-01T12:00:00.000007Z","@module":"provider.acme","@caller":"CALLER""#
            )
        };
        check(|| info!(target: "acme", message = 5), &[&format!("{}}}", head("5"))]);
        check(|| info!(target: "acme", a = 1), &[&format!("{},\"a\":1}}", head(""))]);
    }

    #[test]
    fn fields_of_spans_follow_and_the_inner_one_wins() {
        check_fields(
            || {
                let _rpc =
                    error_span!("rpc", tf_rpc = "ReadResource", tf_req_id = "r1", at = "rpc").entered();
                let step = trace_span!("step", step = 2, at = "step", found = field::Empty).entered();
                step.record("found", true);
                step.record("step", 3);
                info!(target: "acme", at = "event", "it");
            },
            r#""at":"event","step":3,"found":true,"tf_rpc":"ReadResource","tf_req_id":"r1""#,
        );
    }

    #[test]
    fn a_value_may_log_while_a_span_records_it() {
        struct Chatty;
        impl fmt::Debug for Chatty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                trace!(target: "acme", "inner");
                f.write_str("chatty")
            }
        }
        let head = |level, message| {
            format!(
                r#"{{"@level":"{level}","@message":"{message}","@timestamp":"2025-03-01T12:00:00.000007Z","@module":"provider.acme","@caller":"CALLER""#
            )
        };
        check(
            || {
                let span = error_span!("rpc", it = field::Empty).entered();
                span.record("it", field::debug(Chatty));
                info!(target: "acme", "it");
            },
            &[
                &format!("{}}}", head("trace", "inner")),
                &format!("{},\"it\":\"chatty\"}}", head("info", "it")),
            ],
        );
    }

    /// What gets through: lines of the provider at WARN and INFO, of the SDK at INFO, of the transport at ERROR.
    #[track_caller]
    fn check_levels(levels: Levels, expect: [bool; 4]) {
        let calls = Calls::default();
        let mut formatted = 0;
        let enabled = tracing::subscriber::with_default(subscriber(levels, &calls), || {
            warn!(target: "acme", count = { formatted += 1; 0 }, "it");
            info!(target: "acme", count = { formatted += 1; 0 }, "it");
            info!(target: "ferroform_server::server", count = { formatted += 1; 0 }, "it");
            error!(target: "h2::proto", count = { formatted += 1; 0 }, "it");
            [
                enabled!(target: "acme", tracing::Level::WARN),
                enabled!(target: "acme", tracing::Level::INFO),
                enabled!(target: "ferroform_server::server", tracing::Level::INFO),
                enabled!(target: "h2::proto", tracing::Level::ERROR),
            ]
        });
        let count = expect.iter().filter(|on| **on).count();
        assert_eq!((enabled, formatted, calls.take().len()), (expect, count, count));
    }

    #[test]
    fn a_level_that_is_off_is_neither_formatted_nor_written() {
        let off = LevelFilter::OFF;
        check_levels(levels(off, off), [false; 4]);
        check_levels(levels(LevelFilter::WARN, LevelFilter::WARN), [true, false, false, false]);
        check_levels(levels(LevelFilter::INFO, off), [true, true, false, false]);
        check_levels(levels(off, LevelFilter::INFO), [false, false, true, false]);
        check_levels(
            Levels { transport: LevelFilter::ERROR, ..levels(off, off) },
            [false, false, false, true],
        );
    }

    #[test]
    fn the_subscriber_disables_call_sites_by_their_level() {
        let hint = |levels| subscriber(levels, &Calls::default()).max_level_hint();
        assert_eq!(hint(levels(LevelFilter::OFF, LevelFilter::OFF)), Some(LevelFilter::OFF));
        assert_eq!(hint(levels(LevelFilter::WARN, LevelFilter::INFO)), Some(LevelFilter::INFO));
    }

    #[test]
    fn spans_of_the_sdk_serve_the_provider() {
        let calls = Calls::default();
        tracing::subscriber::with_default(
            subscriber(levels(LevelFilter::INFO, LevelFilter::OFF), &calls),
            || {
                error_span!("rpc", tf_rpc = "ReadResource").in_scope(|| info!(target: "acme", "it"));
            },
        );
        let lines = calls.take().concat();
        assert!(lines.ends_with("\"tf_rpc\":\"ReadResource\"}\n"), "{lines}");
    }

    #[test]
    fn threads_do_not_interleave() {
        let calls = Calls::default();
        let dispatch =
            tracing::Dispatch::new(subscriber(levels(LevelFilter::INFO, LevelFilter::OFF), &calls));
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let dispatch = &dispatch;
                scope.spawn(move || {
                    tracing::dispatcher::with_default(dispatch, || {
                        for count in 0..50 {
                            info!(target: "acme", thread, count, "{}", "x".repeat(500));
                        }
                    });
                });
            }
        });

        let lines = calls.take();
        for thread in 0..8 {
            let ends: Vec<String> =
                (0..50).map(|count| format!("\"thread\":{thread},\"count\":{count}}}\n")).collect();
            let own = lines.iter().filter(|line| line.contains(&format!("\"thread\":{thread},")));
            assert!(own.zip(&ends).all(|(line, end)| line.starts_with("{\"@level\"") && line.ends_with(end)));
        }
        assert_eq!(lines.len(), 400);
    }

    #[test]
    fn failed_writer_drops_the_lines() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
        let levels = levels(LevelFilter::INFO, LevelFilter::INFO);
        let subscriber =
            tracing_subscriber::registry().with(HclogLayer::new(levels, SystemTime::now, Closed));
        tracing::subscriber::with_default(subscriber, || {
            info!("first");
            assert!(enabled!(tracing::Level::INFO));
        });
    }
}
