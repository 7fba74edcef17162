//! Configurations of steps.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ferroform::value::Value;
use hcl_edit::parser::parse_body;
use serde_json::{Map, Value as Json};

use super::captured::Values;
use super::step::By;
use crate::address::{AddressError, quoted};
use crate::config::{Config, Expr, ImportBlock, ImportTarget, ProviderBlock};
use crate::language::SourceFile;
use crate::language::module::{Inputs, is_for_real_cores, load_texts};

/// The configuration of a step: text in the configuration language, or a [`Config`].
///
/// The case adds the `required_providers` of its providers to it. On the embedded core, a case is skipped if it uses
/// something that this core does not support; the [module of the language](crate::language::module) lists that.
#[must_use]
pub struct Source<B = ()> {
    kind: Kind<B>,
    variables: Map<String, Json>,
}

enum Kind<B> {
    Typed(Make<B, Config>),
    Made(Make<B, String>),
    Text(Arc<str>),
    Folder(Arc<Path>),
}

/// Makes something in a run.
pub(super) type Make<B, T> = Arc<dyn Fn(&Run<'_, B>) -> T + Send + Sync>;

/// What a run of a case has: its backend, and the values captured so far.
pub struct Run<'a, B> {
    /// What the case was given to run in.
    pub backend: &'a B,
    /// What earlier steps have captured.
    pub values: &'a Values,
}

