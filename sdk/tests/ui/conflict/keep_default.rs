use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(keep, default = 1)]
    field: u8,
}

fn main() {}
