use ferroform::model::*;

fn check(_: &String) -> ferroform::diag::Result {
    Ok(())
}

#[derive(Model)]
struct Thing {
    #[attr(computed, validate = check)]
    field: String,
}

fn main() {}
