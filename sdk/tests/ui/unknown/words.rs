use ferroform::model::*;

#[derive(Model)]
#[model(versoin = 1)]
struct Thing {
    #[attr(compute)]
    a: u8,
    #[attr(kep, computed)]
    b: u8,
    #[attr(zebra)]
    c: u8,
    #[attr(sensitve)]
    d: u8,
}

fn main() {}
