//! One log line: an hclog JSON object in the form that core parses.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

/// Core reads lines through a buffer of 64 KiB and no longer parses what does not fit.
pub(super) const MAX_LINE: usize = 64 * 1024;

/// How many bytes of JSON a string may take. When a line gets too long it is written anew with the next limit, so
/// that the long strings are cut and the short ones, like the request's id, stay whole.
const LIMITS: [usize; 4] = [32 * 1024, 8 * 1024, 2 * 1024, SMALLEST_LIMIT];
const SMALLEST_LIMIT: usize = 512;

/// The longest form of one character in a JSON string, `\u001f`.
const LONGEST_ESCAPE: usize = 6;

/// What a line says.
///
/// Level, message and time are strings in JSON by construction: core crashes on any other type.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) level: tracing::Level,
    pub(super) message: String,
    pub(super) time: SystemTime,
    pub(super) module: String,
    pub(super) caller: Option<String>,
    pub(super) fields: Vec<(Cow<'static, str>, Value)>,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// Text of any kind; becomes a JSON string.
    Text(String),
    /// A JSON number or boolean.
    Literal(String),
}

impl Record {
    /// The line, ended by a newline and never longer than [`MAX_LINE`].
    pub(super) fn to_line(&self) -> String {
        LIMITS
            .iter()
            .map(|limit| self.render(*limit, &self.fields))
            .find(|line| line.len() <= MAX_LINE)
            .unwrap_or_else(|| self.render(SMALLEST_LIMIT, &[]))
    }

