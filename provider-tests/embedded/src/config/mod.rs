//! Configurations as typed values, which are written as text.
//!
//! A [`Config`] says what a `.tf` file would say. Each core, embedded or real, reads the text that it is
//! [written](Config::to_hcl) as.

mod action_trigger;
mod build;
mod configuration;
mod expr;
mod generate;
mod hcl;
mod layout;
mod of;
mod parse;
mod refactor;

use ferroform::path::Path;
use ferroform::value::Value;

use crate::address::{InstanceAddress, ProviderAddress, ResourceAddress};

pub use self::action_trigger::{ActionTrigger, TriggeredAction, action};
pub use self::build::{body, data, ephemeral, list_resource, provider, resource, state_store};
pub use self::expr::{count_index, each_key, each_value, list, null, object, reference, sensitive, template};
pub use self::generate::Generated;
pub(crate) use self::generate::{config_from_state, resource_text};
pub use self::hcl::HclError;
pub use self::parse::ReferenceError;
pub use self::refactor::{MovedBlock, RemovedBlock};
pub use crate::address::{MoveEndpoint, RemovedFrom};
pub use crate::language::module::Event;

/// A root module.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Config {
    /// The providers it requires: local name and address. Those of a test case are added by it.
    pub required_providers: Vec<(String, ProviderAddress)>,
    /// `provider` blocks.
    pub providers: Vec<ProviderBlock>,
    /// `resource`, `data`, `ephemeral`, `action` and `list` blocks.
    pub resources: Vec<ResourceBlock>,
    /// `output` blocks.
    pub outputs: Vec<OutputBlock>,
    /// `import` blocks.
    pub imports: Vec<ImportBlock>,
    /// `moved` blocks.
    pub moved: Vec<MovedBlock>,
    /// `removed` blocks.
    pub removed: Vec<RemovedBlock>,
    /// Blocks in the configuration language, which are written as they are.
    pub text: String,
}

/// A `provider` block.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ProviderBlock {
    /// The local name of the provider.
    pub name: String,
    /// The alias.
    pub alias: Option<String>,
    /// The arguments.
    pub body: Body,
}

/// A `resource`, `data`, `ephemeral`, `action` or `list` block.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ResourceBlock {
    /// What it declares.
    pub address: ResourceAddress,
    /// The arguments of its type; of an action those in its `config` block. A list has that block in it.
    pub body: Body,
    /// `count` or `for_each`.
    pub repetition: Repetition,
    /// `depends_on`.
    pub depends_on: Vec<ResourceAddress>,
    /// `provider = name.alias`: the local name and the alias; by default what the type name starts with.
    pub provider: Option<(String, Option<String>)>,
    /// The `lifecycle` block.
    pub lifecycle: Lifecycle,
}

/// How many instances a resource has.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Repetition {
    /// One, without a key.
    #[default]
    Single,
    /// `count`.
    Count(Expr),
    /// `for_each`.
    ForEach(Expr),
}

/// A `lifecycle` block.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Lifecycle {
    /// `create_before_destroy`.
    pub create_before_destroy: bool,
    /// `prevent_destroy`.
    pub prevent_destroy: bool,
    /// `ignore_changes`.
    pub ignore_changes: IgnoreChanges,
    /// `replace_triggered_by`.
    pub replace_triggered_by: Vec<Reference>,
    /// `action_trigger` blocks.
    pub action_triggers: Vec<ActionTrigger>,
}

/// Which differences between configuration and prior state are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum IgnoreChanges {
    /// None.
    #[default]
    None,
    /// `ignore_changes = all`.
    All,
    /// Those at these paths.
    Paths(Vec<Path>),
}

/// An `output` block.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OutputBlock {
    /// The name.
    pub name: String,
    /// The value.
    pub value: Expr,
    /// `sensitive`.
    pub sensitive: bool,
}

/// An `import` block.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ImportBlock {
    /// Where the object goes.
    pub to: InstanceAddress,
    /// What is imported.
    pub subject: ImportTarget,
}

impl ImportBlock {
    /// A block without `for_each`.
    #[must_use]
    pub fn new(to: InstanceAddress, subject: ImportTarget) -> Self {
        Self { to, subject }
    }
}

/// What an import names.
#[derive(Debug, Clone, PartialEq)]
pub enum ImportTarget {
    /// `id`.
    Id(Expr),
    /// `identity`.
    Identity(Expr),
}

/// A `state_store` block, which says where the state of a root module is kept.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StateStoreBlock {
    /// The type.
    pub type_name: String,
    /// The provider that has the type, with the configuration of an instance that is for the state only.
    pub provider: ProviderBlock,
    /// The arguments of the type, which are constants.
    pub body: Body,
}

/// The arguments and nested blocks of a block.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Body {
    /// `name = value`, in order.
    pub arguments: Vec<(String, Expr)>,
    /// Nested blocks, in order.
    pub blocks: Vec<NestedBlock>,
}

/// A nested block.
#[derive(Debug, Clone, PartialEq)]
pub struct NestedBlock {
    /// The name of the block type.
    pub type_name: String,
    /// Its labels: one for a block of map nesting, otherwise none.
    pub labels: Vec<String>,
    /// What is in it.
    pub body: Body,
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Expr {
    /// A value that is written down.
    Literal(Value),
    /// `[a, b]`.
    Tuple(Vec<Expr>),
    /// `{ a = b }`.
    Object(Vec<(String, Expr)>),
    /// A reference.
    Reference(Reference),
    /// `"a${b}c"`.
    Template(Vec<Expr>),
    /// `sensitive(a)`.
    Sensitive(Box<Expr>),
    /// `var.name`: a variable that is declared beside.
    #[doc(hidden)]
    Variable(String),
}

/// A reference to a value that is defined elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// What it refers to.
    pub subject: ReferenceTarget,
    /// Which part of it.
    pub path: Path,
}

/// What a reference is to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ReferenceTarget {
    /// A resource, or one of its instances when there is a key.
    Resource(ResourceAddress, Option<Box<Expr>>),
    /// `count.index`.
    CountIndex,
    /// `each.key`.
    EachKey,
    /// `each.value`.
    EachValue,
}
