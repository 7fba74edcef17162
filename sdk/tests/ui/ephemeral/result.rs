use ferroform::diag::Result;
use ferroform::ephemeral_resource::{EphemeralResource, OpenContext};
use ferroform::model::{Model, Planned};

/// It has no form in which it could be recorded.
struct Lease;

#[derive(Model)]
struct Token {
    role: String,
    #[attr(computed, sensitive)]
    value: String,
    #[attr(computed)]
    expires: String,
}

impl EphemeralResource for Token {
    type Client = ();
    type Private = Lease;
    const NAME: &str = "token";

    async fn open(_: &mut OpenContext<'_, Self>, config: Planned<Self>) -> Result<Self> {
        Ok(Self { role: config.role, value: config.value, expires: config.expires })
    }
}

fn main() {}
