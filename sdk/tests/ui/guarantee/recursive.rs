use ferroform::model::*;

#[derive(Model)]
struct Node {
    children: Option<Vec<Node>>,
    parent: Option<Self>,
}

fn main() {}
