use ferroform::model::*;

#[derive(Model)]
#[model(nested)]
struct Inner {
    name: String,
}

#[derive(Model)]
struct Thing {
    #[attr(replace_if = later)]
    a: WriteOnly<String>,
    #[attr(as_blocks)]
    b: WriteOnly<Vec<Inner>>,
    #[attr(equivalent = later)]
    c: WriteOnly<String>,
    #[attr(key)]
    d: WriteOnly<String>,
}

fn main() {}
