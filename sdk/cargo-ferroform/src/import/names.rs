//! Names of structs and fields.

use std::collections::BTreeSet;

use syn::Ident;

/// What the text of the models uses, or what every Rust file knows by these names.
const KNOWN: [&str; 47] = [
    "AsMut",
    "AsRef",
    "AsyncFn",
    "AsyncFnMut",
    "AsyncFnOnce",
    "BTreeMap",
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Dynamic",
    "Eq",
    "Err",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Hash",
    "Identity",
    "Into",
    "IntoIterator",
    "Iterator",
    "Model",
    "None",
    "ObjectOf",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Self",
    "Send",
    "SetOf",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToString",
    "Vec",
    "WriteOnly",
];

/// The views that the derive makes of a model.
const VIEWS: [&str; 3] = ["Draft", "Planned", "Prior"];

/// The names of structs that are taken.
pub(super) struct Names(BTreeSet<String>);

impl Names {
    pub(super) fn new() -> Self {
        Self(KNOWN.into_iter().map(str::to_owned).collect())
    }

    /// A name for a struct that neither it nor one of its views shares with another.
    pub(super) fn of_struct(&mut self, words: &str) -> String {
        let wanted = camel_case(words);
        let all = |name: &str| {
            VIEWS.into_iter().map(|view| format!("{name}{view}")).chain([name.to_owned()]).collect::<Vec<_>>()
        };
        let numbered = (2_u64..).map(|number| format!("{wanted}{number}"));
        let mut names = std::iter::once(wanted.clone()).chain(numbered).map(|name| (all(&name), name));
        let free = names.find(|(all, _)| all.iter().all(|name| !self.0.contains(name)));
        let (all, name) = free.unwrap_or_default();
        self.0.extend(all);
        name
    }
}

/// A name for a struct that is not one of these, nor one that every Rust file knows.
pub(crate) fn struct_name(words: &str, taken: &[&str]) -> String {
    let mut names = Names::new();
    names.0.extend(taken.iter().map(|name| (*name).to_owned()));
    names.of_struct(words)
}

fn camel_case(words: &str) -> String {
    let words = words.split(|it: char| !it.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name: String = words
        .map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_ascii_uppercase() + rest
        })
        .collect();
    if !name.starts_with(|it: char| it.is_ascii_alphabetic()) {
        name.insert_str(0, "Type");
    }
    name
}

/// The fields for attributes and blocks of these names, in their order.
pub(super) fn of_fields<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let names: Vec<&str> = names.into_iter().collect();
    let field = |name: &&str| match *name {
        "_" => free("underscore", &names),
        // These cannot be raw identifiers.
        "crate" | "self" | "super" => free(name, &names),
        name if syn::parse_str::<Ident>(name).is_ok() && name != "gen" => name.to_owned(),
        name => format!("r#{name}"),
    };
    names.iter().map(field).collect()
}

/// The name with as many underscores behind it as make it differ from all others.
fn free(name: &str, others: &[&str]) -> String {
    let mut name = format!("{name}_");
    while others.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::{Names, of_fields};

    #[test]
    fn names_of_structs_and_their_views_are_distinct() {
        let mut names = Names::new();
        let mut check = |words: &str, expect: &str| assert_eq!(names.of_struct(words), expect);
        check("server", "Server");
        check("server_draft", "ServerDraft2");
        check("server", "Server2");
        check("string", "String2");
        check("2fa_key", "Type2faKey");
        check("vpc-peering.v2", "VpcPeeringV2");
        check("a_prior", "APrior");
        check("a", "A2");
    }

    #[test]
    fn every_name_of_an_attribute_is_a_field() {
        let fields = of_fields(["name", "type", "self", "self_", "_", "async", "gen", "crate"]);
        assert_eq!(
            fields,
            ["name", "r#type", "self__", "self_", "underscore_", "r#async", "r#gen", "crate_"]
        );
    }
}
