//! A list that may be written as an attribute or as blocks, in a model.

use ferroform::diag::Result;
use ferroform::model::{Model, Planned, Prior};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
use ferroform::semantic::CaseInsensitive;
use ferroform::validate::number::between;

use super::store::{Store, object, shown};

#[derive(Model, Clone)]
pub(super) struct Rules {
    #[attr(replace, identity)]
    label: String,
    /// The service has one of its own as long as nobody says anything.
    #[attr(optional, computed, keep, as_blocks)]
    rule: Vec<Rule>,
}

#[derive(Model, Clone)]
#[model(nested)]
struct Rule {
    #[attr(validate = between(1, 65535))]
    port: u32,
    /// The service shows it in lower case.
    note: Option<CaseInsensitive>,
}

impl Rule {
    fn line(&self) -> String {
        let note = self.note.as_ref().map(|note| note.as_str().to_lowercase());
        format!("{}={}", self.port, note.unwrap_or_default())
    }

    fn of(line: &str) -> Result<Self> {
        let (port, note) = line.split_once('=').unwrap_or((line, ""));
        let note = (!note.is_empty()).then(|| note.parse()).transpose()?;
        Ok(Self { port: port.parse()?, note })
    }
}

impl Resource for Rules {
    type Client = Store;
    const NAME: &'static str = "rules";

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let own = vec![RulePlanned { port: 22, note: None }];
        let rules = RulesPlanned { rule: plan.rule.known_or(own).into(), ..plan }.into_model()?;
        let lines: Vec<String> = rules.rule.iter().map(Rule::line).collect();
        cx.client.put(&rules.label, &object([("rules", &lines.join("\n"))]))?;
        Ok(rules)
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let Some(found) = cx.client.get(&prior.label)? else { return Ok(None) };
        let rule = shown(&found, "rules")?.lines().map(Rule::of).collect::<Result<_>>()?;
        Ok(Some(Self { label: prior.label, rule }))
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        cx.client.remove(&prior.label)
    }
}
