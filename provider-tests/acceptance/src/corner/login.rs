//! Secrets that are never stored, and the two ways in which a change of them is seen: a version beside the secret, and
//! a hash of it in the private state.

use ferroform::diag::Result;
use ferroform::dynamic::phase;
use ferroform::model::{Attr, Draft, Model, Planned, Prior, WriteOnly};
use ferroform::resource::{
    Context, CreateContext, DeleteContext, PlanContext, ReadContext, Resource, UpdateContext,
};
use ferroform::secret;
use ferroform::validate::relation::required_together;

use super::store::{Store, object, shown};

#[derive(Model, Clone)]
#[model(validate = required_together(["password", "password_version"]))]
pub(super) struct Login {
    #[attr(replace, identity)]
    label: String,
    password: WriteOnly<Option<String>>,
    /// Raised with each new password.
    password_version: Option<i64>,
    /// Has no version: a hash tells whether it is another one.
    token: WriteOnly<Option<String>>,
    /// Counts the tokens.
    #[attr(computed, keep)]
    tokens: u32,
}

impl Login {
    /// Gives the service what is configured.
    fn put<P: phase::AboutObject>(
        cx: &mut Context<'_, Self, P>,
        plan: Planned<Self>,
        tokens: u32,
    ) -> Result<Self> {
        let (password, token) = (plan.password.as_deref(), plan.token.as_deref().unwrap_or_default());
        let count = tokens.to_string();
        let shown = [("password", password.unwrap_or_default()), ("token", token), ("tokens", &count)];
        cx.client.put(&plan.label, &object(shown))?;
        secret::remember(cx.private_mut(), "token", Some(token).filter(|token| !token.is_empty()))?;
        LoginPlanned { tokens: tokens.into(), ..plan }.into_model()
    }
}

impl Resource for Login {
    type Client = Store;
    const NAME: &'static str = "login";

    async fn plan(
        cx: &mut PlanContext<'_, Self>,
        _: Option<Prior<Self>>,
        plan: &mut Draft<Self>,
        config: Draft<Self>,
    ) -> Result {
        let changes = match config.token {
            Attr::Unknown => true,
            Attr::Known(token) => secret::has_changed(cx.private(), "token", Some(&token))?,
            Attr::Null => secret::has_changed(cx.private(), "token", None)?,
        };
        if changes {
            plan.tokens = Attr::Unknown;
        }
        Ok(())
    }

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Self::put(cx, plan, 1)
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let Some(found) = cx.client.get(&prior.label)? else { return Ok(None) };
        let tokens = Some(shown(&found, "tokens")?.parse()?);
        LoginPrior { tokens, ..prior }.into_model().map(Some)
    }

    async fn update(
        cx: &mut UpdateContext<'_, Self>,
        prior: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        let tokens = plan.tokens.known_or(prior.tokens.unwrap_or_default() + 1);
        Self::put(cx, plan, tokens)
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        cx.client.remove(&prior.label)
    }
}
