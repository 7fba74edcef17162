//! Types that authors use can get another field or another variant in a minor release, unless it is said here why not.

use std::collections::BTreeMap;

use syn::{Attribute, Item, Visibility};

use crate::public_names::public;

/// Types that never grow, or whose growth has to be noticed wherever they are matched, with the reason.
const CLOSED: &[(&str, &str)] = &[
    ("ferroform::Protocol", "who serves one handles every one"),
    ("ferroform::diag::Severity", "the protocol has two"),
    ("ferroform::dynamic::Import", "an object is named by an import ID or an identity"),
    ("ferroform::dynamic::RawState", "a state is stored as JSON or in the flat form of Terraform 0.11"),
    ("ferroform::model::Attr", "a value is null, unknown or known"),
    ("ferroform::model::Computed", "a value is unknown or known"),
    ("ferroform::model::ObjectOf", "it is the model in it"),
    ("ferroform::resource::Import", "an object is named by an import ID or an identity"),
    ("ferroform::schema::AttributeType", "the protocol has a type or nested attributes"),
    (
        "ferroform::schema::BlockNesting",
        "it is the protocol's, and each pass over values has to know a new one",
    ),
    ("ferroform::schema::ForImport", "it is needed or not"),
    ("ferroform::schema::Nesting", "it is the protocol's, and each pass over values has to know a new one"),
    ("ferroform::schema::Presence", "those are all that the protocol's three flags can say"),
    ("ferroform::schema::ValuePresence", "a value is absent, unknown or present"),
    ("ferroform::ty::Type", "it is the language's, and each codec has to know a new one"),
    ("ferroform::value::Bound", "a bound is a number that counts or not"),
    ("ferroform::value::ConvertError", "it says where and what"),
    ("ferroform::value::Dynamic", "it is a value and its type"),
    (
        "ferroform::value::Refinements",
        "they are the protocol's, and each place that narrows a value has to know a new one",
    ),
    ("ferroform::value::Value", "it is the language's, and each codec has to know a new one"),
];

fn may_grow(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("non_exhaustive"))
}

/// Whether the type would break its users by growing.
fn is_closed(item: &Item) -> bool {
    match item {
        Item::Enum(it) => !it.variants.is_empty() && !may_grow(&it.attrs),
        Item::Struct(it) => {
            let all_public = it.fields.iter().all(|field| matches!(field.vis, Visibility::Public(_)));
            all_public && !it.fields.is_empty() && !may_grow(&it.attrs)
        }
        _ => false,
    }
}

#[test]
fn types_that_cannot_grow_are_those_of_the_list() {
    let (source, names) = public();
    let definitions = names.iter().filter_map(|(name, path)| Some((name, source.item(path.as_ref()?)?)));
    let found: Vec<&str> =
        definitions.filter(|(_, item)| is_closed(item)).map(|(name, _)| name.as_str()).collect();
    let reasons: BTreeMap<_, _> = CLOSED.iter().copied().collect();
    assert_eq!(
        found,
        reasons.keys().copied().collect::<Vec<_>>(),
        "mark them `non_exhaustive`, or give a reason"
    );
}
