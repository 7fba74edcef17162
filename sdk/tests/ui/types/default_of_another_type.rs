use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(default = 7)]
    field: Vec<String>,
    other: String,
}

fn main() {}
