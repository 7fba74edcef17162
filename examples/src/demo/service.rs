//! The resource `demo_service`: a definition with structure, kept as JSON.

use std::collections::{BTreeMap, BTreeSet};

use ferroform::diag::{Error, Result, ResultExt as _};
use ferroform::model::{Attr, Draft, Model, Planned, Prior};
use ferroform::path;
use ferroform::resource::{
    CreateContext, DeleteContext, Import, ImportContext, Imported, PlanContext, ReadContext, Resource,
    UpdateContext,
};
use serde::{Deserialize, Serialize};

use super::folder::{Folder, Text, check_name};

/// The definition of a service, in the file `<name>.service.json` below the root.
#[derive(Model, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Service {
    /// What the service is called; also the place of its file below the root.
    #[attr(replace, identity, validate = check_name)]
    #[serde(skip)]
    name: String,
    /// The port on which the service listens.
    port: u16,
    /// Words to find the service by.
    tags: Option<BTreeSet<String>>,
    /// What else there is to say about the service.
    labels: Option<BTreeMap<String, String>>,
    /// What clients of the service have to know.
    #[attr(sensitive)]
    token: Option<String>,
    /// Where the service can be reached, the best way first.
    endpoints: Vec<Endpoint>,
    /// What the service may use; without limits if it is not there.
    limits: Option<Limits>,
}

/// A way to reach a service.
#[derive(Model, Serialize, Deserialize)]
#[model(nested)]
#[serde(deny_unknown_fields)]
pub(super) struct Endpoint {
    /// The name or address of the host.
    host: String,
    /// The port on that host.
    #[attr(default = 443)]
    port: u16,
    /// The endpoint as a URL.
    #[attr(computed)]
    #[serde(skip)]
    url: String,
}

/// What a service may use.
#[derive(Model, Serialize, Deserialize)]
#[model(nested)]
#[serde(deny_unknown_fields)]
pub(super) struct Limits {
    /// Memory in MiB.
    memory: u32,
    /// Connections at the same time.
    #[attr(default = 100)]
    connections: u32,
}

impl Service {
    fn planned(mut plan: Planned<Self>) -> Result<Self> {
        plan.endpoints.iter_mut().for_each(|it| it.url = url(&it.host, it.port).into());
        plan.into_model()
    }

    fn text(&self) -> Result<Text> {
        let json = serde_json::to_string_pretty(self)?;
        // The definition holds a secret.
        Ok(Text { content: json + "\n", mode: "0600".to_owned() })
    }

    fn parse(name: String, json: &str) -> Result<Self> {
        let mut service: Self = serde_json::from_str(json).map_err(|error| {
            // The message of the parser may quote the file, in which there is a secret.
            let detail = format!(
                "The file of the service {name:?} holds no service definition: the mistake is in line {}, column \
                 {}. Fix or remove the file.",
                error.line(),
                error.column()
            );
            Error::new("Invalid Service Definition", detail)
        })?;
        service.endpoints.iter_mut().for_each(|it| it.url = url(&it.host, it.port));
        Ok(Self { name, ..service })
    }
}

impl Resource for Service {
    type Client = Folder;
    const NAME: &str = "service";

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let service = Self::planned(plan)?;
        cx.client.create_file(&file_name(&service.name), service.text()?).await.at(path!(name))?;
        Ok(service)
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let found = cx.client.read_file(&file_name(&prior.name)).await?;
        found.map(|found| Self::parse(prior.name, &found.content)).transpose()
    }

    async fn update(
        cx: &mut UpdateContext<'_, Self>,
        _prior: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        let service = Self::planned(plan)?;
        cx.client.replace_file(&file_name(&service.name), service.text()?).await.at(path!(name))?;
        Ok(service)
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        cx.client.remove_file(&file_name(&prior.name)).await
    }

    /// Looks for the object at once, to say so if there is none.
    async fn import(cx: &mut ImportContext<'_, Self>, from: Import<Self>) -> Result<Imported<Self>> {
        Ok(Imported::all(Self::read(&mut cx.for_read(), from.into_stub()?).await?))
    }

    /// A URL is known as soon as its parts are.
    async fn plan(
        _cx: &mut PlanContext<'_, Self>,
        _prior: Option<Prior<Self>>,
        plan: &mut Draft<Self>,
        _config: Draft<Self>,
    ) -> Result {
        let Attr::Known(endpoints) = &mut plan.endpoints else { return Ok(()) };
        for endpoint in endpoints {
            let Attr::Known(endpoint) = endpoint else { continue };
            if let (Some(host), Some(port)) = (endpoint.host.as_known(), endpoint.port.as_known()) {
                endpoint.url = Attr::Known(url(host, *port));
            }
        }
        Ok(())
    }
}

fn file_name(name: &str) -> String {
    format!("{name}.service.json")
}

fn url(host: &str, port: u16) -> String {
    format!("https://{host}:{port}/")
}
