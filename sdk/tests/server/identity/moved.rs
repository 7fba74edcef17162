//! Moves on a core that neither sends the source's identity nor stores the target's, as OpenTofu: the identity of the source
//! stays beside the moved state, to be upgraded by the target type or sent with the next read and plan.

use ferroform::diag::Result;
use ferroform::model::{Draft, Identity, Model, Planned, Prior};
use ferroform::provider::{self, Provider, Registry};
use ferroform::resource::{
    CreateContext, DeleteContext, IdentityUpgrades, Moves, ReadContext, Resource, Source, UpdateContext,
};
use ferroform::schema::Schema;
use ferroform::value::Value;

use super::{Host, Stored};

macro_rules! resource {
    ($ty:ident, $name:literal, { $($more:tt)* }) => {
        impl Resource for $ty {
            type Client = ();
            const NAME: &str = $name;

            async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
                Ok(Self { name: plan.name })
            }

            async fn read(_: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
                Ok(Some(Self { name: prior.name.unwrap_or_default() }))
            }

            async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
                Ok(Self { name: plan.name })
            }

            async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
                Ok(())
            }

            fn moves() -> Moves<Self> {
                Moves::new().from(Source::resource("cloud_folder"), |_, old: Folder| Ok(Self { name: old.name }))
            }

            $($more)*
        }
    };
}

/// The source, whose identity is its name.
#[derive(Model)]
struct Folder {
    name: String,
}

/// A target whose identity has the attributes and the version of that of the source, and other values.
#[derive(Model)]
#[model(identity_type = ShelfIdentity)]
struct Shelf {
    name: String,
}

#[derive(Identity)]
struct ShelfIdentity {
    name: String,
}

impl From<&Shelf> for ShelfIdentity {
    fn from(shelf: &Shelf) -> Self {
        Self { name: format!("shelf {}", shelf.name) }
    }
}

resource!(Shelf, "shelf", {});

/// A target whose identity has a newer version and other attributes.
#[derive(Model)]
#[model(identity_type = DrawerIdentity)]
struct Drawer {
    name: String,
}

#[derive(Identity)]
#[identity(version = 1)]
struct DrawerIdentity {
    id: String,
}

#[derive(Identity)]
struct DrawerIdentityV0 {
    number: i64,
}

impl From<&Drawer> for DrawerIdentity {
    fn from(drawer: &Drawer) -> Self {
        Self { id: drawer.name.clone() }
    }
}

resource!(Drawer, "drawer", {
    fn identity_upgrades() -> IdentityUpgrades<Self> {
        IdentityUpgrades::new()
            .from(|old: DrawerIdentityV0| Ok(DrawerIdentity { id: old.number.to_string() }))
    }
});

struct Cloud;

impl Provider for Cloud {
    type Config = ();
    type Client = ();
    const NAME: &str = "cloud";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Shelf>().resource::<Drawer>();
    }
}

fn configured(host: Host) -> Host {
    host.configure(&Schema::default(), &Value::object::<&str>([]));
    host
}

fn shelves() -> Host {
    configured(Host::new::<Cloud, Shelf, ShelfIdentity>("cloud_shelf"))
}

fn drawers() -> Host {
    configured(Host::new::<Cloud, Drawer, DrawerIdentity>("cloud_drawer"))
}

/// The object `a`, moved by a core that keeps the source's identity beside the state.
fn moved(host: &Host, of_source: Option<ShelfIdentity>) -> Stored {
    let (moved, reported) = host.take("cloud_folder", r#"{"name":"a"}"#, None);
    assert_eq!(reported, "");
    let identity = of_source.and_then(|identity| host.stored(&named("a"), Some(identity)).identity);
    Stored { identity, ..moved }
}

fn named(name: &str) -> Value {
    Value::object([("name", Value::from(name))])
}

#[test]
fn identity_of_source_gives_way_to_that_of_target() {
    let (host, expect) = (shelves(), r#"{"name": "shelf a"}"#);
    let of_source = || Some(ShelfIdentity { name: "a".to_owned() });
    let mut stored = moved(&host, of_source());
    assert_eq!((host.read(&mut stored).as_str(), host.shown(&stored).as_str()), ("", expect));
    assert!(stored.private.is_empty());
    // From now on it is compared.
    assert_eq!(host.read(&mut stored), "");
    stored.identity = moved(&host, of_source()).identity;
    assert_eq!(host.read(&mut stored), "error name: Provider Changed An Identity\n");

    // Without a read before it.
    let (planned, reported) = host.plan(&moved(&host, of_source()), (&named("a"), &named("a")));
    assert_eq!((reported.as_str(), host.shown(&planned).as_str()), ("", expect));
    assert!(planned.private.is_empty());
}

#[test]
fn upgrade_of_identity_of_source_makes_none() {
    let host = drawers();
    let mut stored = moved(&host, None);
    let (upgraded, reported) = host.upgrade(0, r#"{"name":"a"}"#);
    assert_eq!(reported, "");
    stored.identity = upgraded;
    assert_eq!(host.shown(&stored), "null");
    assert_eq!((host.read(&mut stored).as_str(), host.shown(&stored).as_str()), ("", r#"{"id": "a"}"#));

    // One for each moved object.
    let (upgraded, reported) = host.upgrade(0, r#"{"name":"a"}"#);
    assert_eq!((upgraded, reported.as_str()), (None, "error number: Missing Value\n"));
}

#[test]
fn upgrade_that_fits_by_chance_is_not_taken() {
    let host = drawers();
    let mut stored = moved(&host, None);
    let (upgraded, reported) = host.upgrade(0, r#"{"number":7}"#);
    assert_eq!(reported, "");
    stored.identity = upgraded;
    assert_eq!(host.shown(&stored), r#"{"id": "7"}"#);
    assert_eq!((host.read(&mut stored).as_str(), host.shown(&stored).as_str()), ("", r#"{"id": "a"}"#));
}

#[test]
fn damaged_identity_of_own_type_is_an_error() {
    let host = drawers();
    let (upgraded, reported) = host.upgrade(0, r#"{"name":"a"}"#);
    assert_eq!((upgraded, reported.as_str()), (None, "error number: Missing Value\n"));
    // Core sends the identity, so it stores the one of the answer.
    let (stored, reported) = host.take("cloud_folder", r#"{"name":"a"}"#, Some(r#"{"name":"a"}"#));
    assert_eq!((reported.as_str(), host.shown(&stored).as_str()), ("", r#"{"id": "a"}"#));
    assert!(stored.private.is_empty());
    let (upgraded, reported) = host.upgrade(0, r#"{"name":"a"}"#);
    assert_eq!((upgraded, reported.as_str()), (None, "error number: Missing Value\n"));
}
