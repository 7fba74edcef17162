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
    h: Vec<Thing>,
    #[attr(block, max_items = -1)]
    i: Vec<Thing>,
    #[attr(block, max_items = "x")]
    j: Vec<Thing>,
}

fn main() {}
