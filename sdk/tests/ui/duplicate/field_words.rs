use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(computed, computed)]
    a: u8,
    #[attr(default = 1, default = 2)]
    b: u8,
    #[attr(deprecated = "x", deprecated = "y")]
    c: u8,
    #[attr(identity)]
    #[attr(identity)]
    d: u8,
    #[attr(computed, keep, keep)]
    e: u8,
    #[attr(name = "x", name = "y")]
    f: u8,
    #[attr(optional, optional, computed)]
    g: u8,
    #[attr(replace, replace = if_configured)]
    h: u8,
    #[attr(sensitive, sensitive)]
    i: u8,
    #[attr(validate = check, validate = check)]
    j: u8,
    #[attr(default_with = make, default_with = make)]
    k: u8,
    #[attr(block, block, min_items = 1, min_items = 1, max_items = 2, max_items = 2)]
    l: Vec<Inner>,
}

#[derive(Model)]
struct Inner {}

fn check(_: &u8) -> ferroform::diag::Result {
    Ok(())
}

fn make(_: &ferroform::path::Path) -> ferroform::diag::Result<u8> {
    Ok(1)
}

fn main() {}
