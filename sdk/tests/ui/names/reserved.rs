use ferroform::model::*;

#[derive(Model)]
struct Thing {
    connection: u8,
    count: u8,
    depends_on: u8,
    for_each: u8,
    lifecycle: u8,
    #[attr(name = "provider")]
    a: u8,
    provisioner: u8,
}

fn main() {}
