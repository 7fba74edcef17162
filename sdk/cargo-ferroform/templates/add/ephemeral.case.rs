//! Opening a `@TYPE@`.

use ferroform_testing::case::{Case, Step, ephemeral};
use ferroform_testing::config::{self, Config};
use ferroform_testing::real::Feature;

use crate::{World, case};

pub(crate) fn open() -> Case<World> {
    let config = Config::new().resource(config::ephemeral("@TYPE@", "a").set("name", "one"));
    // Once in the plan and once in the apply.
    case("opening of @TYPE@")
        .requires(Feature::EphemeralResources)
        .step(Step::apply(config).calls(ephemeral("@TYPE@").opened(2)))
}
