//! The sources of the crates of the SDK: their modules, and where a name leads.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use syn::{Attribute, Item, UseTree, Visibility};

/// The crates whose sources are looked at, by the name in paths.
pub(crate) const CRATES: &[(&str, &str)] = &[
    ("ferroform", "src"),
    ("ferroform_core", "core/src"),
    ("ferroform_plugin", "plugin/src"),
    ("ferroform_server", "server/src"),
];

/// What [`leaves`] names an import of everything that a module offers.
pub(crate) const GLOB: &str = "*";

/// The path of a module or an item: the crate, then the names in it.
pub(crate) type Names = Vec<String>;

/// All modules by their paths.
pub(crate) struct Source {
    modules: BTreeMap<Names, Vec<Item>>,
}

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    Module(Names),
    /// An item of the SDK.
    Item(Names),
    /// Something of another crate.
    Foreign(Names),
}

impl Source {
    pub(crate) fn read() -> Self {
        let mut source = Self { modules: BTreeMap::new() };
        for (krate, folder) in CRATES {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            source.folder(&folder, &[(*krate).to_owned()]);
        }
        source
    }

    /// The sources of modules, each with the names of its path.
    pub(crate) fn of(modules: &[(&str, &str)]) -> Self {
        let mut source = Self { modules: BTreeMap::new() };
        for (path, code) in modules {
            let parsed = syn::parse_file(code).expect("the code can be parsed");
            source.module(path.split("::").map(str::to_owned).collect(), parsed.items);
        }
        source
    }

    fn folder(&mut self, folder: &Path, at: &[String]) {
        let entries = fs::read_dir(folder).expect("the folder can be read");
        let paths: Vec<PathBuf> = entries.map(|entry| entry.expect("the entry can be read").path()).collect();
        for path in paths {
            let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let inner: Names = at.iter().cloned().chain([stem.clone()]).collect();
            if path.is_dir() {
                self.folder(&path, &inner);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let code = fs::read_to_string(&path).expect("the file can be read");
                let parsed =
                    syn::parse_file(&code).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                let is_outer = matches!(&*stem, "lib" | "mod");
                self.module(if is_outer { at.to_vec() } else { inner }, parsed.items);
            }
        }
    }

    /// Adds a module and those that stand in it.
    fn module(&mut self, path: Names, mut items: Vec<Item>) {
        for item in &mut items {
            if let Item::Mod(inner) = item
                && let Some((_, content)) = inner.content.take()
            {
                self.module(path.iter().cloned().chain([inner.ident.to_string()]).collect(), content);
            }
        }
        self.modules.insert(path, items);
    }

    pub(crate) fn modules(&self) -> impl Iterator<Item = (&Names, &Vec<Item>)> {
        self.modules.iter()
    }

    pub(crate) fn items(&self, module: &[String]) -> &[Item] {
        self.modules.get(module).map(Vec::as_slice).unwrap_or_default()
    }

    /// The definition of an item. A derive may have the name of a trait, which is the definition then.
    pub(crate) fn item(&self, path: &[String]) -> Option<&Item> {
        let (name, module) = path.split_last()?;
        self.items(module).iter().find(|item| name_of(item).is_some_and(|it| it == name))
    }

    /// The attributes of the macro of that name that a crate exports.
    pub(crate) fn exported_macro(&self, krate: &str, name: &str) -> Option<&[Attribute]> {
        let modules = self.modules.iter().filter(|(path, _)| path[0] == krate);
        modules.flat_map(|(_, items)| items).find_map(|item| match item {
            Item::Macro(it) if it.ident.as_ref().is_some_and(|it| it == name) => {
                let is_exported = it.attrs.iter().any(|attribute| attribute.path().is_ident("macro_export"));
                is_exported.then_some(it.attrs.as_slice())
            }
            _ => None,
        })
    }

