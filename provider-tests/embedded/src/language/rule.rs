//! The rules of the language, by name.
//!
//! Each is asked for at the one place that keeps it, as soon as it would come into play. A test can switch one off and
//! see that some case notices. Built without debug assertions, every rule holds, and asking costs nothing.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// Makes the enum and the list of all.
macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A rule of the language.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$doc])* $name,)*
        }

        impl Rule {
            /// All rules.
            pub const ALL: &[Self] = &[$(Self::$name,)*];
        }
    };
}

rules! {
    /// A block has all of its labels.
    MissingLabel,
    /// A block has no more labels than its type.
    ExtraneousLabel,
    /// There is no argument that nobody expects.
    UnknownArgument,
    /// There is no block that nobody expects.
    UnknownBlock,
    /// A required argument is there.
    RequiredArgument,
    /// Names are identifiers.
    Name,
    /// A resource is declared once.
    ResourceOnce,
    /// A variable is declared once.
    VariableOnce,
    /// A local value is declared once.
    LocalOnce,
    /// An output is declared once.
    OutputOnce,
    /// A module is called once by each name.
    CallOnce,
    /// A check is declared once.
    CheckOnce,
    /// A provider is configured once by each alias.
    ProviderOnce,
    /// An object is imported to an address once.
    ImportOnce,
    /// Some names of variables mean something else in a `module` block.
    ReservedVariable,
    /// A type is written without quotes.
    QuotedType,
    /// A default refers to nothing.
    ConstantDefault,
    /// A condition refers to something.
    ConstantCondition,
    /// A validation looks at its variable.
    ValidationOfOther,
    /// Outputs have no postconditions.
    OutputPostcondition,
    /// A check has an assertion.
    ZeroAsserts,
    /// A check has one data source at most.
    OneDataOfCheck,
    /// The data source of a check is single.
    CheckDataSingle,
    /// The data source of a check is seen by that check only.
    CheckDataScoped,
    /// A data source has no `lifecycle` arguments of managed resources.
    DataLifecycle,
    /// An ephemeral resource has no `lifecycle` arguments of managed resources.
    EphemeralLifecycle,
    /// There is one `config` block of an action.
    OneConfig,
    /// A trigger names events and actions.
    TriggerComplete,
    /// The events of a trigger are known, and named once.
    TriggerEvent,
    /// The actions that a trigger names exist.
    TriggeredAction,
    /// Actions are named in triggers only.
    ActionReference,
    /// There is one `lifecycle` block.
    OneLifecycle,
    /// `count` and `for_each` exclude each other.
    CountOrForEach,
    /// A star is no wildcard in `ignore_changes`.
    IgnoreStar,
    /// `ignore_changes = all` is about all attributes.
    IgnoreAll,
    /// `ignore_changes` keeps what was before.
    IgnorePath,
    /// `ignore_changes` may name the key of a map.
    IgnoreKey,
    /// `replace_triggered_by` names resources.
    TriggerReference,
    /// A change of a resource that is named replaces.
    TriggerResource,
    /// Of an attribute that is named, only its change replaces.
    TriggerAttribute,
    /// Of an instance that is named, only its change replaces.
    TriggerInstance,
    /// `depends_on` names whole objects.
    DependsOnWhole,
    /// An instance is named with its key.
    MissingKey,
    /// What has no instances is named without a key.
    UnexpectedKey,
    /// Variables, local values and modules that are named exist.
    Undeclared,
    /// Resources that are named exist.
    UndeclaredResource,
    /// `count`, `each` and `self` have a place.
    Misplaced,
    /// A count is a whole number that is not negative.
    WholeCount,
    /// A count is known while planning.
    UnknownCount,
    /// A `for_each` is a map or a set of strings.
    ForEachType,
    /// The instances of a resource are no secret.
    SensitiveForEach,
    /// Both ends of a move are of one kind.
    MovedKinds,
    /// What is moved away is not declared any more.
    MovedStillThere,
    /// Nothing is moved to itself.
    MovedToItself,
    /// Nothing is moved to two places, nor two things to one.
    MovedTwice,
    /// Moves have an order.
    MovedCycle,
    /// The only instance becomes the first with a `count`, and the other way about.
    ImpliedMove,
    /// `removed` names no instance.
    RemovedInstance,
    /// `removed` names no data source.
    RemovedData,
    /// `removed` may leave the object where it is.
    RemovedKeeps,
    /// An import names its object in one way.
    ImportTarget,
    /// Data sources are not imported.
    ImportData,
    /// What is imported is configured.
    ImportConfigured,
    /// The version of core is the one that is required.
    RequiredVersion,
    /// A version constraint is one.
    VersionConstraint,
    /// Some arguments are reserved in `provider` blocks.
    ReservedArgument,
    /// The source of a provider is an address.
    ProviderSource,
    /// A provisioner is of a known kind.
    ProvisionerKind,
    /// `when` and `on_failure` are keywords.
    ProvisionerKeyword,
    /// A provisioner runs only when it is meant to.
    ProvisionerWhen,
    /// A provisioner that fails is passed over if it says so.
    ProvisionerOnFailure,
    /// An override changes what is there.
    OverrideBase,
    /// An override replaces arguments.
    OverrideArguments,
    /// An override replaces arguments of `lifecycle` one by one.
    OverrideLifecycle,
    /// An override takes nothing back of `ignore_changes = all`.
    OverrideIgnore,
    /// `depends_on` cannot be overridden.
    OverrideDependsOn,
    /// A `count` prevails, whichever file has it.
    OverrideCount,
    /// An override of a type leaves the defaults of optional attributes.
    OverrideType,
    /// Moves and imports cannot be overridden.
    OverrideRefactoring,
    /// A later value of a variable takes the place of an earlier one.
    LaterValue,
    /// Files of values are taken in the order of their names.
    AutomaticOrder,
    /// The text for a variable of a simple type stands for itself.
    TextValue,
    /// A value belongs to a variable that is declared.
    UndeclaredValue,
    /// A variable without a default has a value.
    RequiredVariable,
    /// A null does not take the place of the default of a variable that is not nullable.
    NullableDefault,
    /// A default fits its type.
    DefaultType,
    /// A value fits the type of its variable.
    VariableType,
    /// A validation holds.
    Validation,
    /// Surplus attributes are dropped.
    SurplusAttribute,
    /// An attribute that is not optional is there.
    MissingAttribute,
    /// An optional attribute has its default.
    OptionalDefault,
    /// A null takes the default of an optional attribute.
    OptionalNull,
    /// Defaults are filled in within what has defaults.
    OptionalInner,
    /// A sensitive variable makes its value sensitive.
    SensitiveVariable,
    /// A sensitive output of a module makes its value sensitive.
    SensitiveOutput,
    /// What is ephemeral goes into no argument that is stored.
    EphemeralArgument,
    /// A count is not ephemeral.
    EphemeralCount,
    /// The instances of a `for_each` are not ephemeral; what is behind their keys may be.
    EphemeralForEach,
    /// A message with something ephemeral is not shown.
    EphemeralMessage,
    /// What is ephemeral is no value of an output of the root module.
    EphemeralRootValue,
    /// What is ephemeral goes into variables that say so.
    EphemeralVariable,
    /// What is ephemeral goes out of outputs that say so.
    EphemeralOutput,
    /// The outputs of the root module are not ephemeral.
    EphemeralRoot,
    /// A module has no other arguments than its variables.
    ModuleArgument,
    /// A module has values for its required variables.
    ModuleRequired,
    /// `depends_on` of a module is that of all in it.
    ModuleDependsOn,
    /// A data source whose configuration is unknown is read at apply.
    DataUnknown,
    /// A data source is read after what it depends on has changed.
    DataPending,
    /// A data source is read after what its conditions refer to has changed.
    DataConditions,
    /// A condition of a resource holds.
    Condition,
    /// A check that fails is a warning.
    CheckWarns,
    /// A data source of a check that cannot be read is a warning.
    CheckDataWarns,
    /// A splat over null is empty.
    SplatNull,
    /// A splat over a single value has one element.
    SplatScalar,
    /// A splat with a dot ends at an index.
    AttributeSplat,
    /// The results of a `for` with the same key are grouped by `...`.
    Grouping,
    /// The results of a `for` have a key each.
    DistinctKeys,
    /// The last argument of a call is spread by `...`.
    Spread,
    /// `<<-` takes away the common indentation.
    Indentation,
    /// `~` takes away the space beside it.
    Strip,
    /// Both results of a conditional have one type.
    ConditionalType,
    /// A conditional has the marks of both results.
    ConditionalMarks,
    /// A template of one interpolation is that value.
    LoneInterpolation,
    /// A null is no text.
    NullInTemplate,
    /// An attribute that a resource does not have is an error, whether the result of the expression counts or not.
    StaticReference,
    /// A constant calls no functions.
    ConstantWithoutCalls,
    /// A function that does not exist cannot be called.
    UnknownFunction,
    /// Some functions drop the marks of arguments where one is unknown.
    DroppedMarks,
    /// What a module tells a provider is constant.
    ConstantMeta,
}

thread_local! {
    static OFF: Cell<Option<Rule>> = const { Cell::new(None) };
    static ASKED: RefCell<BTreeSet<Rule>> = const { RefCell::new(BTreeSet::new()) };
}

impl Rule {
    /// Whether the rule is kept.
    pub(crate) fn holds(self) -> bool {
        if !cfg!(feature = "mutation") {
            return true;
        }
        ASKED.with_borrow_mut(|asked| asked.insert(self));
        OFF.get() != Some(self)
    }
}

#[cfg(feature = "mutation")]
/// What comes of something on this thread while one rule is switched off.
pub fn without<T>(rule: Rule, run: impl FnOnce() -> T) -> T {
    let before = OFF.replace(Some(rule));
    let result = run();
    OFF.set(before);
    result
}

#[cfg(feature = "mutation")]
/// The rules that came into play on this thread.
pub fn in_play(run: impl FnOnce()) -> BTreeSet<Rule> {
    ASKED.take();
    run();
    ASKED.take()
}