impl<B> Source<B> {
    /// A configuration that is known only in the run: it uses captured values, or what is in the backend. The closure has
    /// to say of which type its backend is, if it has one: `|run: &Run<'_, Backend>|`. For what a provider is configured with
    /// there is [`Case::provider_config`](super::Case::provider_config).
    ///
    /// ```
    /// use ferroform_testing::case::{Captured, Source};
    /// use ferroform_testing::config::Config;
    ///
    /// const ID: Captured = Captured::new("id");
    ///
    /// let _: Source = Source::with(|run| {
    ///     let _id = run.values.text(&ID);
    ///     Config::default()
    /// });
    /// ```
    pub fn with(make: impl Fn(&Run<'_, B>) -> Config + Send + Sync + 'static) -> Self {
        Self::of(Kind::Typed(Arc::new(make)))
    }

    /// Text that is known only in the run.
    pub fn text_with(make: impl Fn(&Run<'_, B>) -> String + Send + Sync + 'static) -> Self {
        Self::of(Kind::Made(Arc::new(make)))
    }

    /// The root module in a folder: its `.tf` and `.tf.json` files, the `.tfvars` files that core loads by itself, and child
    /// modules below it. A relative path starts where the tests run, which is the folder of the package.
    ///
    /// ```
    /// use ferroform_testing::case::{Source, Step, kind};
    ///
    /// let web: Source = Source::folder("tests/configurations/web").variable("size", 2);
    /// let _: Step<kind::Apply> = Step::apply(web);
    /// ```
    pub fn folder(path: impl Into<PathBuf>) -> Self {
        Self::of(Kind::Folder(path.into().into()))
    }

    /// With the value of a variable, for text and folders; it overrides those of the folder's files.
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<Json>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    fn of(kind: Kind<B>) -> Self {
        Self { kind, variables: Map::new() }
    }

    /// Why the embedded core cannot take it, if that can be told before the run.
    pub(super) fn needs_real_core(&self) -> Option<String> {
        let module = match &self.kind {
            Kind::Text(text) => RootModule { text: text.to_string(), ..RootModule::default() },
            Kind::Folder(folder) => RootModule { folder: Some(folder.clone()), ..RootModule::default() },
            Kind::Typed(_) | Kind::Made(_) => return None,
        };
        let tree = load_texts(module.directory(), module.files().ok()?);
        let prepared = tree.and_then(|tree| tree.prepare(&Inputs::new()));
        prepared.err()?.into_iter().find(is_for_real_cores).map(|problem| problem.detail)
    }

    pub(super) fn make(&self, run: &Run<'_, B>) -> Configuration {
        let (text, folder) = match &self.kind {
            Kind::Typed(make) => return Configuration::Typed(Box::new(make(run))),
            Kind::Made(make) => (make(run), None),
            Kind::Text(text) => (text.to_string(), None),
            Kind::Folder(folder) => (String::new(), Some(folder.clone())),
        };
        Configuration::Module(RootModule { text, folder, variables: self.variables.clone(), queries: None })
    }
}

/// Text in the configuration language.
impl<B> From<&str> for Source<B> {
    fn from(text: &str) -> Self {
        Self::of(Kind::Text(text.into()))
    }
}

/// Text in the configuration language.
impl<B> From<String> for Source<B> {
    fn from(text: String) -> Self {
        Self::of(Kind::Text(text.into()))
    }
}

impl<B> From<Config> for Source<B> {
    fn from(config: Config) -> Self {
        Self::with(move |_| config.clone())
    }
}

impl<B> From<&Config> for Source<B> {
    fn from(config: &Config) -> Self {
        config.clone().into()
    }
}

/// A configuration, made in a run. It may have secrets, so it does not print; see [`Redaction`](super::redaction::Redaction).
#[derive(Clone)]
pub(super) enum Configuration {
    /// Values.
    Typed(Box<Config>),
    /// Text in the configuration language.
    Module(RootModule),
}

/// A root module as text, with its folder and the values of its variables.
#[derive(Clone, Default)]
pub(super) struct RootModule {
    /// The text, or what the case adds to the files of a folder.
    pub(super) text: String,
    pub(super) folder: Option<Arc<Path>>,
    pub(super) variables: Map<String, Json>,
    /// The text of a file of queries; empty if the folder has them. `None` unless the configuration is for a query.
    pub(super) queries: Option<String>,
}

impl RootModule {
    /// Where the root module is, for paths of child modules.
    pub(super) fn directory(&self) -> &Path {
        self.folder.as_deref().unwrap_or(Path::new("."))
    }

    /// The file that has the text.
    pub(super) fn file_name(&self) -> &'static str {
        if self.folder.is_some() { "ferroform_case.tf" } else { "main.tf" }
    }

    /// The file that has the text of the queries.
    pub(super) fn queries_file(&self) -> Option<SourceFile> {
        let text = self.queries.as_ref().filter(|text| !text.is_empty())?;
        Some(SourceFile::new(self.directory().join("main.tfquery.hcl"), text.as_str()))
    }

    /// The files of the root module.
    pub(super) fn files(&self) -> Result<Vec<SourceFile>, String> {
        let name = self.folder.as_deref().unwrap_or(Path::new("")).join(self.file_name());
        let mut files = vec![SourceFile::new(name, self.text.as_str())];
        files.extend(self.queries_file());
        let is_query = |name: &str| name.ends_with(".tfquery.hcl") || name.ends_with(".tfquery.json");
        for path in self.folder.iter().flat_map(|folder| entries(folder)) {
            let name = path.to_string_lossy();
            let is_module = name.ends_with(".tf") || name.ends_with(".tf.json");
            if path.is_file() && (is_module || (self.queries.is_some() && is_query(&name))) {
                let text = std::fs::read_to_string(&path);
                let text = text.map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
                files.push(SourceFile::new(path, text));
            }
        }
        match &self.folder {
            Some(folder) if files.len() == 1 => {
                Err(format!("the folder {} has no .tf file; check the path", folder.display()))
            }
            _ => Ok(files),
        }
    }

    /// Whether it has a `required_providers` block, of which there may be one only.
    pub(super) fn requires_providers(&self) -> Result<bool, String> {
        Ok(self.files()?.iter().any(|file| declares(file, "terraform", "required_providers")))
    }

    /// The values of variables as a file.
    pub(super) fn variables_file(&self) -> Option<SourceFile> {
        let text = || Json::Object(self.variables.clone()).to_string();
        (!self.variables.is_empty()).then(|| SourceFile::new(VARIABLES, text()))
    }

    /// All text of the root module, for people.
    pub(super) fn whole(&self) -> String {
        let Ok(files) = self.files() else { return self.text.clone() };
        match files.as_slice() {
            [only] => only.text().to_owned(),
            files => files
                .iter()
                .rev()
                .map(|file| format!("# {}\n{}\n", file.path().display(), file.text()))
                .collect(),
        }
    }
}

/// The file of the values of variables. Core reads such files in the order of their names, and this one last.
pub(super) const VARIABLES: &str = "zz_ferroform_case.auto.tfvars.json";

/// What is in a folder, by name.
pub(super) fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

impl Configuration {
    /// The same configuration with provider blocks, but for providers that it configures itself.
    pub(super) fn with_providers(self, blocks: impl Iterator<Item = ProviderBlock>) -> Result<Self, String> {
        match self {
            Self::Typed(mut config) => {
                for block in blocks {
                    let is_same = |it: &ProviderBlock| it.name == block.name && it.alias == block.alias;
                    if !config.providers.iter().any(is_same) {
                        config.providers.push(block);
                    }
                }
                Ok(Self::Typed(config))
            }
            Self::Module(mut module) => {
                let files = module.files()?;
                let is_configured = |name: &str| files.iter().any(|file| declares(file, "provider", name));
                for block in blocks.filter(|block| !is_configured(&block.name)) {
                    let block = Config::new().provider(block).to_hcl().map_err(|error| error.to_string())?;
                    module.text = format!("{block}\n{}", module.text);
                }
                Ok(Self::Module(module))
            }
        }
    }

