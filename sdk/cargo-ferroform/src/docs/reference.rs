//! The reference of a page: every attribute and block, every parameter.

use std::fmt::Write as _;

use ferroform::schema::{
    Attribute, AttributeType, Block, BlockNesting, FunctionParameter, FunctionSignature, NestedBlock,
    Nesting, Presence,
};
use ferroform::ty::Type;

/// The reference of everything below a root.
pub(super) fn of_block(block: &Block) -> String {
    let mut text = String::from("## Schema\n");
    let body = Body::of_block(block);
    let mut nested = Vec::new();
    body.write(&mut text, "\n### ", "", "", &mut nested);
    // The sections of nested ones follow, each with those inside of it behind it.
    nested.reverse();
    while let Some(section) = nested.pop() {
        let _ =
            write!(text, "\n<a id=\"{}\"></a>\n### Nested Schema for `{}`\n", section.anchor, section.path);
        let mut inner = Vec::new();
        section.body.write(&mut text, "\n", ":", &section.path, &mut inner);
        inner.reverse();
        nested.extend(inner);
    }
    text
}

/// The reference of a function.
pub(super) fn of_function(name: &str, signature: &FunctionSignature) -> String {
    let parameters = signature.parameters.iter().map(|it| format!("{} {}", it.name, hcl(&it.ty.ty())));
    let variadic = signature.variadic_parameter.iter();
    let variadic = variadic.map(|it| format!("{} {}...", it.name, hcl(&it.ty.ty())));
    let all: Vec<String> = parameters.chain(variadic).collect();
    let mut text =
        format!("## Signature\n\n```text\n{name}({}) {}\n```\n", all.join(", "), hcl(&signature.result));
    if all.is_empty() {
        return text;
    }
    text.push_str("\n## Arguments\n\n");
    let fixed = signature.parameters.iter().map(|it| (it, ""));
    let variadic = signature.variadic_parameter.iter().map(|it| (it, "Variadic, "));
    for (parameter, kind) in fixed.chain(variadic) {
        text.push_str(&of_parameter(parameter, kind));
    }
    text
}

fn of_parameter(parameter: &FunctionParameter, kind: &str) -> String {
    let nullable = if parameter.allow_null { ", Nullable" } else { "" };
    let description = inline(&parameter.description);
    format!("1. `{}` ({kind}{}{nullable}){description}\n", parameter.name, words(&parameter.ty.ty()))
}

/// The attributes and blocks of one level.
struct Body<'a> {
    attributes: &'a [Attribute],
    blocks: &'a [NestedBlock],
}

/// A level that has a section of its own.
struct Section<'a> {
    anchor: String,
    path: String,
    body: Body<'a>,
}

/// A line of the reference, and where it stands.
struct Line<'a> {
    group: Group,
    name: &'a str,
    text: String,
    nested: Option<Section<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    Required,
    Optional,
    ReadOnly,
}

impl<'a> Body<'a> {
    fn of_block(block: &'a Block) -> Self {
        Self { attributes: &block.attributes, blocks: &block.blocks }
    }

    /// Writes the lines by group, each group under its title; what is nested goes to `nested` in order.
    fn write(self, text: &mut String, before: &str, after: &str, path: &str, nested: &mut Vec<Section<'a>>) {
        let attributes = self.attributes.iter().map(|it| of_attribute(it, path));
        let mut lines: Vec<Line<'a>> =
            attributes.chain(self.blocks.iter().map(|it| of_nested(it, path))).collect();
        lines.sort_by(|one, other| one.name.cmp(other.name));
        for (group, title) in
            [(Group::Required, "Required"), (Group::Optional, "Optional"), (Group::ReadOnly, "Read-Only")]
        {
            let mut is_first = true;
            for line in lines.iter().filter(|line| line.group == group) {
                if std::mem::take(&mut is_first) {
                    let _ = write!(text, "{before}{title}{after}\n\n");
                }
                text.push_str(&line.text);
            }
        }
        nested.extend(lines.into_iter().filter_map(|line| line.nested));
    }
}

