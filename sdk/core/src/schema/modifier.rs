//! What a schema says about planning: defaults, modifiers and replacement.

use std::fmt;
use std::sync::Arc;

use crate::diag::{Error, Result};
use crate::path::Path;
use crate::private::Private;
use crate::schema::Text;
use crate::value::Value;

/// The value of an attribute that the configuration leaves out.
///
/// ```
/// use ferroform::path;
/// use ferroform::schema::{Attribute, Default, DefaultContext, Environment};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// let port = Attribute::optional_computed("port", Type::Number).default(Default::Value(443.into()));
/// let region = Default::with(|here| {
///     Ok(here.environment.variable("CLOUD_REGION").map_or(Value::Null, Value::from))
/// });
///
/// let (path, config) = (path!(region), Value::object([("region", Value::Null)]));
/// let environment = Environment::new(|name| (name == "CLOUD_REGION").then(|| "eu".to_owned()));
/// let context = DefaultContext::new(&path, &config, &config, &environment);
/// assert_eq!(region.value(&context)?, Value::from("eu"));
/// assert_eq!(port.default.unwrap().value(&context)?, Value::from(443));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub enum Default {
    /// Always the same.
    Value(Value),
    /// Computed for the attribute. It must return the same value each time, since core plans twice.
    With(Arc<ComputeDefault>),
}

/// Computes the default of an attribute.
type ComputeDefault = dyn Fn(&DefaultContext<'_>) -> Result<Value> + Send + Sync;

impl Default {
    /// A default that is computed for the attribute. It must be the same each time, since core plans twice.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::schema::{Default, DefaultContext, Environment};
    /// use ferroform::value::Value;
    ///
    /// let region = Default::with(|here| Ok(here.environment.variable("CLOUD_REGION").map_or("eu".into(), Value::from)));
    /// let (path, config, environment) = (path!(region), Value::object([("region", Value::Null)]), Environment::default());
    /// assert_eq!(region.value(&DefaultContext::new(&path, &config, &config, &environment))?, Value::from("eu"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn with(make: impl Fn(&DefaultContext<'_>) -> Result<Value> + Send + Sync + 'static) -> Self {
        Self::With(Arc::new(make))
    }

    /// The value in that context.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::schema::{Default, DefaultContext, Environment};
    /// use ferroform::value::Value;
    ///
    /// let (path, config, environment) = (path!(port), Value::object([("port", Value::Null)]), Environment::default());
    /// let here = DefaultContext::new(&path, &config, &config, &environment);
    /// assert_eq!(Default::Value(443.into()).value(&here)?, Value::from(443));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// What the closure of [`Default::With`] reports.
    pub fn value(&self, context: &DefaultContext<'_>) -> Result<Value> {
        match self {
            Self::Value(value) => Ok(value.clone()),
            Self::With(make) => make(context),
        }
    }
}

impl fmt::Debug for Default {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => f.debug_tuple("Value").field(value).finish(),
            Self::With(_) => f.write_str("With(..)"),
        }
    }
}

/// The attribute for which a default is computed, and its surroundings.
///
/// ```
/// use ferroform::diag::Result;
/// use ferroform::path;
/// use ferroform::schema::{DefaultContext, Environment};
/// use ferroform::value::Value;
///
/// /// The port of a listener, which follows from its protocol.
/// fn port(here: &DefaultContext<'_>) -> Result<u16> {
///     let is_secure = here.beside("protocol").and_then(Value::as_str) == Some("https");
///     Ok(if is_secure { 443 } else { 80 })
/// }
///
/// let listener = Value::object([("protocol", "https".into()), ("port", Value::Null)]);
/// let config = Value::object([("listener", Value::list([listener.clone()]))]);
/// let (path, environment) = (path!(listener[0].port), Environment::default());
/// assert_eq!(port(&DefaultContext::new(&path, &config, &listener, &environment))?, 443);
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct DefaultContext<'a> {
    /// The attribute.
    pub path: &'a Path,
    /// The whole configuration; values may be unknown.
    pub config: &'a Value,
    /// The configured object that leaves the attribute out.
    pub object: &'a Value,
    /// The environment of the process.
    pub environment: &'a Environment,
}

