use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(computed, default = 1)]
    field: u8,
}

fn main() {}