fn of_attribute<'a>(attribute: &'a Attribute, path: &str) -> Line<'a> {
    let group = match attribute.presence {
        Presence::Required => Group::Required,
        Presence::Optional | Presence::OptionalComputed => Group::Optional,
        Presence::Computed => Group::ReadOnly,
    };
    let mut ty = match &attribute.ty {
        AttributeType::Plain(ty) => words(ty),
        AttributeType::Nested(object) => match object.nesting {
            Nesting::Single => "Attributes",
            Nesting::List => "Attributes List",
            Nesting::Set => "Attributes Set",
            Nesting::Map => "Attributes Map",
        }
        .to_owned(),
    };
    for (applies, word) in [
        (attribute.sensitive, "Sensitive"),
        (attribute.deprecation.is_some(), "Deprecated"),
        (attribute.write_only, WRITE_ONLY),
    ] {
        if applies {
            let _ = write!(ty, ", {word}");
        }
    }
    let nested = match &attribute.ty {
        AttributeType::Plain(_) => None,
        AttributeType::Nested(object) => Some(section(
            "nestedatt",
            path,
            &attribute.name,
            Body { attributes: &object.attributes, blocks: &[] },
        )),
    };
    let deprecation = attribute.deprecation.as_deref().unwrap_or_default();
    Line {
        group,
        name: &attribute.name,
        text: line(&attribute.name, &ty, &attribute.description, deprecation, nested.as_ref()),
        nested,
    }
}

const WRITE_ONLY: &str = "[Write-only](https://developer.hashicorp.com/terraform/language/resources/ephemeral#write-only-arguments)";

fn of_nested<'a>(nested: &'a NestedBlock, path: &str) -> Line<'a> {
    let mut ty = match nested.nesting {
        BlockNesting::Single | BlockNesting::Group => "Block",
        BlockNesting::List => "Block List",
        BlockNesting::Set => "Block Set",
        BlockNesting::Map => "Block Map",
    }
    .to_owned();
    if !matches!(nested.nesting, BlockNesting::Single | BlockNesting::Group) {
        for (limit, word) in [(nested.min_items, "Min"), (nested.max_items, "Max")] {
            if limit > 0 {
                let _ = write!(ty, ", {word}: {limit}");
            }
        }
    }
    if nested.block.deprecation.is_some() {
        ty.push_str(", Deprecated");
    }
    let group = if nested.min_items > 0 { Group::Required } else { Group::Optional };
    let below = section("nestedblock", path, &nested.name, Body::of_block(&nested.block));
    let deprecation = nested.block.deprecation.as_deref().unwrap_or_default();
    let text = line(&nested.name, &ty, &nested.block.description, deprecation, Some(&below));
    Line { group, name: &nested.name, text, nested: Some(below) }
}

fn section<'a>(kind: &str, path: &str, name: &str, body: Body<'a>) -> Section<'a> {
    let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    Section { anchor: format!("{kind}--{}", path.replace('.', "--")), path, body }
}

fn line(name: &str, ty: &str, description: &str, deprecation: &str, below: Option<&Section<'_>>) -> String {
    let below =
        below.map_or_else(String::new, |it| format!(" (see [below for nested schema](#{}))", it.anchor));
    format!("- `{name}` ({ty}){}{}{below}\n", inline(description), inline(deprecation))
}

/// A text on the line of its attribute.
fn inline(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() { text } else { format!(" {text}") }
}

/// A type in words: `List of String`.
fn words(ty: &Type) -> String {
    match ty {
        Type::String => "String".to_owned(),
        Type::Number => "Number".to_owned(),
        Type::Bool => "Boolean".to_owned(),
        Type::Dynamic => "Dynamic".to_owned(),
        Type::List(inner) => format!("List of {}", words(inner)),
        Type::Set(inner) => format!("Set of {}", words(inner)),
        Type::Map(inner) => format!("Map of {}", words(inner)),
        Type::Object(_) => "Object".to_owned(),
        Type::Tuple(_) => "Tuple".to_owned(),
    }
}

/// A type as a configuration writes it: `list of string` in the words of signatures.
fn hcl(ty: &Type) -> String {
    words(ty).to_lowercase().replace("boolean", "bool")
}
