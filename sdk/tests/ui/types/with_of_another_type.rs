use std::borrow::Cow;
use std::time::Duration;

use ferroform::model::*;

enum Whole {}

impl Adapter<Duration> for Whole {
    type Attribute = Vec<u64>;

    fn expected() -> Cow<'static, str> {
        "a number".into()
    }

    fn read(_: Vec<u64>) -> Option<Duration> {
        None
    }

    fn write(_: &Duration) -> Vec<u64> {
        Vec::new()
    }
}

#[derive(Model)]
struct Thing {
    #[attr(with = AsText)]
    field: Option<Vec<Duration>>,
}

fn main() {}
