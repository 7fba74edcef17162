use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(default = 1)]
    field: Option<u8>,
}

fn main() {}
