//! Texts by a format.

use std::fmt::Write as _;

use ferroform::ty::Type;
use ferroform::value::{Number, Refinements, Value};

use super::{Call, Entry, Failure};
use crate::language::Marked;
use crate::language::convert::convert;
use crate::language::evaluate::safe_prefix;
use crate::language::number;

pub(super) const TABLE: &[Entry] = &[
    ("format(format: string~, args: any?~...) -> string", format),
    ("formatlist(format: string~, args: any?~...) -> list(string)", format_list),
];

/// One `%` with what belongs to it.
#[derive(Default, Clone, Copy)]
struct Verb {
    left: bool,
    plus: bool,
    space: bool,
    sharp: bool,
    zero: bool,
    width: Option<usize>,
    precision: Option<usize>,
    argument: usize,
    letter: char,
}

/// A text, or as much of it as is known.
enum Formatted {
    Known(String),
    Prefix(String),
}

fn format(call: &Call<'_>) -> Result<Marked, Failure> {
    let format = call.argument(0);
    if format.is_unknown() {
        return Ok(call.unknown());
    }
    let arguments = call.arguments.get(1..).unwrap_or_default();
    if arguments.iter().any(|argument| !argument.value.is_wholly_known()) {
        // The verbs are not looked at then.
        let literal = call.text(0).split('%').next().unwrap_or_default();
        let prefix = safe_prefix(literal).filter(|_| call.text(0).contains('%'));
        return Ok(Marked::refined(
            Type::String,
            Refinements { not_null: true, prefix, ..Refinements::default() },
        ));
    }
    Ok(match formatted(call.text(0), arguments)? {
        Formatted::Known(text) => Marked::string(text),
        Formatted::Prefix(prefix) => Marked::refined(
            Type::String,
            Refinements { not_null: true, prefix: safe_prefix(&prefix), ..Refinements::default() },
        ),
    })
}

/// One text for each element of the lists, single values going with each.
fn format_list(call: &Call<'_>) -> Result<Marked, Failure> {
    if call.argument(0).is_unknown() {
        return Ok(call.unknown());
    }
    let (mut length, mut unknown) = (None, false);
    let mut columns = Vec::new();
    for (at, argument) in call.arguments.iter().enumerate().skip(1) {
        let sequence = matches!(argument.ty, Type::List(_) | Type::Set(_) | Type::Tuple(_));
        if sequence && argument.is_unknown() || argument.ty == Type::Dynamic && argument.is_unknown() {
            unknown = true;
            continue;
        }
        if !sequence || argument.is_null() {
            columns.push((None, argument.clone()));
            continue;
        }
        let elements = argument.elements();
        match length {
            Some(length) if length != elements.len() => {
                return Err(Failure::Argument(at, "all list arguments must have the same length".to_owned()));
            }
            _ => length = Some(elements.len()),
        }
        columns.push((Some(elements), argument.clone()));
    }
    if unknown {
        return Ok(call.unknown());
    }
    let mut results = Vec::new();
    for row in 0..length.unwrap_or(1) {
        let arguments: Vec<Marked> = columns
            .iter()
            .map(|(elements, whole)| {
                elements.as_ref().and_then(|elements| elements.get(row)).unwrap_or(whole).clone()
            })
            .collect();
        if !arguments.iter().all(|argument| argument.value.is_wholly_known()) {
            results.push(Marked::unknown_not_null(Type::String));
            continue;
        }
        // An error names the row in core, and so no argument.
        let text = formatted(call.text(0), &arguments).map_err(|failure| match failure {
            Failure::Argument(_, message) | Failure::Call(message) => Failure::Call(message),
        })?;
        results.push(match text {
            Formatted::Known(text) => Marked::string(text),
            Formatted::Prefix(_) => Marked::unknown_not_null(Type::String),
        });
    }
    Ok(Marked::list(Type::String, results))
}

