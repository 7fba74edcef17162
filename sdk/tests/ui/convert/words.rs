//! Words that say nothing, or something else than is meant.

use ferroform::model::{AttributeValue, Convert, Model, WriteOnly};

mod api {
    pub struct Server {
        pub name: String,
        pub size: u32,
    }
    pub enum Zone {
        East,
    }
}

#[derive(Model, Convert)]
struct Nothing {
    name: String,
}

#[derive(Model, Convert)]
#[convert(from = api::Server, into = api::Server)]
struct Server {
    #[convert(skip = [form, int])]
    name: String,
    #[convert(skip, field = length)]
    size: u32,
    #[convert(skip = into, into_with = u64::from)]
    zone: Option<u32>,
    #[convert(from_with = String::from)]
    token: WriteOnly<Option<String>>,
    #[convert(skip = [zebra, from])]
    unseen: String,
}

#[derive(Model, Convert)]
#[convert(from = "api::Server", into = [], patch = 3)]
struct Malformed {
    #[convert(field = "name", skip = 1, from_with = 2, into_with = "f")]
    name: String,
}

#[derive(AttributeValue, Convert, Debug, Clone, Copy)]
#[convert(from = api::Zone, into = api::Zone { east: 1 }, patch = api::Zone)]
enum Zone {
    East,
}

#[derive(Model, Convert)]
#[convert(from = api::Server, form = api::Server)]
struct Misplaced {
    #[convert(from = api::Server)]
    name: String,
    #[attr(skip, field = length)]
    size: u32,
}

fn main() {}
