//! Tokens: credentials for a minute. They are in memory only, and each ends with the service at the latest.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::{Duration, Instant};

use super::refusal::{Refusal, Result};
use crate::wire::{Lifetime, NewToken, Token};

/// How long a token is accepted after it was granted or renewed.
const LIFETIME: Duration = Duration::from_secs(60);

/// The tokens by their IDs.
#[derive(Default)]
pub(super) struct Tokens {
    granted: u64,
    valid: BTreeMap<String, Granted>,
}

struct Granted {
    name: String,
    secret: String,
    expires: Instant,
}

impl Tokens {
    pub(super) fn grant(&mut self, new: NewToken) -> Token {
        self.granted += 1;
        let id = format!("t-{}", self.granted);
        // Random enough for an example.
        let secret = format!("{:016x}", RandomState::new().build_hasher().finish());
        let token = Token { id: id.clone(), token: secret.clone(), expires_in: LIFETIME.as_secs() };
        self.valid.insert(id, Granted { name: new.name, secret, expires: Instant::now() + LIFETIME });
        token
    }

    pub(super) fn renew(&mut self, id: &str) -> Result<Lifetime> {
        let now = Instant::now();
        let granted = self.valid.get_mut(id).filter(|it| now < it.expires).ok_or_else(Refusal::not_found)?;
        granted.expires = now + LIFETIME;
        Ok(Lifetime { expires_in: LIFETIME.as_secs() })
    }

    pub(super) fn revoke(&mut self, id: &str) -> Result {
        self.valid.remove(id).map(drop).ok_or_else(Refusal::not_found)
    }

    /// The name of the token with that secret.
    pub(super) fn holder(&self, secret: &str) -> Result<String> {
        let now = Instant::now();
        let granted = self.valid.values().find(|it| it.secret == secret && now < it.expires);
        granted.map(|it| it.name.clone()).ok_or_else(Refusal::not_authorized)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.valid.values().map(|it| it.name.clone()).collect()
    }
}
