use ferroform::model::*;

#[derive(AttributeValue, Debug, Clone)]
enum Thing<T> {
    A(T),
}

fn main() {}
