use ferroform::model::*;

#[derive(Model)]
#[model(version = -1, nestd)]
struct Thing {
    #[attr(identity, sensitive, computd, keep = 1)]
    a: String,
    #[attr(default = 1)]
    b: Option<u8>,
    c: Option<Option<u8>>,
}

// The views are there all the same, so that using them is no further error.
pub fn used(planned: &Planned<Thing>, prior: ThingPrior) -> (String, String) {
    (planned.a.clone(), prior.a)
}

fn main() {}
