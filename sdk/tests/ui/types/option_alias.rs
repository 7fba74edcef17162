use ferroform::model::*;

type Maybe = Option<String>;

#[derive(Model)]
struct Thing {
    field: Maybe,
    other: String,
}

fn main() {}
