//! `cargo ferroform add`: something new in a provider, with its test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::{Args, ValueEnum};
use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned as _;
use syn::{Attribute, ImplItem, Item, ItemImpl, Type};

use crate::failure::{Failure, Outcome};
use crate::files;
use crate::import::struct_name;
use crate::provider::{Location, Provider};

/// Add a resource, data source, function, ephemeral resource, list resource or action, with its test and its example.
///
/// What is added compiles, and its test passes; comments say what to put in the place of its body. The provider must have
/// the layout of `cargo ferroform new`: `impl Provider` in `src/lib.rs`, and in `tests/cases/main.rs` a type `Backend`, a
/// function `case` and a `Suite`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to add.
    kind: Kind,
    /// Its name, without that of the provider: server for cloud_server. A list resource has that of the resource it lists.
    name: String,
    #[command(flatten)]
    location: Location,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    Resource,
    DataSource,
    Function,
    Ephemeral,
    List,
    Action,
}

/// What is made of a kind.
struct Template {
    /// What is behind the name in the names of modules and structs.
    suffix: (&'static str, &'static str),
    /// The method that registers it.
    register: &'static str,
    source: &'static str,
    /// The module of the test, and the function in it that makes the case.
    case: Option<(&'static str, &'static str)>,
    /// The folder of examples and the name of the file.
    example: (&'static str, &'static str, &'static str),
}

impl Kind {
    fn template(self) -> Template {
        macro_rules! text {
            ($file:literal) => {
                include_str!(concat!("../templates/add/", $file))
            };
        }
        match self {
            Self::Resource => Template {
                suffix: ("", ""),
                register: "resource",
                source: text!("resource.rs"),
                case: Some((text!("resource.case.rs"), "lifecycle")),
                example: ("resources", "resource.tf", text!("resource.tf")),
            },
            Self::DataSource => Template {
                suffix: ("_data_source", "Data"),
                register: "data_source",
                source: text!("data_source.rs"),
                case: Some((text!("data_source.case.rs"), "read")),
                example: ("data-sources", "data-source.tf", text!("data_source.tf")),
            },
            Self::Function => Template {
                suffix: ("", ""),
                register: "function",
                source: text!("function.rs"),
                case: Some((text!("function.case.rs"), "call")),
                example: ("functions", "function.tf", text!("function.tf")),
            },
            Self::Ephemeral => Template {
                suffix: ("_ephemeral", "Ephemeral"),
                register: "ephemeral_resource",
                source: text!("ephemeral.rs"),
                case: Some((text!("ephemeral.case.rs"), "open")),
                example: ("ephemeral-resources", "ephemeral-resource.tf", text!("ephemeral.tf")),
            },
            Self::List => Template {
                suffix: ("_list", "List"),
                register: "list_resource",
                source: text!("list.rs"),
                case: None,
                example: ("list-resources", "list-resource.tfquery.hcl", text!("list.tfquery.hcl")),
            },
            Self::Action => Template {
                suffix: ("_action", "Action"),
                register: "action",
                source: text!("action.rs"),
                case: Some((text!("action.case.rs"), "invoke")),
                example: ("actions", "action.tf", text!("action.tf")),
            },
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    for (what, path) in add(arguments.kind, &arguments.name, &arguments.location.find()?)? {
        println!("{what} {}", path.display());
    }
    Ok(())
}

/// Adds a resource to the provider in a folder.
pub(crate) fn resource(folder: &Path, name: &str) -> Outcome {
    add(Kind::Resource, name, &Location::of_folder(folder).find()?).map(drop)
}

/// Writes all files, and says which are added and which are changed.
fn add(kind: Kind, item: &str, provider: &Provider) -> Outcome<Vec<(&'static str, PathBuf)>> {
    check_name(item)?;
    let library = Library::read(provider)?;
    let template = kind.template();
    let module = format!("{item}{}", template.suffix.0);
    let path = |path: String| provider.folder.join(path);
    let mut words = words(provider, &library, item, &template);
    if kind == Kind::List {
        let resource = listed(provider, item)?;
        words.push(("@RESOURCE_STRUCT@", resource.rsplit("::").next().unwrap_or_default().to_owned()));
        words.push(("@RESOURCE@", resource));
    }
    let fill = |text: &str| words.iter().fold(text.to_owned(), |text, (word, by)| text.replace(word, by));

    let mut added = vec![(path(format!("src/{module}.rs")), fill(template.source))];
    let mut changed = vec![library.with(&module, &fill(&registration(kind, &template, &module)))?];
    match template.case {
        Some((text, function)) => {
            added.push((path(format!("tests/cases/{module}.rs")), fill(text)));
            changed.push(with_case(provider, &module, function)?);
        }
        None => {
            needs_tokio(provider)?;
            let text = fill(include_str!("../templates/add/list.test.rs"));
            added.push((path(format!("tests/{module}.rs")), text));
        }
    }
    let (folder, file, example) = template.example;
    let of = if kind == Kind::Function { item.to_owned() } else { format!("{}_{item}", provider.name) };
    added.push((path(format!("examples/{folder}/{of}/{file}")), fill(example)));
    if kind == Kind::Resource && path("tests/shapes".to_owned()).is_dir() {
        let shape = include_str!("../templates/add/resource.shape.txt");
        added.push((path(format!("tests/shapes/{of}.txt")), shape.to_owned()));
    }
    if let Some((there, _)) = added.iter().find(|(path, _)| path.exists()) {
        return Err(Failure::new(format!(
            "{} exists already; choose another name, or delete the file",
            there.display()
        )));
    }
    let formatted = |(path, text): &(PathBuf, String)| {
        let is_rust = path.extension().is_some_and(|it| it == "rs");
        (path.clone(), if is_rust { formatted(text, &provider.folder) } else { text.clone() })
    };
    let all: Vec<(PathBuf, String)> = added.iter().chain(&changed).map(formatted).collect();
    files::write_all(all.iter().map(|(path, text)| (path.as_path(), text.as_str())))?;
    let what = |at| if at < added.len() { "added" } else { "changed" };
    Ok(all.into_iter().enumerate().map(|(at, (path, _))| (what(at), path)).collect())
}

fn registration(kind: Kind, template: &Template, module: &str) -> String {
    let what = if kind == Kind::Function { "@ITEM@" } else { "@STRUCT@" };
    format!("{}::<{module}::{what}>()", template.register)
}

/// What the placeholders of the templates stand for.
fn words(
    provider: &Provider,
    library: &Library,
    item: &str,
    template: &Template,
) -> Vec<(&'static str, String)> {
    let client = &library.client;
    let is_name = syn::parse_str::<syn::Ident>(client).is_ok();
    let mut taken =
        vec!["Client", "Context", "Draft", "Error", "OpenContext", "Planned", "Prior", "Resource"];
    taken.extend(["Action", "DataSource", "EphemeralResource", "ListResource"]);
    vec![
        ("@TYPE@", format!("{}_{item}", provider.name)),
        ("@NAME@", provider.name.clone()),
        ("@ITEM@", item.to_owned()),
        ("@STRUCT@", struct_name(&format!("{item}_{}", template.suffix.1), &taken)),
        ("@CRATE@", provider.library.clone().unwrap_or_default()),
        ("@CAMEL@", library.provider.clone()),
        ("@USE_CLIENT@", if is_name { format!("\nuse crate::{client};\n") } else { String::new() }),
        ("@CLIENT@", client.clone()),
    ]
}

/// Names are parts of type names, and those of Rust modules and functions.
fn check_name(name: &str) -> Outcome {
    let is_good = name.starts_with(|it: char| it.is_ascii_lowercase())
        && name.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'_')
        && !name.ends_with('_');
    if !is_good {
        return Err(Failure::new(format!(
            "`{name}` is not a name; use lower-case letters, digits and underscores, and a letter first, such as server"
        )));
    }
    if syn::parse_str::<syn::Ident>(name).is_err() || ["lib", "main", "gen"].contains(&name) {
        return Err(Failure::new(format!("`{name}` is a reserved word of Rust; choose another name")));
    }
    Ok(())
}

/// The file with `impl Provider`.
struct Library {
    path: PathBuf,
    text: String,
    /// The type that is the provider.
    provider: String,
    client: String,
    /// The end of the brace that opens `register`, and the name of its parameter.
    register: (usize, String),
    modules: Vec<Module>,
    /// Where the first item begins.
    start: usize,
}

/// A line `mod name;`.
struct Module {
    name: String,
    start: usize,
    end: usize,
}

impl Library {
    fn read(provider: &Provider) -> Outcome<Self> {
        let path = provider.folder.join("src/lib.rs");
        let text = fs::read_to_string(&path).map_err(|error| {
            Failure::new(format!(
                "cannot read {}: {error}; the provider must be in the library of its package, where tests find it",
                path.display()
            ))
        })?;
        Self::of(path, text)
    }

