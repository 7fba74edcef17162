//! Calls whose responses are streams, through the process of a composition: lists and actions.

use std::fs;
use std::path::Path;
use std::time::Instant;

use ferroform::Protocol;
use ferroform::diag::Diagnostics;
use ferroform::value::Value;
use ferroform_acceptance::small::card_schemas;
use ferroform_server::protocol::ActionEvent;
use ferroform_testing::client::{IncludeObject, Invocation, Listing, Process, Provider};
use libtest_mimic::Trial;

use super::{COMPOSED, END, SMALL, Scene, pause};
use crate::composition::{go_program, of_sdk};
use crate::trial;

pub(super) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (sdk, speaks) in
        [("rust", Protocol::V6), ("rust", Protocol::V5), ("go", Protocol::V6), ("go", Protocol::V5)]
    {
        for served in [Protocol::V6, Protocol::V5] {
            let scene = move || {
                let program = if sdk == "go" { go_program() } else { None };
                Setup {
                    speaks,
                    served,
                    scene: Scene { speaks, ..Scene::new(program.unwrap_or(Path::new(SMALL))) },
                }
            };
            let place = format!("{sdk} {}::protocol {}", speaks.number(), served.number());
            let named = |name: &str| format!("{name}::{place}");
            let tests = [
                trial(named("a_program_streams_in_order"), move || in_order(scene())),
                trial(named("a_program_that_dies_in_a_list_is_reported_once"), move || {
                    dies_in_a_list(scene())
                }),
                trial(named("a_program_that_dies_in_an_action_is_reported_once"), move || {
                    dies_in_an_action(scene())
                }),
                trial(named("a_list_of_a_program_that_hangs_ends_after_a_stop"), move || hangs(scene())),
                trial(named("a_stop_reaches_an_action_of_a_program"), move || stops(scene())),
            ];
            trials.extend(tests.map(|test| of_sdk(test, sdk)));
        }
    }
    trials
}

/// A program, the protocol that it speaks, and the one over which the composition is served.
struct Setup {
    speaks: Protocol,
    served: Protocol,
    scene: Scene,
}

impl Setup {
    async fn start(&self) -> (Process, Provider) {
        let (process, all) = self.scene.start(self.scene.command(COMPOSED).only(self.served)).await;
        assert_eq!((process.protocol(), self.scene.speaks), (self.served, self.speaks));
        (process, all)
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.scene.folder.path().join(file), text).expect("written");
    }

    async fn end(self, process: Process) {
        assert!(process.shutdown().await.expect("it ends").success());
        self.scene.nothing_is_left().await;
    }
}

/// Lists the cards, and crashes or not.
async fn list(all: &Provider, fails: Option<&str>, limit: i64) -> Listing {
    let config = Value::object([("fails", fails.map_or(Value::Null, Value::from))]);
    all.list_resource("small_card", &config, IncludeObject::Yes, limit).await.expect("a start")
}

async fn count(all: &Provider, to: i64, fails: Option<&str>) -> Invocation {
    let config = Value::object([("to", Value::from(to)), ("fails", fails.map_or(Value::Null, Value::from))]);
    all.invoke_action("small_count", &config).await.expect("a start")
}

fn summaries(diagnostics: &Diagnostics) -> Vec<&str> {
    diagnostics.iter().map(|it| &*it.summary).collect()
}

