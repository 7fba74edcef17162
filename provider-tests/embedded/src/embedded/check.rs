//! The checks of core, by name.

use crate::client::SchemaRule;

/// Makes the enum and the list of all.
macro_rules! checks {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A check that core makes of what a provider answers, or of what a user asks for.
        ///
        /// With the feature `mutation` each can be left out on its own, by `Core::without`, so that a test can prove
        /// that some case needs it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Check {
            $($(#[$doc])* $name,)*
        }

        impl Check {
            /// All checks.
            pub const ALL: &[Self] = &[$(Self::$name,)*];
        }
    };
}

checks! {
    /// A planned write-only attribute is null.
    PlanWriteOnly,
    /// A plan is what the configuration and the prior state allow.
    PlanValid,
    /// The paths that require replacement exist.
    PlanReplacePaths,
    /// A planned identity is known, unless the object is to be created.
    PlanIdentity,
    /// The plan to delete an object is null.
    PlanDestroyNull,
    /// The second plan of a replacement keeps write-only attributes null.
    SecondPlanWriteOnly,
    /// An object with `prevent_destroy` is not destroyed.
    PreventDestroy,
    /// The action is still the same when the plan is made again.
    FinalPlanAction,
    /// The plan that is made again keeps what the first one promised.
    FinalPlanCompatible,
    /// The configuration is wholly known when it is applied.
    ApplyConfigKnown,
    /// The identity of an applied object is known.
    ApplyIdentity,
    /// A write-only attribute of an applied object is null.
    ApplyWriteOnly,
    /// An applied object is wholly known.
    ApplyKnown,
    /// An applied object is as planned.
    ApplyCompatible,
    /// A deleted object is null.
    ApplyDeleted,
    /// An object that is not deleted is not null.
    ApplyPresent,
    /// A read object is wholly known.
    ReadKnown,
    /// A write-only attribute of a read object is null.
    ReadWriteOnly,
    /// The identity of a read object is known.
    ReadIdentity,
    /// A stored object is not of a newer schema.
    UpgradeVersion,
    /// An upgraded object is wholly known.
    UpgradeKnown,
    /// A write-only attribute of an upgraded object is null.
    UpgradeWriteOnly,
    /// A stored identity is not of a newer schema.
    IdentityVersion,
    /// An upgraded identity is wholly known.
    IdentityUpgradeKnown,
    /// The id of an import is a text that is not empty.
    ImportId,
    /// An import has at most one object.
    ImportSeveral,
    /// An import has an object.
    ImportNothing,
    /// An imported object is not null.
    ImportNull,
    /// An imported object is of the type asked for.
    ImportType,
    /// A write-only attribute of an imported object is null.
    ImportWriteOnly,
    /// The identity of an import is known.
    ImportIdentityKnown,
    /// The identity of an import is no secret.
    ImportIdentitySensitive,
    /// An object imported by identity has one.
    ImportIdentity,
    /// An imported object is there when it is read.
    ImportMissing,
    /// An import does not go where an object is already.
    ImportManaged,
    /// A moved object is wholly known.
    MoveKnown,
    /// A write-only attribute of a moved object is null.
    MoveWriteOnly,
    /// The identity of a moved object is wholly known.
    MoveIdentity,
    /// The provider can take over objects of other types.
    MoveSupported,
    /// What a data source has read is not null.
    DataNull,
    /// What a data source has read is wholly known.
    DataKnown,
    /// A listed object has an identity.
    ListIdentity,
    /// The last event of an action, and no other, is its completion.
    ActionCompleted,
    /// The result of an ephemeral resource is what its configuration allows.
    EphemeralResult,
    /// A provider does not defer what may not be deferred.
    Deferral,
    /// A removed resource is not configured any more.
    RemovedStillConfigured,
    /// An instance that was moved away is not declared any more.
    MovedStillDeclared,
    /// A sensitive output says that it is.
    OutputSensitive,
    /// What is ephemeral is no output of the root module.
    OutputEphemeral,
    /// What is ephemeral is stored nowhere.
    EphemeralStored,
    /// What is ignored is in the schema.
    IgnoredExists,
    /// What triggers a replacement is planned.
    TriggerFound,
    /// A provider configuration that an object needs is there.
    ProviderConfigPresent,
    /// The command `import` knows the configuration of the provider.
    ProviderConfigKnown,
    /// A provider that nobody has configured and that fails is told to be configured.
    ProviderConfigImplied,
    /// The version of a schema is not negative.
    SchemaVersion,
    /// An attribute is required, or it is optional, computed or both.
    SchemaPresence,
    /// An attribute has a type or nested attributes.
    SchemaType,
    /// A nested block has a name of its own that can be written.
    SchemaBlockName,
    /// Blocks and attributes are nested in a way that core knows.
    SchemaNesting,
    /// The least and greatest number of blocks make sense.
    SchemaItems,
    /// A set has nothing in it whose type is only known with its value.
    SchemaDynamicInSet,
    /// A set has nothing write-only in it.
    SchemaWriteOnlyInSet,
    /// The attributes of an identity are of types that identities may have.
    SchemaIdentity,
    /// Functions and their parameters have names that can be written.
    SchemaFunction,
}

impl Check {
    /// The check that a rule for schemas is kept. What cannot be read at all has none, for nobody can leave that out,
    /// and neither has what no released core checks.
    pub(super) fn of_schema(rule: SchemaRule) -> Option<Self> {
        Some(match rule {
            SchemaRule::Readable | SchemaRule::ComputedBlock => return None,
            SchemaRule::Version => Self::SchemaVersion,
            SchemaRule::Presence => Self::SchemaPresence,
            SchemaRule::Type => Self::SchemaType,
            SchemaRule::BlockName => Self::SchemaBlockName,
            SchemaRule::Nesting => Self::SchemaNesting,
            SchemaRule::Items => Self::SchemaItems,
            SchemaRule::DynamicInSet => Self::SchemaDynamicInSet,
            SchemaRule::WriteOnlyInSet => Self::SchemaWriteOnlyInSet,
            SchemaRule::Identity => Self::SchemaIdentity,
            SchemaRule::Function => Self::SchemaFunction,
        })
    }
}

/// Which checks are made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Checks(u128);

const _: () = assert!(Check::ALL.len() <= 128, "every check has a bit of its own");

impl Checks {
    pub(super) fn all() -> Self {
        Self(u128::MAX)
    }

    #[cfg(feature = "mutation")]
    pub(super) fn remove(&mut self, check: Check) {
        self.0 &= !(1 << check as u32);
    }

    pub(super) fn has(self, check: Check) -> bool {
        self.0 & (1 << check as u32) != 0
    }
}
