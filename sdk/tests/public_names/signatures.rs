//! What public signatures name: things that authors can use, and the types of other crates that the manifest lists.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Attribute, Generics, ImplItem, Item, ItemImpl, TraitItem, Visibility};

use crate::public_names::source::{Names, Source, Target, is_hidden, is_offered};
use crate::public_names::{collect, public};

/// What needs no import, as far as signatures name it.
const PRELUDE: &[&str] = &[
    "AsRef",
    "Box",
    "Clone",
    "Copy",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Future",
    "Into",
    "IntoIterator",
    "Iterator",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Send",
    "Sized",
    "String",
    "Sync",
    "TryFrom",
    "TryInto",
    "Vec",
    "bool",
    "char",
    "f32",
    "f64",
    "i128",
    "i16",
    "i32",
    "i64",
    "i8",
    "isize",
    "str",
    "u128",
    "u16",
    "u32",
    "u64",
    "u8",
    "usize",
];

/// The formats of semantic types, which authors name by aliases such as `Json`.
const FORMATS: &str = "ferroform_core::semantic::";

/// What functions return that authors call and whose types they never write: validators made of others.
const OPAQUE: &[&str] = &[
    "ferroform_core::validate::collection::Each",
    "ferroform_core::validate::collection::Keys",
    "ferroform_core::validate::combine::All",
    "ferroform_core::validate::combine::Any",
    "ferroform_core::validate::combine::Not",
];

/// Types of the SDK that macros make, so that the sources do not have their definitions.
const MADE: &[&str] = &["Offer"];

/// Collects the paths in the signatures of an item.
struct Signatures<'a> {
    source: &'a Source,
    module: &'a [String],
    /// Type parameters in scope.
    parameters: Vec<String>,
    found: BTreeSet<Names>,
}

impl Signatures<'_> {
    fn with(&mut self, generics: &Generics, look: impl FnOnce(&mut Self)) {
        let before = self.parameters.len();
        self.parameters.extend(generics.type_params().map(|parameter| parameter.ident.to_string()));
        self.visit_generics(generics);
        look(self);
        self.parameters.truncate(before);
    }

    fn signature(&mut self, signature: &syn::Signature) {
        self.with(&signature.generics, |this| {
            signature.inputs.iter().for_each(|input| this.visit_fn_arg(input));
            this.visit_return_type(&signature.output);
        });
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Struct(it) => self.with(&it.generics, |this| {
                let public = it.fields.iter().filter(|field| is_offered(&field.vis, &field.attrs));
                public.for_each(|field| this.visit_type(&field.ty));
            }),
            Item::Enum(it) => self.with(&it.generics, |this| {
                it.variants
                    .iter()
                    .flat_map(|variant| &variant.fields)
                    .for_each(|field| this.visit_type(&field.ty));
            }),
            Item::Trait(it) => self.with(&it.generics, |this| {
                it.supertraits.iter().for_each(|bound| this.visit_type_param_bound(bound));
                it.items.iter().for_each(|item| this.trait_item(item));
            }),
            Item::Type(it) => self.with(&it.generics, |this| this.visit_type(&it.ty)),
            Item::Const(it) => self.visit_type(&it.ty),
            Item::Static(it) => self.visit_type(&it.ty),
            Item::Fn(it) => self.signature(&it.sig),
            _ => {}
        }
    }

    fn trait_item(&mut self, item: &TraitItem) {
        match item {
            TraitItem::Fn(it) if !any_hidden(&it.attrs) => self.signature(&it.sig),
            TraitItem::Const(it) if !any_hidden(&it.attrs) => self.visit_type(&it.ty),
            TraitItem::Type(it) if !any_hidden(&it.attrs) => {
                it.bounds.iter().for_each(|bound| self.visit_type_param_bound(bound));
            }
            _ => {}
        }
    }

    /// The methods of a type, or the trait that is implemented for it.
    fn implementation(&mut self, it: &ItemImpl) {
        self.with(&it.generics, |this| {
            this.visit_type(&it.self_ty);
            if let Some((path, _)) = &it.trait_ {
                this.visit_path(path);
                return;
            }
            for item in &it.items {
                match item {
                    ImplItem::Fn(it) if is_offered(&it.vis, &it.attrs) => this.signature(&it.sig),
                    ImplItem::Const(it) if is_offered(&it.vis, &it.attrs) => this.visit_type(&it.ty),
                    _ => {}
                }
            }
        });
    }
}

impl<'ast> Visit<'ast> for Signatures<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let is_local = names[0] == "Self" || self.parameters.contains(&names[0]);
        let is_prelude = names.len() == 1 && PRELUDE.contains(&&*names[0]);
        match self.source.resolve(self.module, &names) {
            _ if is_local => {}
            Some(Target::Item(path)) => match self.source.item(&path) {
                // The documentation shows the type that a private alias stands for.
                Some(Item::Type(it)) if matches!(it.vis, Visibility::Inherited) => self.visit_type(&it.ty),
                _ => drop(self.found.insert(path)),
            },
            _ if is_prelude => {}
            Some(Target::Foreign(path)) => drop(self.found.insert(path)),
            other => panic!("{}: {names:?} leads to {other:?}", self.module.join("::")),
        }
        visit::visit_path(self, path);
    }

    // Expressions in types, such as the lengths of arrays, are no types.
    fn visit_expr(&mut self, _: &'ast syn::Expr) {}
}

