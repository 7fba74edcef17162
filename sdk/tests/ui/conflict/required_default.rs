use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(required, default = 1)]
    field: u8,
}

fn main() {}