    /// The text or the files of the folder as queries.
    pub(super) fn for_query(self) -> Result<Self, String> {
        match self {
            Self::Typed(_) => {
                Err("a query is a text or a folder: write its `list` blocks in the language".to_owned())
            }
            Self::Module(module) => {
                let RootModule { text, folder, variables, .. } = module;
                Ok(Self::Module(RootModule { text: String::new(), folder, variables, queries: Some(text) }))
            }
        }
    }

    /// The same configuration with an import block.
    pub(super) fn with_import(&self, to: &str, by: &By<String>) -> Result<Self, String> {
        match self {
            Self::Typed(config) => {
                let to = to.parse().map_err(|error: AddressError| error.to_string())?;
                let literal = |text: &String| Expr::Literal(Value::from(text.as_str()));
                let subject = match by {
                    By::Id(id) | By::Command(id) => ImportTarget::Id(literal(id)),
                    By::Identity(names) => ImportTarget::Identity(Expr::Object(
                        names.iter().map(|(name, text)| (name.clone(), literal(text))).collect(),
                    )),
                };
                let mut config = config.clone();
                config.imports.push(ImportBlock::new(to, subject));
                Ok(Self::Typed(config))
            }
            Self::Module(module) => {
                let subject = match by {
                    By::Id(id) | By::Command(id) => format!("id = {}", quoted(id)),
                    By::Identity(names) => {
                        let lines = names.iter().map(|(name, text)| format!("{name} = {}", quoted(text)));
                        format!("identity = {{\n    {}\n  }}", lines.collect::<Vec<_>>().join("\n    "))
                    }
                };
                let text = format!("{}\nimport {{\n  to = {to}\n  {subject}\n}}\n", module.text);
                Ok(Self::Module(RootModule { text, ..module.clone() }))
            }
        }
    }
}

/// Whether a file has a block of that type, with that first label or with a block of that type in it. A file
/// that cannot be parsed has none: its errors are reported when core reads it.
fn declares(file: &SourceFile, block: &str, label: &str) -> bool {
    if file.path().extension().is_some_and(|extension| extension == "json") {
        let json: Json = serde_json::from_str(file.text()).unwrap_or_default();
        return !json[block][label].is_null();
    }
    let body = parse_body(file.text()).unwrap_or_default();
    body.blocks()
        .filter(|it| it.ident.as_str() == block)
        .any(|it| it.body.has_blocks(label) || it.labels.first().is_some_and(|first| first.as_str() == label))
}

impl Default for Configuration {
    fn default() -> Self {
        Self::Typed(Box::default())
    }
}

impl<B> Clone for Source<B> {
    fn clone(&self) -> Self {
        let kind = match &self.kind {
            Kind::Typed(make) => Kind::Typed(make.clone()),
            Kind::Made(make) => Kind::Made(make.clone()),
            Kind::Text(text) => Kind::Text(text.clone()),
            Kind::Folder(folder) => Kind::Folder(folder.clone()),
        };
        Self { kind, variables: self.variables.clone() }
    }
}

impl<B> fmt::Debug for Source<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Kind::Typed(_) => "Source(typed)",
            Kind::Made(_) | Kind::Text(_) => "Source(text)",
            Kind::Folder(_) => "Source(folder)",
        })
    }
}

impl<B> fmt::Debug for Run<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("values", self.values).finish_non_exhaustive()
    }
}
