//! The text of models.

use std::fmt::Write as _;

use ferroform::schema::{
    Attribute, AttributeType, BlockNesting, ForImport, IdentitySchema, Kind, NestedBlock, Nesting, Presence,
};
use ferroform::ty::Type;
use ferroform_core::schema::walk::{Body, Member};

use super::Source;
use super::names::{Names, of_fields};

/// Why Rust or the SDK has no words for a schema that core takes.
pub(super) fn inexpressible(source: &Source<'_>) -> Option<String> {
    let root = &source.schema.block;
    if root.attribute("id").is_some_and(|id| id.sensitive) {
        return Some("`id`: a sensitive ID is shown in plain text by every core".to_owned());
    }
    has_odd_tuple(&source.schema.ty())
        .then(|| "a tuple has no elements, or more than six, for which Rust has no type".to_owned())
}

fn has_odd_tuple(ty: &Type) -> bool {
    match ty {
        Type::Tuple(elements) => !(1..=6).contains(&elements.len()) || elements.iter().any(has_odd_tuple),
        Type::List(inner) | Type::Set(inner) | Type::Map(inner) => has_odd_tuple(inner),
        Type::Object(object) => object.attributes().iter().any(|(_, ty)| has_odd_tuple(ty)),
        Type::String | Type::Number | Type::Bool | Type::Dynamic => false,
    }
}

/// Writes models, each with the structs that are nested in it behind it.
pub(super) struct Writer {
    address: String,
    names: Names,
    structs: String,
}

/// A struct to write.
struct Struct {
    /// Above it: the description and the words.
    head: String,
    name: String,
    fields: Vec<Field>,
}

struct Field {
    /// The name of the attribute or block.
    name: String,
    description: String,
    words: Vec<String>,
    ty: String,
}

impl Writer {
    pub(super) fn new(address: &str) -> Self {
        Self { address: address.to_owned(), names: Names::new(), structs: String::new() }
    }

    /// Writes the models of a schema.
    pub(super) fn add(&mut self, source: &Source<'_>) {
        let kind = match source.kind {
            None => "Config",
            Some(Kind::DataSource) => "Data",
            Some(Kind::EphemeralResource) => "Ephemeral",
            Some(Kind::ListResource) => "List",
            Some(Kind::Action) => "Action",
            Some(Kind::StateStore) => "StateStore",
            Some(_) => "",
        };
        let name = self.names.of_struct(&format!("{}_{kind}", self.short(source.type_name)));
        let identity =
            source.identity.map(|identity| (self.names.of_struct(&format!("{name}Identity")), identity));
        let mut words = Vec::new();
        if source.schema.version != 0 {
            words.push(format!("version = {}", source.schema.version));
        }
        if let Some((name, _)) = &identity {
            words.push(format!("identity_type = {name}"));
        }
        let block = &source.schema.block;
        words.extend(block.deprecation.as_deref().map(deprecated));
        self.body(name, &block.description, words, block.into());
        if let Some((name, identity)) = identity {
            self.identity(name, identity);
        }
    }

