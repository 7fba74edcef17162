use ferroform::model::*;

fn make(_: &ferroform::path::Path) -> ferroform::diag::Result<String> {
    Ok(String::new())
}

#[derive(Model)]
struct Thing {
    #[attr(default_with = make)]
    field: WriteOnly<String>,
}

fn main() {}
