use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(timeouts = [create])]
    a: Timeouts,
    #[attr(timeouts = [create], computed)]
    b: Option<Timeouts>,
    #[attr(block = group, timeouts = [create])]
    c: Option<Timeouts>,
}

#[derive(Model)]
#[model(nested)]
struct Inner {
    #[attr(timeouts = [create])]
    a: Option<Timeouts>,
}

fn main() {}
