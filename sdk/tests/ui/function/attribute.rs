struct Thing;

#[ferroform::function]
fn generic<T>(value: T) -> T {
    value
}

#[ferroform::function]
unsafe fn dangerous() -> bool {
    true
}

impl Thing {
    #[ferroform::function]
    fn method(&self) -> bool {
        true
    }
}

#[ferroform::function]
fn pattern((a, b): (u8, u8)) -> u8 {
    a + b
}

#[ferroform::function]
fn procedure(value: u8) {
    drop(value);
}

#[ferroform::function(nam = "x")]
fn unknown_word() -> bool {
    true
}

#[ferroform::function(name = "")]
fn empty_name() -> bool {
    true
}

#[ferroform::function(variadic)]
fn misplaced() -> bool {
    true
}

fn main() {}
