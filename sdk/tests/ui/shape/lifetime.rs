use ferroform::model::*;

#[derive(Model)]
struct Thing<'a> {
    field: &'a str,
}

fn main() {}
