//! What a module declares.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::statics::StaticReference;
use super::syntax::{Body, SourceExpr};
use crate::address::{Mode, MoveEndpoint, ProviderAddress, RemovedFrom, ResourceAddress};
use crate::language::{Diagnostic, Marked, Subject};

/// A module as its files declare it, with overrides merged.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Module {
    /// The directory of its files.
    pub directory: PathBuf,
    /// The same from the directory of the root module on, which is `.`, as `path.module` shows it.
    pub path: PathBuf,
    /// `required_version`, of every `terraform` block that has one.
    pub required_versions: Vec<(String, Subject)>,
    /// `required_providers`.
    pub required_providers: Vec<RequiredProvider>,
    /// Where the `required_providers` blocks begin.
    pub(super) required_provider_blocks: Vec<Subject>,
    /// `state_store` blocks, of which a root module may have one.
    pub(super) state_stores: Vec<StateStore>,
    /// `provider_meta` blocks.
    pub(crate) provider_metas: Vec<ProviderMeta>,
    /// `provider` blocks.
    pub providers: Vec<Provider>,
    /// `resource`, `data`, `ephemeral` and `action` blocks; those in `check` blocks are with the checks.
    pub resources: Vec<Arc<Resource>>,
    /// `variable` blocks.
    pub variables: Vec<Variable>,
    /// What is in `locals` blocks.
    pub locals: Vec<Local>,
    /// `output` blocks.
    pub outputs: Vec<Output>,
    /// `check` blocks.
    pub checks: Vec<Check>,
    /// `moved` blocks.
    pub moved: Vec<Moved>,
    /// `removed` blocks.
    pub removed: Vec<Removed>,
    /// `import` blocks.
    pub imports: Vec<Import>,
    /// `module` blocks.
    pub calls: Vec<Call>,
    /// The values of its constant variables, as far as they are known when it is loaded.
    pub(super) constants: BTreeMap<String, Marked>,
    /// The local names of the providers whose functions may be called.
    pub(super) called_providers: BTreeSet<String>,
}

/// A `state_store` block.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct StateStore {
    /// The type of the store.
    pub type_name: String,
    /// The local name of the provider.
    pub(crate) provider: String,
    pub(crate) address: ProviderAddress,
    /// The configuration of the provider.
    pub(crate) provider_body: Body,
    /// The arguments of its type.
    pub(crate) body: Body,
    pub(crate) subject: Subject,
}

/// A `provider_meta` block: what a module tells a provider with each call for its resources. All in it is constant.
#[derive(Debug, Clone)]
pub(crate) struct ProviderMeta {
    /// The local name of the provider.
    pub(crate) provider: String,
    pub(crate) body: Body,
    /// Where the name stands.
    pub(crate) label: Subject,
    pub(crate) subject: Subject,
}

/// A provider that a module requires.
#[derive(Debug, Clone)]
pub struct RequiredProvider {
    /// The local name.
    pub name: String,
    /// The address; the one that core assumes when there is no `source`.
    pub address: ProviderAddress,
    /// `configuration_aliases`: what has to be passed to the module beside the default configuration.
    pub aliases: Vec<ProviderName>,
    /// Where it stands.
    pub subject: Subject,
}

/// A `provider` block.
#[derive(Debug, Clone)]
pub struct Provider {
    /// The local name.
    pub name: String,
    /// The alias.
    pub alias: Option<String>,
    /// The arguments of the provider.
    pub body: Body,
    /// Where it begins.
    pub subject: Subject,
}

impl Module {
    /// What it requires under that local name.
    pub(crate) fn required_provider(&self, name: &str) -> Option<&RequiredProvider> {
        self.required_providers.iter().find(|it| it.name == name)
    }

    /// The directory of its files, as a process can work in it.
    pub(crate) fn working_directory(&self) -> &Path {
        if self.directory.as_os_str().is_empty() { Path::new(".") } else { &self.directory }
    }
}

