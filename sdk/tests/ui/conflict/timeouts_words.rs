use ferroform::model::*;

#[derive(Model)]
struct Thing {
    size: u8,
    #[attr(timeouts = [create], as_blocks)]
    a: Option<Timeouts>,
    #[attr(timeouts = [create], default = later)]
    b: Option<Timeouts>,
    #[attr(timeouts = [create], default_with = later)]
    c: Option<Timeouts>,
    #[attr(timeouts = [create], deprecated = "use `label`")]
    d: Option<Timeouts>,
    #[attr(timeouts = [create], equivalent = later)]
    e: Option<Timeouts>,
    #[attr(timeouts = [create], identity)]
    f: Option<Timeouts>,
    #[attr(timeouts = [create], keep)]
    g: Option<Timeouts>,
    #[attr(timeouts = [create], key)]
    h: Option<Timeouts>,
    #[attr(timeouts = [create], max_items = 3)]
    i: Option<Timeouts>,
    #[attr(timeouts = [create], min_items = 1)]
    j: Option<Timeouts>,
    #[attr(timeouts = [create], modify = later)]
    k: Option<Timeouts>,
    #[attr(timeouts = [create], normalize = later)]
    l: Option<Timeouts>,
    #[attr(timeouts = [create], optional)]
    m: Option<Timeouts>,
    #[attr(timeouts = [create], recompute_on = [size])]
    n: Option<Timeouts>,
    #[attr(timeouts = [create], replace)]
    o: Option<Timeouts>,
    #[attr(timeouts = [create], replace_if = later)]
    p: Option<Timeouts>,
    #[attr(timeouts = [create], required)]
    q: Option<Timeouts>,
    #[attr(timeouts = [create], sensitive)]
    r: Option<Timeouts>,
    #[attr(timeouts = [create], unverified)]
    s: Option<Timeouts>,
    #[attr(timeouts = [create], validate = later)]
    t: Option<Timeouts>,
    #[attr(timeouts = [create], write_only)]
    u: Option<Timeouts>,
    #[attr(timeouts = [create], refine = later)]
    v: Option<Timeouts>,
    #[attr(timeouts = [create], show_value)]
    w: Option<Timeouts>,
}

fn main() {}
