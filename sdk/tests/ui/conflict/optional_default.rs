use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(optional, default = 1)]
    field: u8,
}

fn main() {}
