//! Configurations as typed values.
//!
//! A [`Config`] says what a `.tf` file would say, and is used as it is on the embedded core and written out as HCL for
//! real ones.

mod action_trigger;
mod build;
mod expr;
mod generate;
mod hcl;
mod layout;
mod of;
mod parse;
mod refactor;
mod rules;

use std::collections::{BTreeMap, BTreeSet};

use ferroform::path::Path;
use ferroform::value::Value;

use crate::address::{InstanceAddress, ModuleInstance, ProviderAddress, ResourceAddress};
use crate::checks::Checkable;
use crate::language;
use crate::language::module::{Declared, Pending, ScopedExpr};

pub use self::action_trigger::{ActionTrigger, Event, TriggeredAction, action};
pub use self::build::{body, data, ephemeral, list_resource, provider, resource, state_store};
pub use self::expr::{count_index, each_key, each_value, list, null, object, reference, sensitive, template};
pub use self::generate::Generated;
pub use self::hcl::HclError;
pub use self::parse::ReferenceError;
pub use self::refactor::{MoveEndpoint, MovedBlock, RemovedBlock, RemovedFrom};
pub use self::rules::{Condition, OnFailure, Provisioner, Rule, RuleKind, When};

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
    /// Values that have to be right even if nothing uses them: local values and what modules are given and give, by
    /// their addresses.
    pub values: Vec<(String, Expr)>,
    /// The instances of the modules that are called.
    pub modules: Vec<ModuleInstance>,
    /// What those modules declare, however many instances they have: addresses without keys.
    pub in_modules: BTreeSet<ResourceAddress>,
    /// Conditions of checks, and of what modules are given and give.
    pub rules: Vec<Rule>,
    /// All that has conditions, in modules with and without instances, and the number of these.
    pub(crate) checkables: Vec<(Checkable, usize)>,
    /// The modules that have no instances, or whose instances depend on resources.
    pub(crate) pending: Option<Pending>,
    /// The values of the variables of the root module as a plan shows them: as they were given, not converted, or the
    /// defaults. Of ephemeral variables there is only the default.
    pub(crate) variables: BTreeMap<String, Value>,
    /// What the modules declare, if it was read from files.
    pub(crate) declared: Option<Declared>,
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
    /// The module that has the block.
    pub module: ModuleInstance,
    /// The provider, where the requirements of the root module do not say it.
    pub provider: Option<ProviderAddress>,
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
    /// What decides which instances the modules around have.
    pub decided_by: Vec<ResourceAddress>,
    /// `provider = name.alias`: the local name and the alias; by default what the type name starts with.
    pub provider: Option<(String, Option<String>)>,
    /// The same as a module that is called says it. Then the local name does not count.
    pub provider_in: Option<ProviderConfigRef>,
    /// The `lifecycle` block.
    pub lifecycle: Lifecycle,
    /// `provisioner` blocks.
    pub provisioners: Vec<Provisioner>,
    /// The `check` block that a data source is in.
    pub check: Option<String>,
    /// Where it is written, if that is a file.
    pub source: Option<language::Subject>,
    /// Where its type stands, if it is written in a file.
    pub type_source: Option<language::Subject>,
}

/// Whose configuration of which provider it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderConfigRef {
    /// The module that has the configuration.
    pub module: ModuleInstance,
    /// The provider.
    pub provider: ProviderAddress,
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

impl Repetition {
    /// The argument, if there is one.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expr> {
        match self {
            Self::Single => None,
            Self::Count(expr) | Self::ForEach(expr) => Some(expr),
        }
        .into_iter()
    }
}

/// A `lifecycle` block.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Lifecycle {
    /// `create_before_destroy`.
    pub create_before_destroy: Option<bool>,
    /// `prevent_destroy`.
    pub prevent_destroy: bool,
    /// `ignore_changes`.
    pub ignore_changes: IgnoreChanges,
    /// Where its paths stand, one after the other, if they are written in a file.
    pub ignore_changes_source: Vec<language::Subject>,
    /// `replace_triggered_by`.
    pub replace_triggered_by: Vec<Reference>,
    /// `precondition` blocks.
    pub preconditions: Vec<Condition>,
    /// `postcondition` blocks.
    pub postconditions: Vec<Condition>,
    /// `action_trigger` blocks.
    pub action_triggers: Vec<ActionTrigger>,
}

impl Lifecycle {
    /// Whether something has to hold.
    pub(crate) fn has_conditions(&self) -> bool {
        !self.preconditions.is_empty() || !self.postconditions.is_empty()
    }
}

/// Which differences between configuration and prior state do not count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum IgnoreChanges {
    /// All count.
    #[default]
    None,
    /// `ignore_changes = all`.
    All,
    /// Those at these paths do not count.
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
    /// `precondition` blocks.
    pub preconditions: Vec<Condition>,
    /// Where it begins, if it is written in a file.
    pub source: Option<language::Subject>,
}

/// An `import` block.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ImportBlock {
    /// Where the object goes.
    pub to: InstanceAddress,
    /// What is imported.
    pub subject: ImportTarget,
    /// `for_each`: the block stands for one import of each entry.
    pub for_each: Option<Expr>,
    /// The keys in the address that are expressions: the number of the module step, or after all of these the one of
    /// the resource. In [`to`](Self::to) there is no key then.
    pub keys: Vec<(usize, Expr)>,
    /// Where the address stands, if it is written in a file.
    pub source: Option<language::Subject>,
}

impl ImportBlock {
    /// A block without `for_each`.
    #[must_use]
    pub fn new(to: InstanceAddress, subject: ImportTarget) -> Self {
        Self { source: None, to, subject, for_each: None, keys: Vec::new() }
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
    /// Where it is told of what it lacks, if it is written in a file.
    pub source: Option<language::Subject>,
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
    /// Where its type stands, if it is written in a file.
    pub source: Option<language::Subject>,
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
    /// An expression of the configuration language, in its module instance.
    Source(ScopedExpr),
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
