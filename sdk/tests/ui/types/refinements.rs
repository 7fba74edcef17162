use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(computed, refine = "arn:")]
    a: String,
    #[attr(replace_if = 5)]
    b: u8,
}

fn main() {}
