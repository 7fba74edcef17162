//! Ephemeral resources, whose values go to another provider.

use ferroform::path;
use ferroform_testing::case::{Case, RunsOn, Step, StepOutcome, ephemeral, object};

use super::lease::{PIN, TOKEN, case, echoed};

pub(crate) fn cases() -> Vec<Case<()>> {
    let everywhere = |case: Case<()>| case.runs_on(RunsOn::Cores(&["1.11.4", "1.15.5"]));
    vec![
        everywhere(
            case("ephemeral text in another provider").step(
                Step::apply(echoed("token"))
                    .state(object("echo_value.seen").has(path!(data.value), TOKEN))
                    .calls(ephemeral("lease_token").opened(2).renewed(0).closed(2))
                    .check(hidden),
            ),
        ),
        everywhere(
            case("ephemeral number in another provider").step(
                Step::apply(echoed("pin"))
                    .state(object("echo_value.seen").has(path!(data.value), PIN))
                    .check(hidden),
            ),
        ),
        everywhere(
            case("configured value of an ephemeral resource").step(
                Step::apply(echoed("name"))
                    .state(object("echo_value.seen").has(path!(data.value), "some-name"))
                    .check(|seen: &StepOutcome<'_, ()>| {
                        assert!(sent(seen).contains("config = {data = \"some-name\"}"))
                    }),
            ),
        ),
    ]
}

/// What was said, as text.
fn sent(seen: &StepOutcome<'_, ()>) -> String {
    seen.calls.expect("they are seen").entries().iter().map(ToString::to_string).collect()
}

/// The values are in no call, and the calls that have them say so.
fn hidden(seen: &StepOutcome<'_, ()>) {
    let sent = sent(seen);
    assert!(!sent.contains(TOKEN) && !sent.contains(&PIN.to_string()), "{sent}");
    for line in ["config = {data = (ephemeral value)}", "{data = (ephemeral value)}"] {
        assert!(sent.contains(line), "{line} is not in\n{sent}");
    }
}
