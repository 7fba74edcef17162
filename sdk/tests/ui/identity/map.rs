use std::collections::BTreeMap;

use ferroform::model::*;

#[derive(Identity)]
struct Thing {
    field: BTreeMap<String, String>,
}

fn main() {}
