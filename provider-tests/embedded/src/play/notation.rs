//! Values as the console writes them: so that they could be typed again.

use ferroform::path::Step;
use ferroform::ty::Type;
use ferroform::value::Value;

use crate::address::quoted;
use crate::language::{Marked, describe};
use crate::state::{OutputValue, State};

/// The text of a value. Sensitive parts are not shown.
pub(super) fn text(value: &Marked) -> String {
    let mut text = String::new();
    write(value, 0, &mut text);
    text
}

/// The lines `name = value` of the outputs of a state. Sensitive ones are not shown.
pub(super) fn outputs(state: &State) -> String {
    let line = |(name, output): (&String, &OutputValue)| match output.sensitive {
        true => format!("{name} = <sensitive>\n"),
        false => format!("{name} = {}\n", text(&Marked::new(output.value.clone(), &output.ty))),
    };
    state.outputs.iter().map(line).collect()
}

fn write(value: &Marked, level: usize, text: &mut String) {
    let whole = value.marks.whole();
    if whole.sensitive {
        return text.push_str("(sensitive value)");
    }
    if whole.ephemeral {
        return text.push_str("(ephemeral value)");
    }
    match &value.value {
        Value::Null => match &value.ty {
            Type::String | Type::Number | Type::Bool => {
                text.push_str(&format!("to{}(null)", describe(&value.ty)));
            }
            Type::Dynamic => text.push_str("null"),
            ty => text.push_str(&format!("null /* {} */", describe(ty))),
        },
        Value::Unknown(_) => text.push_str("(known after apply)"),
        Value::Bool(value) => text.push_str(&value.to_string()),
        Value::Number(number) => text.push_str(&number.to_string()),
        Value::String(string) if string.as_ref().contains('\n') => {
            text.push_str(if level == 0 { "<<EOT\n" } else { "<<-EOT\n" });
            for line in string.as_ref().split('\n') {
                text.push_str(&format!("{}{line}\n", "  ".repeat(level)));
            }
            text.push_str(&format!("{}EOT", "  ".repeat(level)));
        }
        Value::String(string) => text.push_str(&quoted(string.as_ref())),
        Value::List(_) => elements(value, ("tolist([", "])"), level, text),
        Value::Set(_) => elements(value, ("toset([", "])"), level, text),
        Value::Tuple(_) => elements(value, ("[", "]"), level, text),
        Value::Map(_) => elements(value, ("tomap({", "})"), level, text),
        Value::Object(_) => elements(value, ("{", "}"), level, text),
        Value::Dynamic(dynamic) => write(&Marked::new(dynamic.value.clone(), &dynamic.ty), level, text),
    }
}

fn elements(value: &Marked, (begin, end): (&str, &str), level: usize, text: &mut String) {
    let parts = value.parts();
    text.push_str(begin);
    if !parts.is_empty() {
        text.push('\n');
    }
    for (step, part) in &parts {
        text.push_str(&"  ".repeat(level + 1));
        match step {
            Step::Attribute(name) | Step::Key(name) => {
                text.push_str(&format!("{} = ", quoted(name)));
                write(part, level + 1, text);
                text.push('\n');
            }
            _ => {
                write(part, level + 1, text);
                text.push_str(",\n");
            }
        }
    }
    if !parts.is_empty() {
        text.push_str(&"  ".repeat(level));
    }
    text.push_str(end);
}
