//! Blocks with labels, and blocks in a list.

use std::collections::BTreeMap;

use ferroform::diag::Result;
use ferroform::model::{Model, Planned, Prior};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};

use super::store::{Store, object, shown};

#[derive(Model, Clone)]
pub(super) struct Rack {
    #[attr(replace, identity)]
    label: String,
    #[attr(block)]
    device: BTreeMap<String, Device>,
    #[attr(block)]
    port: Vec<Port>,
}

#[derive(Model, Clone)]
#[model(nested)]
struct Device {
    #[attr(default = 1)]
    size: u32,
    /// The service makes it.
    #[attr(computed, keep)]
    serial: String,
}

#[derive(Model, Clone)]
#[model(nested)]
struct Port {
    number: u32,
    note: Option<String>,
}

/// The size and the serial number of each device.
type Devices = BTreeMap<String, (u32, String)>;
/// The number and the note of each port.
type Ports = Vec<(u32, Option<String>)>;

impl Rack {
    fn of(label: String, devices: Devices, ports: Ports) -> Self {
        let device = |(name, (size, serial))| (name, Device { size, serial });
        let port = |(number, note)| Port { number, note };
        let (device, port) =
            (devices.into_iter().map(device).collect(), ports.into_iter().map(port).collect());
        Self { label, device, port }
    }
}

impl Resource for Rack {
    type Client = Store;
    const NAME: &'static str = "rack";

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let devices = plan.device.into_iter().map(|(name, device)| {
            let serial = device.serial.known_or(format!("serial of {name}"));
            (name, (device.size, serial))
        });
        let devices: Devices = devices.collect();
        let ports: Ports = plan.port.into_iter().map(|port| (port.number, port.note)).collect();
        let (shown_devices, shown_ports) = (serde_json::to_string(&devices)?, serde_json::to_string(&ports)?);
        cx.client.put(&plan.label, &object([("devices", &shown_devices), ("ports", &shown_ports)]))?;
        Ok(Self::of(plan.label, devices, ports))
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let Some(found) = cx.client.get(&prior.label)? else { return Ok(None) };
        let devices = serde_json::from_str(&shown(&found, "devices")?)?;
        let ports = serde_json::from_str(&shown(&found, "ports")?)?;
        Ok(Some(Self::of(prior.label, devices, ports)))
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        cx.client.remove(&prior.label)
    }
}
