//! What of a provider's log is in that of core.

use std::fs;

use super::environment::{PROBE, TestEnvironment};
use super::matrix::{AcceptanceTest, Attach, TestTarget};

pub(super) fn tests() -> Vec<AcceptanceTest> {
    vec![AcceptanceTest::new("logs", logs).attached(&[Attach::Spawned]).on_both()]
}

/// What core writes before the text of each line that a provider has written.
const PROVIDER: &str = "provider.terraform-provider-probe: ";

/// A line is read by core, which shows its level, its text and its fields, and those of the call that it is about. Where
/// the level is off, there is none.
fn logs(target: &TestTarget) {
    let logged = |variable: &str, level: &str| {
        // Core would show all that the provider writes.
        let env = TestEnvironment::open(target, PROBE).with_variable("TF_LOG_PROVIDER", "TRACE");
        let env = env.with_variable(variable, level);
        let file = env.file("core.log");
        let path = file.to_str().expect("text");
        let env = env.with_variable("TF_LOG_PATH", path).with_variable("TF_LOG_CORE", "DEBUG");
        env.configure("resource \"probe_number\" \"this\" {\n  name = \"this\"\n  value = 1\n}\n");
        env.apply();
        let log = fs::read_to_string(file).expect("core writes it");
        env.close();
        log
    };
    let log = logged("TF_LOG_PROVIDER", "INFO");
    let mut lines = log.lines().filter(|line| line.contains(PROVIDER));
    let line = lines.find(|line| line.contains("stored the object")).expect("a line");
    for part in [
        &format!(" [INFO]  {PROVIDER}stored the object: "),
        "kind=probe_number",
        "@module=provider.ferroform_acceptance.probe.stored",
        "tf_rpc=ApplyResourceChange",
        "tf_resource_type=probe_number",
        "tf_provider_addr=ferroform/probe",
    ] {
        assert!(line.contains(part), "{part:?} is not in {line}");
    }
    assert!(!log.contains("received request"), "a line of a lower level is shown: {log}");
    assert!(logged("TF_LOG_PROVIDER", "TRACE").contains("received request"));
    for variable in ["TF_LOG_PROVIDER", "TF_LOG_PROVIDER_PROBE"] {
        let log = logged(variable, "OFF");
        assert!(log.contains("[DEBUG]") && !log.contains(PROVIDER), "{variable}: {log}");
    }
}
