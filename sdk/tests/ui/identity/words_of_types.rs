use ferroform::model::*;

#[derive(Identity)]
struct Thing {
    #[attr(required_for_import)]
    first: String,
    #[attr(optional_for_import)]
    second: String,
    #[attr(computed)]
    third: WriteOnly<String>,
}

fn main() {}