    fn render(&self, limit: usize, fields: &[(Cow<'static, str>, Value)]) -> String {
        let level = match self.level {
            tracing::Level::ERROR => "error",
            tracing::Level::WARN => "warn",
            tracing::Level::INFO => "info",
            tracing::Level::DEBUG => "debug",
            tracing::Level::TRACE => "trace",
        };
        let mut line = format!(r#"{{"@level":"{level}","@message":"#);
        push_text(&mut line, &self.message, limit);
        line.push_str(r#","@timestamp":""#);
        push_timestamp(&mut line, self.time);
        line.push_str(r#"","@module":"#);
        push_text(&mut line, &self.module, limit);
        if let Some(caller) = &self.caller {
            line.push_str(r#","@caller":"#);
            push_text(&mut line, caller, limit);
        }
        for (name, value) in fields {
            line.push(',');
            push_text(&mut line, name, limit);
            line.push(':');
            match value {
                Value::Text(text) => push_text(&mut line, text, limit),
                Value::Literal(literal) => line.push_str(literal),
            }
        }
        line.push_str("}\n");
        line
    }
}

/// Appends a JSON string of about `limit` bytes at most; what is left out is counted at its end.
fn push_text(line: &mut String, text: &str, limit: usize) {
    line.push('"');
    let end = line.len() + limit;
    for (at, char) in text.char_indices() {
        if line.len() + LONGEST_ESCAPE > end {
            push_formatted(line, format_args!("… ({} bytes cut)", text.len() - at));
            break;
        }
        match char {
            '"' => line.push_str("\\\""),
            '\\' => line.push_str("\\\\"),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            '\0'..='\u{1f}' => push_formatted(line, format_args!("\\u{:04x}", u32::from(char))),
            _ => line.push(char),
        }
    }
    line.push('"');
}

/// Appends `YYYY-MM-DDTHH:MM:SS.ffffffZ`, the only form core parses: with any other number of digits in the fraction
/// it takes the whole line for plain text. A clock before 1970 counts as 1970.
fn push_timestamp(line: &mut String, time: SystemTime) {
    let since_epoch = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = since_epoch.as_secs().min(LAST_SECOND);
    let (year, month, day) = date(seconds / SECONDS_PER_DAY);
    let of_day = seconds % SECONDS_PER_DAY;
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let micros = since_epoch.subsec_micros();
    push_formatted(
        line,
        format_args!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z"),
    );
}

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

/// The end of the year 9999, after which a year has too many digits.
const LAST_SECOND: u64 = 253_402_300_799;

/// Year, month and day of the month, given the days since the first of January 1970.
pub(crate) fn date(days: u64) -> (u64, u64, u64) {
    let (mut year, mut rest) = (1970, days);
    while rest >= days_of_year(year) {
        rest -= days_of_year(year);
        year += 1;
    }
    let february = days_of_year(year) - 337;
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if rest < length {
            break;
        }
        rest -= length;
        month += 1;
    }
    (year, month, rest + 1)
}

fn days_of_year(year: u64) -> u64 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    if leap { 366 } else { 365 }
}

fn push_formatted(line: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string never fails.
    let _ = line.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[track_caller]
    fn check_text(text: &str, expect: &str) {
        let mut line = String::new();
        push_text(&mut line, text, 64);
        assert_eq!(line, expect);
    }

    #[test]
    fn text_is_escaped() {
        check_text("", r#""""#);
        check_text("plain", r#""plain""#);
        check_text(r#"say "hi" \o/"#, r#""say \"hi\" \\o/""#);
        check_text("a\nb\r\tc", r#""a\nb\r\tc""#);
        check_text("\0\u{1}\u{8}\u{c}\u{1f}", r#""\u0000\u0001\u0008\u000c\u001f""#);
        check_text("\u{7f}\u{2028}é中🦀", "\"\u{7f}\u{2028}é中🦀\"");
    }

    #[test]
    fn text_is_cut_between_characters_and_escapes() {
        check_text(&"a".repeat(58), &format!("\"{}\"", "a".repeat(58)));
        check_text(&"a".repeat(100), &format!("\"{}… (41 bytes cut)\"", "a".repeat(59)));
        check_text(&"é".repeat(40), &format!("\"{}… (20 bytes cut)\"", "é".repeat(30)));
        check_text(&"\n".repeat(40), &format!("\"{}… (10 bytes cut)\"", "\\n".repeat(30)));
        check_text(&"\0".repeat(40), &format!("\"{}… (30 bytes cut)\"", "\\u0000".repeat(10)));
    }

    #[track_caller]
    fn check_timestamp(micros: u64, expect: &str) {
        let mut line = String::new();
        push_timestamp(&mut line, UNIX_EPOCH + Duration::from_micros(micros));
        assert_eq!(line, expect);
    }

    #[test]
    fn timestamps_have_six_digits_and_the_right_day() {
        check_timestamp(0, "1970-01-01T00:00:00.000000Z");
        check_timestamp(1, "1970-01-01T00:00:00.000001Z");
        check_timestamp(31_535_999_999_999, "1970-12-31T23:59:59.999999Z");
        check_timestamp(68_169_600_000_000, "1972-02-29T00:00:00.000000Z");
        check_timestamp(68_256_000_000_000, "1972-03-01T00:00:00.000000Z");
        check_timestamp(94_607_999_000_000, "1972-12-30T23:59:59.000000Z");
        check_timestamp(951_782_400_000_000, "2000-02-29T00:00:00.000000Z");
        check_timestamp(951_868_800_000_000, "2000-03-01T00:00:00.000000Z");
        check_timestamp(1_234_567_890_123_456, "2009-02-13T23:31:30.123456Z");
        check_timestamp(1_709_164_800_000_000, "2024-02-29T00:00:00.000000Z");
        check_timestamp(1_735_689_599_000_000, "2024-12-31T23:59:59.000000Z");
        check_timestamp(1_740_787_200_000_000, "2025-03-01T00:00:00.000000Z");
        check_timestamp(4_107_542_399_000_000, "2100-02-28T23:59:59.000000Z");
        check_timestamp(4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z");
        check_timestamp(253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z");
        check_timestamp(253_402_300_800_000_000, "9999-12-31T23:59:59.000000Z");
    }

    #[test]
    fn a_clock_before_1970_counts_as_1970() {
        let mut line = String::new();
        push_timestamp(&mut line, UNIX_EPOCH - Duration::from_secs(1));
        assert_eq!(line, "1970-01-01T00:00:00.000000Z");
    }

    fn record(fields: Vec<(Cow<'static, str>, Value)>) -> Record {
        Record {
            level: tracing::Level::WARN,
            message: "full".to_owned(),
            time: UNIX_EPOCH,
            module: "provider".to_owned(),
            caller: None,
            fields,
        }
    }

    /// The strings of a line that is too long get a limit each; `expect` is the longest length they have then.
    #[track_caller]
    fn check_limit(count: usize, length: usize, expect: usize) {
        let texts = (0..count).map(|_| ("text".into(), Value::Text("x".repeat(length))));
        let line = record(texts.chain([("tf_rpc".into(), Value::Text("ReadResource".to_owned()))]).collect())
            .to_line();

        let kept = expect.min(length);
        let mark = if kept < length { format!("… ({} bytes cut)", length - kept) } else { String::new() };
        let texts = format!(r#","text":"{}{mark}""#, "x".repeat(kept)).repeat(count);
        let head = r#"{"@level":"warn","@message":"full","@timestamp":"1970-01-01T00:00:00.000000Z","@module":"provider""#;
        assert!(line.len() <= MAX_LINE, "{}", line.len());
        assert!(line == format!("{head}{texts},\"tf_rpc\":\"ReadResource\"}}\n"), "{line:.300}");
    }

    #[test]
    fn long_strings_are_cut_and_short_ones_stay() {
        check_limit(1, 10_000, 10_000);
        check_limit(1, 1_000_000, 32_763);
        check_limit(2, 1_000_000, 8_187);
        check_limit(2, 32_000, 32_000);
        check_limit(10, 1_000_000, 2_043);
        check_limit(100, 1_000_000, 507);
    }

    #[test]
    fn with_too_many_fields_the_message_is_left() {
        let fields = (0..200).map(|_| ("text".into(), Value::Text("x".repeat(1_000)))).collect();
        let line = record(fields).to_line();
        assert_eq!(
            line,
            "{\"@level\":\"warn\",\"@message\":\"full\",\"@timestamp\":\"1970-01-01T00:00:00.000000Z\",\"@module\":\"provider\"}\n"
        );
    }
}
