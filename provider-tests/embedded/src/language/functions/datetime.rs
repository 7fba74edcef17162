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
        let (a, b) = (moment(call, 0)?.instant(), moment(call, 1)?.instant());
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
        let number = |from: usize, to: usize| {
            let digits = text.get(from..to)?;
            digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<i16>().ok()).flatten()
        };
        let byte = |at: usize| text.as_bytes().get(at).copied();
        let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
        if marks.iter().any(|(at, mark)| byte(*at) != Some(*mark)) {
            return None;
        }
        let mut rest = text.get(19..)?;
        let mut nanoseconds = 0;
        if let Some(fraction) = rest.strip_prefix('.') {
            let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
            let known = fraction.get(..digits.min(9)).filter(|known| !known.is_empty())?;
            nanoseconds = format!("{known:0<9}").parse().ok()?;
            rest = fraction.get(digits..)?;
        }
        let small = |from, to| i8::try_from(number(from, to)?).ok();
        let local = DateTime::new(
            number(0, 4)?,
            small(5, 7)?,
            small(8, 10)?,
            small(11, 13)?,
            small(14, 16)?,
            small(17, 19)?,
            nanoseconds,
        );
        Some(Self { local: local.ok()?, offset: offset(rest)? })
    }

    fn instant(self) -> Option<Timestamp> {
        self.offset.to_timestamp(self.local).ok()
    }

    fn offset_text(self, colon: &str) -> String {
        let seconds = self.offset.seconds();
        let sign = if seconds < 0 { '-' } else { '+' };
        let minutes = seconds.unsigned_abs() / 60;
        format!("{sign}{:02}{colon}{:02}", minutes / 60, minutes % 60)
    }

    pub(super) fn rfc3339(self) -> String {
        let t = self.local;
        let zone = if self.offset == Offset::UTC { "Z".to_owned() } else { self.offset_text(":") };
        format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{zone}",
            t.year(),
            t.month(),
            t.day(),
            t.hour(),
            t.minute(),
            t.second()
        )
    }
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
    let (hours, minutes) = rest.split_once(':')?;
    let two = |part: &str| {
        (part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| part.parse::<i32>().ok())
            .flatten()
    };
    let (hours, minutes) =
        (two(hours).filter(|hours| *hours < 24)?, two(minutes).filter(|minutes| *minutes < 60)?);
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

fn moment(call: &Call<'_>, at: usize) -> Result<Moment, Failure> {
    Moment::parse(call.text(at)).ok_or_else(|| {
        Failure::Argument(at, "not a valid RFC3339 timestamp, such as 2006-01-02T15:04:05Z".to_owned())
    })
}

fn add(call: &Call<'_>) -> Result<Marked, Failure> {
    let start = moment(call, 0)?;
    let duration = duration(call.text(1))
        .ok_or_else(|| Failure::Argument(1, "not a valid duration, such as 1h30m or -10s".to_owned()))?;
    let end = start
        .local
        .checked_add(duration)
        .map_err(|_| Failure::Call("the result is beyond the times that there are".to_owned()))?;
    Ok(Marked::string(Moment { local: end, ..start }.rfc3339()))
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
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') || whole.len() > 19 {
            return None;
        }
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        total += whole * unit;
        let fraction = fraction.get(..fraction.len().min(18)).unwrap_or_default();
        if !fraction.is_empty() {
            let parts = 10_i128.pow(u32::try_from(fraction.len()).ok()?);
            total += fraction.parse::<i128>().ok()? * unit / parts;
        }
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
    let time = moment(call, 1)?;
    let format = call.text(0);
    let mut text = String::new();
    let mut rest = format.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\'' && rest.next_if_eq(&'\'').is_some() {
            text.push('\'');
        } else if c == '\'' {
            quoted(&mut rest, &mut text)?;
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
            None => return Err(Failure::Argument(0, "unterminated literal".to_owned())),
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
