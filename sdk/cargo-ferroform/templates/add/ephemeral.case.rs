//! Opening a `@TYPE@`.

use ferroform_testing::case::ephemeral;
use ferroform_testing::config;
use ferroform_testing::prelude::*;
use ferroform_testing::real::Feature;

use crate::{Backend, case};

pub(crate) fn open() -> Case<Backend> {
    let config = Config::new().resource(config::ephemeral("@TYPE@", "a").set("name", "one"));
    // Once in the plan and once in the apply.
    case("opening of @TYPE@")
        .requires(Feature::EphemeralResources)
        .step(Step::apply(config).calls(ephemeral("@TYPE@").opened(2)))
}
