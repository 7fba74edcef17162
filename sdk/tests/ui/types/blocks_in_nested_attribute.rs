use ferroform::model::*;

#[derive(Model)]
#[model(nested)]
struct Inner {
    name: Option<String>,
}

#[derive(Model)]
#[model(nested)]
struct Middle {
    #[attr(block)]
    inner: Vec<Inner>,
}

#[derive(Model)]
struct Outer {
    middle: Middle,
}

pub fn schema() -> ferroform::schema::Schema {
    Outer::schema()
}

fn main() {}