/// A `resource`, `data`, `ephemeral` or `action` block.
#[derive(Debug, Clone)]
pub struct Resource {
    /// What it declares.
    pub mode: Mode,
    /// The type.
    pub type_name: String,
    /// The name.
    pub name: String,
    /// `count`.
    pub count: Option<SourceExpr>,
    /// `for_each`.
    pub for_each: Option<SourceExpr>,
    /// `provider`: a local name, and an alias.
    pub provider: Option<(String, Option<String>)>,
    /// `depends_on`.
    pub depends_on: Vec<StaticReference>,
    /// `lifecycle`.
    pub lifecycle: Lifecycle,
    /// `provisioner` blocks.
    pub provisioners: Vec<Provisioner>,
    /// The arguments of the resource type.
    pub body: Body,
    /// Whether the arguments are generated from the object that is imported.
    pub(crate) is_generated: bool,
    /// Where the type stands.
    pub(crate) type_subject: Subject,
    /// Where it begins.
    pub subject: Subject,
}

impl Resource {
    /// A resource for what a block imports.
    pub(crate) fn generated(address: &ResourceAddress, import: &Import) -> Self {
        Self {
            mode: address.mode,
            type_name: address.type_name.clone(),
            name: address.name.clone(),
            count: None,
            for_each: None,
            provider: import.provider.as_ref().map(|(name, _)| name.clone()),
            depends_on: Vec::new(),
            lifecycle: Lifecycle::default(),
            provisioners: Vec::new(),
            body: Body::default(),
            is_generated: true,
            type_subject: import.to.subject().clone(),
            subject: import.to.subject().clone(),
        }
    }

    /// The local name of the provider that its type implies.
    pub(super) fn implied_provider(&self) -> String {
        implied_provider(&self.type_name)
    }

    /// The local name and alias of its provider configuration.
    pub(crate) fn provider_name(&self) -> ProviderName {
        self.provider.clone().unwrap_or_else(|| (self.implied_provider(), None))
    }
}

/// The local name of the provider that a type implies: the text before its first `_`.
pub(super) fn implied_provider(type_name: &str) -> String {
    type_name.split_once('_').map_or(type_name, |(first, _)| first).to_lowercase()
}

/// A `lifecycle` block.
#[derive(Debug, Clone, Default)]
pub struct Lifecycle {
    /// `create_before_destroy`.
    pub create_before_destroy: Option<bool>,
    /// `prevent_destroy`.
    pub prevent_destroy: Option<bool>,
    /// `destroy`, which only OpenTofu has.
    pub destroy: Option<SourceExpr>,
    /// `ignore_changes`.
    pub ignore_changes: Option<IgnoreChanges>,
    /// `replace_triggered_by`.
    pub replace_triggered_by: Vec<SourceExpr>,
    /// `precondition` blocks.
    pub preconditions: Vec<Condition>,
    /// `postcondition` blocks.
    pub postconditions: Vec<Condition>,
    /// `action_trigger` blocks.
    pub action_triggers: Vec<ActionTrigger>,
}

impl Lifecycle {
    /// Whether the objects are forgotten where others are destroyed (`destroy = false`). No string counts as a truth value here.
    pub(crate) fn skips_destroy(&self) -> Result<bool, Diagnostic> {
        let Some(expr) = &self.destroy else { return Ok(false) };
        let value = expr.constant().ok().and_then(|it| it.value.as_bool());
        let error = || {
            let detail = "The lifecycle destroy expression must be a boolean constant.";
            expr.error("Invalid lifecycle destroy expression", detail)
        };
        value.map(|destroys| !destroys).ok_or_else(error)
    }
}

/// An `action_trigger` block.
#[derive(Debug, Clone)]
pub struct ActionTrigger {
    /// `events`.
    pub events: Vec<Event>,
    /// `condition`.
    pub condition: Option<SourceExpr>,
    /// `actions`.
    pub actions: Vec<TriggeredAction>,
}

