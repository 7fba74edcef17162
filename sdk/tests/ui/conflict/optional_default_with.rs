use ferroform::model::*;

fn make(_: &ferroform::path::Path) -> ferroform::diag::Result<u8> {
    Ok(1)
}

#[derive(Model)]
struct Thing {
    #[attr(optional, default_with = make)]
    field: u8,
}

fn main() {}
