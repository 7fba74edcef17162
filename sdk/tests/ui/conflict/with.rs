use ferroform::model::*;

#[derive(Model)]
#[model(nested)]
struct Inner {
    name: String,
}

#[derive(Model)]
struct Thing {
    #[attr(block, with = AsText)]
    a: Vec<Inner>,
    #[attr(optional, computed, as_blocks, with = AsText)]
    b: Vec<Inner>,
    #[attr(with = "text")]
    c: String,
    #[attr(timeouts = [create], with = AsText)]
    d: Option<Timeouts>,
}

fn main() {}
