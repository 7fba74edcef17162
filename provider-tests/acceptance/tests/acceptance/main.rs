//! Acceptance tests: providers of this SDK under real cores.
//!
//! Every test runs once for each core, protocol and attach mode it is about; see `docs/contributing/testing.md`. A core that is
//! not there makes its tests ignored, and failed when `FERROFORM_REQUIRE_CORES` requires it.

use std::process::ExitCode;

#[cfg(unix)]
#[path = "../back_pressure.rs"]
mod back_pressure;
#[cfg(unix)]
#[path = "../composition/main.rs"]
mod composition;
#[cfg(unix)]
#[path = "../conformance.rs"]
mod conformance;
#[cfg(unix)]
#[path = "../edge_cases/main.rs"]
mod edge_cases;
#[cfg(unix)]
#[path = "../state_store.rs"]
mod state_store;
#[cfg(unix)]
#[path = "../streams.rs"]
mod streams;
/// Process groups, signals and Unix sockets are part of them.
#[cfg(unix)]
mod suite;

#[cfg(unix)]
fn main() -> ExitCode {
    use ferroform_testing::case::Trials;
    use ferroform_testing::real::Resolver;

    let resolver = Resolver::from_environment().expect("the variables can be used");
    let mut trials = Trials::new();
    suite::trials(&mut trials, &resolver);
    edge_cases::trials(&mut trials, &resolver);
    trials.append(conformance::trials());
    trials.others(composition::trials(&resolver));
    trials.others(state_store::trials());
    trials.others(streams::trials());
    trials.others(back_pressure::trials());
    trials.main()
}

/// A test without a core, on a runtime of its own.
#[cfg(unix)]
fn trial<F>(name: impl Into<String>, test: impl FnOnce() -> F + Send + 'static) -> libtest_mimic::Trial
where
    F: Future<Output = ()>,
{
    libtest_mimic::Trial::test(name, move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        runtime.block_on(test());
        Ok(())
    })
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    use std::io::{Write, stderr};

    let told = writeln!(
        stderr(),
        "acceptance tests do not run on this platform: they need Unix sockets and signals"
    );
    if told.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
