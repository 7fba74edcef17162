//! Every name that authors can use has an example where it is documented.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Item, Lit, Meta, MetaNameValue, Token};

use crate::public_names::public;
use crate::public_names::source::{CRATES, Names, Source, outside};

/// Names without an example of their own, each with the name whose example shows it.
const SHOWN_BY: &[(&str, &str)] = &[
    ("ferroform::action::Context", "ferroform::action::Action"),
    ("ferroform::ephemeral_resource::CloseContext", "ferroform::ephemeral_resource::EphemeralResource"),
    ("ferroform::ephemeral_resource::OpenContext", "ferroform::ephemeral_resource::EphemeralResource"),
    ("ferroform::ephemeral_resource::RenewContext", "ferroform::ephemeral_resource::EphemeralResource"),
    ("ferroform::list_resource::Context", "ferroform::list_resource::ListResource"),
    ("ferroform::model::IdentityElement", "ferroform::model::IdentityValue"),
    ("ferroform::provider::Context", "ferroform::provider::Provider"),
    ("ferroform::resource::CreateContext", "ferroform::resource::Resource"),
    ("ferroform::resource::DeleteContext", "ferroform::resource::Resource"),
    ("ferroform::resource::ImportContext", "ferroform::resource::Import"),
    ("ferroform::resource::ReadContext", "ferroform::resource::Resource"),
    ("ferroform::resource::Source", "ferroform::resource::Moves"),
    ("ferroform::resource::UpdateContext", "ferroform::resource::Resource"),
];

/// The list of exceptions is for names that are used with another one only.
const MOST: usize = 30;

/// The words after the fence of a code block that rustdoc compiles. A block that must not compile teaches no use.
const COMPILED: &[&str] = &["", "rust", "no_run", "should_panic", "edition2024"];

#[test]
fn every_public_name_has_an_example() {
    let (source, names) = public();
    let macros = ProceduralMacros::read();
    let with_example: BTreeMap<&str, bool> = names
        .iter()
        .map(|(name, path)| (name.as_str(), has_example(&source, &macros, name, path.as_ref())))
        .collect();
    let excepted: BTreeSet<&str> = SHOWN_BY.iter().map(|(name, _)| *name).collect();

    let missing: Vec<_> = with_example
        .iter()
        .filter(|(name, has)| !**has && !excepted.contains(*name))
        .map(|(name, _)| name)
        .collect();
    assert!(
        missing.is_empty(),
        "{} names have no example in their documentation: {missing:#?}",
        missing.len()
    );
}

#[test]
fn exceptions_name_an_item_that_has_an_example() {
    let (source, names) = public();
    let macros = ProceduralMacros::read();
    let has = |name: &str| names.get(name).map(|path| has_example(&source, &macros, name, path.as_ref()));
    for (name, shown_by) in SHOWN_BY {
        assert_eq!(
            has(name),
            Some(false),
            "`{name}` is not public or has an example: remove it from the list"
        );
        assert_eq!(has(shown_by), Some(true), "`{shown_by}`, which is to show `{name}`, has no example");
        let docs = documentation(&source, &macros, name, names[*name].as_ref()).concat();
        let (_, target) = shown_by.rsplit_once("::").expect("a name in a crate");
        let links = [format!("[`{target}`]"), format!("::{target})")];
        assert!(
            links.iter().any(|link| docs.contains(link)),
            "the documentation of `{name}` does not lead to `{shown_by}`"
        );
    }
    assert!(SHOWN_BY.is_sorted(), "the list is not in order");
    assert!(SHOWN_BY.len() < MOST, "{} names have no example of their own", SHOWN_BY.len());
}

/// Whether each definition of a name has an example: a trait and its derive are two.
fn has_example(source: &Source, macros: &ProceduralMacros, name: &str, path: Option<&Names>) -> bool {
    let all = documentation(source, macros, name, path);
    !all.is_empty() && all.iter().all(|docs| holds_example(docs))
}

/// The documentation of each definition of a name.
fn documentation(
    source: &Source,
    macros: &ProceduralMacros,
    name: &str,
    path: Option<&Names>,
) -> Vec<String> {
    let (_, own) = name.rsplit_once("::").expect("a name in a crate");
    let of_attributes = |attributes: &[Attribute]| docs(attributes, Path::new(""));
    if let Some(own) = own.strip_suffix('!') {
        let found = CRATES.iter().find_map(|(krate, _)| source.exported_macro(krate, own));
        return found.map(of_attributes).into_iter().collect();
    }
    let item = path.and_then(|path| source.item(path)).and_then(outside);
    let item = item.map(|(_, attributes)| of_attributes(attributes));
    // A derive has the name of its trait.
    let derive = macros.docs.get(own).filter(|_| item.is_none() || is_trait(source, path)).cloned();
    let found: Vec<String> = item.into_iter().chain(derive).collect();
    if !found.is_empty() {
        return found;
    }
    let made = source.macros().find_map(|code| docs_of_made(code.clone(), own));
    // Something of another crate is documented where it is exported.
    made.or_else(|| source.re_export(own).map(of_attributes)).into_iter().collect()
}

