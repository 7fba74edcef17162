//! Processes that go wrong in the middle of a stream: of the events of an action, and of the objects of a list.

use std::fmt::Debug;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use std::{fs, future, io::Write as _};

use ferroform::Serve;
use ferroform::action::{self, Action};
use ferroform::diag::Result;
use ferroform::list_resource::{self, Item, ListResource};
use ferroform::model::{Draft, Model, Planned, Prior};
use ferroform::provider::{self, Registry, assemble};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
use ferroform::value::Value;
use ferroform_plugin::Options;
use ferroform_plugin::grpc::{Call, Code, Message, MessageStream, Reply, Router, Status};
use ferroform_server::protocol::ActionEvent;
use ferroform_testing::case::{Case, Provider, Step, Target, Trials, error, objects};
use ferroform_testing::client::{self, Client, Error, IncludeObject, Process, Protocol};
use ferroform_testing::config::{ActionTrigger, Config, Event, action, resource};
use ferroform_testing::embedded::{Core, Generation};
use ferroform_testing::language::SourceFile;
use ferroform_testing::language::module::{Inputs, load_texts};
use ferroform_testing::real::{self, MatrixEntry, Session};
use ferroform_testing::state::State;
use futures_core::Stream;
use libtest_mimic::{Failed, Trial};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use super::{Backend, IDS, LAST_WORDS, LIMIT, ROLE, Role, command, left, passed, shut_down};
use crate::PROGRAM_OF;
use crate::cases::provider::SOURCE;

/// What a process does after the first message of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Nothing,
    /// It ends.
    Dies,
    /// It sends no more.
    Hangs,
    /// The next message is one half of the first.
    Halves,
    /// It sends the first message again and again: a list without end, an action for a while.
    Floods,
}

const FAULTS: [Fault; 5] = [Fault::Nothing, Fault::Dies, Fault::Hangs, Fault::Halves, Fault::Floods];

/// How often an action that floods repeats its first message.
const FLOOD: usize = 20_000;

/// The file for which a process waits before it dies, so that its first message has arrived.
const GATE: &str = "DEMO_GATE";

/// The name of a role, as the variable has it.
fn role(fault: Fault) -> String {
    format!("stream {fault:?}")
}

/// What is to be served in that role, if it is one of these.
pub(super) fn options(role_name: &str) -> Option<Options> {
    let fault = FAULTS.into_iter().find(|fault| role(*fault) == role_name)?;
    let options = Serve::new(assemble::<Demo>()).address(SOURCE).options();
    Some(options.around(move |_, sound| Arc::new(Misbehaving { sound, fault })))
}

pub(super) fn trials(trials: &mut Trials, newest: &MatrixEntry) {
    for fault in FAULTS {
        trials.others([
            Trial::test(format!("client/action: {fault:?}"), move || {
                Runtime::new()?.block_on(invoked(fault))
            }),
            Trial::test(format!("client/list: {fault:?}"), move || Runtime::new()?.block_on(listed(fault))),
        ]);
        let embedded = Target::embedded(Protocol::V6);
        let real = format!("{}/protocol 6", newest.wanted);
        for event in [Event::BeforeCreate, Event::AfterCreate] {
            let name = format!("action {}: {fault:?}", event.as_str());
            let target = embedded.clone();
            trials.test((&embedded.to_string(), &name), move || {
                passed(&case(fault, event).time_limit(LIMIT).run(&target))
            });
            // A real core waits for ever for a provider that hangs.
            if fault != Fault::Hangs {
                trials.on_core(&newest.found, (&real, &name), move |core| {
                    passed(&case(fault, event).run(&Target::real(core.clone(), Protocol::V6)))
                });
            }
        }
        let name = format!("list: {fault:?}");
        trials.test((&embedded.to_string(), &name), move || Runtime::new()?.block_on(queried(fault)));
        if fault != Fault::Hangs {
            trials.on_core(&newest.found, (&real, &name), move |core| queried_by(core, fault));
        }
    }
}

/// A provider that goes wrong in each of its streams.
struct Misbehaving {
    sound: Arc<dyn Router>,
    fault: Fault,
}

