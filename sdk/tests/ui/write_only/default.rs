use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(default = "x")]
    field: WriteOnly<String>,
}

fn main() {}
