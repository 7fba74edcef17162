//! Addresses of what a configuration declares and a state stores, in core's notation.
//!
//! The order of addresses is that in which core lists them: by module, mode, type, name, and key.

mod moves;
mod parse;

use std::cmp::Ordering;
use std::fmt;

use ferroform::value::Value;
pub use moves::{ModuleOr, MoveEndpoint, RemovedFrom};
pub use parse::AddressError;
pub(crate) use parse::is_identifier;

/// Which instance of a resource or module: none of several, by `count`, or by `for_each`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum InstanceKey {
    /// The only one.
    #[default]
    None,
    /// One of a `count`.
    Index(u64),
    /// One of a `for_each`.
    Key(String),
}

impl InstanceKey {
    /// The key of an instance that stands for all, where nobody knows yet which there are.
    pub(crate) fn any() -> Self {
        Self::Key("*".to_owned())
    }

    /// The key that a value is: a whole number or a string.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Number(index) => index.to_u64().map(Self::Index),
            value => value.as_str().map(|key| Self::Key(key.to_owned())),
        }
    }
}

/// The way from the root module to a module instance; empty for the root. Outer modules come before inner ones.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ModuleInstance(pub Vec<(String, InstanceKey)>);

/// What a resource block declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[non_exhaustive]
pub enum Mode {
    /// Something that the provider does when it is triggered, and of which nothing is stored.
    Action,
    /// Something that the provider only reads.
    Data,
    /// Something that the provider opens for a while, and of which nothing is stored.
    Ephemeral,
    /// Objects that a query looks for.
    List,
    /// An object that the provider creates, changes and deletes.
    #[default]
    Managed,
}

impl Mode {
    /// The mode by the name that references to such a resource begin with, which is the type of its block.
    pub(crate) fn of_root(root: &str) -> Option<Self> {
        [Self::Action, Self::Data, Self::Ephemeral, Self::List, Self::Managed]
            .into_iter()
            .find(|mode| mode.block_type() == root)
    }

    /// The type of the blocks that declare such resources.
    pub(crate) fn block_type(self) -> &'static str {
        match self {
            Self::Action => "action",
            Self::Data => "data",
            Self::Ephemeral => "ephemeral",
            Self::List => "list",
            Self::Managed => "resource",
        }
    }

    /// The same as states and plans name it.
    #[doc(hidden)]
    #[must_use]
    pub fn in_json(self) -> &'static str {
        if self == Self::Managed { "managed" } else { self.block_type() }
    }

    /// What an address begins with behind the module.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Self::Action => "action.",
            Self::Data => "data.",
            Self::Ephemeral => "ephemeral.",
            Self::List => "list.",
            Self::Managed => "",
        }
    }

    /// The same by what a state or plan names it.
    #[doc(hidden)]
    #[must_use]
    pub fn prefix_of_json(mode: &str) -> &'static str {
        Self::of_root(mode).map_or("", Self::prefix)
    }

    /// What such a resource is called.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Action => "action",
            Self::Data => "data source",
            Self::Ephemeral => "ephemeral resource",
            Self::List => "list resource",
            Self::Managed => "resource",
        }
    }
}

/// A resource with all its instances: `module.net.acme_thing.this`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceAddress {
    /// The module instance it is in.
    pub module: ModuleInstance,
    /// What it is.
    pub mode: Mode,
    /// The type name, `acme_thing`.
    pub type_name: String,
    /// The name in the configuration, `this`.
    pub name: String,
}

/// One instance of a resource: `acme_thing.this["a"]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstanceAddress {
    /// The resource.
    pub resource: ResourceAddress,
    /// Which of its instances.
    pub key: InstanceKey,
}

/// What a command may be limited to: `module.net`, `module.net["a"]`, `acme_thing.this` or one of its instances.
///
/// ```
/// use ferroform_embedded::address::Target;
///
/// let target: Target = r#"module.net["a"]"#.parse()?;
/// assert!(matches!(target, Target::Module(_)));
/// assert!(matches!("acme_thing.this".parse()?, Target::Resource(_)));
/// # Ok::<(), ferroform_embedded::address::AddressError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// Everything in a module instance; without a key after its last name in all instances of that module.
    Module(ModuleInstance),
    /// A resource instance; without a key all instances of the resource.
    Resource(InstanceAddress),
}

