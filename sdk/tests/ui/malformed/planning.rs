use ferroform::model::*;

#[derive(Model)]
struct Thing {
    #[attr(computed, recompute_on = [])]
    a: u8,
    #[attr(computed, recompute_on = "size")]
    b: u8,
    #[attr(computed, keep = always)]
    c: u8,
    #[attr(default_with = 3)]
    d: u8,
    #[attr(timeouts = [grow])]
    e: Option<Timeouts>,
    #[attr(timeouts = [create = "5d"])]
    f: Option<Timeouts>,
    #[attr(timeouts = [create, create])]
    g: Option<Timeouts>,
    #[attr(timeouts = create)]
    h: Option<Timeouts>,
}

fn main() {}
