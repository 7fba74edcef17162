//! Identities in the calls about one object. A method of its own makes the identity of the state and the context, so
//! that no other method can forget it; here it is called, and what it makes is checked and compared with the stored one.

use crate::diag::{Diagnostic, Diagnostics, Error, Result};
use crate::dynamic::{CallState, IdentityContext};
use crate::path::{Path, Step};
use crate::plan;
use crate::protocol::DynamicValue;
use crate::schema::{ForImport, IdentitySchema};
use crate::server::schema_cache::ResourceType;
use crate::server::{normalize, provider_code, value_codec};
use crate::ty::Type;
use crate::value::Value;

/// An identity schema with the type of its values.
pub(super) struct TypedIdentitySchema {
    pub(super) schema: IdentitySchema,
    pub(super) ty: Type,
}

/// Whose identity it is.
#[derive(Clone, Copy)]
pub(super) struct IdentityOwner<'a> {
    /// The call, with the identity that is stored or planned.
    pub(super) cx: &'a CallState,
    pub(super) of: &'a ResourceType,
    pub(super) type_name: &'a str,
    /// The method of the author that made the state.
    pub(super) method: &'static str,
}

/// The identity that core sent. One of which every attribute is null was never set: other SDKs stored such.
///
/// # Errors
/// It does not fit the identity schema.
pub(super) fn stored(of: &ResourceType, encoded: Option<&DynamicValue>) -> Result<Option<Value>> {
    let (Some(identity), Some(encoded)) = (&of.identity, encoded) else { return Ok(None) };
    let value = value_codec::decode(encoded, &identity.ty, "identity")?;
    Ok((!is_blank(&value)).then_some(value))
}

/// The planned identity as core sent it, if it can be stored: core refuses an unknown one.
pub(super) fn storable(of: &ResourceType, planned: Option<DynamicValue>) -> Option<DynamicValue> {
    if of.identity.is_none() {
        return planned;
    }
    let identity = stored(of, planned.as_ref()).ok().flatten()?;
    planned.filter(|_| identity.is_wholly_known())
}

/// The identity of an object with this state, to be stored.
///
/// # Errors
/// It is unknown or incomplete, or another one than the one that was stored `before`, which is a bug of the author.
pub(super) fn of_state(
    subject: IdentityOwner<'_>,
    state: &Value,
    before: Option<&Value>,
) -> Result<Option<DynamicValue>> {
    let Some(identity) = &subject.of.identity else { return Ok(None) };
    let made = subject.make(state)??;
    complete(&identity.schema, &made).map_err(|error| subject.blame(error))?;
    if let Some(before) = before {
        subject.kept(before, &made)?;
    }
    value_codec::encode(&made, &identity.ty, "identity").map(Some)
}

/// The identity of an object whose state may be a stub: the one that the state has, or else the one of the context.
pub(super) fn of_stub(subject: IdentityOwner<'_>, state: &Value) -> Result<Option<DynamicValue>> {
    let Some(identity) = &subject.of.identity else { return Ok(None) };
    let made = match subject.make(state)? {
        Ok(made) => Some(made).filter(|made| complete(&identity.schema, made).is_ok()),
        Err(error) => {
            tracing::debug!(errors = error.summaries(), "no identity yet; the next read makes it");
            None
        }
    };
    made.or_else(|| subject.cx.identity.clone())
        .map(|made| value_codec::encode(&made, &identity.ty, "identity"))
        .transpose()
}

/// What a plan does to an object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Planning {
    /// There is a new object afterwards, so that the identity need not be known yet.
    New,
    /// It is the same object afterwards.
    Update,
}

