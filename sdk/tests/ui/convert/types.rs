//! Types between which there is no conversion.

use ferroform::model::{AttributeValue, Convert, Model};

mod api {
    pub struct Server {
        pub name: u32,
        pub labels: Vec<String>,
        pub disk: Disk,
        pub zone: Zone,
        pub size: u32,
    }
    pub struct Disk;
    pub enum Zone {
        East,
        West,
    }
}

#[derive(Model, Convert)]
#[convert(from = api::Server)]
struct Answer {
    name: String,
    disk: Disk,
    #[convert(from_with = half)]
    size: u32,
}

#[derive(Model, Convert)]
#[convert(into = api::Server { zone: api::Zone::West, ..todo!() })]
struct Request {
    name: String,
    labels: Option<Vec<String>>,
    disk: Disk,
}

#[derive(Model)]
#[model(nested)]
struct Disk {
    size: u32,
}

#[derive(AttributeValue, Convert, Debug, Clone, Copy)]
#[convert(from = api::Zone, into = api::Zone)]
enum Zone {
    East,
    North,
}

fn half(size: u32) -> String {
    size.to_string()
}

fn main() {}
