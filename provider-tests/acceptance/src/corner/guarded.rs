//! An attribute for each validator and each notation, which all refuse the same text. None refuses it while it is still
//! unknown: core would ask no further. Two attributes declare that they never hold a secret.

use std::collections::BTreeMap;

use ferroform::diag::{Error, Result};
use ferroform::model::{Model, Planned, Prior, SetOf};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
use ferroform::semantic::{Base64Text, Cidr, DecimalText, Duration, IpAddress, Json};
use ferroform::validate::boolean::is_true;
use ferroform::validate::collection::{each, keys, unique};
use ferroform::validate::combine::{any, not};
use ferroform::validate::number::{at_most, between, one_of as one_number_of};
use ferroform::validate::relation::{also_requires, conflicts_with, required_when};
use ferroform::validate::text::{
    characters, length, matches, none_of, one_of, one_of_ignoring_case, satisfies,
};

use super::store::Store;

#[derive(Model, Clone)]
pub(super) struct Guarded {
    #[attr(replace, identity)]
    label: String,
    #[attr(validate = length(..=3))]
    length: Option<String>,
    #[attr(validate = characters(..=3))]
    characters: Option<String>,
    #[attr(validate = one_of(["a", "b"]))]
    one_of: Option<String>,
    #[attr(validate = one_of_ignoring_case(["a", "b"]))]
    any_case: Option<String>,
    #[attr(validate = none_of(["s3cret-4711"]))]
    none_of: Option<String>,
    #[attr(validate = matches("^[a-z]$", "a letter"))]
    matches: Option<String>,
    #[attr(validate = satisfies("short", |text| text.len() < 3))]
    satisfies: Option<String>,
    #[attr(validate = any((length(..=3), one_of(["auto"]))))]
    any: Option<String>,
    #[attr(validate = not(length(4..)))]
    not: Option<String>,
    #[attr(validate = [unique(), each(length(..=3))])]
    list: Option<Vec<String>>,
    #[attr(validate = each(length(..=3)))]
    set: Option<SetOf<String>>,
    #[attr(validate = [keys(length(..=3)), each(length(..=3))])]
    map: Option<BTreeMap<String, String>>,
    #[attr(validate = between(1, 10))]
    number: Option<i64>,
    #[attr(validate = one_number_of([1, 2]))]
    chosen: Option<i64>,
    #[attr(validate = at_most(10))]
    most: Option<f64>,
    whole: Option<u8>,
    #[attr(validate = is_true())]
    flag: Option<bool>,
    #[attr(validate = conflicts_with(["length"]))]
    conflicts: Option<String>,
    #[attr(validate = also_requires(["absent"]))]
    requires: Option<String>,
    #[attr(validate = required_when("length", ["s3cret-4711"]))]
    absent: Option<String>,
    json: Option<Json>,
    duration: Option<Duration>,
    address: Option<IpAddress>,
    cidr: Option<Cidr>,
    decimal: Option<DecimalText>,
    base64: Option<Base64Text>,
    /// Errors show it.
    #[attr(validate = between(1, 10), show_value)]
    shown_number: Option<i64>,
    #[attr(validate = [each(length(..=3)), keys(length(..=3))], show_value)]
    shown_texts: Option<BTreeMap<String, String>>,
}

impl Resource for Guarded {
    type Client = Store;
    const NAME: &'static str = "guarded";

    async fn create(_: &mut CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> {
        Err(Error::new("Not Needed", "No configuration of the tests gets here."))
    }

    async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> {
        Ok(None)
    }

    async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> {
        Err(Error::new("Not Needed", "No configuration of the tests gets here."))
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}
