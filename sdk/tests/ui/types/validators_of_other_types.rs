use ferroform::model::*;
use ferroform::validate::collection::{each, keys, size, unique};
use ferroform::validate::number::between;
use ferroform::validate::relation::conflicts_with;
use ferroform::validate::text::length;

#[derive(Model)]
struct Thing {
    #[attr(validate = length(1..))]
    a: u8,
    #[attr(validate = between(1, 2))]
    b: String,
    #[attr(validate = unique())]
    c: SetOf<String>,
    #[attr(validate = keys(length(1..)))]
    d: Vec<String>,
    #[attr(validate = each(length(1..)))]
    e: String,
    #[attr(validate = each(length(1..)))]
    f: Vec<u8>,
    #[attr(validate = [size(1..), conflicts_with(["a"])])]
    g: Option<bool>,
}

fn main() {}
