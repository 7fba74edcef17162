use ferroform::model::*;

#[derive(Model)]
#[identity(version = 1)]
struct Thing {
    field: String,
}

#[derive(Identity)]
struct Other {
    field: String,
}

#[derive(Model)]
#[model(identity_type = Other)]
#[identity(version = 1)]
struct Another {
    #[identity(version = 1)]
    field: String,
}

#[derive(Identity)]
struct Empty {}

fn main() {}