    /// The code of all macros.
    pub(crate) fn macros(&self) -> impl Iterator<Item = &proc_macro2::TokenStream> {
        self.modules.values().flatten().filter_map(|item| match item {
            Item::Macro(it) if it.ident.is_some() => Some(&it.mac.tokens),
            _ => None,
        })
    }

    /// The attributes of the public import that gives a name in the crate `ferroform`.
    pub(crate) fn re_export(&self, name: &str) -> Option<&[Attribute]> {
        let modules = self.modules.iter().filter(|(path, _)| path[0] == "ferroform");
        modules.flat_map(|(_, items)| items).find_map(|item| match item {
            Item::Use(it) if is_offered(&it.vis, &it.attrs) => {
                leaves(&it.tree, &[]).iter().any(|(_, gives)| gives == name).then_some(it.attrs.as_slice())
            }
            _ => None,
        })
    }

    /// The macros of that name.
    pub(crate) fn macro_definitions(&self, name: &syn::Ident) -> impl Iterator<Item = String> {
        self.modules.values().flatten().filter_map(move |item| match item {
            Item::Macro(it) if it.ident.as_ref() == Some(name) => Some(it.mac.tokens.to_string()),
            _ => None,
        })
    }

    /// Where a path leads that stands in a module.
    pub(crate) fn resolve(&self, module: &[String], path: &[String]) -> Option<Target> {
        self.resolve_by(|name, is_module| self.local(module, name, is_module), module, path)
    }

    /// As [`resolve`](Self::resolve), with the meaning of the first name in the module.
    fn resolve_by(
        &self,
        local: impl Fn(&str, bool) -> Option<Target>,
        module: &[String],
        path: &[String],
    ) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let start = match &**first {
            "crate" => Target::Module(module[..1].to_vec()),
            "self" => Target::Module(module.to_vec()),
            "super" => Target::Module(module.split_last()?.1.to_vec()),
            name if CRATES.iter().any(|(krate, _)| *krate == name) && local(name, true).is_none() => {
                Target::Module(vec![name.to_owned()])
            }
            name => local(name, !rest.is_empty()).unwrap_or_else(|| Target::Foreign(vec![name.to_owned()])),
        };
        match start {
            Target::Module(found) if !rest.is_empty() => {
                let (next, further) = rest.split_first()?;
                let inner = self.local(&found, next, !further.is_empty())?;
                match inner {
                    Target::Module(inner) if !further.is_empty() => {
                        let path: Names =
                            ["self".to_owned()].into_iter().chain(further.iter().cloned()).collect();
                        self.resolve(&inner, &path)
                    }
                    inner => Some(inner),
                }
            }
            Target::Foreign(path) => {
                Some(Target::Foreign(path.into_iter().chain(rest.iter().cloned()).collect()))
            }
            start => Some(start),
        }
    }

    /// What a name means in a module. A module and a function may have the same name.
    fn local(&self, module: &[String], name: &str, is_module: bool) -> Option<Target> {
        self.named(module, name, is_module).or_else(|| self.by_glob_imports(module, name, is_module))
    }

    /// What a name means that stands in a module, or that the module imports by the name.
    fn named(&self, module: &[String], name: &str, is_module: bool) -> Option<Target> {
        let inner: Names = module.iter().cloned().chain([name.to_owned()]).collect();
        if is_module && self.modules.contains_key(&inner) {
            return Some(Target::Module(inner));
        }
        let items = self.modules.get(module)?;
        if items.iter().any(|item| name_of(item).is_some_and(|it| it == name)) {
            return Some(Target::Item(inner));
        }
        let imported = items.iter().find_map(|item| {
            let Item::Use(import) = item else { return None };
            // A crate and what it offers may have one name: such an import would lead to itself.
            let (path, _) =
                leaves(&import.tree, &[]).into_iter().find(|(path, it)| it == name && path[0] != name)?;
            self.resolve(module, &path)
        });
        if self.modules.contains_key(&inner) {
            return Some(Target::Module(inner));
        }
        imported
    }

    /// What a name means in a module that imports it with everything else of another one.
    fn by_glob_imports(&self, module: &[String], name: &str, is_module: bool) -> Option<Target> {
        self.items(module).iter().find_map(|item| {
            let Item::Use(import) = item else { return None };
            // Only what others see, so that a module of tests that imports its parent leads nowhere.
            if matches!(import.vis, Visibility::Inherited) {
                return None;
            }
            let leaves = leaves(&import.tree, &[]);
            let mut globs = leaves.into_iter().filter(|(_, it)| it == GLOB);
            // Such an import would lead to itself if it, or another one, gave the meaning of its first name.
            let named = |name: &str, is_module| self.named(module, name, is_module);
            globs.find_map(|(path, _)| match self.resolve_by(named, module, &path)? {
                Target::Module(inner) => self.local(&inner, name, is_module),
                _ => None,
            })
        })
    }
}

