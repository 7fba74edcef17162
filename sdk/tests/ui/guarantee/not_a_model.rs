use ferroform::model::*;

struct Plain {
    name: String,
}

pub fn schema() -> ferroform::schema::Schema {
    <Plain as Model>::schema()
}

fn main() {}
