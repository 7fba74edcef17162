//! The rules and their results.

use std::fmt;

use super::bench::Bench;
use super::rules::{
    ephemeral, faults, generated, import, lifecycle, planning, secrecy, stored, unknowns, validation,
};

/// The result of a rule for a resource, or for an [ephemeral resource](EphemeralRule).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding<L = Rule> {
    /// The resource type.
    pub type_name: String,
    /// The rule.
    pub rule: L,
    /// Whether it holds.
    pub verdict: Verdict,
}

impl<L> Finding<L> {
    pub(super) fn new(type_name: &str, rule: L, verdict: Verdict) -> Self {
        Self { type_name: type_name.to_owned(), rule, verdict }
    }
}

/// Whether a rule holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Holds,
    /// It is violated, and how.
    Violated(String),
    /// It cannot be checked, because something else fails first. This fails the test, too.
    NotChecked(String),
}

/// The result of the check of a rule.
pub(super) type RuleResult = Result<(), Verdict>;

/// Makes the enum, the list of all, their names and what checks them.
macro_rules! rules {
    ($(#[$about:meta])* $rules:ident: $($(#[$doc:meta])* $rule:ident = $name:literal => $check:path,)*) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $rules {
            $($(#[$doc])* $rule,)*
        }

        impl $rules {
            /// All rules.
            pub const ALL: &[Self] = &[$(Self::$rule,)*];

            pub(super) fn check(self, bench: &Bench) -> Verdict {
                let held: RuleResult = match self {
                    $(Self::$rule => $check(bench),)*
                };
                held.err().unwrap_or(Verdict::Holds)
            }
        }

        impl fmt::Display for $rules {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self {
                    $(Self::$rule => $name,)*
                })
            }
        }
    };
}

rules! {
    /// A rule for resources. Its text form is the name of its test.
    Rule:
    /// The smallest configuration can be applied, and the object is in the state as it was planned.
    Create = "create" => lifecycle::create,
    /// Reading an object after it was created changes nothing.
    Read = "read" => lifecycle::read,
    /// A plan right after an apply is empty, with and without a refresh.
    SecondPlan = "second plan" => lifecycle::second_plan,
    /// The changed configuration can be applied, and back, and nothing is left to do after either.
    Update = "update" => lifecycle::update,
    /// The paths that are said to require a replacement are ones whose value changes.
    Replacement = "replacement" => planning::replacement,
    /// Where one argument changes alone, the plan changes nothing but it and what is declared to depend on it, see
    /// [`ResourceTest::dependants`](super::ResourceTest::dependants).
    Dependants = "dependants" => planning::dependants,
    /// A destroyed object is deleted from the state and from the backend.
    Destroy = "destroy" => lifecycle::destroy,
    /// Deleting a deleted object again is no error.
    DestroyTwice = "destroy twice" => lifecycle::destroy_twice,
    /// An object that was deleted outside of Terraform is removed from the state without an error, and the plan creates it.
    Disappears = "disappears" => lifecycle::disappears,
    /// A change outside of Terraform is detected, and the plan changes it back.
    Drift = "drift" => lifecycle::drift,
    /// An object that is imported by its id is as it was created.
    ImportId = "import by id" => import::by_id,
    /// An object that is imported by its identity is as it was created.
    ImportIdentity = "import by identity" => import::by_identity,
    /// The identity is there after a creation, and neither a read nor an update changes it.
    Identity = "identity" => stored::identity,
    /// Two objects, each of which is there without the other, have different identities.
    DistinctIdentities = "distinct identities" => generated::distinct,
    /// To upgrade a state of the current version changes nothing.
    Upgrade = "upgrade" => stored::upgrade,
    /// Stored objects of any content are upgraded without a panic, and those of the schema without a change.
    GeneratedStates = "generated states" => stored::generated,
    /// The same question has the same plan as its answer, from the same instance and from another.
    Determinism = "determinism" => planning::determinism,
    /// A configuration whose attributes are unknown, one at a time, can be planned, and the plan promises nothing
    /// that the plan with the value known does not keep.
    Unknowns = "unknowns" => unknowns::monotonicity,
    /// What was unknown when it was planned may be known when it is applied, and what was promised is kept.
    LateValues = "late values" => unknowns::late_values,
    /// Nulls everywhere are validated without a panic.
    ValidateNulls = "validate nulls" => validation::nulls,
    /// Unknowns everywhere are validated without a panic, and are no mistakes.
    ValidateUnknowns = "validate unknowns" => validation::unknowns,
    /// Values of wrong types, and what is no value at all, do not bring the provider down.
    ValidateWrongTypes = "validate wrong types" => validation::wrong_types,
    /// Sensitive values are in the state and in plans only, where they are marked, and write-only ones nowhere.
    Secrecy = "secrecy" => secrecy::canaries,
    /// A call that is late, fails, gets lost, comes twice or has an answer that cannot be read, while the object is
    /// created, updated or destroyed, loses nothing in silence, and the next attempt does what the first one did not.
    CallFaults = "call faults" => faults::every_call,
    /// A change that is stopped, wherever it is, loses nothing.
    Stop = "stop" => faults::every_await,
    /// Wherever the provider waits for its service, and the service fails or does not answer, or the provider panics,
    /// nothing is lost, and the next attempt does what the first one did not.
    ServiceFaults = "service faults" => faults::every_service_fault,
    /// Configurations that are made from the schema, also partly unknown ones, are validated without a panic.
    GeneratedValidation = "generated validation" => generated::validation,
    /// Configurations that are made from the schema, and accepted, live as the smallest one does: what is planned
    /// is made, a second plan is empty, and what is destroyed is gone.
    GeneratedLifecycles = "generated lifecycles" => generated::lives,
    /// An object of one configuration that was made from the schema becomes one of another: it is planned alike each
    /// time, made as it was planned, and a second plan is empty.
    GeneratedUpdates = "generated updates" => generated::updates,
    /// With any object of the schema as the prior state, plans are valid, and alike each time.
    GeneratedPlans = "generated plans" => generated::plans,
}

