//! Fields that the two sides do not have in common.

use ferroform::model::{Convert, Model};

mod api {
    pub struct New {
        pub name: String,
        pub size: u32,
        pub force: bool,
    }
    pub struct Server {
        pub name: String,
        pub size: u32,
    }
}

#[derive(Model, Convert)]
#[convert(from = api::Server, into = api::New)]
struct Server {
    name: String,
    size: u32,
    zone: Option<String>,
}

#[derive(Model, Convert)]
#[convert(into = api::New)]
struct Unfilled {
    name: String,
    size: u32,
}

fn main() {}
