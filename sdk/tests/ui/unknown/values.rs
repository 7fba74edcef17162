use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(replace = always)]
    a: u8,
    #[attr(block = list)]
    b: Vec<Inner>,
}

#[derive(Model)]
#[model(nested)]
struct Inner {}

fn main() {}
