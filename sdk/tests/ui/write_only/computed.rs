use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(computed)]
    field: WriteOnly<String>,
}

fn main() {}