rules! {
    /// A rule for ephemeral resources. Its text form is the name of its test.
    EphemeralRule:
    /// What a plan or an apply has opened is closed after it, and nothing of it is left.
    OpenAndClose = "open and close" => ephemeral::open_and_close,
    /// What is open is valid until it is renewed, and until it is closed.
    Renewal = "renewal" => ephemeral::renewal,
    /// A call that is late, fails, gets lost, comes twice or has an answer that cannot be read leaves nothing open of which
    /// core was told that it is closed or failed to open, and the next attempt succeeds.
    CallFaults = "call faults" => ephemeral::every_call,
    /// An open, a renewal or a close that is stopped, wherever it is, leaves nothing open in silence.
    Stop = "stop" => ephemeral::every_await,
    /// Wherever the provider waits for its service, and the service fails or does not answer, or the provider panics,
    /// nothing is left open in silence, and the next attempt succeeds.
    ServiceFaults = "service faults" => ephemeral::every_service_fault,
    /// Sensitive values of the configuration and of the result are in no plan, state, diagnostic or log.
    Secrecy = "secrecy" => ephemeral::secrecy,
}

impl Verdict {
    /// The text of a failed test.
    pub(super) fn into_result(self) -> Result<(), String> {
        match self {
            Self::Holds => Ok(()),
            Self::Violated(how) => Err(how),
            Self::NotChecked(why) => Err(format!("This cannot be checked: {why}")),
        }
    }
}

/// The result of a violated rule.
pub(super) fn violated(how: impl Into<String>) -> RuleResult {
    Err(Verdict::Violated(how.into()))
}

/// The verdict on a rule that cannot be checked.
pub(super) fn not_checked(why: impl Into<String>) -> Verdict {
    Verdict::NotChecked(why.into())
}
