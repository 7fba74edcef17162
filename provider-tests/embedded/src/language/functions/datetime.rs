//! Times.

use std::cmp::Ordering;
use std::fmt::Write as _;

use ferroform::ty::Type;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use super::{Call, Entry, Failure, Stage};
use crate::language::Marked;

pub(super) const TABLE: &[Entry] = &[
    ("timestamp() -> string", |call| match call.scope.stage() {
        Stage::Plan => Ok(call.unknown()),
        Stage::Apply => {
            let now = Moment { local: Offset::UTC.to_datetime(Timestamp::now()), offset: Offset::UTC };
            Ok(Marked::string(now.rfc3339()))
        }
    }),
    ("plantimestamp() -> string", |call| match call.scope.plan_timestamp() {
        Some(text) => Ok(Marked::string(text)),
        None => Ok(Marked::unknown_not_null(Type::String)),
    }),
    ("^timeadd(timestamp: string, duration: string) -> string?", add),
    ("timecmp(timestamp_a: string, timestamp_b: string) -> number", |call| {
        let instant = |at| moment(call, at, Moment::parse_leniently).map(Moment::instant);
        let (a, b) = (instant(0)?, instant(1)?);
        Ok(Marked::number(match a.cmp(&b) {
            Ordering::Less => -1_i64,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }))
    }),
    ("formatdate(format: string, time: string) -> string", format_date),
];

/// A local time with its distance from UTC.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    local: DateTime,
    offset: Offset,
}

impl Moment {
    /// `2006-01-02T15:04:05Z`, with a fraction of seconds and with an offset instead of `Z` if wanted.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let is_strict = text.as_bytes().get(13) == Some(&b':') && !text.contains(',');
        let day = Offset::from_seconds(24 * 3600).ok()?;
        let parsed = Self::parse_leniently(text).filter(|_| is_strict && !text.ends_with(":60"))?;
        (parsed.offset < day && parsed.offset > -day).then_some(parsed)
    }

    /// As Go does it, with an hour of one digit, a comma before the fraction, and offsets of whole days and hours.
    fn parse_leniently(text: &str) -> Option<Self> {
        let (year, rest) = digits(text, 4, 4)?;
        let (month, rest) = digits(rest.strip_prefix('-')?, 2, 2)?;
        let (day, rest) = digits(rest.strip_prefix('-')?, 2, 2)?;
        let (hour, rest) = digits(rest.strip_prefix('T')?, 1, 2)?;
        let (minute, rest) = digits(rest.strip_prefix(':')?, 2, 2)?;
        let (second, mut rest) = digits(rest.strip_prefix(':')?, 2, 2)?;
        let mut nanoseconds = 0;
        if let Some(fraction) = rest.strip_prefix(['.', ',']) {
            let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
            let known = fraction.get(..digits.min(9)).filter(|known| !known.is_empty())?;
            nanoseconds = format!("{known:0<9}").parse().ok()?;
            rest = fraction.get(digits..)?;
        }
        let small = |number| i8::try_from(number).ok();
        let (month, day) = (small(month)?, small(day)?);
        let (hour, minute, second) = (small(hour)?, small(minute)?, small(second)?);
        let local = DateTime::new(year, month, day, hour, minute, second, nanoseconds);
        Some(Self { local: local.ok()?, offset: offset(rest)? })
    }

    /// How far it is from the beginning of all years. A `Timestamp` does not reach to the last of them.
    fn instant(self) -> SignedDuration {
        let offset = SignedDuration::from_secs(self.offset.seconds().into());
        self.local.duration_since(DateTime::ZERO) - offset
    }

    fn offset_text(self, colon: &str) -> String {
        let seconds = self.offset.seconds();
        let sign = if seconds < 0 { '-' } else { '+' };
        let minutes = seconds.unsigned_abs() / 60;
        format!("{sign}{:02}{colon}{:02}", minutes / 60, minutes % 60)
    }

    pub(super) fn rfc3339(self) -> String {
        self.in_year(self.local.year())
    }

    /// The text of the same time in another year.
    fn in_year(self, year: i16) -> String {
        let t = self.local;
        let zone = if self.offset == Offset::UTC { "Z".to_owned() } else { self.offset_text(":") };
        format!(
            "{}{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{zone}",
            if year < 0 { "-" } else { "" },
            year.unsigned_abs(),
            t.month(),
            t.day(),
            t.hour(),
            t.minute(),
            t.second()
        )
    }
}

/// A number of so many digits, with what follows.
fn digits(text: &str, least: usize, most: usize) -> Option<(i16, &str)> {
    let count = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at_checked(count).filter(|_| count >= least)?;
    Some((digits.parse().ok()?, rest))
}

fn offset(text: &str) -> Option<Offset> {
    if text == "Z" {
        return Some(Offset::UTC);
    }
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, rest) = digits(rest, 2, 2)?;
    let (minutes, rest) = digits(rest.strip_prefix(':')?, 2, 2)?;
    if hours > 24 || minutes > 60 || !rest.is_empty() {
        return None;
    }
    Offset::from_seconds(sign * (i32::from(hours) * 3600 + i32::from(minutes) * 60)).ok()
}

fn moment(call: &Call<'_>, at: usize, parse: fn(&str) -> Option<Moment>) -> Result<Moment, Failure> {
    parse(call.text(at))
        .ok_or_else(|| Failure::argument(at, "not a valid RFC3339 timestamp, such as 2006-01-02T15:04:05Z"))
}

