//! Modules: from files to what they declare.
//!
//! [`load`] reads a directory and the directories of the modules that it calls, in the native syntax (`.tf`) and in
//! JSON (`.tf.json`), merges override files, and checks what can be checked without evaluating anything. What only a
//! real core does is refused with the summary "Needs a real core".
//!
//! ```
//! use ferroform_embedded::language::SourceFile;
//! use ferroform_embedded::language::module::load_texts;
//!
//! let source = SourceFile::new("main.tf", "output \"greeting\" {\n  value = \"hello\"\n}\n");
//! let tree = load_texts(".", vec![source]).unwrap();
//! assert_eq!(tree.module.outputs[0].name, "greeting");
//! ```

mod check;
mod configuration;
mod content;
mod decode;
mod duplicates;
mod imports;
mod inputs;
mod json;
pub(crate) mod json_blocks;
mod loaded_values;
mod merge;
mod model;
mod modules;
mod native;
mod providers;
mod reference_check;
mod references;
mod replace_trigger;
mod state_store;
mod statics;
mod syntax;
mod to_json;
mod translate;
mod variables;
mod version;

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::address::ModuleInstance;
use crate::language::{Diagnostic, SourceFile};
use decode::Part;
use loaded_values::{Loaded, LoadedValues};

pub use configuration::Configuration;
pub(crate) use content::unsupported_argument;
pub(crate) use imports::target as import_target;
pub use inputs::Inputs;
pub(crate) use inputs::values_of;
#[doc(hidden)]
pub use model::StateStore;
pub use model::{
    ActionTrigger, Call, Check, Condition, Deprecated, Event, IgnoreChanges, Import, Lifecycle, Local,
    Module, Moved, OnFailure, Output, Provider, ProviderName, Provisioner, Removed, RequiredProvider,
    Resource, TriggeredAction, Variable, When,
};
pub(crate) use modules::{ModuleConfig, ModuleId, Modules, NamedKind, PlacedRemoved, resource_in};
pub(crate) use providers::{ProviderReference, configured as configured_provider, placed as provider_of};
pub(crate) use reference_check::{Objects, ReferenceCheck, ReferenceProblems, Surroundings};
pub(crate) use references::{
    Declaration, are_own, is_to_resource, keys_of, misplaced, naming, places_of, undeclared,
    undeclared_resource,
};
pub(crate) use replace_trigger::{instance_key, trigger_reference};
pub use statics::{StaticReference, StaticStep};
pub(crate) use syntax::key_text;
pub use syntax::{Argument, Block, Body, SourceExpr};

/// Modules that call each other at more levels than this are refused.
const DEPTH: usize = 32;

/// A module with the modules that it calls.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// The module.
    pub module: Arc<Module>,
    /// The modules that it calls, by the names of the calls.
    pub children: BTreeMap<String, Tree>,
    /// What is questionable in it, without the modules that it calls. While it is loaded, also what is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// Loads the module in a directory with all that it calls.
///
/// # Errors
/// The directory or a file of it cannot be read, or something is wrong with what is declared. As in Terraform 1.15, a module is
/// not looked at if a declaration of the one that calls it is wrong, unless that is the root module, or if a local value is wrong
/// to which the call refers.
pub fn load(directory: impl AsRef<Path>) -> Result<Tree, Vec<Diagnostic>> {
    let directory = directory.as_ref();
    let mut problems = Vec::new();
    let files = read(directory, &mut problems);
    root(directory, files, problems)
}

/// Loads the module in a directory with the files of its queries (`.tfquery.hcl`), which have `list` blocks.
///
/// # Errors
/// As those of [`load`].
pub fn load_queries(directory: impl AsRef<Path>) -> Result<Tree, Vec<Diagnostic>> {
    let directory = directory.as_ref();
    let mut problems = Vec::new();
    let mut files = read(directory, &mut problems);
    files.extend(files_of(directory, is_query, &mut problems));
    root(directory, files, problems)
}

/// Loads a root module from texts, as if these were the files of that directory. The names decide on the syntax, and
/// on which of them are overrides.
///
/// # Errors
/// As those of [`load`].
pub fn load_texts(directory: impl AsRef<Path>, files: Vec<SourceFile>) -> Result<Tree, Vec<Diagnostic>> {
    root(directory.as_ref(), files, Vec::new())
}

