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

pub fn create(plan: Planned<Bucket>) -> Bucket {
    Bucket { id: String::new(), name: plan.name, size: 1, secret: plan.secret }
}

fn main() {}
