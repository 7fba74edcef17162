use ferroform::model::*;

#[derive(Model)]
struct Thing {
    label: String,
    #[attr(name = "label")]
    text: String,
    #[attr(name = "kind")]
    r#type: String,
    kind: String,
}

fn main() {}