/// The documentation of an item that a macro makes, of the code of that macro.
fn docs_of_made(code: TokenStream, name: &str) -> Option<String> {
    let mut docs = String::new();
    let mut tokens = code.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(hash) if hash.as_char() == '#' => {
                let Some(TokenTree::Group(attribute)) = tokens.next() else { continue };
                if let Ok(Meta::NameValue(meta)) = syn::parse2::<Meta>(attribute.stream())
                    && let Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) = meta.value
                {
                    docs.push_str(&line.value());
                    docs.push('\n');
                }
            }
            TokenTree::Ident(word) if word == "pub" => {}
            TokenTree::Ident(word) if word == "enum" || word == "struct" || word == "trait" => {
                match tokens.peek() {
                    Some(TokenTree::Ident(it)) if it == name => return Some(docs),
                    _ => docs.clear(),
                }
            }
            TokenTree::Group(group) => {
                docs.clear();
                if let Some(found) = docs_of_made(group.stream(), name) {
                    return Some(found);
                }
            }
            _ => docs.clear(),
        }
    }
    None
}

fn is_trait(source: &Source, path: Option<&Names>) -> bool {
    matches!(path.and_then(|path| source.item(path)), Some(Item::Trait(_)))
}

/// Whether a text has a code block that is compiled.
fn holds_example(docs: &str) -> bool {
    let fences: Vec<&str> = docs.lines().filter_map(|line| line.trim_start().strip_prefix("```")).collect();
    fences.iter().step_by(2).any(|words| words.split(',').all(|word| COMPILED.contains(&word.trim())))
}

/// The line of documentation that an attribute is, also where a test is compiled without it.
fn doc(meta: &Meta) -> Option<MetaNameValue> {
    match meta {
        Meta::NameValue(meta) => meta.path.is_ident("doc").then(|| meta.clone()),
        Meta::List(list) if list.path.is_ident("cfg_attr") => {
            let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
            parts.iter().find_map(doc)
        }
        _ => None,
    }
}

/// The text of doc comments, and of the files that they include.
fn docs(attributes: &[Attribute], folder: &Path) -> String {
    let mut text = String::new();
    for attribute in attributes {
        let Some(meta) = doc(&attribute.meta) else { continue };
        match &meta.value {
            Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) => text.push_str(&line.value()),
            Expr::Macro(include) if include.mac.path.is_ident("include_str") => {
                let file: syn::LitStr = include.mac.parse_body().expect("the path of a file");
                text.push_str(&fs::read_to_string(folder.join(file.value())).expect("the file can be read"));
            }
            _ => {}
        }
        text.push('\n');
    }
    text
}

/// The documentation of the macros of the crate `ferroform-macros`, by their names.
struct ProceduralMacros {
    docs: BTreeMap<String, String>,
}

impl ProceduralMacros {
    fn read() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk-macros/src");
        let code = fs::read_to_string(folder.join("lib.rs")).expect("the file can be read");
        let file = syn::parse_file(&code).expect("the file is Rust");
        let functions = file.items.iter().filter_map(|item| match item {
            Item::Fn(function) => Some(function),
            _ => None,
        });
        let docs = functions
            .filter_map(|function| {
                let name = function.attrs.iter().find_map(|attribute| match &attribute.meta {
                    Meta::Path(path) if path.is_ident("proc_macro_attribute") => {
                        Some(function.sig.ident.to_string())
                    }
                    Meta::List(list) if list.path.is_ident("proc_macro_derive") => {
                        list.tokens.clone().into_iter().next().map(|name| name.to_string())
                    }
                    _ => None,
                })?;
                Some((name, docs(&function.attrs, &folder)))
            })
            .collect();
        Self { docs }
    }
}

/// The macro crate does not test them, see `sdk-macros/src/lib.rs`.
#[test]
fn examples_of_macros_are_tests_of_the_sdk() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk-macros/src/reference");
    let tested = include_str!("../../src/lib.rs");
    for file in fs::read_dir(folder).expect("the folder can be read") {
        let name = file.expect("a file").file_name().to_string_lossy().into_owned();
        assert!(
            tested.contains(&format!("\"{name}\",\n")),
            "{name} is missing in `examples!` of sdk/src/lib.rs"
        );
    }
}

#[test]
fn only_a_compiled_code_block_is_an_example() {
    assert!(holds_example("A server.\n\n```\nlet server = 1;\n```\n"));
    assert!(holds_example("```hcl\nserver {}\n```\n```no_run\nserve();\n```\n"));
    for words in ["text", "ignore", "no_run,ignore", "compile_fail", "hcl"] {
        assert!(!holds_example(&format!("```{words}\nserver\n```\n")), "{words}");
    }
}

#[test]
fn documentation_of_an_item_in_a_macro_is_its_own() {
    let code: TokenStream = "(a) => {
        /// Of the trait.
        pub trait Disk {}
        /// Of the server.
        #[derive(Debug)]
        pub struct Server { a: u8 }
    };"
    .parse()
    .expect("it is Rust");
    let found = docs_of_made(code.clone(), "Server").map(|docs| docs.trim().to_owned());
    assert_eq!(found.as_deref(), Some("Of the server."));
    assert_eq!(docs_of_made(code, "Network"), None);
}
