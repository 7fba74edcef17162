//! Calling `provider::@NAME@::@ITEM@`.

use ferroform_testing::prelude::*;

use crate::{Backend, case};

pub(crate) fn call() -> Case<Backend> {
    let config = r#"
        output "result" {
          value = provider::@NAME@::@ITEM@(" Hello ")
        }
    "#;
    case("call of @ITEM@").step(Step::apply(config).state(value("result", "hello")))
}