impl Router for Misbehaving {
    fn route(&self, path: &str) -> Option<Call> {
        let call = self.sound.route(path)?;
        let is_action = path.ends_with("/InvokeAction");
        if self.fault == Fault::Nothing || !is_action && !path.ends_with("/ListResource") {
            return Some(call);
        }
        let repeats = if is_action { FLOOD } else { usize::MAX };
        let fault = self.fault;
        Some(Call::new(move |requests| async move {
            let Reply::Stream(sound) = call.answer(requests).await? else {
                return Err(Status::new(Code::Internal, "no stream"));
            };
            let (sender, messages) = mpsc::channel(1);
            tokio::spawn(send(sound, fault, repeats, sender));
            Ok(Reply::Stream(Box::pin(Messages(messages))))
        }))
    }
}

type Sent = std::result::Result<Message, Status>;

struct Messages(mpsc::Receiver<Sent>);

impl Stream for Messages {
    type Item = Sent;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Sent>> {
        self.0.poll_recv(cx)
    }
}

/// Sends the first message, and goes wrong.
async fn send(mut sound: MessageStream, fault: Fault, repeats: usize, to: mpsc::Sender<Sent>) -> Option<()> {
    let first = next(&mut sound).await?.ok()?.into_bytes();
    to.send(Ok(first.clone().into())).await.ok()?;
    match fault {
        Fault::Nothing => {}
        Fault::Dies => {
            if let Some(gate) = std::env::var_os(GATE) {
                while !fs::exists(&gate).ok()? {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            }
            let _ = writeln!(std::io::stderr(), "{LAST_WORDS}");
            std::process::exit(3)
        }
        Fault::Hangs => future::pending().await,
        Fault::Halves => to.send(Ok(first.slice(..first.len() / 2).into())).await.ok()?,
        Fault::Floods => {
            for _ in 0..repeats {
                to.send(Ok(first.clone().into())).await.ok()?;
            }
        }
    }
    while let Some(message) = next(&mut sound).await {
        to.send(message).await.ok()?;
    }
    Some(())
}

async fn next(stream: &mut MessageStream) -> Option<Sent> {
    future::poll_fn(|cx| stream.as_mut().poll_next(cx)).await
}

struct Demo;

impl provider::Provider for Demo {
    type Config = ();
    type Client = ();
    const NAME: &str = "demo";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Thing>().list_resource::<Things>().action::<Act>();
    }
}

/// A thing that is in the state only.
#[derive(Model)]
struct Thing {
    #[attr(replace, identity)]
    label: String,
}

impl Resource for Thing {
    type Client = ();
    const NAME: &str = "thing";

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Self { label: plan.label })
    }

    async fn read(_: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        Ok(Some(Self { label: prior.label }))
    }

    async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Self { label: plan.label })
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

/// Three things.
#[derive(Model)]
struct Things {}

impl ListResource for Things {
    type Resource = Thing;

    async fn list(cx: &mut list_resource::Context<'_, Self>, _: Planned<Self>) -> Result {
        for label in ["a", "b", "c"] {
            cx.emit(Item::new(ThingIdentity { label: label.to_owned() }, label)).await;
        }
        Ok(())
    }
}

/// Reports twice.
#[derive(Model)]
struct Act {}

impl Action for Act {
    type Client = ();
    const NAME: &str = "act";

    async fn invoke(cx: &mut action::Context<'_, Self>, _: Planned<Self>) -> Result {
        cx.progress("one").await;
        cx.progress("two").await;
        Ok(())
    }
}

/// A process in a role, and the provider in it.
async fn start(ids: &Path, fault: Fault) -> std::result::Result<(Process, client::Provider), Error> {
    let process = command(ids, role(fault)).env(GATE, ids.join("gate")).start().await?;
    let provider = client::Provider::connect(Client::new(process.connection(), process.protocol())).await?;
    provider.configure(&none()).await?;
    Ok((process, provider))
}

fn none() -> Value {
    Value::object::<&str>([])
}