    /// A type name without that of the provider.
    fn short<'n>(&self, type_name: &'n str) -> &'n str {
        let provider = self.address.rsplit('/').next().unwrap_or_default();
        type_name.strip_prefix(provider).and_then(|rest| rest.strip_prefix('_')).unwrap_or(type_name)
    }

    /// The struct of a body, at the root or nested.
    fn body(&mut self, name: String, description: &str, words: Vec<String>, body: Body<'_>) {
        let mut inner = Vec::new();
        let fields = body.members().map(|member| match member {
            Member::Attribute(attribute) => self.attribute(&name, attribute, &mut inner),
            Member::Block(nested) => self.nested_block(&name, nested, &mut inner),
        });
        let fields = fields.collect();
        self.model(&Struct { head: head("Model", "model", description, words), name, fields }, inner);
    }

    fn model(&mut self, model: &Struct, inner: Vec<Inner<'_>>) {
        self.write(model);
        for Inner { name, of } in inner {
            let words = vec![NESTED.to_owned()];
            match of {
                Members::Body(body) => self.body(name, "", words, body),
                Members::Types(types) => {
                    let mut deeper = Vec::new();
                    let fields = types.iter().map(|(attribute, ty)| Field {
                        name: attribute.to_string(),
                        description: String::new(),
                        words: Vec::new(),
                        ty: format!("Option<{}>", self.ty(&format!("{name}_{attribute}"), ty, &mut deeper)),
                    });
                    let fields = fields.collect();
                    self.model(&Struct { head: head("Model", "model", "", words), name, fields }, deeper);
                }
            }
        }
    }

    fn attribute<'s>(&mut self, within: &str, attribute: &'s Attribute, inner: &mut Vec<Inner<'s>>) -> Field {
        let below = format!("{within}_{}", attribute.name);
        let ty = match &attribute.ty {
            AttributeType::Plain(ty) => self.ty(&below, ty, inner),
            AttributeType::Nested(object) => {
                let name = self.names.of_struct(&below);
                let ty = match object.nesting {
                    Nesting::Single => name.clone(),
                    Nesting::List => format!("Vec<{name}>"),
                    Nesting::Set => format!("SetOf<{name}>"),
                    Nesting::Map => format!("BTreeMap<String, {name}>"),
                };
                inner.push(Inner { name, of: Members::Body(object.into()) });
                ty
            }
        };
        let mut words = match attribute.presence {
            Presence::Required | Presence::Optional => Vec::new(),
            Presence::Computed => vec!["computed".to_owned()],
            Presence::OptionalComputed => vec!["optional".to_owned(), "computed".to_owned()],
        };
        if attribute.sensitive {
            words.push("sensitive".to_owned());
        }
        if let Some(message) = &attribute.deprecation {
            words.push(deprecated(message));
        }
        let ty = if attribute.presence == Presence::Required { ty } else { format!("Option<{ty}>") };
        let ty = if attribute.write_only { format!("WriteOnly<{ty}>") } else { ty };
        Field { name: attribute.name.to_string(), description: attribute.description.to_string(), words, ty }
    }

    fn nested_block<'s>(
        &mut self,
        within: &str,
        nested: &'s NestedBlock,
        inner: &mut Vec<Inner<'s>>,
    ) -> Field {
        let name = self.names.of_struct(&format!("{within}_{}", nested.name));
        let mut words = vec!["block".to_owned()];
        let ty = match nested.nesting {
            BlockNesting::Single if nested.min_items == 0 => format!("Option<{name}>"),
            BlockNesting::Single => name.clone(),
            BlockNesting::Group => {
                words = vec!["block = group".to_owned()];
                name.clone()
            }
            BlockNesting::List => format!("Vec<{name}>"),
            BlockNesting::Set => format!("SetOf<{name}>"),
            BlockNesting::Map => format!("BTreeMap<String, {name}>"),
        };
        if matches!(nested.nesting, BlockNesting::List | BlockNesting::Set) {
            let limits = [("min_items", nested.min_items), ("max_items", nested.max_items)];
            words.extend(limits.iter().filter(|(_, it)| *it > 0).map(|(word, it)| format!("{word} = {it}")));
        }
        if let Some(message) = &nested.block.deprecation {
            words.push(deprecated(message));
        }
        inner.push(Inner { name, of: Members::Body((&nested.block).into()) });
        let description = nested.block.description.to_string();
        Field { name: nested.name.to_string(), description, words, ty }
    }

    /// The Rust type of values of a type; the structs of its objects go to `inner`.
    fn ty<'s>(&mut self, below: &str, ty: &'s Type, inner: &mut Vec<Inner<'s>>) -> String {
        match ty {
            Type::String => "String".to_owned(),
            Type::Number => "i64".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Dynamic => "Dynamic".to_owned(),
            Type::List(element) => format!("Vec<{}>", self.ty(below, element, inner)),
            Type::Set(element) => format!("SetOf<{}>", self.ty(below, element, inner)),
            Type::Map(element) => format!("BTreeMap<String, {}>", self.ty(below, element, inner)),
            Type::Object(object) => {
                let name = self.names.of_struct(below);
                let types = object.attributes().iter().map(|(name, ty)| (&**name, ty)).collect();
                inner.push(Inner { name: name.clone(), of: Members::Types(types) });
                format!("ObjectOf<{name}>")
            }
            Type::Tuple(elements) => {
                let elements = elements.iter().map(|element| self.ty(below, element, inner) + ",");
                format!("({})", elements.collect::<Vec<_>>().join(" "))
            }
        }
    }

    fn identity(&mut self, name: String, identity: &IdentitySchema) {
        let words = Some(format!("version = {}", identity.version)).filter(|_| identity.version != 0);
        let fields = identity.attributes.iter().map(|attribute| {
            let ty = self.ty(&name, &attribute.ty, &mut Vec::new());
            Field {
                name: attribute.name.to_string(),
                description: attribute.description.to_string(),
                words: Vec::new(),
                ty: match attribute.for_import {
                    ForImport::Required => ty,
                    ForImport::Optional => format!("Option<{ty}>"),
                },
            }
        });
        let fields = fields.collect();
        let description =
            "What tells one object from another. `Resource::identity` or a `From` impl makes it.";
        let head = head("Identity", "identity", description, words.into_iter().collect());
        self.write(&Struct { head, name, fields });
    }

    fn write(&mut self, one: &Struct) {
        let text = &mut self.structs;
        let _ = writeln!(text, "\n{}pub struct {} {{", one.head, one.name);
        let names = of_fields(one.fields.iter().map(|field| field.name.as_str()));
        for (field, name) in one.fields.iter().zip(names) {
            let mut words = field.words.clone();
            if name.strip_prefix("r#").unwrap_or(&name) != field.name {
                words.push(format!("name = {:?}", field.name));
            }
            text.push_str(&described("    ", "attr", &field.description, words));
            let _ = writeln!(text, "    pub {name}: {},", field.ty);
        }
        text.push_str("}\n");
    }

    /// The whole file.
    pub(super) fn text(&self) -> String {
        let mut text = format!(
            "//! Models of {}, made of its schema by `cargo ferroform import-schema`.\n\
             //!\n\
             //! A schema does not hold everything. Numbers are `i64`: use `f64` or `Number` where there are fractions.\n\
             //! Defaults, validators, `replace` and `keep` are for you to add; a computed attribute that is never null\n\
             //! needs no `Option`.\n\n",
            self.address
        );
        let uses = |word: &str| self.structs.contains(word);
        if uses("BTreeMap<") {
            text.push_str("use std::collections::BTreeMap;\n\n");
        }
        let models = [
            ("derive(Identity)", "Identity"),
            ("derive(Model)", "Model"),
            ("ObjectOf<", "ObjectOf"),
            ("SetOf<", "SetOf"),
            ("WriteOnly<", "WriteOnly"),
        ];
        let models: Vec<&str> = models.into_iter().filter(|(word, _)| uses(word)).map(|(_, it)| it).collect();
        match models[..] {
            [one] => _ = writeln!(text, "use ferroform::model::{one};"),
            _ => _ = writeln!(text, "use ferroform::model::{{{}}};", models.join(", ")),
        }
        if self.structs.lines().any(|line| line.starts_with("    pub ") && line.contains("Dynamic")) {
            text.push_str("use ferroform::value::Dynamic;\n");
        }
        text + &self.structs
    }
}