async fn in_order(setup: Setup) {
    let names: Vec<String> = (0..500).map(|number| format!("c{number:03}")).collect();
    names.iter().for_each(|name| setup.write(&format!("{name}.card"), &format!("text of {name}")));
    let (process, all) = setup.start().await;
    // A list in another provider has these schemas of the cards.
    let schemas = card_schemas();
    assert_eq!(all.resource("small_card").expect("cards").ty(), schemas.resource.ty());
    assert_eq!(all.identity("small_card").expect("cards").ty(), schemas.identity.ty());
    let listed = list(&all, None, 1000).await.all().await.expect("objects");
    let found: Vec<_> = listed.iter().map(|it| it.display_name.clone()).collect();
    assert_eq!(found, names);
    for (name, listed) in names.iter().zip(&listed) {
        assert!(listed.diagnostics.is_empty(), "{listed:?}");
        assert_eq!(listed.identity, Some(Value::object([("name", Value::string(name))])));
        let object =
            [("id", format!("id-{name}")), ("name", name.clone()), ("text", format!("text of {name}"))];
        assert_eq!(
            listed.object,
            Some(Value::object(object.map(|(name, value)| (name, Value::from(value)))))
        );
    }
    assert_eq!(list(&all, None, 7).await.all().await.expect("objects").len(), 7);
    let invoked = count(&all, 200, None).await.finish().await.expect("a completion");
    assert_eq!(invoked.progress, (1..=200).map(|number| number.to_string()).collect::<Vec<_>>());
    assert!(invoked.diagnostics.is_empty(), "{:?}", invoked.diagnostics);
    // The composition has both as they were, also to a reader that goes away.
    let mut abandoned = list(&all, None, 1000).await;
    assert!(abandoned.next().await.expect("an object").is_some());
    drop(abandoned);
    assert_eq!(list(&all, None, 1).await.all().await.expect("objects").len(), 1);
    setup.end(process).await;
}

async fn dies_in_a_list(setup: Setup) {
    ["a", "b"].iter().for_each(|name| setup.write(&format!("{name}.card"), name));
    let (process, all) = setup.start().await;
    let mut listing = list(&all, Some("crash"), 1000).await;
    assert_eq!(listing.next().await.expect("an event").expect("an object").display_name, "a");
    setup.write("crash", "");
    let last = listing.next().await.expect("an event").expect("an error");
    assert_eq!((summaries(&last.diagnostics), last.identity), (vec!["Provider Program Ended"], None));
    assert!(listing.next().await.expect("the end").is_none());
    setup.end(process).await;
}

async fn dies_in_an_action(setup: Setup) {
    let (process, all) = setup.start().await;
    let mut invocation = count(&all, 200, Some("crash")).await;
    let first = invocation.next().await.expect("an event");
    assert!(matches!(&first, Some(ActionEvent::Progress(text)) if text == "1"), "{first:?}");
    setup.write("crash", "");
    let last = invocation.next().await.expect("an event");
    let Some(ActionEvent::Completed(diagnostics)) = last else { panic!("no completion: {last:?}") };
    assert_eq!(summaries(&diagnostics), ["Provider Program Ended"]);
    assert!(diagnostics.iter().all(|it| it.detail.contains("compare with the service")), "{diagnostics:?}");
    assert!(invocation.next().await.expect("the end").is_none());
    setup.end(process).await;
}

/// The program is stopped by a signal after its first object, so that nothing in it ends the listing.
async fn hangs(setup: Setup) {
    ["a", "b"].iter().for_each(|name| setup.write(&format!("{name}.card"), name));
    let (process, all) = setup.start().await;
    let mut listing = list(&all, Some("crash"), 1000).await;
    assert!(listing.next().await.expect("an event").is_some());
    pause(setup.scene.behind(&process)).await;
    let start = Instant::now();
    all.stop().await.expect("an answer");
    let last = listing.next().await.expect("an event").expect("an error");
    assert!(start.elapsed() < END, "{:?}", start.elapsed());
    assert_eq!(summaries(&last.diagnostics), ["Call Cancelled"]);
    assert!(listing.next().await.expect("the end").is_none());
    setup.end(process).await;
}

async fn stops(setup: Setup) {
    let (process, all) = setup.start().await;
    let mut invocation = count(&all, 200, Some("wait")).await;
    assert!(matches!(invocation.next().await.expect("an event"), Some(ActionEvent::Progress(_))));
    let start = Instant::now();
    all.stop().await.expect("an answer");
    let invoked = invocation.finish().await.expect("a completion");
    assert!(start.elapsed() < END, "{:?}", start.elapsed());
    let summaries = summaries(&invoked.diagnostics);
    // The other SDK may end the stream without the completion, which core would take for a success.
    let is_lost = setup.scene.program != Path::new(SMALL) && summaries == ["Provider Program Failed"];
    assert!(is_lost || summaries == ["Count Interrupted"], "{:?}", invoked.diagnostics);
    assert_eq!(invoked.progress, [""; 0]);
    setup.end(process).await;
}
