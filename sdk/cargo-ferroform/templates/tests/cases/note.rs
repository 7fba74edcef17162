//! The life of a note.

use ferroform_testing::prelude::*;

use crate::{Backend, case};

fn note(text: &str) -> Config {
    Config::new().resource(resource("@NAME@_note", "a").set("name", "greeting").set("text", text))
}

pub(crate) fn lifecycle() -> Case<Backend> {
    case("lifecycle of a note")
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
}
