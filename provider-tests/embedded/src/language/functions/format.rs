//! Texts by a format.

use std::fmt::Write as _;

use ferroform::ty::Type;
use ferroform::value::{Number, Refinements, Value};
use unicode_segmentation::UnicodeSegmentation as _;

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
                return Err(Failure::argument(at, "all list arguments must have the same length"));
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
    let invalid = || Failure::call("a format verb cannot be read");
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
        let index: usize = index.parse().ok().filter(|_| !index.starts_with('0')).ok_or_else(invalid)?;
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
        'v' => match (&argument.value, verb.sharp) {
            (Value::String(value), false) => value.to_string(),
            (Value::Null, false) => "null".to_owned(),
            (Value::Number(value), false) => {
                let sign = if *value < Number::from(0_i64) { "-" } else { "" };
                format!("{sign}{}", float('g', value, None))
            }
            (Value::Number(value), true) => value.to_string(),
            (Value::Bool(value), _) => value.to_string(),
            (value, _) => json(value),
        },
        // Core does not pad a bool.
        't' => {
            let _ = write!(text, "{}", to(&Type::Bool)?.value.as_bool().unwrap_or_default());
            return Ok(());
        }
        's' | 'q' => {
            let value = to(&Type::String)?;
            let value = value.value.as_str().unwrap_or_default();
            // A precision of zero is none.
            let most = verb.precision.filter(|most| *most > 0).unwrap_or(usize::MAX);
            let kept: String = value.graphemes(true).take(most).collect();
            if verb.letter == 'q' { json(&Value::string(kept)) } else { kept }
        }
        'b' | 'd' | 'o' | 'x' | 'X' | 'e' | 'E' | 'f' | 'g' | 'G' => {
            let value = to(&Type::Number)?;
            let number = value.value.as_number().cloned().unwrap_or_else(|| Number::from(0_i64));
            if "bdoxX".contains(verb.letter) && !number.is_integer() {
                return Err(unsupported("an integer is required".to_owned()));
            }
            let (sign, digits) = signed(verb, &number);
            text.push_str(&padded(verb, (&sign, &digits)));
            return Ok(());
        }
        letter => return Err(Failure::Call(format!("unsupported format verb {letter:?}"))),
    };
    let missing = verb.width.unwrap_or(0).saturating_sub(body.graphemes(true).count());
    let padding = if verb.zero { "0" } else { " " }.repeat(missing);
    text.push_str(&if verb.left { body + &padding } else { padding + &body });
    Ok(())
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
    let whole = || number::truncate(number).into_parts().1;
    let digits = match verb.letter {
        'b' => whole().to_str_radix(2),
        'o' => whole().to_str_radix(8),
        'x' => whole().to_str_radix(16),
        'X' => whole().to_str_radix(16).to_uppercase(),
        'd' => whole().to_string(),
        letter => return (sign.to_owned(), float(letter, number, verb.precision)),
    };
    let digits = match verb.precision {
        // Zero has no digits that must be there.
        Some(0) if digits == "0" => String::new(),
        precision => format!("{digits:0>width$}", width = precision.unwrap_or(0)),
    };
    let base = match verb.letter {
        'b' if verb.sharp => "0b",
        'o' if verb.sharp => "0",
        'x' if verb.sharp => "0x",
        'X' if verb.sharp => "0X",
        _ => "",
    };
    (format!("{sign}{base}"), digits)
}

fn float(letter: char, number: &Number, precision: Option<usize>) -> String {
    let digits = || number::exact_digits(number);
    let text = match (letter.to_ascii_lowercase(), precision) {
        ('e', precision) => digits().scientific(precision.unwrap_or(6)),
        ('f', precision) => digits().fixed(precision.unwrap_or(6)),
        (_, None) => number::shortest_digits(number).general(None),
        (_, precision) => digits().general(precision),
    };
    if letter.is_ascii_uppercase() { text.to_uppercase() } else { text }
}

fn padded(verb: &Verb, (sign, digits): (&str, &str)) -> String {
    let missing = verb.width.unwrap_or(0).saturating_sub(sign.len() + digits.len());
    let is_integer = "bdoxX".contains(verb.letter);
    // Zeros go before a fraction whatever else is asked for, before an integer unless there is a precision.
    let zeros = verb.zero && !(is_integer && (verb.left || verb.precision.is_some()));
    if zeros {
        format!("{sign}{}{digits}", "0".repeat(missing))
    } else if verb.left {
        format!("{sign}{digits}{}", " ".repeat(missing))
    } else {
        format!("{}{sign}{digits}", " ".repeat(missing))
    }
}