/// What comes after the first event is as the fault says, within the limit.
async fn fails<T: Debug>(fault: Fault, next: impl Future<Output = std::result::Result<T, Error>>) {
    let limit = if fault == Fault::Hangs { SHORT } else { LIMIT };
    match (fault, tokio::time::timeout(limit, next).await) {
        (Fault::Dies, Ok(Err(Error::Status { status, .. }))) if status.code() == Code::Unavailable => {}
        (Fault::Halves, Ok(Err(Error::Message { .. }))) | (Fault::Hangs, Err(_)) => {}
        (_, other) => panic!("{fault:?}: {other:?}"),
    }
}

/// How long an event of a process that hangs is waited for.
const SHORT: Duration = Duration::from_secs(1);

/// The process ends as it should after its fault, and leaves none behind.
async fn end(ids: &Path, process: Process, fault: Fault) -> std::result::Result<(), Failed> {
    let role = match fault {
        Fault::Dies => Role::Dies,
        Fault::Hangs => Role::Hangs,
        Fault::Nothing | Fault::Halves | Fault::Floods => Role::Sound,
    };
    shut_down(process, role).await?;
    assert_eq!(left(ids), [""; 0]);
    Ok(())
}

async fn invoked(fault: Fault) -> std::result::Result<(), Failed> {
    let ids = tempfile::tempdir()?;
    let (process, provider) = start(ids.path(), fault).await?;
    let mut invocation = provider.invoke_action("demo_act", &none()).await?;
    let first = invocation.next().await?;
    assert!(matches!(&first, Some(ActionEvent::Progress(text)) if text == "one"), "{first:?}");
    if matches!(fault, Fault::Nothing | Fault::Floods) {
        let invoked = invocation.finish().await?;
        let repeats = if fault == Fault::Floods { FLOOD } else { 0 };
        let expected = std::iter::repeat_n("one", repeats).chain(["two"]);
        assert!(invoked.progress.iter().eq(expected), "{} lines", invoked.progress.len());
        assert!(invoked.diagnostics.is_empty(), "{:?}", invoked.diagnostics);
    } else {
        fs::write(ids.path().join("gate"), "")?;
        fails(fault, invocation.next()).await;
    }
    end(ids.path(), process, fault).await
}

async fn listed(fault: Fault) -> std::result::Result<(), Failed> {
    let ids = tempfile::tempdir()?;
    let (process, provider) = start(ids.path(), fault).await?;
    let none = none();
    let list = || provider.list_resource("demo_thing", &none, IncludeObject::No, 1000);
    let mut listing = list().await?;
    let first = listing.next().await?.map(|object| object.display_name);
    assert_eq!(first.as_deref(), Some("a"));
    match fault {
        Fault::Nothing => assert_eq!(listing.all().await?.len(), 2),
        Fault::Floods => {
            for _ in 0..FLOOD {
                assert!(listing.next().await?.is_some());
            }
            // Nobody needs to read to the end, which there is none of: others go on.
            drop(listing);
            assert!(list().await?.next().await?.is_some());
        }
        Fault::Dies | Fault::Hangs | Fault::Halves => {
            fs::write(ids.path().join("gate"), "")?;
            fails(fault, listing.next()).await;
        }
    }
    end(ids.path(), process, fault).await
}

/// An object whose creation triggers the action.
fn triggering(event: Event) -> Config {
    let trigger = ActionTrigger::on([event]).action("action.demo_act.it");
    let thing = resource("demo_thing", "a").set("label", "a").action_trigger(trigger);
    Config::new().resource(action("demo_act", "it")).resource(thing)
}

