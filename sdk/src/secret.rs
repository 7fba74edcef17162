//! Seeing that a value changed which is never stored.
//!
//! Core keeps no write-only value, so neither it nor the provider can tell whether the one in the configuration is the
//! one of the last apply. The usual way is a version beside it, which the user raises with each new value:
//!
//! ```
//! use ferroform::model::{Model, WriteOnly};
//! use ferroform::validate::relation::required_together;
//!
//! #[derive(Model)]
//! #[model(validate = required_together(["password", "password_version"]))]
//! struct User {
//!     name: String,
//!     password: WriteOnly<Option<String>>,
//!     /// Raise it when the password changes.
//!     password_version: Option<i64>,
//! }
//! assert_eq!(User::block().validators.len(), 1);
//! ```
//!
//! The version is stored like any attribute, so a change of it, and its removal, is an update. Where users cannot be
//! asked for a version, a hash of the value in the private state shows both. That is opt-in, because a hash of a weak
//! secret can be guessed by whoever reads the state. It is salted and slow, which makes guessing dear. A plan hook looks
//! at it and makes an attribute unknown, so that there is something to update; create and update renew it:
//!
//! ```
//! use ferroform::private::Private;
//! use ferroform::secret;
//!
//! let mut private = Private::default();
//! secret::remember(&mut private, "password", Some("first"))?;
//! assert!(!secret::has_changed(&private, "password", Some("first"))?);
//! assert!(secret::has_changed(&private, "password", Some("second"))?);
//! assert!(secret::has_changed(&private, "password", None)?);
//! # Ok::<(), ferroform::diag::Error>(())
//! ```

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use ring::pbkdf2::{PBKDF2_HMAC_SHA256, derive, verify};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde_json::Value as Json;

use crate::diag::{Error, Result};
use crate::private::Private;

/// What is recommended for this algorithm in 2023; each hash says how many rounds it took, so it can be raised.
const ROUNDS: NonZeroU32 = NonZeroU32::new(600_000).unwrap();

/// Stores a hash of a secret under a name in the private state, or removes it when there is no secret.
///
/// ```
/// use ferroform::private::Private;
/// use ferroform::secret;
///
/// let mut private = Private::default();
/// secret::remember(&mut private, "password", Some("first"))?;
/// assert!(!private.is_empty());
/// secret::remember(&mut private, "password", None)?;
/// assert!(private.is_empty());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
///
/// # Errors
/// The system gives no random bytes, or the name is not allowed, see [`Private::set`].
pub fn remember(private: &mut Private, key: &str, secret: Option<&str>) -> Result {
    match secret {
        Some(secret) => private.set(key, &hashed(secret)?),
        None => {
            private.remove(key);
            Ok(())
        }
    }
}

/// Whether a secret is another one than that which was remembered, or one of the two is not there.
///
/// ```
/// use ferroform::private::Private;
/// use ferroform::secret;
///
/// let mut private = Private::default();
/// assert!(secret::has_changed(&private, "password", Some("first"))?);
/// secret::remember(&mut private, "password", Some("first"))?;
/// assert!(!secret::has_changed(&private, "password", Some("first"))?);
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
///
/// # Errors
/// Something else is stored under the name.
pub fn has_changed(private: &Private, key: &str, secret: Option<&str>) -> Result<bool> {
    let stored: Option<Hash> = private.get(key)?;
    Ok(match (stored, secret) {
        (None, None) => false,
        (Some(stored), Some(secret)) => !is_hash_of(&stored, secret),
        _ => true,
    })
}

/// A salted, slow hash (PBKDF2 with HMAC-SHA-256) by the names of its parts: how many rounds it took, and the salt and the
/// hash in Base64.
type Hash = BTreeMap<String, Json>;

fn hashed(secret: &str) -> Result<Hash> {
    let (mut salt, mut hash) = ([0; 16], [0; 32]);
    SystemRandom::new().fill(&mut salt).map_err(|_| {
        Error::new(
            "No Random Bytes",
            "The operating system gave no random bytes, which the hash of a secret needs. Try again.",
        )
    })?;
    derive(PBKDF2_HMAC_SHA256, ROUNDS, &salt, secret.as_bytes(), &mut hash);
    let encoded = |bytes: &[u8]| Json::from(STANDARD_NO_PAD.encode(bytes));
    let parts = [("rounds", ROUNDS.get().into()), ("salt", encoded(&salt)), ("hash", encoded(&hash))];
    Ok(parts.map(|(name, part)| (name.to_owned(), part)).into())
}

/// A hash that was damaged is one of no secret.
fn is_hash_of(stored: &Hash, secret: &str) -> bool {
    let parts = || {
        let decoded = |name| STANDARD_NO_PAD.decode(stored.get(name)?.as_str()?).ok();
        let rounds = NonZeroU32::new(stored.get("rounds")?.as_u64()?.try_into().ok()?)?;
        Some((rounds, decoded("salt")?, decoded("hash")?))
    };
    let Some((rounds, salt, hash)) = parts() else { return false };
    // More rounds than any release of the SDK took would only keep the user waiting.
    verify(PBKDF2_HMAC_SHA256, rounds.min(ROUNDS), &salt, secret.as_bytes(), &hash).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_hashes_of_one_secret_differ_and_hold_nothing_of_it() {
        let stored = || {
            let mut private = Private::default();
            remember(&mut private, "key", Some("hunter2")).unwrap();
            private.encode()
        };
        let (first, second) = (stored(), stored());
        assert_ne!(first, second);
        assert!(!String::from_utf8_lossy(&first).contains("hunter2"));
    }

    #[test]
    fn a_removed_secret_is_a_change_until_that_is_remembered() {
        let mut private = Private::default();
        assert!(has_changed(&private, "key", Some("a")).unwrap());
        remember(&mut private, "key", Some("a")).unwrap();
        assert!(has_changed(&private, "key", None).unwrap());
        remember(&mut private, "key", None).unwrap();
        assert!(!has_changed(&private, "key", None).unwrap());
    }

    #[test]
    fn damaged_hash_matches_no_value() {
        let mut private = Private::default();
        private.set("key", &serde_json::json!({ "rounds": 1, "salt": "?", "hash": "" })).unwrap();
        assert!(has_changed(&private, "key", Some("a")).unwrap());
        private.set("key", &1).unwrap();
        assert!(has_changed(&private, "key", Some("a")).is_err());
    }
}
