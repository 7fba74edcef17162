//! A tour of the provider: what the service does to it, and what comes of that.

use std::error::Error;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};

use ferroform::Protocol;
use ferroform_examples::{Colour, Page, Stage};
use ferroform_testing::client::Client;
use ferroform_testing::config::{
    Config, action, ephemeral, list, list_resource, object, provider as provider_block, reference, resource,
};
use ferroform_testing::embedded::PlanOptions;
use ferroform_testing::plan::Action::{self, Create, Update};

use crate::provider::{self, ADDRESS};
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
        let client = move || Client::in_process(provider::provider(), protocol);
        let mut stage = Stage::new(Page::new(out, colour), ADDRESS, client).await?;
        let block = provider_block("api").set("endpoint", service.endpoint()).set("poll", 1);
        stage.config = Config::new().provider(block);
        Tour { stage, service: &service }.walk().await
    })
}

struct Tour<'t> {
    stage: Stage<'t>,
    service: &'t Service,
}

const QUEUE: &str = "api_queue.orders";
const AUDIT: &str = "api_queue.audit";

impl Tour<'_> {
    async fn walk(&mut self) -> Result {
        self.stage.page.title("The provider api, and a service that is as awkward as real ones")?;
        self.create().await?;
        self.rewrite().await?;
        self.drift().await?;
        self.fail().await?;
        self.vanish().await?;
        self.lend().await?;
        self.list().await?;
        self.act().await?;
        self.destroy().await?;
        self.stage.page.title("\nEverything was as it should be.")?;
        Ok(())
    }

    async fn create(&mut self) -> Result {
        self.stage.page.step(
            "Create",
            "In two calls. The service does not show the queue at first, and refuses one request in four.",
        )?;
        self.service.behave(Behaviour { lag: 1, starting: 1, refuse_every: 4, ..Behaviour::default() });
        self.apply("Orders", "90m", &[(QUEUE, Create)]).await?;
        self.service.behave(Behaviour::default());
        self.stage.page.lines("What the service has is written in another form, and has more labels:")?;
        for queue in self.service.objects("queues")? {
            self.stage.page.lines(&format!("{queue:#}"))?;
        }
        Ok(())
    }

    async fn rewrite(&mut self) -> Result {
        self.stage.page.step("Rewrite", "The same in other words is nothing to do.")?;
        self.apply("ORDERS", "1h30m", &[]).await
    }

    async fn drift(&mut self) -> Result {
        self.stage.page.step(
            "Drift",
            "Somebody changes the retention and adds a label of the service. The one is put back, the other stays.",
        )?;
        self.service.edit("queues", "q-1", |queue| {
            queue["retention"] = "60s".into();
            queue["labels"]["service/moved"] = "yes".into();
        })?;
        let plan = self.stage.plan(&PlanOptions::refresh_only()).await?;
        let view = self.stage.view(&plan)?;
        let found = view.drift(QUEUE).ok_or("the refresh has not found that the queue was changed")?;
        self.stage.page.change(&found, "changed outside")?;
        self.apply("Orders", "90m", &[(QUEUE, Update)]).await
    }

    async fn fail(&mut self) -> Result {
        self.stage.page.step("Fail", "The service is out of order. The queue is not taken for gone.")?;
        let faults = vec![Fault::once("GET", "/queues/", 500)];
        self.service.behave(Behaviour { faults, ..Behaviour::default() });
        let config = self.stage.config.clone();
        let errors = self.stage.refused(&format!("{QUEUE}: not read"), &config).await?;
        self.stage.stored(&self.stage.state, QUEUE)?;
        if errors.is_empty() { Err("the read should have failed".into()) } else { Ok(()) }
    }

    async fn vanish(&mut self) -> Result {
        self.stage.page.step(
            "Vanish",
            "Somebody deletes the queue, and the service says so. It is created once more.",
        )?;
        self.service.remove("queues", "q-1")?;
        self.apply("Orders", "90m", &[(QUEUE, Create)]).await
    }

    async fn lend(&mut self) -> Result {
        self.stage.page.step(
            "Lend",
            "A second configuration of the provider works with a token that is valid while something uses it. Each plan and \
             each apply has one of its own, and revokes it.",
        )?;
        let token = reference("ephemeral.api_token.audit.token");
        let second = provider_block("api").alias("audit").set("endpoint", self.service.endpoint());
        let config = self.stage.config.clone().provider(second.set("token", token).set("poll", 1));
        self.stage.config = config.resource(ephemeral("api_token", "audit").set("name", "audit"));
        self.stage.configure(resource("api_queue", "audit").provider("api.audit").set("name", "Audit"));
        self.service.requests();
        let plan = self.stage.plan(&PlanOptions::default()).await?;
        self.stage.make(&plan, &[(AUDIT, Create)]).await?;
        let requests = self.service.requests();
        let about = |it: &&String| it.contains("/tokens") || it.ends_with(" as audit");
        let requests: Vec<_> = requests.iter().filter(about).map(String::as_str).collect();
        self.stage.page.lines(&requests.join("\n"))?;
        if self.service.tokens().is_empty() {
            self.stage.page.lines("No token is valid any more.")?;
            self.stage.settled().await
        } else {
            Err("a token is left behind".into())
        }
    }

    async fn list(&mut self) -> Result {
        self.stage.page.step(
            "Query",
            "Somebody makes a queue, and a list finds it with the others, page after page. With a limit of two \
             the service is asked for one page only.",
        )?;
        self.service.add_queue("invoices")?;
        let list = || list_resource("api_queue", "all").provider("api");
        for list in [list(), list().set("limit", 2)] {
            self.service.requests();
            self.stage.query(list).await?;
            self.listed()?;
        }
        Ok(self.service.remove("queues", "q-4")?)
    }

    /// Shows the requests for pages.
    fn listed(&mut self) -> Result {
        let requests = self.service.requests();
        let pages: Vec<_> =
            requests.iter().filter(|it| it.contains("?prefix=")).map(String::as_str).collect();
        Ok(self.stage.page.lines(&pages.join("\n"))?)
    }

    async fn act(&mut self) -> Result {
        self.stage.page.step(
            "Act",
            "Messages wait in the queue. The service deletes two at a time, and the action tells how many are left.",
        )?;
        self.service.edit("queues", "q-2", |queue| queue["messages"] = 5.into())?;
        let purge = action("api_purge", "orders").set("queue", reference("api_queue.orders.id"));
        self.stage.configure(purge);
        self.stage.invoke("action.api_purge.orders").await?;
        let queues = self.service.objects("queues")?;
        let is_empty = queues.iter().all(|queue| queue["messages"] == 0);
        if is_empty { Ok(()) } else { Err("messages are left".into()) }
    }

    async fn destroy(&mut self) -> Result {
        self.stage.page.step("Destroy", "The service has no queue then.")?;
        self.stage.destroy(&[AUDIT, QUEUE]).await?;
        if self.service.objects("queues")?.is_empty() { Ok(()) } else { Err("a queue is left behind".into()) }
    }

    /// Plans, shows the plan, makes it, shows the requests, and plans again: then there must be nothing left to do.
    async fn apply(&mut self, name: &str, retention: &str, expect: &[(&str, Action)]) -> Result {
        let queue = resource("api_queue", "orders")
            .set("name", name)
            .set("retention", retention)
            .set("policy", r#"{ "read": ["all"], "admin": [] }"#)
            .set("labels", object([("team", "core")]))
            .set("regions", list(["us", "eu"]));
        self.stage.configure(queue);
        self.service.requests();
        let plan = self.stage.plan(&PlanOptions::default()).await?;
        self.stage.make(&plan, expect).await?;
        let requests = self.service.requests();
        self.stage.page.lines(&requests.join("\n"))?;
        self.stage.settled().await
    }
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