/// An action that fails before the object is created prevents that; one that fails after it leaves the object.
fn case(fault: Fault, event: Event) -> Case<Backend> {
    let binary = std::env::current_exe().expect("this binary has a path");
    let provider = Provider::binary(SOURCE, binary).with_env(|backend: &Backend, _| backend.variables());
    let first = Step::apply(triggering(event)).named("wrong");
    let created = first.state(objects(["demo_thing.a"]));
    let is_created = event == Event::AfterCreate;
    let first = match fault {
        Fault::Nothing | Fault::Floods => created,
        Fault::Dies | Fault::Hangs | Fault::Halves => {
            let first = Step::apply(triggering(event)).named("wrong");
            let first = first.expect(error("Error when invoking action").times(1));
            first.state(objects(if is_created { vec!["demo_thing.a"] } else { vec![] }))
        }
    };
    Case::with_backend(format!("{fault:?} {}", event.as_str()), Backend::new)
        .provider(provider)
        .expect_no_leftovers(|backend: &Backend| left(&backend.ids))
        .step(Step::change_outside(move |backend: &Backend| backend.set(role(fault))))
        .step(first)
        .step(Step::change_outside(|backend: &Backend| backend.set(role(Fault::Nothing))))
        .step(Step::apply(triggering(event)).named("again").state(objects(["demo_thing.a"])))
}

const QUERY: &str = "list \"demo_thing\" \"all\" {\n  provider = demo\n}\n";

/// What a query has found and reported is as the fault says.
fn check(fault: Fault, found: usize, summaries: &[String]) {
    let (objects, errors): (usize, &[&str]) = match fault {
        Fault::Nothing => (3, &[]),
        // The limit of a list that does not say otherwise.
        Fault::Floods => (100, &[]),
        Fault::Dies | Fault::Hangs => (0, &["Plugin did not respond"]),
        Fault::Halves => (0, &["Plugin error"]),
    };
    assert_eq!((found, summaries), (objects, &*errors.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>()));
}

async fn queried(fault: Fault) -> std::result::Result<(), Failed> {
    let ids = tempfile::tempdir()?;
    let folder = ids.path().to_owned();
    let launch = move || {
        let command = command(&folder, role(fault));
        async move { Ok(Client::new(command.start().await?, Protocol::V6)) }
    };
    let address = SOURCE.parse()?;
    let core = Core::new().with_provider("demo", address, launch).with_call_limit(LIMIT);
    let main =
        format!("terraform {{\n  required_providers {{\n    demo = {{ source = \"{SOURCE}\" }}\n  }}\n}}\n");
    let files = [("main.tf", main.as_str()), ("q.tfquery.hcl", QUERY)];
    let tree = load_texts(".", files.map(|(path, text)| SourceFile::new(path, text)).into());
    let config = tree.expect("a module").prepare(&Inputs::new()).expect("a configuration");
    let query = core.query(&config, &State::default(), Generation::Off).await;
    let summaries: Vec<_> = query.diagnostics.iter().map(|it| it.summary.clone()).collect();
    check(fault, query.found.len(), &summaries);
    drop(core);
    assert_eq!(left(ids.path()), [""; 0]);
    Ok(())
}

fn queried_by(core: &real::Core, fault: Fault) -> std::result::Result<(), Failed> {
    let ids = tempfile::tempdir()?;
    let provider = real::Provider::dev_override(SOURCE, &std::env::current_exe()?)?;
    let session = Session::new(core, Vec::new(), &[provider])?.with_workspace(|workspace| {
        let workspace = workspace.with_env(PROGRAM_OF, "misbehaving");
        workspace.with_env(ROLE, role(fault)).with_env(IDS, ids.path())
    });
    session.write(&Config::new())?;
    session.workspace().write("q.tfquery.hcl", QUERY)?;
    let report = session.query(None)?;
    let found = report.outcome.messages.iter().filter(|it| it.kind == "list_resource_found").count();
    let errors = report.diagnostics.iter().filter(|it| it.is_error());
    // Core has the words of gRPC where the embedded core has a summary. Whether it notices first that the connection ends or
    // that the process does, which cancels the call, depends on which of them comes first.
    let of = |text: &str, code: &str| text.starts_with(&format!("rpc error: code = {code}"));
    let summaries = errors.map(|it| match &*it.summary {
        text if of(text, "Unavailable") || of(text, "Canceled") => "Plugin did not respond".to_owned(),
        text if of(text, "Internal") => "Plugin error".to_owned(),
        text => text.to_owned(),
    });
    check(fault, found, &summaries.collect::<Vec<_>>());
    assert_eq!(left(ids.path()), [""; 0]);
    Ok(())
}
