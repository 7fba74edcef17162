//! The layers of the SDK: which module may use which, enforced on the sources of its crates.
//!
//! Every path in every file is looked at, wherever it stands: imports and re-exports, paths in code and types, and
//! the tokens of macros and attributes. Text in comments does not count.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ferroform::schema::Kind;
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// A module at the root of the crate.
struct Module {
    name: &'static str,
    /// It may use every module of a lower layer.
    layer: u32,
    /// Modules, or parts of them, that it may use although they are on its own layer or above.
    neighbours: &'static [&'static str],
}

const fn module(layer: u32, name: &'static str) -> Module {
    Module { name, layer, neighbours: &[] }
}

const fn beside(layer: u32, name: &'static str, neighbours: &'static [&'static str]) -> Module {
    Module { name, layer, neighbours }
}

const MODULES: &[Module] = &[
    module(0, "cancel"),
    module(0, "clock"),
    module(0, "panics"),
    module(1, "path"),
    module(1, "ty"),
    module(2, "diag"),
    module(2, "value"),
    module(3, "codec"),
    module(3, "client"),
    beside(3, "private", &["codec"]),
    // Modifiers see the private data of an object.
    beside(3, "schema", &["private"]),
    // The views of a model merge what a service shows as plans do.
    beside(4, "model", &["plan"]),
    module(4, "plan"),
    module(4, "protocol"),
    module(4, "secret"),
    // An offer brings what answers the calls about its kind.
    beside(5, "dynamic", &["server::rpc"]),
    module(5, "semantic"),
    // Names of the dynamic layer that the typed one offers.
    beside(5, "shared", &["dynamic"]),
    // Texts with a meaning are texts to a validator.
    beside(5, "validate", &["semantic"]),
    beside(5, "wait", &["dynamic"]),
    module(6, "action"),
    module(6, "data_source"),
    // Older records are read as older states are.
    beside(6, "ephemeral_resource", &["resource::RawJson"]),
    module(6, "function"),
    beside(6, "list_resource", &["resource"]),
    beside(
        6,
        "provider",
        &[
            "action",
            "data_source",
            "ephemeral_resource",
            "function",
            "list_resource",
            "resource",
            "state_store",
        ],
    ),
    module(6, "resource"),
    module(6, "state_store"),
    module(7, "server"),
    module(8, "plugin"),
    beside(8, "wire", &["plugin::grpc"]),
    module(9, "testing"),
    module(10, "serve"),
    // Pages of documentation.
    module(10, "guide"),
    module(11, "compose"),
];

/// Modules that use no other, not even one of a lower layer: the process side knows nothing of providers.
const ALONE: &[&str] = &["plugin"];

/// The module that is a crate of its own.
const PLUGIN: &str = "plugin";

/// Modules in which nothing waits and nothing leaves the process.
const PURE: &[&str] =
    &["codec", "diag", "model", "path", "plan", "schema", "semantic", "ty", "validate", "value"];

/// What only impure modules may name.
const IMPURE: &[&str] = &[
    "async_trait",
    "futures_core",
    "std::env",
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "tokio",
    "tracing",
];

/// Crates that only some modules may name.
const CRATES: &[(&str, &[&str])] = &[
    ("ferroform_proto", &["plugin", "wire"]),
    ("prost", &["plugin", "wire"]),
    ("http", &["plugin"]),
    ("http_body", &["plugin"]),
    ("http_body_util", &["plugin"]),
    ("hyper", &["plugin"]),
    ("hyper_util", &["plugin"]),
    ("p521", &["plugin"]),
    ("ring", &["plugin", "secret"]),
    ("rustix", &["plugin"]),
    ("rustls", &["plugin"]),
    ("tokio_rustls", &["plugin"]),
    ("tonic", &["plugin"]),
];

/// Words with which a path can start that are looked at in macros, beside the crates above.
const STARTS: &[&str] = &[
    "crate",
    "self",
    "super",
    "std",
    "tokio",
    "tracing",
    "async_trait",
    "futures_core",
    "ferroform_core",
    "ferroform_plugin",
    "ferroform_server",
];

fn row(name: &str) -> Option<&'static Module> {
    MODULES.iter().find(|module| module.name == name)
}

/// Finds what a file must not name.
struct Finder {
    /// Where the code stands, from the root of the crate; at least one segment.
    at: Vec<String>,
    found: Vec<String>,
}

impl Finder {
    fn report(&mut self, what: &str) {
        let at = self.at.join("::");
        let line = format!("{at}: {what}");
        if !self.found.contains(&line) {
            self.found.push(line);
        }
    }