impl ActionTrigger {
    /// What decides on whether it fires, and on which instances.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &SourceExpr> {
        let keys = self.actions.iter().filter_map(|action| action.key.as_ref());
        self.condition.iter().chain(keys)
    }

    /// Whether the condition refers to that: "self", "count" or "each".
    pub(crate) fn refers_to(&self, root: &str) -> bool {
        self.condition.iter().any(|it| it.references().iter().any(|it| it.root == root))
    }

    /// Whether it may fire before a change.
    pub(crate) fn is_before(&self) -> bool {
        self.events.iter().any(|event| matches!(event, Event::BeforeCreate | Event::BeforeUpdate))
    }
}

/// When an action is triggered. A replacement is a creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Event {
    /// Before the object is created.
    BeforeCreate,
    /// After the object was created.
    AfterCreate,
    /// Before the object is changed in place.
    BeforeUpdate,
    /// After the object was changed in place.
    AfterUpdate,
}

impl Event {
    /// All events, in the order in which they happen.
    pub const ALL: &[Self] = &[Self::BeforeCreate, Self::AfterCreate, Self::BeforeUpdate, Self::AfterUpdate];

    /// The word of the language.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BeforeCreate => "before_create",
            Self::AfterCreate => "after_create",
            Self::BeforeUpdate => "before_update",
            Self::AfterUpdate => "after_update",
        }
    }

    /// The word of plans as JSON.
    #[must_use]
    pub fn in_json(self) -> &'static str {
        match self {
            Self::BeforeCreate => "BeforeCreate",
            Self::AfterCreate => "AfterCreate",
            Self::BeforeUpdate => "BeforeUpdate",
            Self::AfterUpdate => "AfterUpdate",
        }
    }

    /// Whether it is before the change.
    #[must_use]
    pub fn is_before(self) -> bool {
        matches!(self, Self::BeforeCreate | Self::BeforeUpdate)
    }
}

/// An action that a trigger names.
#[derive(Debug, Clone)]
pub struct TriggeredAction {
    /// The type.
    pub type_name: String,
    /// The name.
    pub name: String,
    /// The key of the instance.
    pub key: Option<SourceExpr>,
    /// Where the reference stands.
    pub subject: Subject,
}

/// What `ignore_changes` says.
#[derive(Debug, Clone, PartialEq)]
pub enum IgnoreChanges {
    /// `all`.
    All,
    /// Attributes of the resource, each as a reference that begins with its name.
    Only(Vec<StaticReference>),
}

/// A condition with the message for when it does not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// `condition`.
    pub condition: SourceExpr,
    /// `error_message`.
    pub error_message: SourceExpr,
}

/// A `provisioner` block.
#[derive(Debug, Clone)]
pub struct Provisioner {
    /// The type, which is `local-exec` where there is such a provisioner.
    pub type_name: String,
    /// `when`.
    pub when: When,
    /// `on_failure`.
    pub on_failure: OnFailure,
    /// The arguments: `command` and so on.
    pub body: Body,
    /// Where it begins.
    pub subject: Subject,
}

/// When a provisioner runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum When {
    /// After the object was created.
    #[default]
    Create,
    /// Before it is destroyed.
    Destroy,
}

/// What becomes of a provisioner that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnFailure {
    /// The change fails.
    #[default]
    Fail,
    /// There is a warning.
    Continue,
}

/// A `variable` block.
#[derive(Debug, Clone)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// `type`, to be read as a type constraint.
    pub ty: Option<SourceExpr>,
    /// `type` of an override: the type that values get, while the defaults of optional attributes stay those of `ty`.
    pub(super) type_of_override: Option<SourceExpr>,
    /// `default`.
    pub default: Option<SourceExpr>,
    /// `description`.
    pub description: Option<String>,
    /// `sensitive`.
    pub sensitive: Option<bool>,
    /// `ephemeral`.
    pub ephemeral: Option<bool>,
    /// `nullable`.
    pub nullable: Option<bool>,
    /// `const`: whether its value is known when the configuration is loaded.
    pub(crate) constant: Option<bool>,
    /// `deprecated`: what to use instead.
    pub deprecated: Option<Deprecated>,
    /// `validation` blocks.
    pub validations: Vec<Condition>,
    /// Where it begins.
    pub subject: Subject,
    /// Where the override begins that has changed it.
    pub(super) overridden: Option<Subject>,
}

