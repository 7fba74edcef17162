use ferroform::model::*;

#[derive(Model)]
#[model(nested)]
struct Inner {
    name: String,
}

#[derive(Model)]
struct Thing {
    size: u8,
    #[attr(flatten, as_blocks)]
    f0: Inner,
    #[attr(flatten, block)]
    f1: Inner,
    #[attr(flatten, computed)]
    f2: Inner,
    #[attr(flatten, default = 8)]
    f3: Inner,
    #[attr(flatten, default_with = later)]
    f4: Inner,
    #[attr(flatten, deprecated = "old")]
    f5: Inner,
    #[attr(flatten, description = "text")]
    f6: Inner,
    #[attr(flatten, equivalent = later)]
    f7: Inner,
    #[attr(flatten, keep)]
    f8: Inner,
    #[attr(flatten, key)]
    f9: Inner,
    #[attr(flatten, max_items = 3)]
    f10: Inner,
    #[attr(flatten, min_items = 1)]
    f11: Inner,
    #[attr(flatten, modify = later)]
    f12: Inner,
    #[attr(flatten, name = "label")]
    f13: Inner,
    #[attr(flatten, normalize = later)]
    f14: Inner,
    #[attr(flatten, optional)]
    f15: Inner,
    #[attr(flatten, recompute_on = [size])]
    f16: Inner,
    #[attr(flatten, refine = later)]
    f17: Inner,
    #[attr(flatten, replace)]
    f18: Inner,
    #[attr(flatten, replace_if = later)]
    f19: Inner,
    #[attr(flatten, required)]
    f20: Inner,
    #[attr(flatten, sensitive)]
    f21: Inner,
    #[attr(flatten, timeouts = [create])]
    f22: Inner,
    #[attr(flatten, unverified)]
    f23: Inner,
    #[attr(flatten, validate = later)]
    f24: Inner,
    #[attr(flatten, with = AsText)]
    f25: Inner,
    #[attr(flatten, write_only)]
    f26: Inner,
    #[attr(flatten, show_value)]
    f27: Inner,
}

#[derive(Model)]
struct Maybe {
    #[attr(flatten)]
    a: Option<Inner>,
    #[attr(flatten)]
    b: WriteOnly<Inner>,
}

#[derive(Model)]
#[identity(version = 1)]
struct Two {
    #[attr(identity)]
    id: String,
    #[attr(flatten, identity)]
    inner: Inner,
}

fn main() {}
