//! The life of a `@TYPE@`.

use ferroform::path;
use ferroform_testing::case::{Case, Step, change, object};
use ferroform_testing::config::{Config, resource};
use ferroform_testing::plan::Action;

use crate::{World, case};

fn config(name: &str) -> Config {
    Config::new().resource(resource("@TYPE@", "a").set("name", name))
}

pub(crate) fn lifecycle() -> Case<World> {
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
