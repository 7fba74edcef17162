use ferroform::model::*;
use ferroform::schema::Equivalence;

#[derive(Model)]
#[model(nested)]
struct Inner {
    name: Option<String>,
}

#[derive(Model)]
struct Thing {
    #[attr(block, equivalent = Equivalence::unordered())]
    a: Vec<Inner>,
    #[attr(block, key)]
    b: Vec<Inner>,
    #[attr(block, unverified)]
    c: Vec<Inner>,
}

fn main() {}