    fn of(path: PathBuf, text: String) -> Outcome<Self> {
        let file = parsed(&path, &text)?;
        let found = file.items.iter().find_map(|item| match item {
            Item::Impl(it) if implements(it, "Provider") => Some(it),
            _ => None,
        });
        let found = found.ok_or_else(|| {
            Failure::new(format!("{} has no `impl Provider`; write it there", path.display()))
        })?;
        let client = found.items.iter().find_map(|item| match item {
            ImplItem::Type(it) if it.ident == "Client" => Some(source(&text, &it.ty)),
            _ => None,
        });
        let register = found.items.iter().find_map(|item| {
            let ImplItem::Fn(it) = item else { return None };
            let syn::FnArg::Typed(parameter) = it.sig.inputs.first()? else { return None };
            let brace = it.block.brace_token.span.open().byte_range().end;
            let syn::Pat::Ident(name) = &*parameter.pat else { return None };
            (it.sig.ident == "register").then(|| (brace, name.ident.to_string()))
        });
        let (Some(client), Some(register)) = (client, register) else {
            return Err(Failure::new(format!(
                "`impl Provider` in {} has no `type Client` or no `fn register` whose parameter has a name; write them",
                path.display()
            )));
        };
        Ok(Self {
            provider: source(&text, &*found.self_ty),
            client,
            register,
            modules: modules(&file),
            start: file.items.first().map_or(0, |item| item.span().byte_range().start),
            text,
            path,
        })
    }

