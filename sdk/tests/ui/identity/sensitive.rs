use ferroform::model::*;

#[derive(Identity)]
struct Thing {
    #[attr(sensitive)]
    field: String,
}

fn main() {}
