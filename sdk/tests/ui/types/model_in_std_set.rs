use std::collections::{BTreeSet, HashSet};

use ferroform::model::*;

#[derive(Model)]
struct Rule {
    name: String,
}

#[derive(Model)]
struct Group {
    rules: HashSet<Rule>,
    sorted: Option<BTreeSet<Rule>>,
}

fn main() {}
