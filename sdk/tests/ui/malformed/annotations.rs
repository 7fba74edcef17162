use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr]
    a: u8,
    #[attr = "computed"]
    b: u8,
    #[attr(computed keep)]
    c: u8,
    #[attr("computed")]
    d: u8,
}

fn main() {}
