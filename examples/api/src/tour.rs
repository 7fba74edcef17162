//! A tour of the provider: what the service does to it, and what comes of that.

use std::error::Error;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};

use ferroform::Protocol;
use ferroform::diag::Diagnostics;
use ferroform::value::Value;
use ferroform_examples::{Colour, Page, client};
use ferroform_testing::client::{Provider, complete};
use ferroform_testing::core::Action;
use ferroform_testing::core::lifecycle::{Report, Resource};

use crate::provider;
use crate::service::{Behaviour, Fault, Service};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// Shows what the service does, and what the provider makes of it. Everything is in a temporary folder, which is gone
/// afterwards.
///
/// # Errors
/// The first thing that is not as it should be.
pub fn tour(protocol: Protocol, colour: Colour, out: &mut dyn Write) -> Result {
    let folder = tempfile::tempdir()?;
    let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let service = Service::start(&folder.path().join("service.sqlite"), any_port)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let provider = Provider::connect(client(provider::provider(), protocol)).await?;
        let config =
            Value::object([("endpoint", Value::string(service.endpoint())), ("poll", Value::from(1))]);
        let config = complete(&provider.schemas().provider.block, &config)?;
        fine(&provider.configure(&config).await?)?;
        let page = Page::new(out, colour);
        let queue = Resource::new(&provider, "api_queue")?;
        Tour { page, service: &service, provider: &provider, queue }.walk().await
    })
}

struct Tour<'t> {
    page: Page<'t>,
    service: &'t Service,
    provider: &'t Provider,
    queue: Resource<'t>,
}

impl Tour<'_> {
    async fn walk(&mut self) -> Result {
        self.page.title("The provider api, and a service that is as awkward as real ones")?;
        self.create().await?;
        self.respell().await?;
        self.drift().await?;
        self.fail().await?;
        self.vanish().await?;
        self.destroy().await?;
        self.page.title("\nEverything was as it should be.")?;
        Ok(())
    }

    async fn create(&mut self) -> Result {
        self.page.step(
            "Create",
            "The service needs two calls, does not show the queue at first, then shows it as starting, and one request \
             in four is one too many. The provider keeps asking.",
        )?;
        self.service.behave(Behaviour { lag: 1, starting: 1, refuse_every: 4, ..Behaviour::default() });
        let config = self.config("Orders", "90m")?;
        self.apply(&config, Action::Create).await?;
        self.service.behave(Behaviour::default());
        self.page.lines("What the service has is spelled otherwise, and has more labels:")?;
        for queue in self.service.objects("queues")? {
            self.page.lines(&queue.to_string())?;
        }
        Ok(())
    }

    async fn respell(&mut self) -> Result {
        self.page.step("Respell", "The same in other words is nothing to do.")?;
        let config = self.config("ORDERS", "1h30m")?;
        self.apply(&config, Action::NoOp).await
    }

    async fn drift(&mut self) -> Result {
        self.page.step(
            "Drift",
            "Somebody changes the retention and the service adds a label. The one is put back, the other is left alone.",
        )?;
        self.service.edit("queues", "q-1", |queue| {
            queue["retention"] = "60s".into();
            queue["labels"]["service/moved"] = "yes".into();
        })?;
        let report = self.queue.refresh().await;
        self.page.outcome("read", &report)?;
        succeeded(&report)?;
        let config = self.config("Orders", "90m")?;
        self.apply(&config, Action::Update).await
    }

    async fn fail(&mut self) -> Result {
        self.page.step("Fail", "The service is out of order. The queue is not taken for gone.")?;
        let faults = vec![Fault::once("GET", "/queues/", 500)];
        self.service.behave(Behaviour { faults, ..Behaviour::default() });
        let report = self.queue.refresh().await;
        self.page.outcome("refused", &report)?;
        match (report.succeeded(), self.queue.state().is_some()) {
            (false, true) => Ok(()),
            (true, _) => Err("the read should have failed".into()),
            (false, false) => Err("the queue is lost".into()),
        }
    }

    async fn vanish(&mut self) -> Result {
        self.page.step(
            "Vanish",
            "Somebody deletes the queue, and the service says so. It is created once more.",
        )?;
        self.service.remove("queues", "q-1")?;
        let config = self.config("Orders", "90m")?;
        self.apply(&config, Action::Create).await
    }

    async fn destroy(&mut self) -> Result {
        self.page.step("Destroy", "The service has no queue then.")?;
        let report = self.queue.destroy().await;
        self.page.plan(&report)?;
        succeeded(&report)?;
        if self.service.objects("queues")?.is_empty() { Ok(()) } else { Err("a queue is left behind".into()) }
    }

    /// Plans, shows the plan, makes it, shows the requests, and plans again: then there must be nothing left to do.
    async fn apply(&mut self, config: &Value, action: Action) -> Result {
        let plan = self.queue.plan(config).await;
        self.page.plan(&plan.report)?;
        expect(&plan.report, action)?;
        self.service.requests();
        succeeded(&self.queue.apply_planned(plan, config).await)?;
        self.page.lines(&self.service.requests().join("\n"))?;
        expect(&self.queue.plan(config).await.report, Action::NoOp)
    }

    fn config(&self, name: &str, retention: &str) -> Result<Value> {
        let written = Value::object([
            ("name", Value::string(name)),
            ("retention", Value::string(retention)),
            ("policy", Value::string(r#"{ "read": ["all"], "admin": [] }"#)),
            ("labels", Value::map([("team", Value::string("core"))])),
            ("regions", Value::list([Value::string("us"), Value::string("eu")])),
        ]);
        Ok(complete(&self.provider.resource("api_queue")?.block, &written)?)
    }
}

fn fine(diagnostics: &Diagnostics) -> Result {
    match diagnostics.iter().find(|it| it.is_error()) {
        Some(error) => Err(error.to_string().into()),
        None => Ok(()),
    }
}

fn succeeded(report: &Report) -> Result {
    if report.succeeded() { Ok(()) } else { Err(report.to_string().into()) }
}

fn expect(report: &Report, action: Action) -> Result {
    succeeded(report)?;
    if report.action == action {
        return Ok(());
    }
    Err(format!("the plan should be to {action}, but it is to {}", report.action).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(protocol: Protocol) -> String {
        let mut out = Vec::new();
        tour(protocol, Colour::None, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Written anew when the environment has `UPDATE_TRANSCRIPT`. The queue has no nested attributes, so both protocols
    /// show the same.
    #[test]
    fn is_what_the_transcript_shows() {
        let transcript = concat!(env!("CARGO_MANIFEST_DIR"), "/tour.txt");
        if std::env::var_os("UPDATE_TRANSCRIPT").is_some() {
            std::fs::write(transcript, shown(Protocol::V6)).unwrap();
        }
        let expect = std::fs::read_to_string(transcript).unwrap();
        assert_eq!(shown(Protocol::V6), expect);
        assert_eq!(shown(Protocol::V5), expect);
    }
}
