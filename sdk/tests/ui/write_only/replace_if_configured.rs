use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(replace = if_configured)]
    field: WriteOnly<String>,
}

fn main() {}
