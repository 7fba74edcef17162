use ferroform::model::*;
use ferroform::semantic;

#[derive(Model)]
#[model(nested)]
struct Inner {
    name: Option<String>,
}

#[derive(Model)]
struct Thing {
    #[attr(block, equivalent = semantic::unordered())]
    a: Vec<Inner>,
    #[attr(block, key)]
    b: Vec<Inner>,
    #[attr(block, unverified)]
    c: Vec<Inner>,
}

fn main() {}