impl Variable {
    /// Whether a type is declared.
    pub(super) fn is_typed(&self) -> bool {
        self.ty.is_some() || self.type_of_override.is_some()
    }
}

/// What an argument `deprecated` says.
#[derive(Debug, Clone)]
pub struct Deprecated {
    /// What to use instead.
    pub message: String,
    /// Where the argument stands.
    pub subject: Subject,
}

/// A local value.
#[derive(Debug, Clone)]
pub struct Local {
    /// The name.
    pub name: String,
    /// The value.
    pub value: SourceExpr,
}

/// An `output` block.
#[derive(Debug, Clone)]
pub struct Output {
    /// The name.
    pub name: String,
    /// `value`; absent only in an override.
    pub value: Option<SourceExpr>,
    /// `type`, to be read as a type constraint.
    pub ty: Option<SourceExpr>,
    /// `deprecated`: what to use instead.
    pub deprecated: Option<Deprecated>,
    /// `description`.
    pub description: Option<String>,
    /// `sensitive`.
    pub sensitive: Option<bool>,
    /// `ephemeral`.
    pub ephemeral: Option<bool>,
    /// `depends_on`.
    pub depends_on: Vec<StaticReference>,
    /// `precondition` blocks.
    pub preconditions: Vec<Condition>,
    /// Where it begins.
    pub subject: Subject,
}

/// A `check` block.
#[derive(Debug, Clone)]
pub struct Check {
    /// The name.
    pub name: String,
    /// The `data` block in it.
    pub data: Option<Arc<Resource>>,
    /// `assert` blocks.
    pub asserts: Vec<Condition>,
    /// Where it begins.
    pub subject: Subject,
}

/// A `moved` block.
#[derive(Debug, Clone)]
pub struct Moved {
    /// `from`.
    pub from: MoveEndpoint,
    /// `to`.
    pub to: MoveEndpoint,
    /// Where it begins.
    pub subject: Subject,
}

/// A `removed` block.
#[derive(Debug, Clone)]
pub struct Removed {
    /// What is no longer declared.
    pub from: RemovedFrom,
    /// Whether the objects are destroyed, if it says so.
    pub destroy: Option<bool>,
    /// `provisioner` blocks, which run before the objects are destroyed.
    pub provisioners: Vec<Provisioner>,
    /// Where it begins.
    pub subject: Subject,
}

/// An `import` block.
#[derive(Debug, Clone)]
pub struct Import {
    /// `to`: its keys may be expressions.
    pub to: SourceExpr,
    /// `id`.
    pub id: Option<SourceExpr>,
    /// `identity`.
    pub identity: Option<SourceExpr>,
    /// `for_each`.
    pub for_each: Option<SourceExpr>,
    /// `provider`, and where the argument stands.
    pub provider: Option<(ProviderName, Subject)>,
    /// Where it begins.
    pub subject: Subject,
}

impl Import {
    /// Whether what it imports to depends on its `for_each`.
    pub(crate) fn is_of_each(&self) -> bool {
        self.to.references().iter().any(|it| it.root == "each")
    }
}

/// A `module` block.
#[derive(Debug, Clone)]
pub struct Call {
    /// The name.
    pub name: String,
    /// `source`, a path that begins with `./` or `../`.
    pub source: Option<String>,
    /// The expression of `source`; absent only in an override.
    pub(super) source_expr: Option<SourceExpr>,
    /// `version`.
    pub(super) version: Option<SourceExpr>,
    /// `count`.
    pub count: Option<SourceExpr>,
    /// `for_each`.
    pub for_each: Option<SourceExpr>,
    /// `providers`: the configuration within, and the one outside that it is.
    pub providers: Vec<(ProviderName, ProviderName)>,
    /// Where these names stand.
    pub(super) passed_at: Vec<(Subject, Subject)>,
    /// `depends_on`.
    pub depends_on: Vec<StaticReference>,
    /// The values of its variables.
    pub body: Body,
    /// Where it begins.
    pub subject: Subject,
}

/// A provider configuration by its local name and alias.
pub type ProviderName = (String, Option<String>);