impl<'a> DefaultContext<'a> {
    /// The context of an attribute in a configuration.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::schema::{DefaultContext, Environment};
    /// use ferroform::value::Value;
    ///
    /// let rule = Value::object([("port", Value::Null)]);
    /// let config = Value::object([("rules", Value::list([rule.clone()]))]);
    /// let (path, environment) = (path!(rules[0].port), Environment::default());
    /// let here = DefaultContext::new(&path, &config, &rule, &environment);
    /// assert_eq!(here.config.get(here.path), Some(&Value::Null));
    /// ```
    #[must_use]
    pub fn new(path: &'a Path, config: &'a Value, object: &'a Value, environment: &'a Environment) -> Self {
        Self { path, config, object, environment }
    }

    /// The configured value of an attribute beside this one.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::schema::{DefaultContext, Environment};
    /// use ferroform::value::Value;
    ///
    /// let listener = Value::object([("protocol", "https".into()), ("port", Value::Null)]);
    /// let (path, environment) = (path!(port), Environment::default());
    /// let here = DefaultContext::new(&path, &listener, &listener, &environment);
    /// assert_eq!(here.beside("protocol").and_then(Value::as_str), Some("https"));
    /// ```
    #[must_use]
    pub fn beside(&self, name: &str) -> Option<&'a Value> {
        self.object.as_entries()?.get(name)
    }
}

impl fmt::Debug for DefaultContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The configuration may be sensitive.
        f.debug_struct("DefaultContext").field("path", self.path).finish_non_exhaustive()
    }
}

/// The environment variables that a default may depend on.
///
/// ```
/// use ferroform::schema::Environment;
///
/// let environment = Environment::new(|name| (name == "ZONE").then(|| "eu".to_owned()));
/// assert_eq!(environment.variable("ZONE").as_deref(), Some("eu"));
/// assert_eq!(Environment::default().variable("ZONE"), None);
/// ```
#[derive(Clone)]
pub struct Environment {
    look: Arc<Look>,
}

/// The value of an environment variable by its name.
type Look = dyn Fn(&str) -> Option<String> + Send + Sync;

impl Environment {
    /// An environment in which the closure looks.
    ///
    /// ```
    /// use ferroform::schema::Environment;
    ///
    /// // A test has variables of its own, whatever those of the process are.
    /// let environment = Environment::new(|name| (name == "CLOUD_REGION").then(|| "eu".to_owned()));
    /// assert_eq!(environment.variable("CLOUD_REGION").as_deref(), Some("eu"));
    /// ```
    pub fn new(look: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { look: Arc::new(look) }
    }

    /// The value of a variable; `None` when it is not set.
    ///
    /// ```
    /// use ferroform::schema::Environment;
    ///
    /// let environment = Environment::new(|name| (name == "CLOUD_REGION").then(|| "eu".to_owned()));
    /// assert_eq!(environment.variable("CLOUD_REGION").as_deref(), Some("eu"));
    /// assert_eq!(environment.variable("CLOUD_ZONE"), None);
    /// ```
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<String> {
        (self.look)(name)
    }
}

/// One without variables.
impl std::default::Default for Environment {
    fn default() -> Self {
        Self::new(|_| None)
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").finish_non_exhaustive()
    }
}

/// Whether a change of an attribute forces the object to be replaced.
///
/// ```
/// use std::sync::Arc;
///
/// use ferroform::path;
/// use ferroform::schema::{Attribute, Modification, Replace};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// /// A disk grows in place and never shrinks.
/// fn shrinks(size: &Modification<'_>) -> bool {
///     let pair = size.planned.as_number().zip(size.prior.and_then(Value::as_number));
///     pair.is_some_and(|(planned, prior)| planned < prior)
/// }
///
/// let zone = Attribute::required("zone", Type::String).replace(Replace::OnChange);
/// let size = Attribute::required("size", Type::Number).replace(Replace::If(Arc::new(shrinks)));
/// assert!(matches!((zone.replace, size.replace), (Replace::OnChange, Replace::If(_))));
///
/// let (path, config, prior) = (path!(size), Value::from(5), Value::from(10));
/// assert!(shrinks(&Modification::new(&path, &config, Some(&prior), config.clone())));
/// ```
#[derive(Clone, std::default::Default)]
#[non_exhaustive]
pub enum Replace {
    /// The object is updated in place.
    #[default]
    Never,
    /// Any change replaces it.
    OnChange,
    /// A change that the configuration asks for replaces it; one that the provider computes does not.
    IfConfigured,
    /// A change of which the closure says so replaces it. It is not asked on create, nor when nothing changes.
    If(Arc<dyn Fn(&Modification<'_>) -> bool + Send + Sync>),
}

impl fmt::Debug for Replace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Never => "Never",
            Self::OnChange => "OnChange",
            Self::IfConfigured => "IfConfigured",
            Self::If(_) => "If(..)",
        })
    }
}

