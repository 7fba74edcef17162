//! The examples of the guide to testing, `docs/testing.md`.

mod cloud;
mod more;

use std::process::ExitCode;

use ferroform_testing::prelude::*;

use cloud::{Backend, Cloud};

fn web(size: i64) -> Config {
    Config::new().resource(resource("cloud_server", "web").set("name", "web").set("size", size))
}

fn case(name: &str) -> Case<Backend> {
    Case::with_backend(name, Backend::new)
        .provider(Provider::of::<Cloud>("example.com/acme/cloud"))
        .provider_config(|backend| provider("cloud").set("endpoint", backend.folder.as_path()))
        .expect_no_leftovers(Backend::servers)
}

fn lifecycle() -> Case<Backend> {
    case("lifecycle")
        .step(
            Step::apply(web(1))
                .named("create")
                .plan(change("cloud_server.web").action(Action::Create).after(path!(id), is::unknown()))
                .state(object("cloud_server.web").has(path!(size), 1)),
        )
        .step(
            Step::apply(web(2))
                .named("grow")
                .plan(change("cloud_server.web").action(Action::Update).before(path!(size), 1)),
        )
}

fn main() -> ExitCode {
    Suite::new()
        .case(lifecycle())
        .case(more::vanished())
        .case(more::drifted())
        .case(more::imported())
        .case(more::upgraded())
        .case(more::interrupted())
        .case(more::secret())
        .case(more::referring())
        .case(more::live())
        .case(more::swept())
        .main()
}
