//! Calling `provider::@NAME@::@ITEM@`.

use ferroform_testing::case::{Case, Step, hcl, value};

use crate::{World, case};

pub(crate) fn call() -> Case<World> {
    let config = r#"
        output "result" {
          value = provider::@NAME@::@ITEM@(" Hello ")
        }
    "#;
    case("call of @ITEM@").step(Step::apply(hcl(config)).state(value("result", "hello")))
}