/// The identity that is planned.
///
/// # Errors
/// The plan changes the identity of an object that stays.
pub(super) fn of_plan(
    subject: IdentityOwner<'_>,
    planning: Planning,
    planned: &Value,
    prior: Option<Value>,
) -> Result<Option<DynamicValue>> {
    let Some(identity) = &subject.of.identity else { return Ok(None) };
    // A plan may lack what a state has, such as an attribute that was added since.
    let made = subject.make(planned)?.unwrap_or_else(|_| Value::unknown());
    let planned = match planning {
        // Core admits an unknown identity here, but cannot show a saved plan that has one (Terraform 1.12 to 1.15).
        Planning::New => Some(made).filter(Value::is_wholly_known),
        Planning::Update if made.is_wholly_known() && !is_blank(&made) => {
            if let Some(prior) = &prior {
                subject.kept(prior, &made)?;
            }
            Some(made)
        }
        // Core wants to know the identity of an object that is there.
        Planning::Update => prior,
    };
    let planned = planned.filter(|planned| !is_blank(planned));
    planned.map(|planned| value_codec::encode(&planned, &identity.ty, "identity")).transpose()
}

/// Checks that an identity is one: known, and with all that an import needs.
///
/// # Errors
/// Each attribute to blame.
pub(super) fn complete(schema: &IdentitySchema, identity: &Value) -> Result {
    if identity.is_null() {
        return Err(Error::new("Provider Returned No Identity", "There is no identity."));
    }
    let mut found = Diagnostics::default();
    identity.walk(|path, value| {
        if value.is_unknown() {
            found.push(
                Diagnostic::error("Provider Returned An Unknown Identity", "The value is unknown.")
                    .at(path.clone()),
            );
        }
    });
    for attribute in schema.attributes.iter().filter(|attribute| attribute.for_import == ForImport::Required)
    {
        let value = identity.as_entries().and_then(|entries| entries.get(&attribute.name));
        if value.is_none_or(Value::is_null) {
            let path = Path::root().step(Step::Attribute(attribute.name.clone()));
            let detail = "The value is null, but an import needs it.";
            found.push(Diagnostic::error("Provider Returned An Incomplete Identity", detail).at(path));
        }
    }
    if !found.has_errors() && is_blank(identity) {
        found.push(Diagnostic::error("Provider Returned No Identity", "Every attribute of it is null."));
    }
    found.take_errors()
}

impl IdentityOwner<'_> {
    /// The identity that the author makes of a state or plan.
    ///
    /// # Errors
    /// "Provider Panicked"; inside, what the author reports.
    fn make(self, state: &Value) -> Result<Result<Value>> {
        provider_code::isolated_sync(|| self.of.resource.identity(IdentityContext::new(self.cx), state))
    }

    /// The error that tells the author where to look.
    pub(super) fn blame(self, error: Error) -> Error {
        error.detail(format!(
            "The identity of an object of type `{}` cannot be stored. This is a bug in the provider: its author \
             should look at `{}` of this type, and at how its identity is made.",
            self.type_name, self.method
        ))
    }

    /// Checks that an identity is the one that was stored, unless it may change.
    fn kept(self, before: &Value, after: &Value) -> Result {
        if self.of.identity.as_ref().is_some_and(|identity| identity.schema.mutable) {
            return Ok(());
        }
        let mut before = before.clone();
        normalize::null_unknowns(&mut before);
        let violations = plan::identity_kept(&before, after).into_iter();
        let mut found: Diagnostics = violations
            .map(|violation| {
                let detail = format!(
                    "`{}` of `{}` changed the identity of an object at `{}`: the stored identity has another value. \
                     This is a bug in the provider. An attribute that is part of the identity needs `replace`, so that \
                     its change makes a new object; one that the state does not hold is made by `identity`, of the \
                     client or the stored identity; and an identity that may change is declared `mutable`.",
                    self.method, self.type_name, violation.path
                );
                Diagnostic::error("Provider Changed An Identity", detail).at(violation.path)
            })
            .collect();
        found.take_errors()
    }
}

fn is_blank(identity: &Value) -> bool {
    identity.is_null() || identity.as_entries().is_some_and(|entries| entries.values().all(Value::is_null))
}
