use ferroform::model::*;

fn make(_: &ferroform::path::Path) -> ferroform::diag::Result<u8> {
    Ok(1)
}

#[derive(Model)]
struct Thing {
    #[attr(default_with = make)]
    field: Option<u8>,
}

fn main() {}
