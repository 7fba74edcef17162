//! Identities of moved objects where core does not store the one that the move made.
//!
//! OpenTofu neither sends the source's identity with `MoveResourceState` nor stores the target's from the answer. The identity
//! of the source stays beside the moved state: OpenTofu has the *target* type upgrade it when its version is older, and sends
//! it with the next read and plan. So a move without a source identity stores the target's in the private data, where the
//! next read or plan finds it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::codec::json::{self, UnknownAttributes};
use crate::diag::Result;
use crate::private::Private;
use crate::protocol::{DynamicValue, RawState};
use crate::server::identity::{self, TypedIdentitySchema};
use crate::server::schema_cache::ResourceType;
use crate::server::value_codec;
use crate::value::Value;

const KEY: &str = ".moved_identity";

/// Whether core sends the source's identity, and so stores that of the target.
pub(super) fn is_identity_sent(source: Option<&RawState>) -> bool {
    match source {
        None => false,
        Some(RawState::Json(bytes)) => !bytes.is_empty(),
        Some(RawState::Flatmap(_)) => true,
    }
}

/// Drops what an earlier move stored, which is an identity of another type.
pub(super) fn forget(private: &mut Private) {
    private.take_reserved(KEY);
}

/// Stores the target's identity for the next read or plan.
///
/// # Errors
/// It does not fit the identity schema.
pub(super) fn store_in_private(
    private: &mut Private,
    typed: &TypedIdentitySchema,
    identity: Option<&DynamicValue>,
) -> Result {
    let identity =
        identity.map(|identity| value_codec::decode(identity, &typed.ty, "identity")).transpose()?;
    let json = json::encode(&identity.unwrap_or(Value::Null), &typed.ty)?;
    private.reserve(KEY, String::from_utf8_lossy(&json).into_owned());
    Ok(())
}

/// The identity of an object: the one that a move stored in the private data, or else the one that core sends.
///
/// # Errors
/// The identity that core sends does not fit the identity schema.
pub(super) fn current_identity(
    private: &mut Private,
    of: &ResourceType,
    sent: Option<&DynamicValue>,
) -> Result<Option<Value>> {
    let (Some(typed), Some(json)) = (&of.identity, private.take_reserved(KEY)) else {
        return identity::stored(of, sent);
    };
    // A newer release may have another schema. The identity is absent then, and made anew.
    let moved = json::decode(json.as_bytes(), &typed.ty, UnknownAttributes::Refuse).unwrap_or(Value::Null);
    Ok((!moved.is_null()).then_some(moved))
}

/// How many objects were moved to each type whose identity may still be that of the source.
#[derive(Default)]
pub(super) struct Moved(Mutex<HashMap<String, usize>>);

impl Moved {
    /// Counts an object that was moved to the type.
    pub(super) fn add(&self, type_name: &str) {
        let mut moved = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *moved.entry(type_name.to_owned()).or_default() += 1;
    }

    /// Whether an identity that does not fit the type is that of a source: once for each moved object.
    pub(super) fn take(&self, type_name: &str) -> bool {
        let mut moved = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(count) = moved.get_mut(type_name).filter(|count| **count > 0) else { return false };
        *count -= 1;
        true
    }
}
