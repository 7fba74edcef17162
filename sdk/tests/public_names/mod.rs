//! The names that authors of providers can use, and what holds for each of them.
//!
//! `UPDATE_PUBLIC_NAMES=1 cargo test -p ferroform --test all public_names::` writes the list. A name is a path to a type, a trait,
//! a function, a constant or a macro; members do not count, and the prelude repeats names that stand elsewhere.

mod examples;
mod growth;
mod signatures;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use syn::Item;

use crate::public_names::source::{GLOB, Names, Source, Target, is_offered, leaves, name_of, outside};

/// A surface that nobody can keep in mind is a defect.
const MOST: usize = 300;

/// The sources, and every name with the path of its definition; a macro has none there.
fn public() -> (Source, BTreeMap<String, Option<Names>>) {
    let source = Source::read();
    let mut names = BTreeMap::new();
    collect(&source, &["ferroform".to_owned()], "ferroform", &mut names);
    (source, names)
}

/// Adds the names that a module offers under a path.
///
/// # Panics
/// The module exports everything of another crate or of an enum, so that the sources do not say which names it offers.
fn collect(source: &Source, module: &[String], offered: &str, names: &mut BTreeMap<String, Option<Names>>) {
    let mut modules = Vec::new();
    for item in source.items(module) {
        let Some((visibility, attributes)) = outside(item) else {
            // Other crates have messages of the protocol that macros make.
            assert!(
                !offered.starts_with("ferroform::") || !makes_names(source, item),
                "`{offered}` has names that a macro makes, which are counted only when they are written out"
            );
            continue;
        };
        if !is_offered(visibility, attributes) {
            continue;
        }
        match item {
            Item::Mod(it) => {
                let path: Names = module.iter().cloned().chain([it.ident.to_string()]).collect();
                modules.push((it.ident.to_string(), path));
            }
            Item::Use(it) => {
                for (path, name) in leaves(&it.tree, &[]) {
                    match source.resolve(module, &path) {
                        Some(Target::Module(path)) if name == GLOB => collect(source, &path, offered, names),
                        found if name == GLOB => panic!(
                            "`{offered}` exports everything of `{}`, which leads to {found:?}: name what it offers",
                            path.join("::")
                        ),
                        Some(Target::Module(path)) => {
                            if source.exported_macro(&path[0], &name).is_some() {
                                names.insert(format!("{offered}::{name}!"), None);
                            }
                            modules.push((name, path));
                        }
                        Some(Target::Item(path)) => {
                            drop(names.insert(format!("{offered}::{name}"), Some(path)))
                        }
                        _ => drop(names.insert(format!("{offered}::{name}"), None)),
                    }
                }
            }
            _ => {
                let name = name_of(item).expect("an item with a name").to_string();
                let path = module.iter().cloned().chain([name.clone()]).collect();
                names.insert(format!("{offered}::{name}"), Some(path));
            }
        }
    }
    for (name, path) in modules {
        if name != "prelude" {
            collect(source, &path, &format!("{offered}::{name}"), names);
        }
    }
}

/// Whether an item is the call of a macro that makes public items.
fn makes_names(source: &Source, item: &Item) -> bool {
    let Item::Macro(call) = item else { return false };
    let name = call.mac.path.segments.last().expect("a path has a name");
    let is_definition = call.ident.is_some();
    !is_definition
        && source.macro_definitions(&name.ident).any(|definition| {
            ["const", "enum", "fn", "mod", "static", "struct", "trait", "type", "use"]
                .iter()
                .any(|item| definition.contains(&format!("pub {item} ")))
        })
}

/// The names that a crate of one module and its inner ones offers.
fn names_of(modules: &[(&str, &str)]) -> Vec<String> {
    let mut names = BTreeMap::new();
    collect(&Source::of(modules), &["ferroform".to_owned()], "ferroform", &mut names);
    names.into_keys().collect()
}

#[test]
fn public_glob_import_offers_every_public_name_of_its_module() {
    let inner = "pub struct Bucket; struct Private; pub use deep::*; mod deep { pub struct Disk; }";
    let names = names_of(&[("ferroform", "mod inner; pub use inner::*;"), ("ferroform::inner", inner)]);
    assert_eq!(names, ["ferroform::Bucket", "ferroform::Disk"]);
    let outer = "mod inner; pub mod cloud { pub use crate::inner::*; } use inner::*;";
    let names = names_of(&[("ferroform", outer), ("ferroform::inner", inner)]);
    assert_eq!(names, ["ferroform::cloud::Bucket", "ferroform::cloud::Disk"]);
}

#[test]
fn name_behind_a_public_glob_import_leads_to_its_definition() {
    let source = Source::of(&[
        ("ferroform", "pub mod cloud; use cloud::Bucket;"),
        ("ferroform::cloud", "mod inner; pub use inner::*;"),
        ("ferroform::cloud::inner", "pub struct Bucket; mod tests { use super::*; }"),
    ]);
    let found = source.resolve(&["ferroform".to_owned()], &["Bucket".to_owned()]);
    let path = ["ferroform", "cloud", "inner", "Bucket"].map(str::to_owned).to_vec();
    assert_eq!(found, Some(Target::Item(path)));
}

#[test]
#[should_panic(expected = "`ferroform::cloud` exports everything of `serde::de`")]
fn public_glob_import_of_another_crate_is_named() {
    names_of(&[
        ("ferroform", "pub mod cloud;"),
        ("ferroform::cloud", "pub use serde::de::*; pub use tokio::*;"),
    ]);
}

#[test]
#[should_panic(expected = "`ferroform` exports everything of `Kind`")]
fn public_glob_import_of_an_enum_is_named() {
    names_of(&[("ferroform", "enum Kind { Action } pub use Kind::*;")]);
}

#[test]
fn public_names_are_those_of_the_list() {
    let (_, names) = public();
    let names: BTreeSet<&String> = names.keys().collect();
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("public-names.txt");
    let text: String = names.iter().map(|name| format!("{name}\n")).collect();
    if std::env::var_os("UPDATE_PUBLIC_NAMES").is_some() {
        fs::write(&list, &text).expect("the list can be written");
    }
    let listed = fs::read_to_string(&list).expect("the list is there");
    let listed: BTreeSet<String> = listed.lines().map(str::to_owned).collect();
    let listed: BTreeSet<&String> = listed.iter().collect();
    let added: Vec<_> = names.difference(&listed).collect();
    let removed: Vec<_> = listed.difference(&names).collect();
    assert!(
        added.is_empty() && removed.is_empty(),
        "the list does not have {added:?}, and the sources do not have {removed:?}; \
         UPDATE_PUBLIC_NAMES=1 writes the list"
    );
    assert!(names.len() <= MOST, "{} names are public, and {MOST} may be", names.len());
}

/// Whoever looks for a validator finds all of them in one table.
#[test]
fn validators_are_on_their_page() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |file| fs::read_to_string(folder.join(file)).expect("it is there");
    let (page, names) = (read("../docs/validation.md"), read("public-names.txt"));
    let validators = names.lines().filter_map(|name| {
        let (module, validator) = name.strip_prefix("ferroform::validate::")?.split_once("::")?;
        let is_function = validator.starts_with(|c: char| c.is_ascii_lowercase());
        is_function.then_some((module, validator))
    });
    let missing: Vec<_> = validators
        .filter(|(module, validator)| {
            let row = page.lines().find(|line| line.starts_with(&format!("| `validate::{module}` ")));
            !row.is_some_and(|row| row.contains(&format!("`{validator}`")))
        })
        .collect();
    assert!(missing.is_empty(), "the table does not have {missing:?}");
}