fn formatted(format: &str, arguments: &[Marked]) -> Result<Formatted, Failure> {
    let (mut text, mut next, mut highest, mut prefix) = (String::new(), 0, 0, None);
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        text.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + 1..).unwrap_or_default();
        if let Some(after) = rest.strip_prefix('%') {
            text.push('%');
            rest = after;
            continue;
        }
        let (verb, after) = verb(rest, &mut next)?;
        rest = after;
        highest = highest.max(verb.argument + 1);
        let argument = arguments.get(verb.argument).ok_or_else(|| {
            Failure::Call(format!(
                "not enough arguments for \"%{}\": need index {}",
                verb.letter,
                verb.argument + 1
            ))
        })?;
        if argument.value.is_wholly_known() {
            write(&verb, argument, &mut text)?;
        } else if prefix.is_none() {
            prefix = Some(text.clone());
        }
    }
    text.push_str(rest);
    if highest < arguments.len() {
        let message = format!("too many arguments; only {highest} used by format string");
        return Err(Failure::Argument(highest + 1, message));
    }
    Ok(prefix.map_or(Formatted::Known(text), Formatted::Prefix))
}

/// Reads what follows a `%`.
fn verb<'f>(mut rest: &'f str, next: &mut usize) -> Result<(Verb, &'f str), Failure> {
    let invalid = || Failure::Call("a format verb cannot be read".to_owned());
    let mut verb = Verb::default();
    let number = |rest: &mut &'f str| -> Result<Option<usize>, Failure> {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = rest.split_at(digits);
        *rest = after;
        if number.is_empty() {
            return Ok(None);
        }
        number.parse().ok().filter(|number| *number <= 10_000).map(Some).ok_or_else(invalid)
    };
    while let Some(flag) = rest.chars().next().filter(|c| "-+ #0".contains(*c)) {
        match flag {
            '-' => verb.left = true,
            '+' => verb.plus = true,
            ' ' => verb.space = true,
            '#' => verb.sharp = true,
            _ => verb.zero = true,
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    verb.width = number(&mut rest)?;
    if let Some(after) = rest.strip_prefix('.') {
        rest = after;
        verb.precision = Some(number(&mut rest)?.unwrap_or(0));
    }
    if let Some(after) = rest.strip_prefix('[') {
        let (index, after) = after.split_once(']').ok_or_else(invalid)?;
        let index: usize = index.parse().map_err(|_| invalid())?;
        *next = index.checked_sub(1).ok_or_else(invalid)?;
        rest = after;
    }
    verb.argument = *next;
    *next += 1;
    verb.letter = rest.chars().next().ok_or_else(invalid)?;
    Ok((verb, rest.get(verb.letter.len_utf8()..).unwrap_or_default()))
}

fn write(verb: &Verb, argument: &Marked, text: &mut String) -> Result<(), Failure> {
    let unsupported =
        |error: String| Failure::Call(format!("unsupported value for \"%{}\": {error}", verb.letter));
    let to = |ty: &Type| {
        if argument.is_null() {
            return Err(unsupported("null value cannot be formatted".to_owned()));
        }
        convert(argument.clone(), ty).map_err(|error| unsupported(error.to_string()))
    };
    let body = match verb.letter {
        'v' => {
            let plain = match (&argument.value, verb.sharp) {
                (Value::String(value), false) => value.to_string(),
                (Value::Null, false) => "null".to_owned(),
                (Value::Number(value), false) => general(&value.to_string()),
                (Value::Number(value), true) => value.to_string(),
                (Value::Bool(value), _) => value.to_string(),
                (value, _) => json(value),
            };
            let is_text = matches!(argument.value, Value::String(_));
            plain.chars().take(verb.precision.filter(|_| is_text).unwrap_or(usize::MAX)).collect()
        }
        // Core does not pad a bool.
        't' => {
            let _ = write!(text, "{}", to(&Type::Bool)?.value.as_bool().unwrap_or_default());
            return Ok(());
        }
        's' | 'q' => {
            let value = to(&Type::String)?;
            let value = value.value.as_str().unwrap_or_default();
            let kept: String = value.chars().take(verb.precision.unwrap_or(usize::MAX)).collect();
            if verb.letter == 'q' { json(&Value::string(kept)) } else { kept }
        }
        'b' | 'd' | 'o' | 'x' | 'X' | 'e' | 'E' | 'f' | 'g' | 'G' => {
            let value = to(&Type::Number)?;
            let number = value.value.as_number().cloned().unwrap_or_else(|| Number::from(0_i64));
            if "bdoxX".contains(verb.letter) && !number.is_integer() {
                return Err(unsupported("an integer is required".to_owned()));
            }
            let (sign, digits) = signed(verb, &number);
            padded(verb, (&sign, &digits), text);
            return Ok(());
        }
        letter => return Err(Failure::Call(format!("unsupported format verb {letter:?}"))),
    };
    let missing = verb.width.unwrap_or(0).saturating_sub(body.chars().count());
    let padding = if verb.zero { "0" } else { " " }.repeat(missing);
    text.push_str(&if verb.left { body + &padding } else { padding + &body });
    Ok(())
}

/// A decimal text with an exponent where Go's `%g` writes one: below 0.0001, and from a million on.
fn general(decimal: &str) -> String {
    let (sign, digits) = decimal.strip_prefix('-').map_or(("", decimal), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    let significant = all.trim_start_matches('0');
    let power = whole.len().cast_signed() - 1 - (all.len() - significant.len()).cast_signed();
    if significant.is_empty() || (-4..6).contains(&power) {
        return decimal.to_owned();
    }
    let (first, rest) = significant.split_at(1);
    let rest = rest.trim_end_matches('0');
    let point = if rest.is_empty() { "" } else { "." };
    let direction = if power < 0 { '-' } else { '+' };
    format!("{sign}{first}{point}{rest}e{direction}{:02}", power.unsigned_abs())
}

fn json(value: &Value) -> String {
    let mut text = String::new();
    super::json::write(value, &mut text);
    text
}

/// What stands before the digits of a number, its sign and the base where `#` asks for it, and the digits.
fn signed(verb: &Verb, number: &Number) -> (String, String) {
    let negative = *number < Number::from(0_i64);
    let sign = match (negative, verb.plus, verb.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    };
    let whole = number::truncate(number);
    let whole = whole.magnitude();
    let body = match verb.letter {
        'b' => whole.to_str_radix(2),
        'o' => whole.to_str_radix(8),
        'x' => whole.to_str_radix(16),
        'X' => whole.to_str_radix(16).to_uppercase(),
        'd' => whole.to_string(),
        letter => float(letter, number.to_f64().abs(), verb.precision),
    };
    let base = match verb.letter {
        'b' if verb.sharp => "0b",
        'o' if verb.sharp => "0",
        'x' if verb.sharp => "0x",
        'X' if verb.sharp => "0X",
        _ => "",
    };
    (format!("{sign}{base}"), body)
}

fn float(letter: char, number: f64, precision: Option<usize>) -> String {
    let exponent = |text: String| {
        let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, digits) = power.strip_prefix('-').map_or(('+', power), |digits| ('-', digits));
        format!("{mantissa}e{sign}{digits:0>2}")
    };
    let text = match letter {
        'e' | 'E' => exponent(format!("{number:.*e}", precision.unwrap_or(6))),
        'f' => format!("{number:.*}", precision.unwrap_or(6)),
        _ => {
            let digits = precision.map(|precision| precision.max(1) - 1);
            let short = digits.map_or_else(|| format!("{number:e}"), |digits| format!("{number:.digits$e}"));
            let (mantissa, power) = short.split_once('e').unwrap_or((&short, "0"));
            let power: i32 = power.parse().unwrap_or(0);
            let limit = precision.map_or(21, |precision| i32::try_from(precision.max(1)).unwrap_or(i32::MAX));
            let mantissa = if mantissa.contains('.') {
                mantissa.trim_end_matches('0').trim_end_matches('.')
            } else {
                mantissa
            };
            let rounded = format!("{mantissa}e{power}");
            if power < -4 || power >= limit {
                exponent(rounded)
            } else {
                rounded.parse::<f64>().unwrap_or(number).to_string()
            }
        }
    };
    if letter.is_ascii_uppercase() { text.to_uppercase() } else { text }
}

fn padded(verb: &Verb, (sign, digits): (&str, &str), text: &mut String) {
    let length = sign.len() + digits.chars().count();
    let missing = verb.width.unwrap_or(0).saturating_sub(length);
    let _ = if verb.left {
        write!(text, "{sign}{digits}{}", " ".repeat(missing))
    } else if verb.zero {
        write!(text, "{sign}{}{digits}", "0".repeat(missing))
    } else {
        write!(text, "{}{sign}{digits}", " ".repeat(missing))
    };
}
