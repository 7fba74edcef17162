use ferroform::model::*;

#[derive(Identity)]
struct Thing(String);

#[derive(Identity)]
enum Other {
    First,
}

fn main() {}
