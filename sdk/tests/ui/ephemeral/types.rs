use ferroform::diag::Result;
use ferroform::ephemeral_resource::{EphemeralResource, OpenContext};
use ferroform::model::{Model, Planned};
use ferroform::provider::Registry;

struct Api;
struct Other;

#[derive(Model)]
struct Token {
    #[attr(computed, sensitive)]
    value: String,
}

impl EphemeralResource for Token {
    type Client = Other;
    type Private = ();
    const NAME: &str = "token";

    async fn open(_: &mut OpenContext<'_, Self>, _: Planned<Self>) -> Result<Self> {
        Ok(Self { value: "secret".to_owned() })
    }
}

#[derive(Model)]
struct Server {
    name: String,
}

fn register(it: &mut Registry<Api>) {
    it.ephemeral_resource::<Token>();
    it.ephemeral_resource::<Server>();
}

fn main() {}
