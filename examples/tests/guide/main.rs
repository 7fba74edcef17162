//! The examples of the guide to testing, `docs/testing.md`.

mod cloud;
mod more;

use std::process::ExitCode;

use ferroform::provider::assemble;
use ferroform::{Serve, path};
use ferroform_testing::case::{Case, Provider, Step, Suite, change, is, object};
use ferroform_testing::config::{Config, provider, resource};
use ferroform_testing::plan::Action;

use cloud::{Cloud, World};

fn web(size: i64) -> Config {
    Config::new().resource(resource("cloud_server", "web").set("name", "web").set("size", size))
}

fn case(name: &str) -> Case<World> {
    Case::new(name, World::new)
        .provider(Provider::in_process("example.com/acme/cloud", |_| Serve::new(assemble::<Cloud>())))
        .configured(|world| provider("cloud").set("endpoint", world.folder.as_path()))
        .empty_after(World::servers)
}

fn lifecycle() -> Case<World> {
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
        .main()
}
