//! Configurations of steps.

use std::fmt;
use std::sync::Arc;

use ferroform::value::Value;

use super::captured::Values;
use super::step::{By, Text, TextKind};
use crate::address::{AddressError, quoted};
use crate::config::{Config, Expr, ImportBlock, ImportSubject};

/// The configuration of a step: a [`Config`], or text in the configuration language.
///
/// The case adds the `required_providers` of its providers to it.
pub struct Source<W = ()>(pub(super) Kind<W>);

pub(super) enum Kind<W> {
    Typed(Make<W, Config>),
    Hcl(Make<W, String>),
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

/// A configuration as text. Such a step runs on real cores only, as long as the embedded one does not read the
/// language; a case with one is skipped there.
pub fn hcl<W>(text: impl Into<String>) -> Source<W> {
    let text = text.into();
    Source(Kind::Hcl(Arc::new(move |_| text.clone())))
}

impl<W> Source<W> {
    /// A configuration that is known only in the run: it uses captured values, or what is in the world.
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

    /// Text that is known only in the run; see [`hcl`].
    pub fn hcl_with(make: impl Fn(&Run<'_, W>) -> String + Send + Sync + 'static) -> Self {
        Self(Kind::Hcl(Arc::new(make)))
    }

    pub(super) fn is_hcl(&self) -> bool {
        matches!(self.0, Kind::Hcl(_))
    }

    pub(super) fn make(&self, run: &Run<'_, W>) -> Configuration {
        match &self.0 {
            Kind::Typed(make) => Configuration::Typed(Box::new(make(run))),
            Kind::Hcl(make) => Configuration::Hcl(make(run)),
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

/// A configuration, made in a run.
#[derive(Debug, Clone)]
pub(super) enum Configuration {
    /// Values.
    Typed(Box<Config>),
    /// Text in the configuration language.
    Hcl(String),
}

impl Configuration {
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
                config.imports.push(ImportBlock { to, subject });
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

impl Default for Configuration {
    fn default() -> Self {
        Self::Typed(Box::default())
    }
}

/// For people.
impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Typed(config) => match config.to_hcl() {
                Ok(text) => f.write_str(&text),
                // What has no text in the language still has one for people.
                Err(error) => write!(f, "# {error}\n{config:#?}"),
            },
            Self::Hcl(text) => f.write_str(text),
        }
    }
}

impl<W> Clone for Source<W> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            Kind::Typed(make) => Kind::Typed(make.clone()),
            Kind::Hcl(make) => Kind::Hcl(make.clone()),
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