/// Whether this is said of something that only a real core does.
#[must_use]
pub fn is_for_real_cores(diagnostic: &Diagnostic) -> bool {
    diagnostic.summary == decode::NEEDS_REAL_CORE
}

fn root(
    directory: &Path,
    files: Vec<SourceFile>,
    problems: Vec<Diagnostic>,
) -> Result<Tree, Vec<Diagnostic>> {
    let real = std::fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
    let tree = tree((directory, Path::new(".")), files, (&[real], problems), None);
    if !tree.has_errors() {
        return Ok(tree);
    }
    let (modules, problems) = Modules::of(&tree);
    let Loaded { mut problems, locals } = loaded_values::load(&modules, problems);
    problems.extend(locals);
    providers::check(&tree, &mut problems);
    Err(problems)
}

impl Tree {
    fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error) || self.children.values().any(Self::has_errors)
    }
}

/// A module by its directory and its path from the root module on. `around` are the directories of the modules that lead
/// here.
fn tree(
    (directory, path): (&Path, &Path),
    files: Vec<SourceFile>,
    (around, mut problems): (&[PathBuf], Vec<Diagnostic>),
    caller: Option<(&Call, &LoadedValues<'_>)>,
) -> Tree {
    let mut module = Module { path: path.to_owned(), ..module(directory, files, &mut problems) };
    let leaf =
        |module, diagnostics| Tree { module: Arc::new(module), children: BTreeMap::new(), diagnostics };
    if let Some((call, _)) = caller {
        let is_fine = |problems: &[Diagnostic]| !problems.iter().any(Diagnostic::is_error);
        if is_fine(&problems) {
            configuration::check_call(call, &module, &mut problems);
        }
        // What is wrong in itself is looked at no further, unless it is the root module.
        if !is_fine(&problems) {
            return leaf(module, problems);
        }
    }
    module.constants = loaded_values::constants(&module, caller, &mut problems);
    if module.calls.is_empty() {
        return leaf(module, problems);
    }
    let (mut module, mut children, mut sources) = (Arc::new(module), BTreeMap::new(), Vec::new());
    let config = ModuleConfig::new((&module, ModuleInstance::default()), None, &mut Vec::new());
    let root = caller.map_or(config.module.working_directory(), |(_, outer)| outer.directory);
    let loaded = LoadedValues::new(&config, root);
    for call in &module.calls {
        let source = loaded.source(call, &mut problems);
        sources.push(source.clone());
        let Some(source) = source else { continue };
        let place = join(directory, &source);
        let about = |problem: Diagnostic| problem.on(&call.subject);
        let real = std::fs::canonicalize(&place).unwrap_or_else(|_| place.clone());
        if around.len() > DEPTH || around.contains(&real) {
            let detail = format!(
                "Modules call each other without end, or more than {DEPTH} levels deep: {} is called within itself.",
                place.display()
            );
            problems.push(about(Diagnostic::error("Module calls are nested too deeply", detail)));
            continue;
        }
        if !place.is_dir() {
            let detail = format!("There is no directory {}, or it cannot be read.", place.display());
            problems.push(about(Diagnostic::error("Unreadable module directory", detail)));
            continue;
        }
        let mut of_child = Vec::new();
        let files = read(&place, &mut of_child);
        let around: Vec<PathBuf> = around.iter().cloned().chain([real]).collect();
        let child = tree((&place, &join(path, &source)), files, (&around, of_child), Some((call, &loaded)));
        children.insert(call.name.clone(), child);
    }
    // It shares the module, which would be copied to be changed.
    drop(config);
    for (call, source) in Arc::make_mut(&mut module).calls.iter_mut().zip(sources) {
        call.source = source;
    }
    Tree { module, children, diagnostics: problems }
}

/// The path without the steps that lead nowhere, as `path.module` shows it.
fn join(directory: &Path, source: &str) -> PathBuf {
    let mut joined = if directory == Path::new(".") { PathBuf::new() } else { directory.to_owned() };
    for step in Path::new(source).components() {
        match step {
            Component::CurDir => {}
            Component::ParentDir if matches!(joined.components().next_back(), Some(Component::Normal(_))) => {
                joined.pop();
            }
            step => joined.push(step),
        }
    }
    if joined.as_os_str().is_empty() { PathBuf::from(".") } else { joined }
}

/// One module from its files.
fn module(directory: &Path, mut files: Vec<SourceFile>, problems: &mut Vec<Diagnostic>) -> Module {
    files.sort_by(|a, b| a.path().cmp(b.path()));
    let mut module = Module { directory: directory.to_owned(), ..Module::default() };
    let mut overrides = Vec::new();
    for file in &files {
        module.called_providers.extend(called_providers(file.text()));
        let body = if file.is_json() {
            json::parse(file).and_then(|node| content::json_file(&node, file))
        } else {
            native::parse(file).inspect(|body| native::refuse_functions(body, problems))
        };
        let part = if is_override(file.path()) { Part::Override } else { Part::Primary };
        match body {
            Err(problem) => problems.push(problem),
            Ok(body) if is_query(file.path()) => module.append(decode::queries(&body, problems)),
            Ok(body) if part == Part::Override => overrides.push(decode::file(&body, part, problems)),
            Ok(body) => module.append(decode::file(&body, part, problems)),
        }
    }
    duplicates::check(&module, problems);
    for over in overrides {
        merge::apply(&mut module, over, problems);
    }
    module
}

/// The local names of providers whose functions a text may call. Each call begins so, and what is none does no harm.
fn called_providers(text: &str) -> impl Iterator<Item = String> {
    text.split("provider::").skip(1).map(|rest| {
        let is_part = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '-');
        rest.chars().take_while(is_part).collect()
    })
}

