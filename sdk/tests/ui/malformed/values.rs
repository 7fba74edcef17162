use ferroform::model::*;

#[derive(Model)]
#[model(version = "1", description = 1, crate = 5)]
struct Thing {
    #[attr(computed = true)]
    a: u8,
    #[attr(default)]
    b: u8,
    #[attr(deprecated)]
    c: u8,
    #[attr(deprecated = "")]
    d: u8,
    #[attr(name = 5)]
    e: u8,
    #[attr(validate)]
    f: u8,
    #[attr(default_with = "make")]
    g: u8,
    #[attr(block, min_items = 0)]
    h: Vec<Inner>,
    #[attr(block, max_items = -1)]
    i: Vec<Inner>,
    #[attr(block, max_items = "x")]
    j: Vec<Inner>,
}

#[derive(Model)]
#[model(nested)]
struct Inner {}

fn main() {}
