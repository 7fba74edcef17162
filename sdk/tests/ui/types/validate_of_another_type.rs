use ferroform::model::*;

fn check(_: &u8) -> ferroform::diag::Result {
    Ok(())
}

#[derive(Model)]
struct Thing {
    #[attr(validate = check)]
    field: String,
    other: String,
}

fn main() {}
