use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(name = "9lives")]
    a: u8,
    #[attr(name = "Upper")]
    b: u8,
    #[attr(name = "da-sh")]
    c: u8,
    größe: u8,
    #[allow(non_snake_case)]
    Mixed: u8,
}

fn main() {}
