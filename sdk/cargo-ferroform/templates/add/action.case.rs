//! Invoking `@TYPE@`.

use ferroform_testing::prelude::*;
use ferroform_testing::real::Feature;

use crate::{Backend, case};

pub(crate) fn invoke() -> Case<Backend> {
    let config = r#"
        action "@TYPE@" "a" {
          config {
            name = "one"
          }
        }

        resource "terraform_data" "a" {
          lifecycle {
            action_trigger {
              events  = [after_create]
              actions = [action.@TYPE@.a]
            }
          }
        }
    "#;
    case("invocation of @TYPE@").requires(Feature::Actions).step(Step::apply(config))
}
