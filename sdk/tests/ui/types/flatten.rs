use ferroform::model::*;

#[derive(Model)]
struct Common {
    #[attr(computed, identity)]
    id: String,
}

#[derive(Model)]
struct Without {
    #[attr(flatten)]
    common: Common,
}

#[derive(Model)]
struct Shared {
    labels: Vec<String>,
}

#[derive(Model)]
struct WithoutOne {
    #[attr(flatten, identity)]
    shared: Shared,
}

#[derive(Model)]
struct OfAString {
    #[attr(flatten)]
    name: String,
}

fn main() {}
