use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(computed, replace = if_configured)]
    field: String,
}

fn main() {}
