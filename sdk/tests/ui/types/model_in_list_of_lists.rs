use ferroform::model::*;
use std::collections::BTreeMap;

#[derive(Model)]
struct Label {
    text: String,
    note: Option<String>,
}

#[derive(Model)]
struct Thing {
    rows: Vec<Vec<Label>>,
    by_name: Option<BTreeMap<String, SetOf<Label>>>,
}

fn main() {
    let _ = <Thing as Model>::block();
}
