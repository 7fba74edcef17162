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

pub fn read(prior: Prior<Bucket>) -> String {
    prior.secret
}

fn main() {}
