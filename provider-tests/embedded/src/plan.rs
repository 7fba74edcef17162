//! A plan: what a core would change, and why.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use bytes::Bytes;
use ferroform::path::Path;
use ferroform::ty::Type;
use ferroform::value::Value;

use crate::address::{InstanceAddress, InstanceKey, ProviderConfigAddress, Target};
use crate::checks::{CheckResult, Checkable};
use crate::diagnostic::Diagnostic;
use crate::embedded::{CoreVersion, FunctionResults};
use crate::language::module::{Configuration, Event, resource_in};
use crate::plan_rules::{ChangeAction, ReplaceOrder};
use crate::state::State;

/// A plan of the embedded core. It can be applied once, to the state it was made for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Plan {
    /// What kind of plan it is.
    pub mode: Mode,
    /// The configuration it was made for.
    pub configuration: Configuration,
    /// The changes of resource instances, no-ops included, in address order; deposed objects after current ones.
    pub changes: Vec<ResourceChange>,
    /// What had changed outside of core since the last apply.
    pub drift: Vec<ResourceChange>,
    /// The changes that are deferred until more is known, in address order.
    pub deferred: Vec<DeferredChange>,
    /// The actions that are invoked, in the order of what triggers them.
    pub invocations: Vec<ActionInvocation>,
    /// The actions that are deferred, in the same order.
    pub deferred_invocations: Vec<DeferredInvocation>,
    /// The action that the user invokes, without any changes.
    pub invoke: Option<InstanceAddress>,
    /// The changes of root outputs.
    pub outputs: BTreeMap<String, OutputChange>,
    /// What has come of conditions.
    pub checks: Vec<CheckResult>,
    /// What the changes come from, in the order of the texts of the addresses.
    pub relevant_attributes: Vec<RelevantAttribute>,
    /// The state before anything was read, upgraded to current schemas.
    pub previous_run: State,
    /// The state after all was read: what `prior_state` of the JSON form shows.
    pub prior_state: State,
    /// The resources it was limited to, as written.
    pub targets: Vec<String>,
    /// What core and providers said.
    pub diagnostics: Vec<Diagnostic>,
    /// When it was made, in the form of RFC 3339: what `plantimestamp()` returns.
    pub timestamp: String,
    /// Whether there is something to apply.
    pub applyable: bool,
    /// Whether nothing was left out by targets or deferrals.
    pub complete: bool,
    /// Whether planning failed.
    pub errored: bool,
    /// The core that made it.
    pub emulated: CoreVersion,
    /// Whether the prior state is another one than what is stored, so that it is worth to be stored itself.
    pub(crate) read_anew: bool,
    /// What functions of providers have answered.
    pub(crate) function_results: FunctionResults,
    /// The configuration that was generated for imports, each with what was imported.
    pub(crate) generated: Vec<(Option<Importing>, String)>,
}

impl Plan {
    /// A plan that changes nothing.
    #[must_use]
    pub fn empty(configuration: &Configuration, state: &State, mode: Mode) -> Self {
        Self {
            mode,
            configuration: configuration.clone(),
            changes: Vec::new(),
            drift: Vec::new(),
            deferred: Vec::new(),
            invocations: Vec::new(),
            deferred_invocations: Vec::new(),
            invoke: None,
            outputs: BTreeMap::new(),
            checks: Vec::new(),
            relevant_attributes: Vec::new(),
            previous_run: state.clone(),
            prior_state: state.clone(),
            targets: Vec::new(),
            diagnostics: Vec::new(),
            timestamp: now(),
            applyable: false,
            complete: true,
            errored: false,
            emulated: CoreVersion::default(),
            read_anew: false,
            function_results: FunctionResults::default(),
            generated: Vec::new(),
        }
    }
}

impl Plan {
    /// What the plan is about: its targets, or the action that it invokes.
    pub(crate) fn limits(&self) -> Vec<Target> {
        let targets: Vec<Target> = self.targets.iter().filter_map(|it| it.parse().ok()).collect();
        crate::embedded::limits(&targets, self.invoke.as_ref())
    }

