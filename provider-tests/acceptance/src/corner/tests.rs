//! A user who stops the embedded core while the provider works.

use ferroform::Serve;
use ferroform::provider::assemble;
use ferroform_testing::client::{Client, InProcessTransport, Protocol};
use ferroform_testing::config::{Config, ResourceBlock, provider, resource};
use ferroform_testing::embedded::{Cancel, Core, PlanOptions};
use ferroform_testing::plan::Plan;
use ferroform_testing::state::{Object, State, Status};
use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

use super::Corner;

struct Stage {
    root: TempDir,
    core: Core,
    gate: TcpListener,
    state: State,
}

impl Stage {
    async fn new(protocol: Protocol) -> Self {
        let number = if protocol == Protocol::V5 { 5 } else { 6 };
        let launch = move || async move {
            let router = Serve::new(assemble::<Corner>()).options().router(number);
            Ok(Client::new(InProcessTransport::new(router.expect("it speaks both protocols")), protocol))
        };
        let address = "example.com/ferroform/corner".parse().expect("an address");
        let core = Core::new().with_provider("corner", address, launch);
        let gate = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        Self { root: tempfile::tempdir().expect("a folder"), core, gate, state: State::default() }
    }

    /// A task of which this operation waits to be stopped.
    fn task(&self, text: &str, waits: &str) -> ResourceBlock {
        let gate = self.gate.local_addr().expect("a port").to_string();
        let task = resource("corner_task", "this").set("label", "t").set("text", text);
        task.set("fails", format!("{waits} wait")).set("gate", gate)
    }

    async fn plan(&self, task: Option<ResourceBlock>) -> Plan {
        let config = Config::new().provider(provider("corner").set("root", self.root.path()));
        let config = task.into_iter().fold(config, Config::resource);
        let plan = self.core.plan(&config, &self.state, &PlanOptions::default()).await;
        assert!(!plan.errored, "{:?}", plan.diagnostics);
        plan
    }

    /// Applies, and stops when an operation waits for that.
    async fn stop(&mut self, task: Option<ResourceBlock>) {
        let plan = self.plan(task).await;
        let cancel = Cancel::new();
        let core = self.core.clone().cancelled_by(&cancel);
        let user = async {
            let (mut waiting, _) = self.gate.accept().await.expect("a task");
            let mut said = [0; 8];
            waiting.read_exact(&mut said).await.expect("it waits");
            cancel.cancel();
            waiting
        };
        let (outcome, _waiting) = tokio::join!(core.apply(&plan), user);
        let failed = outcome.diagnostics.iter().any(|it| it.summary == "Task Failed");
        assert!(failed, "{:?}", outcome.diagnostics);
        self.state = outcome.state;
    }

    async fn apply(&mut self, task: ResourceBlock) {
        let plan = self.plan(Some(task)).await;
        let outcome = self.core.apply(&plan).await;
        assert!(outcome.succeeded(), "{:?}", outcome.diagnostics);
        self.state = outcome.state;
    }

    /// What is stored of the task, and what the service has of it.
    fn check(&self, status: Status, text: &str) {
        let address = "corner_task.this".parse().expect("an address");
        let object: Option<&Object> = self.state.object(&address);
        assert_eq!(object.map(|object| object.status), Some(status));
        let stored = String::from_utf8(self.state.to_bytes().expect("it is written")).expect("a text");
        assert!(stored.contains(&format!("\"text\": \"{text}\"")), "{stored}");
        let file = std::fs::read_to_string(self.root.path().join("t.json")).expect("the object is there");
        assert_eq!(file, format!("{{\"text\":\"{text}\"}}"));
    }
}

#[tokio::test]
async fn what_a_user_stops_is_recorded() {
    for protocol in [Protocol::V6, Protocol::V5] {
        let mut stage = Stage::new(protocol).await;
        stage.stop(Some(stage.task("one", "create"))).await;
        stage.check(Status::Tainted, "one");
        stage.apply(stage.task("one", "update")).await;
        stage.stop(Some(stage.task("two", "update"))).await;
        stage.check(Status::Ready, "two");
        stage.apply(stage.task("two", "delete")).await;
        stage.stop(None).await;
        stage.check(Status::Ready, "two");
    }
}
