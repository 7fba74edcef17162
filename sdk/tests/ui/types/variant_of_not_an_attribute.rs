use ferroform::model::*;

#[derive(AttributeValue)]
enum Thing {
    Pause(std::time::Duration),
    Size(u8),
}

fn main() {}
