use ferroform::model::*;

struct Service {
    a: u8,
    b: u8,
}

#[derive(Model, Convert)]
#[convert(into = Service { b: 0 })]
struct One {
    a: u8,
}

#[derive(Model, Convert)]
#[convert(into = Service { a: 0 })]
struct Two {
    b: u8,
}

#[derive(Model, Convert)]
#[convert(into = Service)]
struct Both {
    #[attr(flatten)]
    one: One,
    #[attr(flatten)]
    two: Two,
}

fn main() {}
