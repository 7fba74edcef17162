use ferroform::model::*;

#[derive(Model)]
#[model(nested)]
struct Inner {
    name: String,
}

#[derive(Model)]
struct Thing {
    #[attr(as_blocks)]
    a: Vec<Inner>,
    #[attr(optional, computed, as_blocks)]
    b: Option<Vec<Inner>>,
    #[attr(optional, computed, as_blocks)]
    c: Inner,
    #[attr(block, as_blocks)]
    d: Vec<Inner>,
    #[attr(computed, as_blocks)]
    e: SetOf<Inner>,
    #[attr(as_blocks, default = Vec::new())]
    f: Vec<Inner>,
    #[attr(as_blocks, default_with = Vec::new)]
    g: Vec<Inner>,
    #[attr(optional, computed, as_blocks, identity)]
    h: Vec<String>,
}

fn main() {}