/// A step of planning that is an author's own.
///
/// ```
/// use ferroform::path;
/// use ferroform::schema::{Attribute, Modification, Modifier};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// // The service stores names of zones in lower case.
/// let lower = Modifier::new("In lower case where nothing is configured.", |zone| {
///     if let (true, Some(text)) = (zone.config.is_null(), zone.planned.as_str()) {
///         zone.planned = Value::from(text.to_lowercase());
///     }
///     Ok(())
/// });
///
/// let (path, config, prior) = (path!(zone), Value::Null, Value::from("EU-1"));
/// let mut zone = Modification::new(&path, &config, Some(&prior), prior.clone());
/// lower.modify(&mut zone)?;
/// assert_eq!(zone.planned, Value::from("eu-1"));
///
/// let attribute = Attribute::optional_computed("zone", Type::String).keep().modifiers([lower]);
/// assert_eq!(attribute.modifiers.len(), 1);
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Modifier {
    /// What it does, for documentation.
    pub description: Text,
    modify: Arc<dyn Fn(&mut Modification<'_>) -> Result + Send + Sync>,
}

impl Modifier {
    /// A modifier.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::schema::{Modification, Modifier};
    /// use ferroform::value::Value;
    ///
    /// let zone = Modifier::new("The first zone where none is configured.", |zone| {
    ///     if zone.config.is_null() {
    ///         zone.planned = Value::from("eu-1");
    ///     }
    ///     Ok(())
    /// });
    /// let (path, config) = (path!(zone), Value::Null);
    /// let mut planned = Modification::new(&path, &config, None, Value::unknown());
    /// zone.modify(&mut planned)?;
    /// assert_eq!(planned.planned, Value::from("eu-1"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub fn new(
        description: impl Into<Text>,
        modify: impl Fn(&mut Modification<'_>) -> Result + Send + Sync + 'static,
    ) -> Self {
        Self { description: description.into(), modify: Arc::new(modify) }
    }

    /// Changes the planned value.
    ///
    /// ```
    /// use ferroform::diag::Error;
    /// use ferroform::path;
    /// use ferroform::schema::{Modification, Modifier};
    /// use ferroform::value::Value;
    ///
    /// let grows = Modifier::new("A disk does not shrink.", |size| {
    ///     match size.planned.as_number().zip(size.prior.and_then(Value::as_number)) {
    ///         Some((planned, prior)) if planned < prior => Err(Error::new("Disk Shrinks", "Choose a larger size.")),
    ///         _ => Ok(()),
    ///     }
    /// });
    /// let (path, config, prior) = (path!(size), Value::from(10), Value::from(20));
    /// let mut size = Modification::new(&path, &config, Some(&prior), config.clone());
    /// assert!(grows.modify(&mut size).is_err());
    /// ```
    ///
    /// # Errors
    /// What the closure reports.
    pub fn modify(&self, modification: &mut Modification<'_>) -> Result {
        (self.modify)(modification)
    }

    /// Plans the value of another attribute of the same object where this one is not configured, and null where neither
    /// is: two names of one value, each optional and computed with the other in its modifier. So an attribute is renamed
    /// over several releases. Users may change from the old name to the new one in their own time, and the plan is empty.
    ///
    /// ```
    /// use ferroform::model::Model;
    /// use ferroform::schema::Modifier;
    /// use ferroform::validate::relation::exactly_one_of;
    /// # use ferroform::model::Attr;
    ///
    /// #[derive(Model)]
    /// #[model(validate = exactly_one_of(["title", "name"]))]
    /// struct Book {
    ///     #[attr(optional, computed, modify = Modifier::same_as("name"))]
    ///     title: String,
    ///     #[attr(optional, computed, deprecated = "Use `title`.", modify = Modifier::same_as("title"))]
    ///     name: String,
    /// }
    /// # for config in [
    /// #     BookDraft { title: Attr::Known("Faust".to_owned()), ..BookDraft::default() },
    /// #     BookDraft { name: Attr::Known("Faust".to_owned()), ..BookDraft::default() },
    /// # ] {
    /// #     let plan = Book::planned(config)?;
    /// #     assert_eq!((plan.title.known().as_deref(), plan.name.known().as_deref()), (Some("Faust"), Some("Faust")));
    /// # }
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn same_as(name: impl Into<Text>) -> Self {
        let name = name.into();
        Self::new(format!("The value of `{name}` where only that is configured."), move |it| {
            let other = it.sibling(&name).ok_or_else(|| no_sibling(&name))?;
            if it.config.is_null() {
                it.planned = if other.config.is_null() { Value::Null } else { other.planned.clone() };
            }
            Ok(())
        })
    }
}

/// A modifier looks for an attribute that is not there.
pub(crate) fn no_sibling(name: &str) -> Error {
    Error::new(
        "Unknown Attribute",
        format!(
            "A modifier of this attribute looks at `{name}` beside it, which is no attribute of the same object. This is a \
             bug in the provider; please report it to its developers."
        ),
    )
}

impl fmt::Debug for Modifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Modifier").field("description", &self.description).finish_non_exhaustive()
    }
}

