//! The embedded core as a program: it is told what a real core is told, works on the folder in which it is started, and
//! starts the provider that `EMBEDDED_PROVIDER` names, `ADDRESS=EXECUTABLE`, over the protocol `EMBEDDED_PROTOCOL`. So what
//! is written for real cores runs on it.

use std::env;
use std::process::ExitCode;

use ferroform_acceptance::protocol;
use ferroform_testing::case::Provider;
use ferroform_testing::client::Protocol;
use ferroform_testing::play::Play;

fn main() -> Result<ExitCode, &'static str> {
    let provider = env::var("EMBEDDED_PROVIDER").unwrap_or_default();
    let (address, executable) =
        provider.split_once('=').ok_or("EMBEDDED_PROVIDER has to be ADDRESS=EXECUTABLE")?;
    let protocol = protocol("EMBEDDED_PROTOCOL").unwrap_or(Protocol::V6);
    let arguments: Vec<String> = env::args().skip(1).collect();
    // Modules are read where they are, and providers are where the variable says.
    if arguments.first().is_some_and(|command| command == "get" || command == "init") {
        return Ok(ExitCode::SUCCESS);
    }
    let arguments = std::iter::once("-chdir=.".to_owned()).chain(arguments);
    Ok(Play::new(Provider::binary(address, executable)).protocol(protocol).main_with(arguments))
}