    /// What is said of the plan where it is applied at once. Checks are left out: they are made again at apply, and
    /// only then it counts whether they hold.
    pub fn diagnostics_before_apply(&self) -> impl Iterator<Item = &Diagnostic> {
        let checks: BTreeSet<String> = self.checks.iter().flat_map(|it| self.of_check(it)).collect();
        let is_of_check = move |it: &&Diagnostic| {
            let about = it.address.as_ref().is_some_and(|address| checks.contains(address));
            about && !it.is_error() && !it.summary.starts_with("Error message refers to")
        };
        self.diagnostics.iter().filter(move |it| !is_of_check(it))
    }

    /// The addresses of the instances of a check, and of their data sources.
    fn of_check(&self, result: &CheckResult) -> Vec<String> {
        let Checkable::Check(path, name) = &result.of else { return Vec::new() };
        let modules = self.configuration.modules();
        let config = modules.find(path).map(|id| &modules[id].module);
        let check = config.and_then(|module| module.checks.iter().find(|it| it.name == *name));
        let data = check.and_then(|check| check.data.as_deref());
        let objects = result.objects.iter().flatten();
        let addresses = objects.flat_map(|object| {
            let own = result.of.within(&object.module, &object.key);
            let data =
                data.map(|it| resource_in(&object.module, it.mode, &it.type_name, &it.name).to_string());
            std::iter::once(own).chain(data)
        });
        addresses.collect()
    }
}

/// The time in whole seconds, as core shows it.
fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// What a plan is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Make the objects as configured.
    #[default]
    Normal,
    /// Only update the state.
    RefreshOnly,
    /// Destroy everything.
    Destroy,
}

/// What happens to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Nothing.
    NoOp,
    /// It is created.
    Create,
    /// It is read during apply (data sources).
    Read,
    /// It is changed in place.
    Update,
    /// It is deleted, and created anew.
    DeleteThenCreate,
    /// It is created anew, then the old one is deleted.
    CreateThenDelete,
    /// It is deleted.
    Delete,
    /// It is no longer managed, and stays.
    Forget,
    /// It is created anew, and the old one stays and is no longer managed.
    CreateThenForget,
    /// The old object stays and is no longer managed, then another one is created. Only in OpenTofu.
    ForgetThenCreate,
}

/// Why an action was chosen, where it is not obvious. [`ActionReason::as_str`] is the word of the JSON form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ActionReason {
    /// The object is tainted.
    ReplaceBecauseTainted,
    /// The user asked for it.
    ReplaceByRequest,
    /// An attribute cannot be changed in place.
    ReplaceBecauseCannotUpdate,
    /// `replace_triggered_by` fired.
    ReplaceByTriggers,
    /// The resource is not configured any more.
    DeleteBecauseNoResourceConfig,
    /// The resource has other kinds of keys now.
    DeleteBecauseWrongRepetition,
    /// The index is beyond `count`.
    DeleteBecauseCountIndex,
    /// The key is not in `for_each`.
    DeleteBecauseEachKey,
    /// The module is gone.
    DeleteBecauseNoModule,
    /// A moved block leads to nothing.
    DeleteBecauseNoMoveTarget,
    /// The data source's configuration is not known yet.
    ReadBecauseConfigUnknown,
    /// Something that the data source depends on changes.
    ReadBecauseDependencyPending,
    /// It is part of a check.
    ReadBecauseCheckNested,
    /// The `lifecycle` block of its resource says `destroy = false`. Only in OpenTofu.
    ForgotBecauseLifecycleDestroyInConfig,
    /// The `lifecycle` block of its resource said `destroy = false` when the object was stored. Only in OpenTofu.
    ForgotBecauseLifecycleDestroyInState,
}

