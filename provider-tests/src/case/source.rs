//! Configurations of steps.

use std::fmt;
use std::sync::Arc;

use ferroform::value::Value;

use super::captured::Values;
use super::step::{By, Text, TextKind};
use crate::address::{AddressError, quoted};
use crate::config::{Config, Expr, ImportBlock, ImportSubject, ProviderBlock};
use crate::language::SourceFile;
use crate::language::module::{Inputs, is_for_real_cores, load_texts};

/// The configuration of a step: a [`Config`], or text in the configuration language.
///
/// The case adds the `required_providers` of its providers to it.
pub struct Source<W = ()>(pub(super) Kind<W>);

pub(super) enum Kind<W> {
    Typed(Make<W, Config>),
    Hcl(Make<W, String>),
    Text(Arc<str>),
}

/// Makes something in a run.
pub(super) type Make<W, T> = Arc<dyn Fn(&Run<'_, W>) -> T + Send + Sync>;

/// What a run of a case has: its world, and the values captured so far.
pub struct Run<'a, W> {
    /// What the case was given to run in.
    pub world: &'a W,
    /// What earlier steps have captured.
    pub values: &'a Values,
}

/// A configuration as text. A case with something in it that the embedded core does not support is skipped there;
/// what that is says the [module of the language](crate::language::module).
pub fn hcl<W>(text: impl Into<String>) -> Source<W> {
    Source(Kind::Text(text.into().into()))
}

impl<W> Source<W> {
    /// A configuration that is known only in the run: it uses captured values, or what is in the world. The closure has
    /// to say of which type its world is, if it has one: `|run: &Run<'_, World>|`. For what a provider is configured with
    /// there is [`Case::configured`](super::Case::configured).
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
    pub fn with(make: impl Fn(&Run<'_, W>) -> Config + Send + Sync + 'static) -> Self {
        Self(Kind::Typed(Arc::new(make)))
    }

    /// Text that is known only in the run; see [`hcl()`].
    pub fn hcl_with(make: impl Fn(&Run<'_, W>) -> String + Send + Sync + 'static) -> Self {
        Self(Kind::Hcl(Arc::new(make)))
    }

    fn is_hcl(&self) -> bool {
        matches!(self.0, Kind::Hcl(_) | Kind::Text(_))
    }

    /// Why the embedded core cannot take it, if that can be told before the run.
    pub(super) fn needs_real_core(&self) -> Option<String> {
        let Kind::Text(text) = &self.0 else { return None };
        let file = SourceFile::new("main.tf", &**text);
        let prepared = load_texts(".", vec![file]).and_then(|tree| tree.prepare(&Inputs::new()));
        prepared.err()?.into_iter().find(is_for_real_cores).map(|problem| problem.detail)
    }

    pub(super) fn make(&self, run: &Run<'_, W>) -> Configuration {
        match &self.0 {
            Kind::Typed(make) => Configuration::Typed(Box::new(make(run))),
            Kind::Hcl(make) => Configuration::Hcl(make(run)),
            Kind::Text(text) => Configuration::Hcl(text.to_string()),
        }
    }
}

impl<W> From<Config> for Source<W> {
    fn from(config: Config) -> Self {
        Self::with(move |_| config.clone())
    }
}

impl<W> From<&Config> for Source<W> {
    fn from(config: &Config) -> Self {
        config.clone().into()
    }
}

/// A configuration, made in a run. It may have secrets, so it does not print; see [`Known`](super::hidden::Known).
#[derive(Clone)]
pub(super) enum Configuration {
    /// Values.
    Typed(Box<Config>),
    /// Text in the configuration language.
    Hcl(String),
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
            Self::Hcl(mut text) => {
                let known = configured(&text);
                for block in blocks.filter(|block| !known.contains(&block.name)) {
                    let block = Config::new().provider(block).to_hcl().map_err(|error| error.to_string())?;
                    text = format!("{block}\n{text}");
                }
                Ok(Self::Hcl(text))
            }
        }
    }

    /// The same configuration with an import block.
    pub(super) fn with_import(&self, to: &str, by: &By) -> Result<Self, String> {
        let plain = |text: &Text| match &text.0 {
            TextKind::Plain(text) => text.clone(),
            TextKind::Captured(name) => name.to_string(),
        };
        match self {
            Self::Typed(config) => {
                let to = to.parse().map_err(|error: AddressError| error.to_string())?;
                let literal = |text: &Text| Expr::Literal(Value::from(plain(text)));
                let subject = match by {
                    By::Id(id) => ImportSubject::Id(literal(id)),
                    By::Identity(names) => ImportSubject::Identity(Expr::Object(
                        names.iter().map(|(name, text)| (name.clone(), literal(text))).collect(),
                    )),
                };
                let mut config = config.clone();
                config.imports.push(ImportBlock::new(to, subject));
                Ok(Self::Typed(config))
            }
            Self::Hcl(text) => {
                let subject = match by {
                    By::Id(id) => format!("id = {}", quoted(&plain(id))),
                    By::Identity(names) => {
                        let line =
                            |(name, text): &(String, Text)| format!("{name} = {}", quoted(&plain(text)));
                        let lines: Vec<String> = names.iter().map(line).collect();
                        format!("identity = {{\n    {}\n  }}", lines.join("\n    "))
                    }
                };
                Ok(Self::Hcl(format!("{text}\nimport {{\n  to = {to}\n  {subject}\n}}\n")))
            }
        }
    }
}

/// The names of the providers that a text configures. One that is none in the language has its errors reported later.
fn configured(text: &str) -> Vec<String> {
    let body = hcl::parse(text).unwrap_or_default();
    let blocks = body.into_blocks().filter(|block| block.identifier() == "provider");
    blocks.filter_map(|block| Some(block.labels().first()?.as_str().to_owned())).collect()
}

impl Default for Configuration {
    fn default() -> Self {
        Self::Typed(Box::default())
    }
}

impl<W> Clone for Source<W> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            Kind::Typed(make) => Kind::Typed(make.clone()),
            Kind::Hcl(make) => Kind::Hcl(make.clone()),
            Kind::Text(text) => Kind::Text(text.clone()),
        })
    }
}

impl<W> fmt::Debug for Source<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_hcl() { "Source(HCL)" } else { "Source(typed)" })
    }
}

impl<W> fmt::Debug for Run<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("values", self.values).finish_non_exhaustive()
    }
}