/// A planned value while modifiers work on it.
///
/// ```
/// use ferroform::path;
/// use ferroform::schema::{Modification, Modifier};
/// use ferroform::value::Value;
///
/// // A server that moves to another rack of the zone keeps its disks; in another zone it is a new server.
/// let zone = Modifier::new("Replaces the server in another zone.", |rack| {
///     let zone = |value: &Value| value.as_str().and_then(|rack| rack.split('/').next()).map(str::to_owned);
///     if rack.prior.is_some_and(|prior| zone(prior) != zone(&rack.planned)) {
///         rack.requires_replace();
///     }
///     Ok(())
/// });
///
/// let (path, prior) = (path!(rack), Value::from("eu-1/r7"));
/// for (config, is_replaced) in [("eu-1/r8", false), ("eu-2/r7", true)] {
///     let config = Value::from(config);
///     let mut rack = Modification::new(&path, &config, Some(&prior), config.clone());
///     zone.modify(&mut rack)?;
///     assert_eq!(rack.is_replaced(), is_replaced);
/// }
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[non_exhaustive]
pub struct Modification<'a> {
    /// The attribute.
    pub path: &'a Path,
    /// Its configured value.
    pub config: &'a Value,
    /// Its prior value; `None` when the object that holds it did not exist.
    pub prior: Option<&'a Value>,
    /// Its planned value so far, to be changed in place.
    pub planned: Value,
    /// The attributes and blocks of the object that holds it, this one included, as planned before the modifiers of that
    /// object.
    pub siblings: &'a [Sibling<'a>],
    /// The whole configuration.
    pub whole: &'a Value,
    /// The private data of the object; empty for a new one.
    pub private: &'a Private,
    is_replaced: bool,
}

/// An attribute or block beside one that is modified.
///
/// ```
/// use ferroform::path;
/// use ferroform::private::Private;
/// use ferroform::schema::{Modification, Modifier, Sibling};
/// use ferroform::value::Value;
///
/// // The service chooses the price of a server anew for another size.
/// let price = Modifier::new("Unknown where the size changes.", |price| {
///     if price.sibling("size").is_some_and(|size| size.prior != Some(&size.planned)) {
///         price.planned = Value::unknown();
///     }
///     Ok(())
/// });
///
/// let (path, config, prior, private) = (path!(price), Value::Null, Value::from(10), Private::new());
/// let (small, large) = (Value::from("small"), Value::from("large"));
/// let siblings = [Sibling::new("size", &large, Some(&small), large.clone())];
/// let mut planned = Modification::new(&path, &config, Some(&prior), prior.clone()).within(&siblings, &config, &private);
/// price.modify(&mut planned)?;
/// assert!(planned.planned.is_unknown());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Sibling<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its configured value.
    pub config: &'a Value,
    /// Its prior value; `None` when the object that holds it did not exist.
    pub prior: Option<&'a Value>,
    /// Its planned value.
    pub planned: Value,
}

