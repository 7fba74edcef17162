//! A provider whose model has the attribute types of the library.

use std::collections::BTreeMap;

use ferroform::prelude::*;
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, UpdateContext};
use ferroform_example_attribute_types::{MacAddress, Port};
use ferroform_testing::case::{Case, Provider as CaseProvider, Step, change, error, no_changes, object};
use ferroform_testing::config::{Config, object as members, resource};
use ferroform_testing::plan::Action;

struct Network;

impl Provider for Network {
    type Config = ();
    type Client = ();
    const NAME: &str = "network";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Switch>();
    }
}

/// A switch.
#[derive(Model)]
struct Switch {
    mac: MacAddress,
    ports: BTreeMap<String, Port>,
    #[attr(computed)]
    vendor: String,
}

fn written(plan: SwitchPlanned) -> Result<Switch> {
    let [first, second, third, ..] = plan.mac.octets();
    SwitchPlanned { vendor: format!("{first:02x}{second:02x}{third:02x}").into(), ..plan }.into_model()
}

impl Resource for Switch {
    type Client = ();
    const NAME: &str = "switch";

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        written(plan)
    }

    /// The service has its own representation of each address.
    async fn read(_: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let normal = |mac: &MacAddress| {
            let pairs = mac.octets().map(|octet| format!("{octet:02x}"));
            MacAddress::parse(&pairs.join(":")).expect("an address")
        };
        let Self { mac, ports, vendor } = prior.into_model()?;
        let ports = ports.into_iter().map(|(name, port)| (name, Port { mac: normal(&port.mac), ..port }));
        Ok(Some(Self { mac: normal(&mac), ports: ports.collect(), vendor }))
    }

    async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        written(plan)
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

const A: &str = "network_switch.a";

fn case(name: &str) -> Case<()> {
    Case::new(name).provider(CaseProvider::of::<Network>("example.com/ferroform/network"))
}

fn switch(mac: &str, port: &str) -> Config {
    let ports = members([("uplink", members([("mac", port)]))]);
    Config::new().resource(resource("network_switch", "a").set("mac", mac).set("ports", ports))
}

#[test]
fn equivalent_values_of_a_foreign_type_are_no_change() {
    let (mac, port) = ("AA-BB-CC-00-00-01", "aa:bb:cc:00:00:02");
    let stored = |mac, port| {
        object(A).has(path!(mac), mac).has(path!(ports["uplink"].mac), port).has(path!(vendor), "aabbcc")
    };
    case("equivalent addresses")
        .step(
            Step::apply(switch(mac, port))
                .state(stored(mac, port))
                .state(object(A).has(path!(ports["uplink"].duplex), "full")),
        )
        .step(Step::refresh().state(stored(mac, port)))
        .step(Step::plan_only(switch("aa:bb:cc:00:00:01", "AA:BB:CC:00:00:02")).plan(no_changes()))
        .step(
            Step::apply(switch("aa:bb:cc:00:00:03", port))
                .plan(change(A).action(Action::Update).before(path!(mac), mac)),
        )
        .check();
}

#[test]
fn invalid_value_of_a_foreign_type_is_an_error_at_its_path() {
    case("invalid address")
        .step(
            Step::plan_only(switch("aa:bb:cc:00:00:01", "aa:bb"))
                .expect(error("Invalid MAC Address").at(path!(ports["uplink"].mac))),
        )
        .check();
}
