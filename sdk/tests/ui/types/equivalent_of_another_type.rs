use ferroform::model::*;

fn same(wanted: &u8, seen: &u8) -> bool {
    wanted == seen
}

fn half(number: &u8) -> u8 {
    number / 2
}

#[derive(Model)]
struct Thing {
    #[attr(equivalent = same)]
    a: String,
    #[attr(normalize = half)]
    b: String,
    c: String,
}

fn main() {}