    fn module(&self) -> &str {
        &self.at[0]
    }

    /// A path from the root of the crate that this file belongs to.
    fn rooted(&mut self, segments: &[String], whole: bool) {
        if self.module() == "plugin" {
            let inner: Vec<_> = [PLUGIN.to_owned()].into_iter().chain(segments.iter().cloned()).collect();
            return self.inner(&inner, whole);
        }
        self.inner(segments, whole);
    }

    /// Judges a path; `whole` when everything at its end is imported.
    fn path(&mut self, segments: &[String], whole: bool) {
        match segments.first().map(String::as_str) {
            Some("crate") => self.rooted(&segments[1..], whole),
            Some("ferroform_core" | "ferroform_server") => self.inner(&segments[1..], whole),
            Some("ferroform_plugin") => {
                let inner: Vec<_> =
                    [PLUGIN.to_owned()].into_iter().chain(segments[1..].iter().cloned()).collect();
                self.inner(&inner, whole);
            }
            Some("self" | "super") => {
                let mut absolute = self.at.clone();
                for segment in segments {
                    match segment.as_str() {
                        "self" => {}
                        "super" => drop(absolute.pop()),
                        name => absolute.push(name.to_owned()),
                    }
                }
                self.inner(&absolute, whole);
            }
            Some(_) => self.outer(&segments.join("::")),
            None => {}
        }
    }

    /// Judges a path within the crate.
    fn inner(&mut self, segments: &[String], whole: bool) {
        let Some(used) = segments.first() else {
            if whole {
                self.report("imports the whole crate");
            }
            return;
        };
        if used == self.module() {
            return;
        }
        let path = segments.join("::");
        let (Some(user), Some(used)) = (row(self.module()), row(used)) else {
            return self.report(&format!("uses {path}, which is not in the table"));
        };
        let listed = user.neighbours.iter().any(|neighbour| within(&path, neighbour));
        let lower = used.layer < user.layer && !ALONE.contains(&user.name);
        if !listed && !lower {
            self.report(&format!("uses {path}"));
        }
    }

    /// Judges a path that starts with a name, perhaps that of a crate.
    fn outer(&mut self, path: &str) {
        for (name, users) in CRATES {
            if within(path, name) && !users.contains(&self.module()) {
                self.report(&format!("uses {path}"));
            }
        }
        if PURE.contains(&self.module()) && IMPURE.iter().any(|impure| within(path, impure)) {
            self.report(&format!("uses {path}"));
        }
    }

    fn waits(&mut self) {
        if PURE.contains(&self.module()) {
            self.report("is async");
        }
    }

    fn imports(&mut self, tree: &syn::UseTree, before: &[String]) {
        let with = |name: &syn::Ident| {
            let mut segments = before.to_vec();
            // `use a::{self}` is `use a`.
            if before.is_empty() || name != "self" {
                segments.push(name.to_string());
            }
            segments
        };
        match tree {
            syn::UseTree::Path(path) => self.imports(&path.tree, &with(&path.ident)),
            syn::UseTree::Name(name) => self.path(&with(&name.ident), false),
            syn::UseTree::Rename(rename) => self.path(&with(&rename.ident), true),
            syn::UseTree::Glob(_) => self.path(before, true),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.imports(tree, before)),
        }
    }

    /// Looks for paths in tokens: a word with which one can start, and names joined by colons.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(word) if word == "async" || word == "await" => self.waits(),
                TokenTree::Ident(word) if starts_a_path(&word.to_string()) => {
                    let mut segments = vec![word.to_string()];
                    while let Some(name) = joined(&tokens[at..]) {
                        segments.push(name);
                        at += 3;
                    }
                    self.path(&segments, false);
                }
                _ => {}
            }
        }
    }
}

