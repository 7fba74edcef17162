//! Identities: the tree of a struct that derives `Identity`, and the rules about identities.

use proc_macro2::Ident;
use syn::{Data, DeriveInput, Fields, LitStr};

use crate::ast::{Field, Model, no_generics};
use crate::attr::Options;
use crate::ctxt::Ctxt;
use crate::expand::krate;
use crate::options::{OptionName, Scope};

/// A struct that derives `Identity`.
pub(crate) struct Identity<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) options: Options,
    pub(crate) fields: Vec<Field<'a>>,
}

impl<'a> Identity<'a> {
    /// The tree of the input; `None` when it is no struct with named fields.
    pub(crate) fn parse(cx: &Ctxt, input: &'a DeriveInput) -> Option<Self> {
        no_generics(cx, input, "an identity");
        let options = Options::parse(cx, &input.attrs, Scope::Identity);
        let Data::Struct(data) = &input.data else {
            cx.error(&input.ident, "an identity is a struct with named fields: each is an attribute of it");
            return None;
        };
        let Fields::Named(fields) = &data.fields else {
            let name = &input.ident;
            cx.error(
                name,
                format!(
                    "the fields of an identity are its attributes and need names: `struct {name} {{ ... }}`"
                ),
            );
            return None;
        };
        if !input.generics.params.is_empty() {
            return None;
        }
        let krate = krate(&options);
        let fields =
            fields.named.iter().filter_map(|field| Field::parse(cx, field, Scope::IdentityField, &krate));
        Some(Self { ident: &input.ident, options, fields: fields.collect() })
    }
}

pub(crate) fn check(cx: &Ctxt, identity: &Identity<'_>) {
    if identity.fields.is_empty() {
        cx.error(identity.ident, "an identity needs an attribute: nothing tells one object from another");
    }
    for field in &identity.fields {
        said_by_the_type(cx, field);
        crate::check::name_is_valid(cx, field);
        if let Some(sensitive) = field.options.entry(OptionName::Sensitive) {
            cx.error(sensitive, "an identity is stored and shown in plain text: remove `sensitive`");
        }
        if field.wrapper.is_write_only() {
            cx.error(field.ty, "an identity is stored, a write-only value is not: write `T`");
        }
    }
    crate::check::names_are_distinct(cx, &identity.fields);
    let fields: Vec<&Field<'_>> = identity.fields.iter().collect();
    check_format(cx, &identity.options, &fields);
}

pub(crate) fn check_model(cx: &Ctxt, model: &Model<'_>) {
    let fields: Vec<&Field<'_>> =
        model.fields.iter().filter(|field| field.has(OptionName::Identity)).collect();
    let all = [OptionName::Version, OptionName::Format, OptionName::Mutable, OptionName::Crate];
    let mut given = all.into_iter().filter_map(|option| model.identity.entry(option));
    let other = model.options.entry(OptionName::IdentityType);
    let flattened = fields.iter().find(|field| field.has(OptionName::Flatten)).filter(|_| other.is_none());
    if let Some(flattened) = flattened.filter(|_| fields.len() > 1) {
        cx.error(
            flattened.options.entry(OptionName::Identity),
            "the identity is that of the flattened model: remove `identity` here or on the other fields",
        );
    }
    if flattened.is_some() || other.is_some() {
        for entry in given {
            let option = entry.option.text();
            cx.error(entry, format!("the identity is another struct: put `{option}` there"));
        }
        if let Some(other) = other.filter(|_| model.options.has(OptionName::Nested)) {
            cx.error(other, "only the root of a state has an identity: remove `identity_type` or `nested`");
        }
        return;
    }
    if fields.is_empty() {
        if let Some(entry) = given.next() {
            cx.error(entry, "there is no identity: mark its attributes with `#[attr(identity)]`");
        }
        return;
    }
    if let Some(entry) = model.identity.entry(OptionName::Crate) {
        cx.error(entry, "`crate` belongs in `#[model(...)]`, for the model and its identity");
    }
    check_format(cx, &model.identity, &fields);
}

/// Whether an attribute must be given for an import is said by its type.
fn said_by_the_type(cx: &Ctxt, field: &Field<'_>) {
    for (option, form) in
        [(OptionName::RequiredForImport, "`T`"), (OptionName::OptionalForImport, "`Option<T>`")]
    {
        if let Some(entry) = field.options.entry(option) {
            let option = option.text();
            cx.error(entry, format!("`{option}` is said by the type: remove the word and write {form}"));
        }
    }
}

/// An id has a form in which every attribute ends somewhere, and with which all that an import needs is given.
fn check_format(cx: &Ctxt, options: &Options, fields: &[&Field<'_>]) {
    let Some(format) = options.text(OptionName::Format) else { return };
    let Some(parts) = parts(cx, format) else { return };
    if parts.is_empty() {
        cx.error(format, "a format holds the names of attributes in braces: `{region}/{name}`");
        return;
    }
    for (at, (name, separator)) in parts.iter().enumerate() {
        match fields.iter().find(|field| field.name == *name) {
            None => cx.error(format, format!("the identity has no attribute `{name}`")),
            Some(field) if field.wrapper.is_option() => cx.error(
                format,
                format!("`{name}` may be left out in an import, so it cannot be part of the id: write `T`"),
            ),
            Some(_) => {}
        }
        if parts.iter().take(at).any(|(before, _)| before == name) {
            cx.error(format, format!("`{name}` stands in the format twice: remove one of them"));
        }
        if separator.is_empty() && at + 1 < parts.len() {
            cx.error(format, format!("nothing tells where `{name}` ends: put a text behind `{{{name}}}`"));
        }
    }
    for field in fields.iter().filter(|field| !field.wrapper.is_option()) {
        if !parts.iter().any(|(name, _)| *name == field.name) {
            cx.error(format, format!("`{}` is required for import, but the id does not hold it", field.name));
        }
    }
}

/// The names in a format, each with the text behind it.
fn parts(cx: &Ctxt, format: &LitStr) -> Option<Vec<(String, String)>> {
    let text = format.value();
    let mut parts = Vec::new();
    let mut pieces = text.split('{');
    let start = pieces.next().unwrap_or_default();
    let mut unbalanced = start.contains('}');
    for piece in pieces {
        match piece.split_once('}') {
            Some((name, after)) if !after.contains('}') => parts.push((name.to_owned(), after.to_owned())),
            _ => unbalanced = true,
        }
    }
    if unbalanced {
        cx.error(format, "a brace has no partner: a format is like `{region}/{name}`");
        return None;
    }
    Some(parts)
}