fn any_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(is_hidden)
}

/// The definitions that the documentation of a crate shows.
fn shown(source: &Source, krate: &str) -> BTreeSet<Names> {
    let mut names = BTreeMap::new();
    collect(source, &[krate.to_owned()], krate, &mut names);
    names.into_values().flatten().collect()
}

/// What the signatures of all public names use, each with one of the modules that do.
fn used(source: &Source, public: &BTreeSet<&Names>) -> BTreeMap<Names, Names> {
    let mut used = BTreeMap::new();
    for (module, items) in source.modules() {
        let mut signatures = Signatures { source, module, parameters: Vec::new(), found: BTreeSet::new() };
        for item in items {
            match item {
                Item::Impl(it) if implements_for(source, module, it, public) && !any_hidden(&it.attrs) => {
                    signatures.implementation(it);
                }
                _ => {
                    let name = crate::public_names::source::name_of(item).map(ToString::to_string);
                    let path: Option<Names> = name.map(|name| module.iter().cloned().chain([name]).collect());
                    if path.is_some_and(|path| public.contains(&path)) {
                        signatures.item(item);
                    }
                }
            }
        }
        used.extend(signatures.found.into_iter().map(|path| (path, module.clone())));
    }
    used
}

/// Whether a block of methods is for a public name, and its trait may be seen as well.
fn implements_for(source: &Source, module: &[String], it: &ItemImpl, public: &BTreeSet<&Names>) -> bool {
    let syn::Type::Path(ty) = &*it.self_ty else { return false };
    let leads = |path: &syn::Path| {
        let names: Names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        source.resolve(module, &names)
    };
    let is_public = matches!(leads(&ty.path), Some(Target::Item(path)) if public.contains(&path));
    let is_machinery = it
        .trait_
        .as_ref()
        .is_some_and(|(path, _)| matches!(leads(path), Some(Target::Item(path)) if !public.contains(&path)));
    is_public && !is_machinery
}

/// The types of other crates that the manifest allows.
fn allowed() -> Vec<String> {
    let manifest = include_str!("../../Cargo.toml");
    let (_, rest) = manifest.split_once("allowed_external_types = [").expect("the manifest has the list");
    let (list, _) = rest.split_once(']').expect("the list ends");
    let patterns = list.split('"').skip(1).step_by(2);
    patterns.filter(|pattern| !is_whole_crate(pattern)).map(str::to_owned).collect()
}

/// Whether a path fits a pattern, in which `*` stands for any text.
fn fits(path: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => path == pattern,
        Some((start, rest)) => path
            .strip_prefix(start)
            .is_some_and(|end| (0..=end.len()).any(|at| end.is_char_boundary(at) && fits(&end[at..], rest))),
    }
}

/// Whether a pattern stands for all of a crate of the SDK.
fn is_whole_crate(pattern: &str) -> bool {
    pattern.strip_suffix("::*").is_some_and(|krate| krate.starts_with("ferroform_") && !krate.contains("::"))
}

#[test]
fn patterns_are_those_of_cargo_check_external_types() {
    assert!(fits("bytes::Bytes", "bytes::Bytes") && !fits("bytes::BytesMut", "bytes::Bytes"));
    for path in ["serde::Serialize", "serde_core::ser::Serialize"] {
        assert!(fits(path, "serde*::Serialize"), "{path}");
    }
    assert!(
        !fits("serde::Serializer", "serde*::Serialize") && !fits("bytes::Serialize", "serde*::Serialize")
    );
    assert!(is_whole_crate("ferroform_core::*") && !is_whole_crate("ferroform_core::codec::*"));
    assert!(!is_whole_crate("bytes::*"));
}

#[test]
fn signatures_name_what_authors_can_use_and_the_foreign_types_of_the_manifest() {
    let (source, names) = public();
    let public: BTreeSet<&Names> = names.values().flatten().collect();
    let documented: BTreeSet<Names> = ["ferroform_core", "ferroform_plugin", "ferroform_server"]
        .iter()
        .flat_map(|it| shown(&source, it))
        .collect();
    let allowed = allowed();
    let (mut hidden, mut foreign, mut matched) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (path, module) in used(&source, &public) {
        let name = path.join("::");
        let is_std = matches!(&*path[0], "std" | "core" | "alloc");
        if is_std || public.contains(&path) || name.starts_with(FORMATS) {
            continue;
        }
        if OPAQUE.contains(&&*name) || MADE.contains(&&*name) {
            matched.insert(name);
            continue;
        }
        let is_ours = source.item(&path).is_some();
        if is_ours && !documented.contains(&path) {
            hidden.push(format!("{name} in {}", module.join("::")));
        } else if let Some(pattern) = allowed.iter().find(|pattern| fits(&name, pattern)) {
            matched.insert(pattern.clone());
        } else {
            foreign.push(format!("{name} in {}", module.join("::")));
        }
    }
    assert!(hidden.is_empty(), "authors meet what the documentation hides: {hidden:#?}");
    assert!(foreign.is_empty(), "types of other crates: {foreign:#?}");
    let listed = allowed.iter().map(String::as_str).chain(OPAQUE.iter().chain(MADE).copied());
    let unused: Vec<_> = listed.filter(|it| !matched.contains(*it)).collect();
    assert!(unused.is_empty(), "the lists allow what no signature has: {unused:?}");
}
