//! Queries: what their results are, and what they are refused for.

use ferroform::path;
use ferroform_testing::case::{Case, RunsOn, Step, StepOutcome, call, error, is, kind, listed};
use ferroform_testing::config::provider;
use serde_json::json;

use crate::edge_cases::support::{Backend, case};

pub(crate) fn cases() -> Vec<Case<Backend>> {
    vec![queries()]
}

/// Changes objects that nobody manages.
fn outside(change: fn(&Backend)) -> Step<kind::Edit, Backend> {
    Step::change_outside(change)
}

fn queries() -> Case<Backend> {
    let all = "list \"corner_task\" \"all\" {\n  provider = corner\n}\n";
    let some = r#"
        variable "prefix" { default = "a" }
        list "corner_task" "some" {
          provider         = corner
          include_resource = true
          config { prefix = var.prefix }
        }
    "#;
    let failing =
        "list \"corner_task\" \"all\" {\n  provider = corner\n  config {\n    fails = \"error\"\n  }\n}\n";
    case("queries")
        .runs_on(RunsOn::Cores(&["1.15.5"]))
        .provider_config(|backend| provider("corner").set("root", backend.root()))
        .step(outside(|backend| {
            for (id, text) in [("a1", "one"), ("a2", "two"), ("b1", "three")] {
                backend.put(id, &json!({ "text": text }));
            }
        }))
        .step(
            Step::query(all)
                .results(
                    listed("list.corner_task.all")
                        .names(["a1", "a2", "b1"])
                        .identity("b1", path!(label), "b1")
                        .object("b1", path!(), is::null()),
                )
                .check(|outcome: &StepOutcome<'_, Backend>| {
                    let results = outcome.results.expect("it succeeds").results();
                    assert!(results.into_iter().all(|result| result.generated().is_none()));
                }),
        )
        .step(
            Step::query(some)
                .generate_config()
                .results(listed("list.corner_task.some").names(["a1", "a2"]).object("a2", path!(text), "two"))
                .results(listed("list.corner_task.some").generated("a1", "resource \"corner_task\""))
                .calls(call("GenerateResourceConfig").times(2)),
        )
        .step(Step::query(failing).expect(error("Listing Failed")))
        .step(outside(|backend| ["a1", "a2", "b1"].iter().for_each(|id| backend.delete(id))))
        .step(Step::query(all).results(listed("list.corner_task.all").names([] as [&str; 0])))
}
