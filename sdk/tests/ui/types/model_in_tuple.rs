use ferroform::model::*;

#[derive(Model)]
struct Label {
    text: String,
    #[attr(sensitive)]
    note: String,
}

#[derive(Model)]
struct Thing {
    field: (Label, i64),
}

fn main() {
    let _ = <Thing as Model>::block();
}
