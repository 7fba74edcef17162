use ferroform::diag::Result;
use ferroform::model::*;
use ferroform::resource::*;

#[derive(Model)]
#[model(version = 1)]
struct ThingV1 {
    field: String,
}

#[derive(Model)]
struct Thing {
    field: String,
}

impl Resource for Thing {
    type Client = ();
    const NAME: &str = "thing";
    async fn create(_: &mut Context<'_, Self>, _: Planned<Self>) -> Result<Self> {
        unreachable!()
    }
    async fn read(_: &mut Context<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> {
        unreachable!()
    }
    async fn update(_: &mut Context<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> {
        unreachable!()
    }
    async fn delete(_: &mut Context<'_, Self>, _: Prior<Self>) -> Result {
        unreachable!()
    }
    fn upgrades() -> Upgrades<Self> {
        Upgrades::new().from(|old: ThingV1| Ok(Thing { field: old.field }))
    }
}

fn main() {
    Thing::upgrades();
}
