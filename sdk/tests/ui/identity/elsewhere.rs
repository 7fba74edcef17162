use ferroform::model::*;

#[derive(Identity)]
struct Other {
    field: String,
}

#[derive(Model)]
#[model(identity_type = Other)]
#[identity(format = "{field}", mutable, crate = ferroform)]
struct Thing {
    field: String,
}

#[derive(Model)]
#[model(nested, identity_type = Other)]
struct Inner {
    field: String,
}

impl From<&Thing> for Other {
    fn from(it: &Thing) -> Self {
        Self { field: it.field.clone() }
    }
}

impl From<&Inner> for Other {
    fn from(it: &Inner) -> Self {
        Self { field: it.field.clone() }
    }
}

#[derive(Model)]
#[identity(crate = ferroform)]
struct Another {
    #[attr(identity)]
    field: String,
}

fn main() {}