/// The change of an object.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ResourceChange {
    /// The instance.
    pub address: InstanceAddress,
    /// Where the object was before a move.
    pub previous_address: Option<InstanceAddress>,
    /// The deposed key, if it is not about the current object.
    pub deposed: Option<String>,
    /// The provider configuration.
    pub provider: ProviderConfigAddress,
    /// What happens.
    pub action: Action,
    /// Why.
    pub reason: Option<ActionReason>,
    /// The type of the values: that of the schema.
    pub ty: Type,
    /// The object before; null when it is created.
    pub before: Value,
    /// The planned object; null when it is deleted.
    pub after: Value,
    /// The paths in `before` that are sensitive.
    pub before_sensitive: Vec<Path>,
    /// The paths in `after` that are sensitive.
    pub after_sensitive: Vec<Path>,
    /// The paths that force the replacement.
    pub replace_paths: Vec<Path>,
    /// The identity before.
    pub before_identity: Option<Value>,
    /// The planned identity.
    pub after_identity: Option<Value>,
    /// The planned private data.
    pub private: Bytes,
    /// The import that the change belongs to.
    pub importing: Option<Importing>,
    /// The `resource` block that was generated for what is imported.
    pub generated_config: Option<String>,
}

impl ResourceChange {
    /// A change of an object of that type, of which nothing else is known.
    pub(crate) fn new(
        address: InstanceAddress,
        provider: ProviderConfigAddress,
        (action, ty): (Action, Type),
    ) -> Self {
        Self {
            address,
            previous_address: None,
            deposed: None,
            provider,
            action,
            reason: None,
            ty,
            before: Value::Null,
            after: Value::Null,
            before_sensitive: Vec::new(),
            after_sensitive: Vec::new(),
            replace_paths: Vec::new(),
            before_identity: None,
            after_identity: None,
            private: Bytes::new(),
            importing: None,
            generated_config: None,
        }
    }
}

/// What an imported object was named by.
#[derive(Debug, Clone, PartialEq)]
pub enum Importing {
    /// An import id.
    Id(String),
    /// An identity.
    Identity(Value),
}

/// A change that is deferred: by its provider, because nobody knows before apply how many instances there are, or because
/// it depends on something deferred.
#[derive(Debug, Clone)]
pub struct DeferredChange {
    /// The reason in the words of the JSON form, e.g. `resource_config_unknown`.
    pub reason: String,
    /// The change.
    pub change: ResourceChange,
}

impl DeferredChange {
    /// Whether it stands for all instances of its resource, because nobody knows before apply how many there are.
    pub(crate) fn stands_for_all(&self) -> bool {
        self.reason == "instance_count_unknown" && self.change.address.key == InstanceKey::any()
    }
}

/// An action that is deferred.
#[derive(Debug, Clone)]
pub struct DeferredInvocation {
    /// The reason in the words of the JSON form, e.g. `deferred_prereq`.
    pub reason: String,
    /// The invocation.
    pub invocation: ActionInvocation,
}

/// An action that is invoked.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ActionInvocation {
    /// The instance.
    pub address: InstanceAddress,
    /// The provider configuration.
    pub provider: ProviderConfigAddress,
    /// Its configuration, which may hold unknowns, without what is write-only.
    pub config: Value,
    /// The paths in it that are sensitive.
    pub sensitive: Vec<Path>,
    /// What triggers it; `None` if the user invokes it.
    pub trigger: Option<Trigger>,
}

/// What triggers an action.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trigger {
    /// The instance whose change triggers it.
    pub resource: InstanceAddress,
    /// The number of the `action_trigger` block.
    pub block: usize,
    /// The number in its list of actions.
    pub index: usize,
    /// When it is invoked.
    pub event: Event,
}

/// An attribute that something in the configuration of what changes refers to, directly or by way of others.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RelevantAttribute {
    /// The resource as it is referred to: without a key where all instances are meant, and in modules that need not have
    /// such an instance.
    pub resource: InstanceAddress,
    /// The attribute; the root for the object as a whole.
    pub attribute: Path,
}

