use std::time::Instant;

use ferroform::model::Model;
use ferroform::provider::Registry;

#[derive(Model)]
struct Listener {
    port: u16,
}

#[derive(Model)]
struct Server {
    #[attr(block)]
    listener: Listener,
}

#[ferroform::function]
fn of_a_foreign_type(at: Instant) -> String {
    format!("{at:?}")
}

#[ferroform::function]
fn to_a_foreign_type() -> Instant {
    Instant::now()
}

fn no_function() {}

fn register(it: &mut Registry<()>) {
    it.function::<Server>();
}

fn main() {}
