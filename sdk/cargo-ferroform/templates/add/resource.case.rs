//! The life of a `@TYPE@`.

use ferroform_testing::prelude::*;

use crate::{Backend, case};

fn config(name: &str) -> Config {
    Config::new().resource(resource("@TYPE@", "a").set("name", name))
}

pub(crate) fn lifecycle() -> Case<Backend> {
    case("lifecycle of @TYPE@")
        .step(
            Step::apply(config("one"))
                .named("create")
                .plan(change("@TYPE@.a").action(Action::Create))
                .state(object("@TYPE@.a").has(path!(id), "one").has(path!(name), "one")),
        )
        .step(
            Step::apply(config("two"))
                .named("update in place")
                .plan(change("@TYPE@.a").action(Action::Update).before(path!(name), "one")),
        )
}
