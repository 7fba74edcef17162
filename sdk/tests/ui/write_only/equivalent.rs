use ferroform::model::*;

fn lower(text: &str) -> String {
    text.to_lowercase()
}

#[derive(Model)]
struct Thing {
    #[attr(normalize = lower)]
    a: WriteOnly<String>,
    #[attr(unverified)]
    b: WriteOnly<Option<String>>,
}

fn main() {}
