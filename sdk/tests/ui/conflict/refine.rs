use ferroform::model::*;
use ferroform::value::Refinements;

#[derive(Model)]
struct Thing {
    #[attr(refine = Refinements::new().not_null())]
    a: Option<u8>,
    #[attr(default = 1, refine = Refinements::new().not_null())]
    b: u8,
    #[attr(default_with = later, refine = Refinements::new().not_null())]
    c: u8,
    #[attr(refine = Refinements::new().not_null())]
    d: WriteOnly<u8>,
    #[attr(block, refine = Refinements::new().not_null())]
    e: Option<Inner>,
    #[attr(computed, refine)]
    f: u8,
}

#[derive(Model)]
struct Inner {
    a: u8,
}

fn main() {}
