use ferroform::model::*;

#[derive(Model)]
struct Node {
    children: Option<Vec<Node>>,
}

fn main() {}