    /// The file with another module and another line in `register`.
    fn with(&self, module: &str, registration: &str) -> Outcome<(PathBuf, String)> {
        if self.modules.iter().any(|it| it.name == module) {
            return Err(Failure::new(format!(
                "{} has a module `{module}` already; choose another name",
                self.path.display()
            )));
        }
        let (at, parameter) = &self.register;
        let registered = (*at, format!("\n        {parameter}.{registration};\n"));
        let declared = declaration(&self.modules, self.start, module);
        Ok((self.path.clone(), edited(&self.path, &self.text, [registered, declared])?))
    }
}

/// The modules that a file declares, without those with attributes, which stand for themselves.
fn modules(file: &syn::File) -> Vec<Module> {
    let modules = file.items.iter().filter_map(|item| match item {
        Item::Mod(it) if it.content.is_none() && it.attrs.is_empty() => {
            let span = it.span().byte_range();
            Some(Module { name: it.ident.to_string(), start: span.start, end: span.end })
        }
        _ => None,
    });
    modules.collect()
}

/// A text, and where it comes into a file.
type Edit = (usize, String);

/// Where a module is declared.
fn declaration(modules: &[Module], start: usize, name: &str) -> Edit {
    let next = modules.iter().find(|it| it.name.as_str() > name);
    match (next, modules.last()) {
        (Some(next), _) => (next.start, format!("mod {name};\n")),
        (None, Some(last)) => (last.end, format!("\nmod {name};")),
        (None, None) => (start, format!("mod {name};\n\n")),
    }
}

/// The text of a file with all edits.
///
/// # Errors
/// It would not be Rust any more.
fn edited(path: &Path, text: &str, mut edits: [Edit; 2]) -> Outcome<String> {
    let mut text = text.to_owned();
    // From the end, so that positions stay what they are.
    edits.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    for (at, added) in &edits {
        text.insert_str(*at, added);
    }
    match syn::parse_file(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(Failure::new(format!(
            "{} cannot be changed: with `{}` and `{}` it does not parse ({error}). Arrange it as `cargo ferroform new` \
             does",
            path.display(),
            edits[0].1.trim(),
            edits[1].1.trim(),
        ))),
    }
}

/// The cases with one more.
fn with_case(provider: &Provider, module: &str, function: &str) -> Outcome<(PathBuf, String)> {
    let path = provider.folder.join("tests/cases/main.rs");
    let unfit = |what: &str| {
        Failure::new(format!(
            "{}: {what}; `cargo ferroform new` makes a provider with this file, from which you can copy it",
            path.display()
        ))
    };
    let text = fs::read_to_string(&path).map_err(|error| unfit(&error.to_string()))?;
    let file = parsed(&path, &text)?;
    let has = |name: &str| {
        file.items.iter().any(|item| match item {
            Item::Fn(it) => it.sig.ident == name,
            Item::Type(it) => it.ident == name,
            Item::Struct(it) => it.ident == name,
            _ => false,
        })
    };
    let suite = suite_made(text.parse().unwrap_or_default()).filter(|_| has("case") && has("Backend"));
    let suite = suite.ok_or_else(|| unfit("there is no `Backend`, no `fn case` or no `Suite::new()`"))?;
    let start = file.items.first().map_or(0, |item| item.span().byte_range().start);
    let edits =
        [(suite, format!(".case({module}::{function}())")), declaration(&modules(&file), start, module)];
    let text = edited(&path, &text, edits)?;
    Ok((path, text))
}

/// The end of the first `Suite::new()` in code.
fn suite_made(code: TokenStream) -> Option<usize> {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    tokens
        .iter()
        .enumerate()
        .find_map(|(at, token)| {
            let TokenTree::Group(group) = token else { return None };
            let before = tokens.get(at.checked_sub(4)?..at).map(|it| it.iter().map(ToString::to_string));
            if before.is_some_and(|it| it.eq(["Suite", ":", ":", "new"])) && group.stream().is_empty() {
                return Some(group.span_close().byte_range().end);
            }
            None
        })
        .or_else(|| {
            tokens.into_iter().find_map(|token| match token {
                TokenTree::Group(group) => suite_made(group.stream()),
                _ => None,
            })
        })
}

fn needs_tokio(provider: &Provider) -> Outcome {
    if provider.dependencies.iter().any(|it| it == "tokio") {
        return Ok(());
    }
    Err(Failure::new(
        "the test of a list resource is asynchronous; run `cargo add --dev tokio --features macros,rt` first",
    ))
}

/// The path of the resource with that name, which must have an identity.
fn listed(provider: &Provider, item: &str) -> Outcome<String> {
    let sources = provider.folder.join("src");
    let mut found = None;
    for path in rust_files(&sources) {
        let text = fs::read_to_string(&path).map_err(|error| Failure::io("read", &path, &error))?;
        let Ok(file) = syn::parse_file(&text) else { continue };
        let resource = file.items.iter().find_map(|it| resource_of(it, item, &text));
        if let Some(name) = resource {
            found = Some((module_path(&sources, &path), has_identity(&file, &name), name));
        }
    }
    let type_name = format!("{}_{item}", provider.name);
    match found {
        Some((module, true, name)) => Ok(format!("{module}::{name}")),
        Some((_, false, name)) => Err(Failure::new(format!(
            "{type_name} has no identity, by which a list tells objects apart; mark attributes of `{name}` with \
             `#[attr(identity)]`"
        ))),
        None => Err(Failure::new(format!(
            "there is no resource {type_name} to list; add it first: `cargo ferroform add resource {item}`"
        ))),
    }
}

/// The struct for which an item implements `Resource` under that name.
fn resource_of(item: &Item, name: &str, text: &str) -> Option<String> {
    let Item::Impl(it) = item else { return None };
    let is_named = it.items.iter().any(|item| match item {
        ImplItem::Const(it) => it.ident == "NAME" && source(text, &it.expr) == format!("{name:?}"),
        _ => false,
    });
    (is_named && implements(it, "Resource")).then(|| source(text, &*it.self_ty))
}

/// Whether a struct has `#[attr(identity)]` or `#[model(identity_type = …)]`.
fn has_identity(file: &syn::File, name: &str) -> bool {
    let says = |attribute: &Attribute, path: &str, word: &str| {
        let words = attribute.meta.require_list().map(|list| list.tokens.clone()).unwrap_or_default();
        attribute.path().is_ident(path)
            && words.into_iter().any(|it| matches!(it, TokenTree::Ident(it) if it == word))
    };
    file.items.iter().any(|item| match item {
        Item::Struct(it) if it.ident == name => {
            it.fields.iter().flat_map(|field| &field.attrs).any(|it| says(it, "attr", "identity"))
                || it.attrs.iter().any(|it| says(it, "model", "identity_type"))
        }
        _ => false,
    })
}

/// The files of a package, in an order that is always the same.
pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|it| it == "rs") {
            files.push(path);
        }
    }
    files
}

