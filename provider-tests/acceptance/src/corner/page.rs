//! An object of which the service spells everything in its own way.

use std::collections::BTreeMap;

use ferroform::diag::Result;
use ferroform::model::{Model, Planned, Prior};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
use ferroform::schema::Equivalence;
use ferroform::semantic::{Rfc3339, Trimmed, Url, Yaml};

use super::store::{Object, Store, object, shown};

#[derive(Model, Clone)]
pub(super) struct Page {
    #[attr(replace, identity)]
    label: String,
    /// Shown in lower case.
    url: Url,
    /// Shown with `Z` where there is no offset.
    published: Rfc3339,
    /// Shown without white space at the ends, and with line feeds only.
    text: Trimmed,
    /// Shown with sorted lines.
    settings: Yaml,
    /// Shown with its registry.
    #[attr(equivalent = same_image)]
    image: String,
    /// Shown with a dot at the end.
    #[attr(normalize = |host: &str| host.trim_end_matches('.').to_owned())]
    host: String,
    /// Shown with one digit.
    #[attr(equivalent = Equivalence::within(0.05))]
    weight: f64,
    /// Shown with one of the service.
    #[attr(equivalent = Equivalence::added_keys())]
    labels: BTreeMap<String, String>,
    /// Shown as it was before, once after each write.
    #[attr(unverified)]
    mode: String,
}

const REGISTRY: &str = "registry/";
/// Where the file has the mode that is shown once more.
const MODE_BEFORE: &str = "mode before";

fn same_image(wanted: &str, seen: &str) -> bool {
    wanted.trim_start_matches(REGISTRY) == seen.trim_start_matches(REGISTRY)
}

/// What the service makes of a page.
fn rewritten(plan: Planned<Page>, mode_before: &str) -> Result<Object> {
    let mut settings: Vec<&str> = plan.settings.as_str().lines().collect();
    settings.sort_unstable();
    let mut labels = plan.labels;
    labels.insert("service".to_owned(), "corner".to_owned());
    Ok(object([
        ("url", &plan.url.as_str().to_lowercase()),
        ("published", &plan.published.as_str().replace("+00:00", "Z")),
        ("text", &plan.text.as_str().trim().replace("\r\n", "\n")),
        ("settings", &settings.join("\n")),
        ("image", &format!("{REGISTRY}{}", plan.image.trim_start_matches(REGISTRY))),
        ("host", &format!("{}.", plan.host.trim_end_matches('.'))),
        ("weight", &format!("{:.1}", plan.weight)),
        ("labels", &serde_json::to_string(&labels)?),
        ("mode", &plan.mode),
        (MODE_BEFORE, mode_before),
    ]))
}

impl Page {
    fn seen(label: String, found: &Object) -> Result<Self> {
        Ok(Self {
            label,
            url: shown(found, "url")?.parse()?,
            published: shown(found, "published")?.parse()?,
            text: shown(found, "text")?.parse()?,
            settings: shown(found, "settings")?.parse()?,
            image: shown(found, "image")?,
            host: shown(found, "host")?,
            weight: shown(found, "weight")?.parse()?,
            labels: serde_json::from_str(&shown(found, "labels")?)?,
            mode: shown(found, "mode")?,
        })
    }

    fn write(store: &Store, plan: Planned<Self>, mode_before: &str) -> Result<Self> {
        let label = plan.label.clone();
        let written = rewritten(plan, mode_before)?;
        store.put(&label, &written)?;
        Self::seen(label, &written)
    }
}

impl Resource for Page {
    type Client = Store;
    const NAME: &'static str = "page";

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Self::write(&cx.client, plan, "draft")
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let Some(mut found) = cx.client.get(&prior.label)? else { return Ok(None) };
        if let Some(before) = found.remove(MODE_BEFORE) {
            cx.client.put(&prior.label, &found)?;
            found.insert("mode".to_owned(), before);
        }
        Self::seen(prior.label, &found).map(Some)
    }

    async fn update(
        cx: &mut UpdateContext<'_, Self>,
        prior: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        Self::write(&cx.client, plan, prior.mode.as_deref().unwrap_or_default())
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        cx.client.remove(&prior.label)
    }
}
