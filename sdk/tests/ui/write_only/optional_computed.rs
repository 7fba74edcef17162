use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(optional, computed)]
    field: WriteOnly<Option<String>>,
}

fn main() {}
