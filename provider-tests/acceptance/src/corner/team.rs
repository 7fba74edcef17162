//! Sets of objects that have a key: as blocks, and as a nested attribute, which protocol 5 has not.

use ferroform::diag::{Error, Result};
use ferroform::model::{Attr, Model, Modify, Planned, Prior, SetOf, Timeouts};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
use ferroform::semantic::CaseInsensitive;

use super::store::{Store, object, shown};

#[derive(Model, Clone)]
pub(super) struct Team {
    #[attr(replace, identity)]
    label: String,
    #[attr(block)]
    member: SetOf<Member>,
}

/// The same with nested attributes. One that is called `slow` is never done.
#[derive(Model, Clone)]
pub(super) struct Crew {
    #[attr(replace, identity)]
    label: String,
    member: SetOf<Member>,
    #[attr(timeouts = [create = "10m", update])]
    timeouts: Option<Timeouts>,
}

#[derive(Model, Clone)]
#[model(nested)]
struct Member {
    #[attr(key)]
    name: String,
    #[attr(default = "guest")]
    role: String,
    /// Nobody is taken down: another one is made.
    #[attr(replace_if = goes_down)]
    level: u32,
    /// The usual one, or that of before, where none is configured.
    #[attr(optional, computed, modify = stays)]
    desk: u32,
    /// The service counts the members.
    #[attr(computed, keep)]
    number: u32,
    /// Shown in lower case.
    motto: Option<CaseInsensitive>,
}

/// Where members sit of whom nobody has said it.
const USUAL_DESK: u32 = 10;

fn goes_down(level: &Modify<'_, u32>) -> bool {
    level.planned.as_known().zip(level.prior.as_ref()).is_some_and(|(planned, prior)| planned < prior)
}

fn stays(desk: &mut Modify<'_, u32>) -> Result {
    if desk.config.is_null() {
        desk.planned = Attr::Known(desk.prior.unwrap_or(USUAL_DESK));
    }
    Ok(())
}

/// What the service has of a member: name, role, level, desk, number and motto.
type Row = (String, String, u32, u32, u32, Option<String>);

/// Gives new members a number.
fn rows(planned: SetOf<MemberPlanned>) -> Vec<Row> {
    let known = planned.iter().filter_map(|member| member.number.as_known().copied());
    let mut last = known.max().unwrap_or(0);
    let mut members = planned.into_vec();
    members.sort_by(|one, other| one.name.cmp(&other.name));
    let row = |MemberPlanned { name, role, level, desk, number, motto }| {
        let number = number.known().unwrap_or_else(|| {
            last += 1;
            last
        });
        let motto = motto.map(|motto: CaseInsensitive| motto.as_str().to_lowercase());
        (name, role, level, desk.known_or(USUAL_DESK), number, motto)
    };
    members.into_iter().map(row).collect()
}

fn save(store: &Store, label: &str, planned: SetOf<MemberPlanned>) -> Result<SetOf<Member>> {
    let rows = rows(planned);
    store.put(label, &object([("members", &serde_json::to_string(&rows)?)]))?;
    seen(rows)
}

fn load(store: &Store, label: &str) -> Result<Option<SetOf<Member>>> {
    let Some(found) = store.get(label)? else { return Ok(None) };
    seen(serde_json::from_str(&shown(&found, "members")?)?).map(Some)
}

fn seen(rows: Vec<Row>) -> Result<SetOf<Member>> {
    let member = |(name, role, level, desk, number, motto): Row| {
        let motto = motto.map(|motto| motto.parse()).transpose()?;
        Ok(Member { name, role, level, desk, number, motto })
    };
    rows.into_iter().map(member).collect()
}

impl Resource for Team {
    type Client = Store;
    const NAME: &'static str = "team";

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let member = save(&cx.client, &plan.label, plan.member)?;
        Ok(Self { label: plan.label, member })
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let found = load(&cx.client, &prior.label)?;
        Ok(found.map(|member| Self { label: prior.label, member }))
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        cx.client.remove(&prior.label)
    }
}

impl Resource for Crew {
    type Client = Store;
    const NAME: &'static str = "crew";

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let member = save(&cx.client, &plan.label, plan.member)?;
        let crew = Self { label: plan.label, member, timeouts: plan.timeouts };
        if crew.label == "slow" {
            cx.checkpoint(&crew);
            cx.cancellation.cancelled().await;
            return Err(Error::new("Crew Failed", "The service was told to stop."));
        }
        Ok(crew)
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let found = load(&cx.client, &prior.label)?;
        Ok(found.map(|member| Self { label: prior.label, member, timeouts: prior.timeouts }))
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        cx.client.remove(&prior.label)
    }
}
