//! States.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use ferroform::ty::Type;
use ferroform_core::codec::type_json;
use serde_json::Value as Json;

use super::diff::Diff;
use super::paint::{Colour, Style};
use super::pair::Pair;
use super::write::{RenderMode, Writer};
use super::{RenderError, declaration, elements, schema, text, text_of};
use crate::address::ProviderAddress;
use crate::client::Schemas;

/// The text of a state, of which this is what `show -json` prints.
///
/// # Errors
/// A resource that has no schema.
pub fn state<S: Borrow<Schemas>>(
    json: &Json,
    schemas: &BTreeMap<ProviderAddress, S>,
    colour: Colour,
) -> Result<String, RenderError> {
    let Some(values) = json.get("values") else {
        return Ok("The state is empty: it has no resources and no outputs.\n".to_owned());
    };
    let mut all = Vec::new();
    module(values.get("root_module").unwrap_or(&Json::Null), &mut all);
    let mut blocks = Vec::with_capacity(all.len());
    for resource in all {
        blocks.push(object(resource, schemas, colour)?);
    }
    if let Some(outputs) = values.get("outputs").and_then(Json::as_object).filter(|it| !it.is_empty()) {
        blocks.push(format!("\nOutputs:\n\n{}", lines_of(outputs, colour)));
    }
    Ok(blocks.join("\n"))
}

/// The lines `name = value` of outputs in the form of `output -json`; sensitive ones are not shown.
fn lines_of(outputs: &serde_json::Map<String, Json>, colour: Colour) -> String {
    let line =
        |(name, output): (&String, &Json)| format!("{} = {}\n", text::name(name), value(output, colour));
    outputs.iter().map(line).collect()
}

fn value(output: &Json, colour: Colour) -> String {
    let none = Json::Null;
    let member = |name: &str| output.get(name).unwrap_or(&none);
    let pair = Pair::unchanged(member("value"), member("sensitive"));
    let ty = type_json::decode(member("type").to_string().as_bytes());
    let diff = Diff::of_type(&pair, &ty.unwrap_or(Type::Dynamic));
    Writer::new(colour, RenderMode::State).value(&diff, 0)
}

/// The resources of a module and of those below.
fn module<'j>(json: &'j Json, all: &mut Vec<&'j Json>) {
    all.extend(elements(json, "resources"));
    elements(json, "child_modules").iter().for_each(|child| module(child, all));
}

fn object<S: Borrow<Schemas>>(
    resource: &Json,
    schemas: &BTreeMap<ProviderAddress, S>,
    colour: Colour,
) -> Result<String, RenderError> {
    let block = &schema(schemas, resource)?.block;
    let none = Json::Null;
    let member = |name: &str| resource.get(name).unwrap_or(&none);
    let diff = Diff::of_block(&Pair::unchanged(member("values"), member("sensitive_values")), block);
    let body = Writer::new(colour, RenderMode::State).body(&diff, 0);
    let deposed = text_of(resource, "deposed_key");
    let more = match (deposed, member("tainted")) {
        ("", Json::Bool(true)) => " (tainted)".to_owned(),
        ("", _) => String::new(),
        (deposed, _) => format!(" (deposed object {deposed})"),
    };
    let title = colour.paint(Style::Bold, &format!("# {}:{more}", text_of(resource, "address")));
    Ok(format!("{title}\n{} {body}\n", declaration(resource)))
}
