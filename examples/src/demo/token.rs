//! The resource `demo_token`, which lives in the state only.

use std::collections::BTreeMap;

use ferroform::diag::{Error, Result};
use ferroform::model::{Model, Planned, Prior};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
use ring::rand::{SecureRandom as _, SystemRandom};

use super::folder::Folder;

/// 64 signs, so that six random bits choose one of them fairly.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The shortest and the longest token.
const LENGTHS: std::ops::RangeInclusive<u16> = 8..=256;

/// A random token. It is made when the resource is created and stays the same until a keeper or the length changes.
#[derive(Model)]
pub(super) struct Token {
    /// How many characters the token has: 8 to 256.
    #[attr(default = 32, replace, validate = check_length)]
    length: u16,
    /// Any texts. A new token is made when one of them changes.
    #[attr(replace)]
    keepers: Option<BTreeMap<String, String>>,
    /// The token: letters, digits, `-` and `_`.
    #[attr(computed, sensitive, keep)]
    value: String,
}

impl Resource for Token {
    type Client = Folder;
    const NAME: &str = "token";

    async fn create(_cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        TokenPlanned { value: random(plan.length)?.into(), ..plan }.into_model()
    }

    /// There is nothing to look at but the state.
    async fn read(_cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        prior.into_model().map(Some)
    }

    /// Never called with a change: everything that can be configured replaces the token.
    async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        plan.into_model()
    }

    async fn delete(_cx: &mut DeleteContext<'_, Self>, _prior: Prior<Self>) -> Result {
        Ok(())
    }
}

pub(super) fn check_length(length: &u16) -> Result {
    if LENGTHS.contains(length) {
        return Ok(());
    }
    let (least, most) = LENGTHS.into_inner();
    let detail = format!("A token of {length} characters cannot be made. Ask for {least} to {most}.");
    Err(Error::new("Invalid Length", detail))
}

pub(super) fn random(length: u16) -> Result<String> {
    let mut bytes = vec![0; usize::from(length)];
    SystemRandom::new().fill(&mut bytes).map_err(|_| {
        Error::new(
            "No Randomness",
            "The system gives no random numbers. Try again, or look at the system log.",
        )
    })?;
    let sign = |byte: u8| ALPHABET.get(usize::from(byte % 64)).copied().map(char::from);
    Ok(bytes.into_iter().filter_map(sign).collect())
}