/// The name of an item that is no module.
pub(crate) fn name_of(item: &Item) -> Option<&syn::Ident> {
    Some(match item {
        Item::Struct(it) => &it.ident,
        Item::Enum(it) => &it.ident,
        Item::Union(it) => &it.ident,
        Item::Trait(it) => &it.ident,
        Item::Type(it) => &it.ident,
        Item::Const(it) => &it.ident,
        Item::Static(it) => &it.ident,
        Item::Fn(it) => &it.sig.ident,
        _ => return None,
    })
}

/// The attributes of an item, and who sees it.
pub(crate) fn outside(item: &Item) -> Option<(&Visibility, &[Attribute])> {
    Some(match item {
        Item::Struct(it) => (&it.vis, &it.attrs),
        Item::Enum(it) => (&it.vis, &it.attrs),
        Item::Union(it) => (&it.vis, &it.attrs),
        Item::Trait(it) => (&it.vis, &it.attrs),
        Item::Type(it) => (&it.vis, &it.attrs),
        Item::Const(it) => (&it.vis, &it.attrs),
        Item::Static(it) => (&it.vis, &it.attrs),
        Item::Fn(it) => (&it.vis, &it.attrs),
        Item::Mod(it) => (&it.vis, &it.attrs),
        Item::Use(it) => (&it.vis, &it.attrs),
        _ => return None,
    })
}

/// Whether something is public and documented.
pub(crate) fn is_offered(visibility: &Visibility, attributes: &[Attribute]) -> bool {
    matches!(visibility, Visibility::Public(_)) && !attributes.iter().any(is_hidden)
}

/// Whether an attribute keeps what it stands on out of the documentation.
pub(crate) fn is_hidden(attribute: &Attribute) -> bool {
    let list = attribute.meta.require_list();
    let is = |name: &str, word: &str| {
        attribute.path().is_ident(name) && list.as_ref().is_ok_and(|it| it.tokens.to_string() == word)
    };
    is("doc", "hidden") || is("cfg", "test") || is("cfg", "any (doc , doctest)")
}

/// The paths of an import, each with the name that it gives.
pub(crate) fn leaves(tree: &UseTree, before: &[String]) -> Vec<(Names, String)> {
    let with = |name: &syn::Ident| before.iter().cloned().chain([name.to_string()]).collect::<Names>();
    match tree {
        UseTree::Path(path) => leaves(&path.tree, &with(&path.ident)),
        UseTree::Name(name) if name.ident == "self" => {
            vec![(before.to_vec(), before.last().expect("a module").clone())]
        }
        UseTree::Name(name) => vec![(with(&name.ident), name.ident.to_string())],
        UseTree::Rename(rename) => vec![(with(&rename.ident), rename.rename.to_string())],
        UseTree::Group(group) => group.items.iter().flat_map(|tree| leaves(tree, before)).collect(),
        UseTree::Glob(_) => vec![(before.to_vec(), GLOB.to_owned())],
    }
}
