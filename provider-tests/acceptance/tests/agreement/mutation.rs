//! Every check of the embedded core is needed: without it some case comes to something else.

use ferroform::value::Value;
use ferroform_testing::config::{Config, Expr, resource};
use ferroform_testing::embedded::{Check, Dialect};

use crate::compare::differences;
use crate::embedded::Embedded;
use crate::scenario::Scenario;
use crate::side::{Seen, run};

/// What the language cannot say, so that only the embedded core is asked for it.
pub(crate) fn embedded_only() -> Scenario {
    let never = Expr::Literal(Value::unknown());
    let block = resource("wrong_thing", "this").set("name", "a").set("note", never);
    Scenario::new("an argument is unknown for ever").apply(Config::new().resource(block))
}

/// Runs the case that needs a check with the check and without it.
pub(crate) fn check(check: Check) {
    for scenario in crate::all() {
        let whole = seen(None, &scenario);
        let without = seen(Some(check), &scenario);
        if !differences(&without, &whole).is_empty() {
            eprintln!("NOTICE {check:?} {}", scenario.name);
        }
    }
}

fn seen(without: Option<Check>, scenario: &Scenario) -> Vec<Seen> {
    let core = Embedded::new(Dialect::default());
    run(&mut without.into_iter().fold(core, Embedded::without), scenario)
}
