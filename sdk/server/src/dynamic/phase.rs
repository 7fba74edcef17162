//! The phases of calls on resources, data sources and the provider. The phase of a [`Context`](super::Context) decides
//! what it offers:
//!
//! | | phases |
//! |---|---|
//! | diagnostics, cancellation, clock | all |
//! | [`Deferrable`]: client capabilities, deferral | [`Configure`], [`Plan`], [`PlanDelete`], [`Read`], [`Import`], [`ReadData`], [`PlanAction`] |
//! | [`AboutObject`]: private data, identity | [`Plan`], [`PlanDelete`], [`Create`], [`Read`], [`Update`], [`Delete`], [`Import`], [`Move`] |
//! | [`FromModule`]: `provider_meta` | [`Plan`], [`PlanDelete`], [`Create`], [`Read`], [`Update`], [`Delete`], [`ReadData`] |
//! | [`Timed`]: timeout | [`Create`], [`Read`], [`Update`], [`Delete`], [`ReadData`] |
//! | [`Applies`]: checkpoint | [`Create`], [`Update`], [`Delete`] |
//! | [`Configured`]: configuration as the user wrote it | [`Create`], [`Update`], [`ReadData`] |
//! | required replacement | [`Plan`] |
//! | core version | [`Configure`] |

/// The validation of a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validate {}

/// The configuration of the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Configure {}

/// The configuration of a state store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigureStateStore {}

/// The plan of a create or an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {}

/// The plan of a delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanDelete {}

/// The creation of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Create {}

/// The refresh of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {}

/// The update of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Update {}

/// The deletion of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delete {}

/// The import of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Import {}

/// The upgrade of a stored state or identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upgrade {}

/// The move of a stored object from another type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {}

/// The read of a data source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadData {}

/// The plan of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanAction {}

macro_rules! abilities {
    ($($phase:ident: $($ability:ident)+;)*) => {
        $($(impl $ability for $phase {})+)*
    };
}

abilities! {
    Configure: Deferrable;
    Plan: Deferrable AboutObject FromModule;
    PlanDelete: Deferrable AboutObject FromModule;
    Create: AboutObject FromModule Timed Applies Configured;
    Read: Deferrable AboutObject FromModule Timed;
    Update: AboutObject FromModule Timed Applies Configured;
    Delete: AboutObject FromModule Timed Applies;
    Import: Deferrable AboutObject;
    Move: AboutObject;
    ReadData: Deferrable FromModule Timed Configured;
    PlanAction: Deferrable;
}

/// A phase whose call can be deferred, and that knows the capabilities of the client.
#[diagnostic::on_unimplemented(
    message = "a call cannot be deferred in the phase `{Self}`",
    note = "configure, plan, read and import can; a planned change must be applied"
)]
pub trait Deferrable {}

/// A phase of one managed object, with its private data and its identity.
#[diagnostic::on_unimplemented(
    message = "the phase `{Self}` has no object, so it has neither private data nor an identity"
)]
pub trait AboutObject {}

/// A phase that a module asks for, whose `provider_meta` block it can see.
#[diagnostic::on_unimplemented(message = "the phase `{Self}` has no `provider_meta`")]
pub trait FromModule {}

/// A phase whose time the `timeouts` of a resource limit.
#[diagnostic::on_unimplemented(message = "the phase `{Self}` has no timeout")]
pub trait Timed {}

/// A phase that changes an object.
#[diagnostic::on_unimplemented(
    message = "the phase `{Self}` changes no object",
    note = "only create, update and delete record checkpoints"
)]
pub trait Applies {}

/// A phase that can see the configuration beside the values planned from it.
#[diagnostic::on_unimplemented(message = "the phase `{Self}` has no configuration of its own")]
pub trait Configured {}
