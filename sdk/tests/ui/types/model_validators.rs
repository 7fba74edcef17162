use ferroform::diag::Result;
use ferroform::model::*;
use ferroform::validate::text::length;

#[derive(Model)]
#[model(validate = [length(1..), of_another])]
struct Thing {
    a: u8,
}

#[derive(Model)]
struct Other {
    a: u8,
}

fn of_another(_: &Draft<Other>) -> Result {
    Ok(())
}

fn main() {}