/// The word of a model that only stands inside others.
const NESTED: &str = "nested";

/// A struct that another one needs.
struct Inner<'s> {
    name: String,
    of: Members<'s>,
}

enum Members<'s> {
    Body(Body<'s>),
    Types(Vec<(&'s str, &'s Type)>),
}

/// The word of a deprecation, which has a text in this SDK.
fn deprecated(message: &str) -> String {
    format!("deprecated = {:?}", if message.is_empty() { "This is deprecated." } else { message })
}

fn head(derive: &str, annotation: &str, description: &str, words: Vec<String>) -> String {
    // A description that cannot be a doc comment is a word, which the derive must know.
    let above = described("", annotation, description, words);
    match above.split_once("#[") {
        Some((docs, words)) => format!("{docs}#[derive({derive})]\n#[{words}"),
        None => format!("{above}#[derive({derive})]\n"),
    }
}

/// The doc comment and the annotation of a struct or field.
fn described(indent: &str, annotation: &str, description: &str, mut words: Vec<String>) -> String {
    let mut text = String::new();
    if is_comment(description) {
        for line in description.lines() {
            let _ = writeln!(text, "{}", format!("{indent}/// {line}").trim_end());
        }
    } else {
        words.push(format!("description = {description:?}"));
    }
    if !words.is_empty() {
        let _ = writeln!(text, "{indent}#[{annotation}({})]", words.join(", "));
    }
    text
}

/// Whether a doc comment means exactly this text and is no code that a test of documentation would run.
fn is_comment(text: &str) -> bool {
    let is_plain = |it: char| {
        let changes_direction =
            ('\u{202a}'..='\u{202e}').contains(&it) || ('\u{2066}'..='\u{2069}').contains(&it);
        it == '\n' || !(it.is_control() || changes_direction)
    };
    text.trim() == text
        && text.chars().all(is_plain)
        && text.lines().all(|line| line.trim_end() == line && !line.starts_with("    "))
        && !text.contains("```")
        && !text.contains("~~~")
        && !text.contains("#[")
}
