//! The names that authors of providers can use: those that the sources make public are those of the committed list.
//!
//! `UPDATE_PUBLIC_NAMES=1 cargo test -p ferroform --test public_names` writes the list. A name is a path to a type, a trait,
//! a function, a constant or a macro; members do not count, and the prelude repeats names that stand elsewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::{Attribute, Item, UseTree, Visibility};

/// A surface that nobody can keep in mind is a defect.
const MOST: usize = 300;

/// The crates whose sources are looked at, by the name in paths.
const CRATES: &[(&str, &str)] = &[
    ("ferroform", "src"),
    ("ferroform_core", "core/src"),
    ("ferroform_plugin", "plugin/src"),
    ("ferroform_server", "server/src"),
];

/// A module: its crate, its path in it, and its items.
struct Module {
    krate: &'static str,
    path: Vec<String>,
    items: Vec<Item>,
}

fn folder(krate: &str) -> PathBuf {
    let (_, folder) = CRATES.iter().find(|(name, _)| *name == krate).expect("a crate of the SDK");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

/// The items of a file, if there is one.
fn parsed(file: &Path) -> Option<Vec<Item>> {
    let code = fs::read_to_string(file).ok()?;
    let parsed = syn::parse_file(&code).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    Some(parsed.items)
}

/// Finds a module by its path, whether it is public or not.
fn module(krate: &'static str, path: &[String]) -> Option<Module> {
    let found = |items| Some(Module { krate, path: path.to_vec(), items });
    let root = folder(krate);
    if path.is_empty() {
        return found(parsed(&root.join("lib.rs"))?);
    }
    let place = root.join(path.iter().collect::<PathBuf>());
    if let Some(items) = parsed(&place.with_extension("rs")).or_else(|| parsed(&place.join("mod.rs"))) {
        return found(items);
    }
    // It may stand in the file of the module around it.
    let (name, around) = path.split_last()?;
    module(krate, around)?.items.into_iter().find_map(|item| match item {
        Item::Mod(inner) if inner.ident == name => found(inner.content?.1),
        _ => None,
    })
}

fn is_offered(visibility: &Visibility, attributes: &[Attribute]) -> bool {
    let is_hidden = |attribute: &Attribute| {
        let list = attribute.meta.require_list();
        let is = |name: &str, word: &str| {
            attribute.path().is_ident(name) && list.as_ref().is_ok_and(|it| it.tokens.to_string() == word)
        };
        is("doc", "hidden") || is("cfg", "test") || is("cfg", "any (doc , doctest)")
    };
    matches!(visibility, Visibility::Public(_)) && !attributes.iter().any(is_hidden)
}

/// Whether a crate exports a macro of that name.
fn exports_macro(krate: &'static str, name: &str) -> bool {
    let exported = format!("#[macro_export]\nmacro_rules! {name} ");
    let mut folders = vec![folder(krate)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("the entry can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if fs::read_to_string(&path).is_ok_and(|code| code.contains(&exported)) {
                return true;
            }
        }
    }
    false
}

/// Adds the names that a module offers under a path.
fn collect(module_: &Module, offered: &str, names: &mut BTreeSet<String>) {
    let mut add = |name: &dyn std::fmt::Display| {
        names.insert(format!("{offered}::{name}"));
    };
    let mut modules = Vec::new();
    for item in &module_.items {
        match item {
            Item::Struct(it) if is_offered(&it.vis, &it.attrs) => add(&it.ident),
            Item::Enum(it) if is_offered(&it.vis, &it.attrs) => add(&it.ident),
            Item::Union(it) if is_offered(&it.vis, &it.attrs) => add(&it.ident),
            Item::Trait(it) if is_offered(&it.vis, &it.attrs) => add(&it.ident),
            Item::Type(it) if is_offered(&it.vis, &it.attrs) => add(&it.ident),
            Item::Const(it) if is_offered(&it.vis, &it.attrs) => add(&it.ident),
            Item::Static(it) if is_offered(&it.vis, &it.attrs) => add(&it.ident),
            Item::Fn(it) if is_offered(&it.vis, &it.attrs) => add(&it.sig.ident),
            Item::Mod(it) if is_offered(&it.vis, &it.attrs) => {
                let mut path = module_.path.clone();
                path.push(it.ident.to_string());
                modules.push((it.ident.to_string(), module_.krate, path));
            }
            Item::Use(it) if is_offered(&it.vis, &it.attrs) => {
                for (path, name) in leaves(&it.tree, &[]) {
                    match resolved(module_, &path) {
                        Some((krate, path)) if module(krate, &path).is_some() => {
                            if exports_macro(krate, &name) {
                                add(&format!("{name}!"));
                            }
                            modules.push((name, krate, path));
                        }
                        _ => add(&name),
                    }
                }
            }
            Item::Macro(it) if it.ident.is_none() => assert!(
                !makes_names(module_, it),
                "`{offered}` has names that a macro makes, which are counted only when they are written out"
            ),
            _ => {}
        }
    }
    for (name, krate, path) in modules {
        if name == "prelude" {
            continue;
        }
        let inner = module(krate, &path).unwrap_or_else(|| panic!("{krate}::{} has a file", path.join("::")));
        collect(&inner, &format!("{offered}::{name}"), names);
    }
}