/// The change of a root output.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OutputChange {
    /// [`Action::NoOp`], [`Action::Create`], [`Action::Update`] or [`Action::Delete`].
    pub action: Action,
    /// The type of the value after the change, or before a deletion. [`Type::Dynamic`] for a null that is not stored.
    pub ty: Type,
    /// The value before.
    pub before: Value,
    /// The value after; may hold unknowns.
    pub after: Value,
    /// Whether the value before was sensitive.
    pub before_sensitive: bool,
    /// Whether the value after is sensitive.
    pub after_sensitive: bool,
}

impl ActionReason {
    /// The word of the JSON form (`action_reason`).
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReplaceBecauseTainted => "replace_because_tainted",
            Self::ReplaceByRequest => "replace_by_request",
            Self::ReplaceBecauseCannotUpdate => "replace_because_cannot_update",
            Self::ReplaceByTriggers => "replace_by_triggers",
            Self::DeleteBecauseNoResourceConfig => "delete_because_no_resource_config",
            Self::DeleteBecauseWrongRepetition => "delete_because_wrong_repetition",
            Self::DeleteBecauseCountIndex => "delete_because_count_index",
            Self::DeleteBecauseEachKey => "delete_because_each_key",
            Self::DeleteBecauseNoModule => "delete_because_no_module",
            Self::DeleteBecauseNoMoveTarget => "delete_because_no_move_target",
            Self::ReadBecauseConfigUnknown => "read_because_config_unknown",
            Self::ReadBecauseDependencyPending => "read_because_dependency_pending",
            Self::ReadBecauseCheckNested => "read_because_check_nested",
            Self::ForgotBecauseLifecycleDestroyInConfig => "forgot_because_lifecycle_destroy_in_config",
            Self::ForgotBecauseLifecycleDestroyInState => "forgot_because_lifecycle_destroy_in_state",
        }
    }
}

impl Action {
    /// All actions.
    pub const ALL: [Self; 10] = [
        Self::NoOp,
        Self::Create,
        Self::Read,
        Self::Update,
        Self::DeleteThenCreate,
        Self::CreateThenDelete,
        Self::Delete,
        Self::Forget,
        Self::CreateThenForget,
        Self::ForgetThenCreate,
    ];

    /// The words of the JSON form (`actions`).
    #[must_use]
    pub fn words(self) -> &'static [&'static str] {
        match self {
            Self::NoOp => &["no-op"],
            Self::Create => &["create"],
            Self::Read => &["read"],
            Self::Update => &["update"],
            Self::DeleteThenCreate => &["delete", "create"],
            Self::CreateThenDelete => &["create", "delete"],
            Self::Delete => &["delete"],
            Self::Forget => &["forget"],
            Self::CreateThenForget => &["create", "forget"],
            Self::ForgetThenCreate => &["forget", "create"],
        }
    }
}

impl From<ChangeAction> for Action {
    fn from(decided: ChangeAction) -> Self {
        match decided {
            ChangeAction::NoOp => Self::NoOp,
            ChangeAction::Create => Self::Create,
            ChangeAction::Update => Self::Update,
            ChangeAction::Delete => Self::Delete,
            ChangeAction::Replace(order) => order.into(),
        }
    }
}

impl From<ReplaceOrder> for Action {
    fn from(order: ReplaceOrder) -> Self {
        match order {
            ReplaceOrder::DeleteThenCreate => Self::DeleteThenCreate,
            ReplaceOrder::CreateThenDelete => Self::CreateThenDelete,
        }
    }
}

/// For people.
impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoOp => "no changes",
            Self::Create => "create",
            Self::Read => "read",
            Self::Update => "update in place",
            Self::DeleteThenCreate => "replace (delete, then create)",
            Self::CreateThenDelete => "replace (create, then delete)",
            Self::Delete => "delete",
            Self::Forget => "forget",
            Self::CreateThenForget => "replace (create, then forget)",
            Self::ForgetThenCreate => "replace (forget, then create)",
        })
    }
}
