use ferroform::model::*;

#[derive(Model)]
struct Thing {
    size: u8,
    #[attr(recompute_on = [size])]
    a: Option<u8>,
    #[attr(computed, recompute_on = [b])]
    b: u8,
    #[attr(computed, recompute_on = [siez])]
    c: u8,
    #[attr(computed, keep, recompute_on = [size])]
    d: u8,
    #[attr(computed, identity, recompute_on = [size])]
    e: u8,
    #[attr(default = 1, recompute_on = [size])]
    f: u8,
    #[attr(recompute_on = [size], modify = later)]
    g: WriteOnly<u8>,
    #[attr(replace, replace_if = later)]
    h: u8,
    #[attr(default_with = later, recompute_on = [size])]
    i: u8,
}

fn main() {}