/// Whether the macro that is called here makes public items. It must be defined in the same file.
fn makes_names(module_: &Module, call: &syn::ItemMacro) -> bool {
    let name = call.mac.path.get_ident();
    let definition = module_.items.iter().find_map(|item| match item {
        Item::Macro(it) if it.ident.as_ref() == name => Some(it.mac.tokens.to_string()),
        _ => None,
    });
    let definition =
        definition.unwrap_or_else(|| panic!("{} is defined in its file", text_of(&call.mac.path)));
    ["const", "enum", "fn", "mod", "static", "struct", "trait", "type", "use"]
        .iter()
        .any(|item| definition.contains(&format!("pub {item} ")))
}

fn text_of(path: &syn::Path) -> String {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>().join("::")
}

/// The paths of an import, each with the name that it gives.
fn leaves(tree: &UseTree, before: &[String]) -> Vec<(Vec<String>, String)> {
    let with = |name: &syn::Ident| before.iter().cloned().chain([name.to_string()]).collect::<Vec<_>>();
    match tree {
        UseTree::Path(path) => leaves(&path.tree, &with(&path.ident)),
        UseTree::Name(name) if name.ident == "self" => {
            vec![(before.to_vec(), before.last().expect("a module").clone())]
        }
        UseTree::Name(name) => vec![(with(&name.ident), name.ident.to_string())],
        UseTree::Rename(rename) => vec![(with(&rename.ident), rename.rename.to_string())],
        UseTree::Group(group) => group.items.iter().flat_map(|tree| leaves(tree, before)).collect(),
        UseTree::Glob(_) => panic!("{}::* offers names that nobody has listed", before.join("::")),
    }
}

/// Where a path of an import leads, if it is in the SDK.
fn resolved(from: &Module, path: &[String]) -> Option<(&'static str, Vec<String>)> {
    let (first, rest) = path.split_first()?;
    if let Some((krate, _)) = CRATES.iter().find(|(name, _)| name == first) {
        return Some((krate, rest.to_vec()));
    }
    match &**first {
        "crate" => Some((from.krate, rest.to_vec())),
        "self" => Some((from.krate, from.path.iter().chain(rest).cloned().collect())),
        "super" => {
            let (_, around) = from.path.split_last()?;
            Some((from.krate, around.iter().chain(rest).cloned().collect()))
        }
        // A module beside the import; what is no module is found nowhere.
        _ => Some((from.krate, from.path.iter().chain(path).cloned().collect())),
    }
}

#[test]
fn public_names_are_those_of_the_list() {
    let root = module("ferroform", &[]).expect("the root of the crate");
    let mut names = BTreeSet::new();
    collect(&root, "ferroform", &mut names);
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("public-names.txt");
    let text: String = names.iter().map(|name| format!("{name}\n")).collect();
    if std::env::var_os("UPDATE_PUBLIC_NAMES").is_some() {
        fs::write(&list, &text).expect("the list can be written");
    }
    let listed = fs::read_to_string(&list).expect("the list is there");
    let listed: BTreeSet<String> = listed.lines().map(str::to_owned).collect();
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