impl Target {
    /// Whether instances of a resource may be meant, whatever their keys and those of their modules are.
    pub(crate) fn is_about(&self, resource: &ResourceAddress) -> bool {
        match self {
            Self::Module(module) => resource.module.names().starts_with(&module.names()),
            Self::Resource(address) => address.resource.in_any_instance() == resource.in_any_instance(),
        }
    }

    /// Whether an instance is meant.
    pub(crate) fn covers(&self, instance: &InstanceAddress) -> bool {
        match self {
            Self::Module(module) => {
                let Some(((name, key), around)) = module.0.split_last() else { return true };
                let within = instance.resource.module.0.strip_prefix(around);
                let first = within.and_then(<[_]>::first);
                first.is_some_and(|(other, its)| other == name && (*key == InstanceKey::None || its == key))
            }
            Self::Resource(address) if address.key == InstanceKey::None => {
                address.resource == instance.resource
            }
            Self::Resource(address) => address == instance,
        }
    }
}

impl From<ModuleInstance> for Target {
    fn from(module: ModuleInstance) -> Self {
        Self::Module(module)
    }
}

impl From<InstanceAddress> for Target {
    fn from(address: InstanceAddress) -> Self {
        Self::Resource(address)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Module(module) => module.fmt(f),
            Self::Resource(address) => address.fmt(f),
        }
    }
}

/// A provider: `registry.terraform.io/acme/thing`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProviderAddress {
    /// The registry host.
    pub host: String,
    /// The namespace.
    pub namespace: String,
    /// The type, which is also the usual local name.
    pub type_name: String,
}

/// A configuration of a provider: `provider["registry.terraform.io/acme/thing"].west`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProviderConfigAddress {
    /// The module that holds it.
    pub module: ModuleInstance,
    /// The provider.
    pub provider: ProviderAddress,
    /// The alias, if it has one.
    pub alias: Option<String>,
}

impl Ord for ModuleInstance {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for ModuleInstance {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<ResourceAddress> for InstanceAddress {
    /// The only instance of a resource without `count` and `for_each`.
    fn from(resource: ResourceAddress) -> Self {
        Self { resource, key: InstanceKey::None }
    }
}

impl fmt::Display for InstanceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::Index(index) => write!(f, "[{index}]"),
            Self::Key(key) => write!(f, "[{}]", quoted(key)),
        }
    }
}

impl fmt::Display for ModuleInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, key)) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(".")?;
            }
            write!(f, "module.{name}{key}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ResourceAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.module.0.is_empty() {
            write!(f, "{}.", self.module)?;
        }
        write!(f, "{}{}.{}", self.mode.prefix(), self.type_name, self.name)
    }
}

impl fmt::Display for InstanceAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.resource, self.key)
    }
}

impl fmt::Display for ProviderAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.host, self.namespace, self.type_name)
    }
}

impl fmt::Display for ProviderConfigAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.module.0.is_empty() {
            write!(f, "{}.", self.module)?;
        }
        write!(f, "provider[\"{}\"]", self.provider)?;
        self.alias.iter().try_for_each(|alias| write!(f, ".{alias}"))
    }
}

/// Text as the configuration language quotes it.
#[doc(hidden)]
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '$' | '%' if chars.peek() == Some(&'{') => quoted.extend([c, c]),
            c => push_escaped(&mut quoted, c),
        }
    }
    quoted.push('"');
    quoted
}

/// Adds a character to a text in quotes: what ends it or cannot be seen as an escape.
pub(crate) fn push_escaped(quoted: &mut String, c: char) {
    match c {
        '"' | '\\' => quoted.extend(['\\', c]),
        '\n' => quoted.push_str("\\n"),
        '\r' => quoted.push_str("\\r"),
        '\t' => quoted.push_str("\\t"),
        c if is_printable(c) => quoted.push(c),
        c if u32::from(c) > 0xffff => quoted.push_str(&format!("\\U{:08x}", u32::from(c))),
        c => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
    }
}

/// Whether a character can be seen. `escape_debug` knows, but only in the middle of a text does it spare accents.
fn is_printable(c: char) -> bool {
    c == ' ' || c.is_ascii_graphic() || String::from_iter(['a', c]).escape_debug().count() == 2
}
