use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(replace = always)]
    a: u8,
    #[attr(block = list)]
    b: Vec<Thing>,
}

fn main() {}