/// The path of a module by its file: `crate::disk::main` for `disk/main.rs`.
fn module_path(sources: &Path, file: &Path) -> String {
    let within = file.strip_prefix(sources).unwrap_or(file).with_extension("");
    let parts = within.iter().map(|part| part.to_string_lossy().into_owned());
    let parts = parts.filter(|part| part != "lib" && part != "mod");
    std::iter::once("crate".to_owned()).chain(parts).collect::<Vec<_>>().join("::")
}

fn implements(it: &ItemImpl, name: &str) -> bool {
    let path = it.trait_.as_ref().map(|(path, _)| path);
    path.and_then(|path| path.segments.last()).is_some_and(|last| last.ident == name)
        && matches!(&*it.self_ty, Type::Path(_))
}

fn parsed(path: &Path, text: &str) -> Outcome<syn::File> {
    syn::parse_file(text)
        .map_err(|error| Failure::new(format!("{} is not Rust: {error}; fix it first", path.display())))
}

/// A part of a file as it is written.
fn source(text: &str, part: &impl syn::spanned::Spanned) -> String {
    text.get(part.span().byte_range()).unwrap_or_default().to_owned()
}

/// The text as `cargo fmt` leaves it; as it is where there is no rustfmt.
fn formatted(text: &str, folder: &Path) -> String {
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.current_dir(folder).args(["--edition", "2024", "--emit", "stdout"]);
    rustfmt.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let made = rustfmt.spawn().and_then(|mut process| {
        let mut input = process.stdin.take();
        let text = text.to_owned();
        let writer = std::thread::spawn(move || {
            input.as_mut().map(|input| std::io::Write::write_all(input, text.as_bytes()))
        });
        let output = process.wait_with_output();
        let _ = writer.join();
        output
    });
    match made {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Library, edited, has_identity, suite_made};

    fn library(text: &str) -> Library {
        Library::of("lib.rs".into(), text.to_owned()).expect("a provider")
    }

    #[test]
    fn a_module_and_its_registration_come_to_their_places_wherever_these_are() {
        let provider = "impl Provider for Cloud { type Client = (); fn register(mut to: &mut R) {} }\n";
        for text in [format!("mod aa;\n{provider}"), format!("{provider}mod aa;\n"), provider.to_owned()] {
            let (_, added) = library(&text).with("server", "resource::<server::Server>()").expect("edited");
            assert_eq!(added.matches("mod server;").count(), 1, "{added}");
            assert!(added.contains("{\n        to.resource::<server::Server>();\n}"), "{added}");
            let rest = added.replace("mod server;", "").replace("to.resource::<server::Server>();", "");
            assert!(
                rest.split_whitespace().eq(text.split_whitespace().flat_map(|it| match it {
                    "{}" => vec!["{", "}"],
                    it => vec![it],
                })),
                "{added}"
            );
        }
        let unnamed = provider.replace("mut to", "_");
        let refused = Library::of("lib.rs".into(), unnamed).err().expect("nothing to call").to_string();
        assert!(refused.contains("whose parameter has a name"), "{refused}");
    }

    #[test]
    fn identity_is_found_in_attributes_only() {
        let has_identity = |text: &str| has_identity(&syn::parse_file(text).expect("Rust"), "Server");
        assert!(has_identity("struct Server { #[attr(replace, identity, validate = check)] name: String }"));
        assert!(has_identity("#[model(version = 1, identity_type = Id)] struct Server { name: String }"));
        assert!(!has_identity(
            "/// It has no identity.\nstruct Server { #[attr(replace)] identity: String }"
        ));
        assert!(!has_identity("struct Disk { #[attr(identity)] name: String } struct Server;"));
    }

    #[test]
    fn edit_that_does_not_parse_is_explained() {
        let edits = [(0, "mod server;".to_owned()), (0, "{".to_owned())];
        let refused = edited("lib.rs".as_ref(), "", edits).expect_err("a brace is open").to_string();
        assert!(refused.contains("lib.rs cannot be changed: with `mod server;` and `{`"), "{refused}");
    }

    #[test]
    fn a_suite_is_found_in_code_only() {
        let text = "// Suite::new() is below.\nfn main() { run(Suite::new().main()) }";
        let at = suite_made(text.parse().expect("tokens")).expect("a suite");
        assert_eq!(text.split_at(at).1, ".main()) }");
        assert_eq!(
            suite_made("fn main() { \"Suite::new()\"; } // Suite::new()".parse().expect("tokens")),
            None
        );
    }
}
