//! Import ids: one text for the attributes of an identity.

use crate::diag::{Error, Result};
use crate::schema::{ForImport, IdentityAttribute};
use crate::ty::Type;
use crate::value::{Number, Value};

/// The attributes of an id, each with the text that follows it, behind the text that comes first.
struct Format<'f> {
    start: &'f str,
    parts: Vec<(&'f str, &'f str)>,
}

impl<'f> Format<'f> {
    /// A format such as `{region}/{name}`; the derive has checked its braces.
    fn new(text: &'f str) -> Self {
        let (start, mut rest) = text.split_once('{').unwrap_or((text, ""));
        let mut parts = Vec::new();
        while let Some((name, after)) = rest.split_once('}') {
            let (separator, next) = after.split_once('{').unwrap_or((after, ""));
            parts.push((name, separator));
            rest = next;
        }
        Self { start, parts }
    }

    /// The texts of the attributes in an id of this form.
    fn split<'i>(&self, id: &'i str) -> Option<Vec<(&'f str, &'i str)>> {
        let mut rest = id.strip_prefix(self.start)?;
        let last = self.parts.len().checked_sub(1)?;
        let mut texts = Vec::with_capacity(self.parts.len());
        for (at, (name, separator)) in self.parts.iter().enumerate() {
            let text = if at == last {
                rest.strip_suffix(separator)?
            } else {
                let (text, after) = rest.split_once(separator)?;
                rest = after;
                text
            };
            if text.is_empty() {
                return None;
            }
            texts.push((*name, text));
        }
        Some(texts)
    }
}

/// The identity of an id, with null for the attributes that are not in it.
pub(super) fn parse(format: Option<&str>, attributes: &[IdentityAttribute], id: &str) -> Result<Value> {
    let texts = match format {
        Some(format) => Format::new(format).split(id).ok_or_else(|| malformed(format))?,
        None => vec![(&*only(attributes)?.name, id)],
    };
    let value = |attribute: &IdentityAttribute| {
        let Some((_, text)) = texts.iter().find(|(name, _)| *name == attribute.name) else {
            return Ok(Value::Null);
        };
        typed(text, &attribute.ty).ok_or_else(|| not_typed(attribute))
    };
    let entries = attributes.iter().map(|attribute| Ok((&*attribute.name, value(attribute)?)));
    Ok(Value::object(entries.collect::<Result<Vec<_>>>()?))
}

/// The id of an identity.
pub(super) fn format(
    format: Option<&str>,
    attributes: &[IdentityAttribute],
    identity: &Value,
) -> Result<String> {
    let text = |name: &str| {
        let value = identity.as_entries().and_then(|entries| entries.get(name)).unwrap_or(&Value::Null);
        id_text(value).filter(|text| !text.is_empty()).ok_or_else(|| no_id(name))
    };
    let Some(format) = format else { return text(&only(attributes)?.name) };
    let format = Format::new(format);
    let mut id = format.start.to_owned();
    let last = format.parts.len().saturating_sub(1);
    for (at, (name, separator)) in format.parts.iter().enumerate() {
        let text = text(name)?;
        // The first separator would end the attribute too early when the id is read again, also one that starts
        // within the attribute.
        if at != last && format!("{text}{separator}").find(separator) != Some(text.len()) {
            return Err(no_id(name));
        }
        id.push_str(&text);
        id.push_str(separator);
    }
    Ok(id)
}

fn typed(text: &str, ty: &Type) -> Option<Value> {
    match ty {
        Type::String => Some(Value::string(text)),
        Type::Number => text.parse::<Number>().ok().map(Value::Number),
        Type::Bool => text.parse::<bool>().ok().map(Value::Bool),
        _ => None,
    }
}

fn id_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(bool) => Some(bool.to_string()),
        _ => None,
    }
}

