use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(default = "many")]
    field: u8,
    other: String,
}

fn main() {}
