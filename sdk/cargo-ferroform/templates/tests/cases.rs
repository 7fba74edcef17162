//! The life of a note, on the embedded core and on every real one that is there.

use std::fs;
use std::process::ExitCode;

use ferroform::provider::assemble;
use ferroform::{Serve, path};
use ferroform_testing::case::{Case, Provider, Step, Suite, change, object};
use ferroform_testing::config::{Config, provider, resource};
use ferroform_testing::plan::Action;
use tempfile::TempDir;

use @CRATE@::@CAMEL@;

fn note(text: &str) -> Config {
    Config::new().resource(resource("@NAME@_note", "a").set("name", "greeting").set("text", text))
}

fn lifecycle() -> Case<TempDir> {
    Case::new("lifecycle", |_| TempDir::new().expect("a folder can be made"))
        .provider(Provider::in_process("@NAMESPACE@/@NAME@", |_| Serve::new(assemble::<@CAMEL@>())))
        .configured(|root| provider("@NAME@").set("root", root.path()))
        .step(
            Step::apply(note("hello"))
                .named("create")
                .plan(change("@NAME@_note.a").action(Action::Create))
                .state(object("@NAME@_note.a").has(path!(text), "hello")),
        )
        .step(
            Step::apply(note("good day"))
                .named("update in place")
                .plan(change("@NAME@_note.a").action(Action::Update).before(path!(text), "hello")),
        )
        .empty_after(|root| {
            let left = fs::read_dir(root.path()).expect("it is there");
            left.map(|entry| entry.expect("an entry").path().display().to_string()).collect::<Vec<_>>()
        })
}

fn main() -> ExitCode {
    Suite::new().case(lifecycle()).main()
}