/// The only attribute that must be given.
fn only(attributes: &[IdentityAttribute]) -> Result<&IdentityAttribute> {
    let mut required = attributes.iter().filter(|attribute| attribute.for_import == ForImport::Required);
    match (required.next(), required.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(by_identity_only(attributes)),
    }
}

fn malformed(format: &str) -> Error {
    Error::new(
        "Malformed Import Id",
        format!(
            "The import id must have the form `{format}`, where the names in braces stand for values that are not \
             empty. Write the id in this form, or import by identity."
        ),
    )
}

fn not_typed(attribute: &IdentityAttribute) -> Error {
    let what = match attribute.ty {
        Type::Number => "a number",
        Type::Bool => "`true` or `false`",
        _ => return by_identity_only(std::slice::from_ref(attribute)),
    };
    Error::new(
        "Malformed Import Id",
        format!("In the import id, `{}` must be {what}. Correct the id.", attribute.name),
    )
}

fn by_identity_only(attributes: &[IdentityAttribute]) -> Error {
    let names = attributes.iter().map(|attribute| format!("{} = ...", attribute.name));
    Error::new(
        "Import Needs An Identity",
        format!(
            "Objects of this type are not imported by an id. Write `identity = {{ {} }}` in the `import` block, which \
             Terraform and OpenTofu have from 1.12 on.",
            names.collect::<Vec<_>>().join(", ")
        ),
    )
}

pub(super) fn by_id_only() -> Error {
    Error::new(
        "Import Needs An Id",
        "Objects of this type have no identity. Write `id = \"...\"` in the `import` block.",
    )
}

fn no_id(name: &str) -> Error {
    Error::new(
        "No Import Id",
        format!(
            "The import id of this identity could not be read again: `{name}` is empty, or holds the text that \
             separates it from the next attribute. Import by identity."
        ),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn attributes() -> Vec<IdentityAttribute> {
        let attribute = |name: &'static str, ty| IdentityAttribute::required(name, ty);
        vec![
            attribute("region", Type::String),
            attribute("port", Type::Number),
            attribute("name", Type::String),
        ]
    }

    fn check(format: &str, id: &str, expect: &str) {
        let found = match parse(Some(format), &attributes(), id) {
            Ok(value) => format!("{value:?}"),
            Err(error) => error.to_string(),
        };
        assert!(found.starts_with(expect), "{found}");
    }

    #[test]
    fn an_id_is_split_by_its_format() {
        check("{region}/{port}/{name}", "eu/80/a/b", r#"{"name": "a/b", "port": 80, "region": "eu"}"#);
        check("arn:{region}::{name}!", "arn:eu::a!", r#"{"name": "a", "port": null, "region": "eu"}"#);
        check(
            "{region}/{port}/{name}",
            "eu/80",
            "Malformed Import Id: The import id must have the form `{region}",
        );
        check(
            "{region}/{port}/{name}",
            "eu//a",
            "Malformed Import Id: The import id must have the form `{region}",
        );
        check(
            "{region}/{port}/{name}",
            "eu/x/a",
            "Malformed Import Id: In the import id, `port` must be a number",
        );
        check("arn:{name}!", "arn:a", "Malformed Import Id");
    }

    proptest! {
        #[test]
        fn an_id_that_is_made_is_read_again(region in ".*", port in any::<i64>(), name in ".*") {
            let identity = Value::object([
                ("region", Value::string(region)),
                ("port", Value::from(port)),
                ("name", Value::string(name)),
            ]);
            for form in ["{region}/{port}/{name}", "a{name}::{region}-{port}", "{name}aba{region} {port}z"] {
                if let Ok(id) = format(Some(form), &attributes(), &identity) {
                    prop_assert_eq!(parse(Some(form), &attributes(), &id).unwrap(), identity.clone());
                }
            }
        }

        #[test]
        fn any_id_is_read_or_refused(id in ".*") {
            let _ = parse(Some("{region}/{port}/{name}"), &attributes(), &id);
        }
    }
}
