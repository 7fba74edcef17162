//! Reading a `@TYPE@`.

use ferroform_testing::case::{Case, Step, value};
use ferroform_testing::config::{Config, data, reference};

use crate::{World, case};

pub(crate) fn read() -> Case<World> {
    let config = Config::new()
        .data(data("@TYPE@", "a").set("name", "one"))
        .output("id", reference("data.@TYPE@.a.id"));
    case("reading of @TYPE@").step(Step::apply(config).state(value("id", "one")))
}
