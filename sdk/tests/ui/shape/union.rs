use ferroform::model::*;

#[derive(Model)]
union Thing {
    a: u8,
    b: u8,
}

fn main() {}
