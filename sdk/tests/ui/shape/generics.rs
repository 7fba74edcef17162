use ferroform::model::*;

#[derive(Model)]
struct Thing<T, const N: usize> {
    field: T,
}

fn main() {}
