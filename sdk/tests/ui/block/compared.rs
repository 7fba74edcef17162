use ferroform::model::*;

#[derive(Model)]
#[model(nested)]
struct Inner {
    name: String,
}

#[derive(Model)]
struct Thing {
    size: u8,
    #[attr(block, normalize = later)]
    a: Vec<Inner>,
    #[attr(block, recompute_on = [size])]
    b: Vec<Inner>,
}

fn main() {}
