use ferroform::diag::Result;
use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(optional, computed, modify = of_text)]
    a: u8,
    #[attr(replace_if = of_text_too)]
    b: u8,
    #[attr(modify = 5)]
    c: u8,
}

fn of_text(_: &mut Modify<'_, String>) -> Result {
    Ok(())
}

fn of_text_too(_: &Modify<'_, String>) -> bool {
    true
}

fn main() {}