/// Whether a path is another one or lies within it.
fn within(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn starts_a_path(word: &str) -> bool {
    STARTS.contains(&word) || CRATES.iter().any(|(name, _)| *name == word)
}

/// The name after two colons.
fn joined(tokens: &[TokenTree]) -> Option<String> {
    match tokens {
        [TokenTree::Punct(first), TokenTree::Punct(second), TokenTree::Ident(name), ..]
            if first.as_char() == ':' && second.as_char() == ':' =>
        {
            Some(name.to_string())
        }
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.at.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.at.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.imports(&item.tree, &[]);
    }

    fn visit_item_extern_crate(&mut self, item: &'ast syn::ItemExternCrate) {
        self.path(&[item.ident.to_string()], true);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.path(&segments, false);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.tokens(item.tokens.clone());
        visit::visit_macro(self, item);
    }

    fn visit_meta_list(&mut self, list: &'ast syn::MetaList) {
        self.tokens(list.tokens.clone());
        visit::visit_meta_list(self, list);
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        if signature.asyncness.is_some() {
            self.waits();
        }
        visit::visit_signature(self, signature);
    }

    fn visit_expr_async(&mut self, expression: &'ast syn::ExprAsync) {
        self.waits();
        visit::visit_expr_async(self, expression);
    }

    fn visit_expr_await(&mut self, expression: &'ast syn::ExprAwait) {
        self.waits();
        visit::visit_expr_await(self, expression);
    }

    fn visit_expr_closure(&mut self, expression: &'ast syn::ExprClosure) {
        if expression.asyncness.is_some() {
            self.waits();
        }
        visit::visit_expr_closure(self, expression);
    }
}

/// What the code of a module must not name.
fn found(module: &str, code: &str) -> Vec<String> {
    let file = syn::parse_file(code).unwrap_or_else(|error| panic!("{module} cannot be parsed: {error}"));
    let mut finder = Finder { at: module.split("::").map(str::to_owned).collect(), found: Vec::new() };
    finder.visit_file(&file);
    finder.found
}

/// The crates of the SDK: the folder of the sources, and the module that the root of the crate is.
const ROOTS: &[(&str, &str)] = &[("src", ""), ("core/src", ""), ("server/src", ""), ("plugin/src", PLUGIN)];

/// The modules of the crates with their code, but for the roots that are no module.
fn sources() -> Vec<(String, String)> {
    let mut sources: Vec<_> = ROOTS.iter().flat_map(|(folder, module)| sources_of(folder, module)).collect();
    sources.sort();
    sources
}

fn sources_of(folder: &str, module: &str) -> Vec<(String, String)> {
    let files = files_of(folder).into_iter();
    files
        .filter(|(file, _)| file != "lib.rs" || !module.is_empty())
        .map(|(file, code)| (name(&Path::new(module).join(file)), code))
        .collect()
}

/// The files of a folder of sources, named from there, with their code.
fn files_of(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder can be read") {
            let path = entry.expect("the entry can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let code = fs::read_to_string(&path).expect("the file can be read");
                let file = path.strip_prefix(&root).expect("the file is below");
                files.push((file.to_string_lossy().into_owned(), code));
            }
        }
    }
    files
}

/// The module of a file.
fn name(file: &Path) -> String {
    let file = if file.ends_with("mod.rs") || file.ends_with("plugin/lib.rs") {
        file.parent().map(PathBuf::from)
    } else {
        Some(file.with_extension(""))
    };
    let file = file.unwrap_or_default();
    let segments: Vec<_> = file.iter().map(|segment| segment.to_string_lossy()).collect();
    segments.join("::")
}

#[test]
fn the_sources_keep_to_the_table() {
    let found: Vec<_> = sources().iter().flat_map(|(module, code)| found(module, code)).collect();
    assert!(found.is_empty(), "what a layer must not name is named:\n{}", found.join("\n"));
}

#[test]
fn the_table_names_the_modules_there_are() {
    let mut there: Vec<_> = sources()
        .into_iter()
        .filter_map(|(module, _)| module.split("::").next().map(str::to_owned))
        .collect();
    there.dedup();
    let mut named: Vec<_> = MODULES.iter().map(|module| module.name.to_owned()).collect();
    named.sort();
    assert_eq!(there, named);
    for module in MODULES {
        for neighbour in module.neighbours {
            let used =
                row(neighbour.split("::").next().unwrap_or_default()).expect("a neighbour is in the table");
            assert!(used.layer >= module.layer, "{neighbour} needs no exception");
        }
    }
}

/// What the folder of a concept has besides its other files: the trait, the contexts of its calls, and the adapter to the
/// object-safe trait.
const CONCEPT_FILES: &[&str] = &["mod.rs", "context.rs", "dynamic_adapter.rs"];

/// The module of a kind: `data_source` for `DataSource`.
fn module_of(kind: Kind) -> String {
    let mut module = String::new();
    for letter in format!("{kind:?}").chars() {
        if letter.is_uppercase() && !module.is_empty() {
            module.push('_');
        }
        module.extend(letter.to_lowercase());
    }
    module
}

/// The files that the concept of a kind has, from the folder of the crate.
fn concept_files(kind: Kind) -> Vec<String> {
    let module = module_of(kind);
    let typed = CONCEPT_FILES.iter().map(|file| format!("src/{module}/{file}"));
    let server = ["dynamic", "protocol"].map(|folder| format!("server/src/{folder}/{module}.rs"));
    typed.chain(server).collect()
}

