//! The process side of a provider, seen from the host.
//!
//! Most tests start this very program again as a provider (see [`provider`]) and act as the host. The standard test
//! harness would print to the pipe of the handshake line before the provider could, hence another one.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

mod attach;
mod client;
mod credentials;
mod handshake;
mod host;
mod process;
mod provider;
mod rpc;
mod tls;

/// A list of trials, one per function, named after the module and the function.
macro_rules! trials {
    ($($name:ident),* $(,)?) => {
        pub(crate) fn trials() -> Vec<libtest_mimic::Trial> {
            vec![$(crate::trial(concat!(module_path!(), "::", stringify!($name)), $name)),*]
        }
    };
}
pub(crate) use trials;

fn main() -> ExitCode {
    if let Ok(role) = std::env::var(provider::ROLE) {
        return provider::play(&role);
    }
    let arguments = Arguments::from_args();
    let trials = [attach::trials(), handshake::trials(), process::trials(), rpc::trials(), tls::trials()];
    libtest_mimic::run(&arguments, trials.into_iter().flatten().collect()).exit_code()
}

/// One test on a runtime of its own; a test that waits for ever fails.
fn trial<F: Future<Output = ()> + 'static>(name: &str, test: fn() -> F) -> Trial {
    Trial::test(name.trim_start_matches("plugin::"), move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async { tokio::time::timeout(host::LIMIT, test()).await })?;
        Ok(())
    })
}