impl<'a> Sibling<'a> {
    /// A sibling.
    ///
    /// ```
    /// use ferroform::schema::Sibling;
    /// use ferroform::value::Value;
    ///
    /// let (config, prior) = (Value::from("large"), Value::from("small"));
    /// let size = Sibling::new("size", &config, Some(&prior), config.clone());
    /// assert_eq!(size.planned, Value::from("large"));
    /// ```
    #[must_use]
    pub fn new(name: &'a str, config: &'a Value, prior: Option<&'a Value>, planned: Value) -> Self {
        Self { name, config, prior, planned }
    }
}

impl fmt::Debug for Sibling<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The values may be sensitive.
        f.debug_struct("Sibling").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<'a> Modification<'a> {
    /// The modification of an attribute.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::schema::Modification;
    /// use ferroform::value::Value;
    ///
    /// // The size of a disk that exists, as a test of a modifier has it.
    /// let (path, config, prior) = (path!(size), Value::from(20), Value::from(10));
    /// let size = Modification::new(&path, &config, Some(&prior), config.clone());
    /// assert!(size.siblings.is_empty() && size.private.is_empty() && !size.is_replaced());
    /// ```
    #[must_use]
    pub fn new(path: &'a Path, config: &'a Value, prior: Option<&'a Value>, planned: Value) -> Self {
        static NONE: Private = Private::new();
        let (siblings, whole) = (&[], &Value::Null);
        Self { path, config, prior, planned, siblings, whole, private: &NONE, is_replaced: false }
    }

    /// The same modification, with what is around the attribute.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::private::Private;
    /// use ferroform::schema::{Modification, Sibling};
    /// use ferroform::value::Value;
    ///
    /// let (path, null, name, private) = (path!(host_name), Value::Null, Value::from("www"), Private::new());
    /// let config = Value::object([("name", name.clone()), ("host_name", Value::Null)]);
    /// let siblings = [Sibling::new("name", &name, None, name.clone())];
    /// let host_name = Modification::new(&path, &null, None, Value::unknown()).within(&siblings, &config, &private);
    /// assert_eq!(host_name.whole.get(&path!(name)), Some(&name));
    /// ```
    #[must_use]
    pub fn within(self, siblings: &'a [Sibling<'a>], whole: &'a Value, private: &'a Private) -> Self {
        Self { siblings, whole, private, ..self }
    }

    /// The attribute or block of that name in the same object.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::private::Private;
    /// use ferroform::schema::{Modification, Sibling};
    /// use ferroform::value::Value;
    ///
    /// # let (path, null, name, private) = (path!(host_name), Value::Null, Value::from("www"), Private::new());
    /// let siblings = [Sibling::new("name", &name, None, name.clone())];
    /// let host_name = Modification::new(&path, &null, None, Value::unknown()).within(&siblings, &null, &private);
    /// assert_eq!(host_name.sibling("name").map(|name| &name.planned), Some(&Value::from("www")));
    /// assert!(host_name.sibling("zone").is_none());
    /// ```
    #[must_use]
    pub fn sibling(&self, name: &str) -> Option<&'a Sibling<'a>> {
        self.siblings.iter().find(|it| it.name == name)
    }

    /// Forces the object to be replaced if the value changes.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::schema::Modification;
    /// use ferroform::value::Value;
    ///
    /// let (path, config, prior) = (path!(zone), Value::from("eu-2"), Value::from("eu-1"));
    /// let mut zone = Modification::new(&path, &config, Some(&prior), config.clone());
    /// if zone.prior.is_some_and(|prior| *prior != zone.planned) {
    ///     zone.requires_replace();
    /// }
    /// assert!(zone.is_replaced());
    /// ```
    pub fn requires_replace(&mut self) {
        self.is_replaced = true;
    }

    /// Whether a modifier called [`requires_replace`](Self::requires_replace).
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::schema::Modification;
    /// use ferroform::value::Value;
    ///
    /// let (path, config, prior) = (path!(zone), Value::from("eu-2"), Value::from("eu-1"));
    /// let mut zone = Modification::new(&path, &config, Some(&prior), config.clone());
    /// assert!(!zone.is_replaced());
    /// zone.requires_replace();
    /// assert!(zone.is_replaced());
    /// ```
    #[must_use]
    pub fn is_replaced(&self) -> bool {
        self.is_replaced
    }
}

impl fmt::Debug for Modification<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The values may be sensitive.
        f.debug_struct("Modification").field("path", self.path).finish_non_exhaustive()
    }
}
