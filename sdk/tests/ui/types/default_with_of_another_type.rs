use ferroform::model::*;

fn make(_: &ferroform::path::Path) -> ferroform::diag::Result<String> {
    Ok(String::new())
}

#[derive(Model)]
struct Thing {
    #[attr(default_with = make)]
    field: u8,
    other: String,
}

fn main() {}