#[test]
fn every_concept_has_the_same_files() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = Kind::ALL.iter().flat_map(|kind| concept_files(*kind));
    let missing: Vec<_> = files.filter(|file| !crate_folder.join(file).is_file()).collect();
    assert!(missing.is_empty(), "a concept lacks a file that each other concept has: {missing:?}");
}

#[test]
fn files_of_a_concept_are_named_after_its_kind() {
    assert_eq!(
        concept_files(Kind::DataSource),
        [
            "src/data_source/mod.rs",
            "src/data_source/context.rs",
            "src/data_source/dynamic_adapter.rs",
            "server/src/dynamic/data_source.rs",
            "server/src/protocol/data_source.rs",
        ]
    );
}

/// The files to which a concept is added, besides its own; `docs/architecture.md` has the same list.
const SHARED_FILES: &[&str] = &[
    "src/lib.rs",
    "src/provider/registry.rs",
    "server/src/dynamic.rs",
    "server/src/shared.rs",
    "server/src/server/rpc/mod.rs",
];

/// Files that name some concepts for reasons of theirs.
const EXCEPTIONS: &[(&[Kind], &str)] = &[
    // A list lists what the managed resource type of its name manages; functions have a signature instead of a schema.
    (&[Kind::ListResource, Kind::Function], "server/src/dynamic/catalogue.rs"),
    (&[Kind::Function], "server/src/server/rpc/get_provider_schema.rs"),
    (&[Kind::Function], "server/src/server/schema_cache.rs"),
];

/// Files that name a concept because the protocol has its messages, with a row or more for each: encoding, composition,
/// validation and the log.
const MESSAGES: &[&str] = &[
    "server/src/protocol/",
    "server/src/wire/",
    "src/compose/",
    "server/src/server/rpc/validate.rs",
    "server/src/server/layers.rs",
];

/// Whether a file is the own one of a concept: in its folder, named after it, or a procedure about it.
fn is_own(file: &str, module: &str) -> bool {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    let name = name.trim_end_matches(".rs");
    let procedure = match module {
        "state_store" => name.contains("state") && !name.contains("resource"),
        _ => name.contains(module),
    };
    let is_procedure = folder == "server/src/server/rpc" && (procedure || name == "read_data_source");
    is_procedure || file.contains(&format!("/{module}/")) || [module, &format!("{module}s")].contains(&name)
}

fn has_word(tokens: TokenStream, words: &[String]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => has_word(group.stream(), words),
        TokenTree::Ident(word) => words.iter().any(|known| word == known),
        _ => false,
    })
}

#[test]
fn concepts_are_named_in_listed_files_only() {
    let (mut unlisted, mut used) = (Vec::new(), BTreeSet::new());
    for folder in ["src", "server/src"] {
        for (file, code) in files_of(folder) {
            let file = format!("{folder}/{file}");
            let tokens: TokenStream = code.parse().unwrap_or_else(|error| panic!("{file}: {error}"));
            // Everything knows of managed resources.
            for kind in Kind::ALL.iter().filter(|kind| **kind != Kind::Resource) {
                let module = module_of(*kind);
                let is_message = MESSAGES.iter().any(|path| file.starts_with(path));
                if is_message || is_own(&file, &module) {
                    continue;
                }
                if has_word(tokens.clone(), &[module, format!("{kind:?}")]) {
                    let is_exception =
                        EXCEPTIONS.iter().any(|(of, known)| *known == file && of.contains(kind));
                    if is_exception || SHARED_FILES.contains(&&*file) {
                        used.insert(file.clone());
                    } else {
                        unlisted.push(format!("{file}: {kind}"));
                    }
                }
            }
        }
    }
    assert!(
        unlisted.is_empty(),
        "a new concept would have to be added to these, too:\n{}",
        unlisted.join("\n")
    );
    let architecture = include_str!("../../docs/architecture.md");
    for file in SHARED_FILES {
        assert!(architecture.contains(&format!("| `sdk/{file}` |")), "{file} is not in docs/architecture.md");
    }
    for (_, file) in EXCEPTIONS {
        let name = file.rsplit('/').next().unwrap_or(file);
        assert!(architecture.contains(name), "{file} is not in docs/architecture.md");
    }
    let listed = SHARED_FILES.iter().chain(EXCEPTIONS.iter().map(|(_, file)| file));
    // The procedures are named after concepts, and their table has only these names.
    let unused: Vec<_> = listed.filter(|file| !used.contains(**file)).collect();
    assert!(unused.is_empty(), "these name no concept any more: {unused:?}");
}