/// The files of a module.
fn read(directory: &Path, problems: &mut Vec<Diagnostic>) -> Vec<SourceFile> {
    files_of(directory, is_configuration, problems)
}

/// The files of a kind. Directories and the files of editors are none.
fn files_of(
    directory: &Path,
    is_wanted: fn(&Path) -> bool,
    problems: &mut Vec<Diagnostic>,
) -> Vec<SourceFile> {
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) => {
            let detail = format!("The directory {} cannot be read: {error}.", directory.display());
            problems.push(Diagnostic::error("Failed to read module directory", detail));
            return Vec::new();
        }
    };
    let mut files = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if !is_wanted(&path) || path.is_dir() {
            continue;
        }
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            // Reading from a pipe or a device may never end.
            let detail = format!("{} is no regular file.", path.display());
            problems.push(Diagnostic::error("Failed to read file", detail));
            continue;
        }
        match std::fs::read(&path).map(String::from_utf8) {
            Ok(Ok(text)) => files.push(SourceFile::new(path, text)),
            Ok(Err(_)) => {
                let detail = format!("The file {} is not UTF-8.", path.display());
                problems.push(Diagnostic::error("Invalid character encoding", detail));
            }
            Err(error) => {
                let detail = format!("The file {} cannot be read: {error}.", path.display());
                problems.push(Diagnostic::error("Failed to read file", detail));
            }
        }
    }
    files
}

/// Whether a file declares something, by its name.
pub(crate) fn is_configuration(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    (name.ends_with(".tf") || name.ends_with(".tf.json")) && !name.starts_with('.') && !name.starts_with('#')
}

/// Whether a file has queries, which only the command for them reads.
fn is_query(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let ends = name.ends_with(".tfquery.hcl") || name.ends_with(".tfquery.json");
    ends && !name.starts_with('.') && !name.starts_with('#')
}

fn is_override(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.strip_suffix(".tf.json").or_else(|| name.strip_suffix(".tf")).unwrap_or(name);
    stem == "override" || stem.ends_with("_override")
}

impl Module {
    /// The resources, with those in checks.
    fn all_resources(&self) -> impl Iterator<Item = &Resource> {
        let in_checks = self.checks.iter().filter_map(|check| check.data.as_ref());
        self.resources.iter().chain(in_checks).map(Arc::as_ref)
    }

    /// Adds what another file of the same module declares.
    fn append(&mut self, other: Self) {
        self.required_versions.extend(other.required_versions);
        self.required_providers.extend(other.required_providers);
        self.required_provider_blocks.extend(other.required_provider_blocks);
        self.state_stores.extend(other.state_stores);
        self.provider_metas.extend(other.provider_metas);
        self.providers.extend(other.providers);
        self.resources.extend(other.resources);
        self.variables.extend(other.variables);
        self.locals.extend(other.locals);
        self.outputs.extend(other.outputs);
        self.checks.extend(other.checks);
        self.moved.extend(other.moved);
        self.removed.extend(other.removed);
        self.imports.extend(other.imports);
        self.calls.extend(other.calls);
        self.called_providers.extend(other.called_providers);
    }
}
