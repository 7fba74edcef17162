use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(identity)]
    field: Option<String>,
}

fn main() {}