/// What is found in a snippet, without the module.
fn check(module: &str, code: &str, expect: &[&str]) {
    let found = found(module, code);
    let found: Vec<_> = found.iter().filter_map(|line| Some(line.split_once(": ")?.1)).collect();
    assert_eq!(found, expect, "{code}");
}

#[test]
fn allowed_paths_are_accepted() {
    check("plan::passes", "use crate::schema::{Attribute, Block};", &[]);
    check("plan::passes", "use crate::plan::align; use super::align::Body; use self::inner::X;", &[]);
    check("plan", "pub(crate) fn f(x: super::value::Value) { inner::g(x) }", &[]);
    check("plan", "/// See [`server`](crate::server).\nfn f() {}", &[]);
    check("plan", "mod tests { use super::*; }", &[]);
    check("wire::v5", "use crate::plugin::grpc::Message; use prost::Message as _;", &[]);
    check("server", "use crate::panics;", &[]);
    check("provider", "use crate::resource::Resource;", &[]);
    check("serve", "use crate::plugin; use crate::wire;", &[]);
}

#[test]
fn upward_edges_are_found_however_they_are_written() {
    let uses = &["uses server::Server"];
    check("plan", "use crate::server::Server;", uses);
    check(
        "plan",
        "use crate::{schema, server::{self as s, Server}};",
        &["uses server", "uses server::Server"],
    );
    check("plan", "pub use crate::server::Server as Hidden;", uses);
    check("plan", "use super::server::Server;", uses);
    check("plan::passes", "use super::super::server::Server;", uses);
    check("plan", "mod a { mod b { use super::super::super::server::Server; } }", uses);
    check("plan", "fn f() { crate::server::Server::new(); }", &["uses server::Server::new"]);
    check("plan", "struct S(Vec<Option<crate::server::Server>>);", uses);
    check("plan", "impl crate::server::Server for X {}", uses);
    check("plan", "fn f() { println!(\"{}\", [crate::server::Server]); }", uses);
    check("plan", "macro_rules! m { () => { $crate::server::Server }; }", uses);
    check("plan", "#[derive(crate::server::Server)] struct S;", uses);
    check("plan", "use crate::server::*;", &["uses server"]);
    check("plan", "use crate::*;", &["imports the whole crate"]);
    check("plan", "use super::*;", &["imports the whole crate"]);
    check("plan", "use crate as sdk;", &["imports the whole crate"]);
    check("plan", "use crate::elsewhere::X;", &["uses elsewhere::X, which is not in the table"]);
}

#[test]
fn neighbours_are_found_unless_they_are_listed() {
    check("plan", "use crate::model::Draft;", &["uses model::Draft"]);
    check("wire", "use crate::plugin::log::install;", &["uses plugin::log::install"]);
    check("wire", "use crate::plugin;", &["uses plugin"]);
    check("wire", "use crate::plugin::grpcs;", &["uses plugin::grpcs"]);
    check("server", "use crate::plugin::log;", &["uses plugin::log"]);
    check("data_source", "use crate::resource::Resource;", &["uses resource::Resource"]);
    check("plugin", "use ferroform_core::diag::Error;", &["uses diag::Error"]);
    check("plugin::grpc", "use crate::plugin::log; use super::log;", &[]);
}

#[test]
fn crates_of_the_transport_are_found() {
    check("server", "use ferroform_proto::tfplugin6 as v6;", &["uses ferroform_proto::tfplugin6"]);
    check("server", "fn f(m: &impl ::prost::Message) {}", &["uses prost::Message"]);
    check("wire", "use tonic::Status;", &["uses tonic::Status"]);
    check("wire", "extern crate hyper;", &["uses hyper"]);
    check("serve", "fn f() { vec![rustls::version::TLS13]; }", &["uses rustls::version::TLS13"]);
    check("plugin", "use tonic::Status; use hyper::body::Body;", &[]);
}

#[test]
fn async_code_in_pure_modules_is_found() {
    let waits = &["is async"];
    for code in [
        "async fn f() {}",
        "impl X { async fn f() {} }",
        "trait X { async fn f(); }",
        "fn f() { let _ = async {}; }",
        "fn f() { let _ = async || {}; }",
        "fn f() { m!(async { x.await }); }",
    ] {
        check("plan", code, waits);
        check("server", code, &[]);
    }
    check("codec::json", "use std::{fmt, fs};", &["uses std::fs"]);
    check("schema", "fn f() { std::net::lookup(); }", &["uses std::net::lookup"]);
    check("value", "use tokio::sync::watch;", &["uses tokio::sync::watch"]);
    check("value", "use std::fmt; use std::sync::Arc;", &[]);
}