fn add(call: &Call<'_>) -> Result<Marked, Failure> {
    let start = moment(call, 0, Moment::parse)?;
    let duration = duration(call.text(1))
        .ok_or_else(|| Failure::argument(1, "not a valid duration, such as 1h30m or -10s"))?;
    // The calendar is the same after 400 years, by which years are reached for which there are no dates here.
    let years_of_calendar = 400;
    let (from, years) = match start.local.checked_add(duration) {
        Ok(_) => (Ok(start.local), 0),
        Err(_) => {
            let year = start.local.year() - years_of_calendar;
            (start.local.with().year(year).build(), years_of_calendar)
        }
    };
    let local = from
        .and_then(|from| from.checked_add(duration))
        .map_err(|_| Failure::call("the result is beyond the times that there are"))?;
    Ok(Marked::string(Moment { local, ..start }.in_year(local.year() + years)))
}

/// Numbers with units, `ns`, `us`, `ms`, `s`, `m`, `h`, and perhaps a sign before them.
pub(crate) fn duration(text: &str) -> Option<SignedDuration> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(SignedDuration::ZERO);
    }
    let mut total: i128 = 0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let split = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(split);
        let end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        rest = after;
        let unit: i128 = match unit {
            "ns" => 1,
            "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
            return None;
        }
        let whole = whole.trim_start_matches('0');
        total += if whole.is_empty() { 0 } else { i128::from(whole.parse::<u64>().ok()?) * unit };
        // Go calculates with floats here, and the result is that of theirs.
        let (mut parts, mut scale) = (0_u64, 1.0);
        for digit in fraction.bytes().map(|byte| u64::from(byte - b'0')) {
            let more = parts.checked_mul(10).and_then(|parts| parts.checked_add(digit));
            let Some(more) = more.filter(|more| *more <= 1 << 63) else { break };
            (parts, scale) = (more, scale * 10.0);
        }
        total += (parts as f64 * (unit as f64 / scale)) as i128;
    }
    i64::try_from(sign * total).ok().map(SignedDuration::from_nanos)
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Runs of one letter stand for parts of the time; everything within single quotes stands for itself.
fn format_date(call: &Call<'_>) -> Result<Marked, Failure> {
    let time = moment(call, 1, Moment::parse)?;
    let format = call.text(0);
    let mut text = String::new();
    let mut rest = format.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\'' {
            // Two quotes are one, also where there is nothing else between them.
            match rest.next_if_eq(&'\'') {
                Some(quote) => text.push(quote),
                None => quoted(&mut rest, &mut text)?,
            }
        } else if c.is_ascii_alphabetic() {
            let mut count = 1;
            while rest.next_if_eq(&c).is_some() {
                count += 1;
            }
            part(time, (c, count), &mut text)?;
        } else {
            text.push(c);
        }
    }
    Ok(Marked::string(text))
}

fn quoted(rest: &mut std::iter::Peekable<std::str::Chars<'_>>, text: &mut String) -> Result<(), Failure> {
    loop {
        match rest.next() {
            Some('\'') if rest.next_if_eq(&'\'').is_some() => text.push('\''),
            Some('\'') => return Ok(()),
            Some(c) => text.push(c),
            None => return Err(Failure::argument(0, "unterminated literal")),
        }
    }
}

fn part(time: Moment, (letter, count): (char, usize), text: &mut String) -> Result<(), Failure> {
    let t = time.local;
    let name = |names: &[&'static str], at: i8| {
        usize::try_from(at - 1).ok().and_then(|at| names.get(at)).copied().unwrap_or_default()
    };
    let short = |name: &'static str| name.get(..3).unwrap_or(name);
    let hour12 = if t.hour() % 12 == 0 { 12 } else { t.hour() % 12 };
    let (day, month) = (name(&DAYS, t.weekday().to_monday_one_offset()), name(&MONTHS, t.month()));
    let _ = match (letter, count) {
        ('Y', 4) => write!(text, "{:04}", t.year()),
        ('Y', 2) => write!(text, "{:02}", t.year() % 100),
        ('M', 4) => write!(text, "{month}"),
        ('M', 3) => write!(text, "{}", short(month)),
        ('M', 2) => write!(text, "{:02}", t.month()),
        ('M', 1) => write!(text, "{}", t.month()),
        ('D', 2) => write!(text, "{:02}", t.day()),
        ('D', 1) => write!(text, "{}", t.day()),
        ('E', 4) => write!(text, "{day}"),
        ('E', 3) => write!(text, "{}", short(day)),
        ('h', 2) => write!(text, "{:02}", t.hour()),
        ('h', 1) => write!(text, "{}", t.hour()),
        ('H', 2) => write!(text, "{hour12:02}"),
        ('H', 1) => write!(text, "{hour12}"),
        ('A', 2) => write!(text, "{}", if t.hour() < 12 { "AM" } else { "PM" }),
        ('a', 2) => write!(text, "{}", if t.hour() < 12 { "am" } else { "pm" }),
        ('m', 2) => write!(text, "{:02}", t.minute()),
        ('m', 1) => write!(text, "{}", t.minute()),
        ('s', 2) => write!(text, "{:02}", t.second()),
        ('s', 1) => write!(text, "{}", t.second()),
        ('Z', 1) if time.offset == Offset::UTC => write!(text, "Z"),
        ('Z', 3) if time.offset == Offset::UTC => write!(text, "UTC"),
        ('Z', 1 | 5) => write!(text, "{}", time.offset_text(":")),
        ('Z', 3 | 4) => write!(text, "{}", time.offset_text("")),
        _ => {
            let message = format!("invalid format verb \"{}\"", letter.to_string().repeat(count.min(8)));
            return Err(Failure::Argument(0, message));
        }
    };
    Ok(())
}
