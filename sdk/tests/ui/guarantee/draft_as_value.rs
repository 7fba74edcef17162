use ferroform::model::*;

#[derive(Model)]
struct Bucket {
    #[attr(computed, identity)]
    id: String,
    name: String,
    #[attr(computed)]
    size: u64,
    secret: WriteOnly<String>,
}

pub fn plan(draft: Draft<Bucket>) -> String {
    draft.name.unwrap_or(String::new())
}

pub fn dereferenced(draft: Draft<Bucket>) -> usize {
    draft.name.len()
}

fn main() {}
