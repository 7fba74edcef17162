//! Reading a `@TYPE@`.

use ferroform_testing::prelude::*;

use crate::{Backend, case};

pub(crate) fn read() -> Case<Backend> {
    let config = Config::new()
        .data(data("@TYPE@", "a").set("name", "one"))
        .output("id", reference("data.@TYPE@.a.id"));
    case("reading of @TYPE@").step(Step::apply(config).state(value("id", "one")))
}
