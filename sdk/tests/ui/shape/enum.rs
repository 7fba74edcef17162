use ferroform::model::*;

#[derive(Model)]
enum Thing {
    A,
}

fn main() {}
