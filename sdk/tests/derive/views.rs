//! What the views hold, and that nothing is lost or shown on the way.

use ferroform::model::{Attr, Computed, Decode, Draft, Encode, Planned, Prior, WriteOnly};
use ferroform::value::Value;

use crate::derive::fixture::{Bucket, BucketPrior, Tier, bucket, bucket_with, decode, planned};

#[track_caller]
fn check_round_trip<T: Decode + Encode>(value: &Value) {
    let decoded: T = decode(value.clone()).expect("the value fits");
    assert_eq!(decoded.encode(), *value);
}

#[test]
fn every_view_comes_back_as_it_was() {
    check_round_trip::<Bucket>(&bucket());
    check_round_trip::<Draft<Bucket>>(&bucket());
    let planned: Planned<Bucket> = decode(planned("name", Value::from("logs"))).expect("the value fits");
    assert_eq!(planned.encode(), bucket());
    check_round_trip::<Prior<Bucket>>(&bucket());
}

#[test]
fn a_draft_has_room_for_unknown_parts() {
    let names =
        ["id", "name", "versioning", "size", "tier", "tags", "zones", "any", "owner", "rule", "found"];
    for name in names {
        check_round_trip::<Draft<Bucket>>(&bucket_with(name, Value::unknown()));
    }
    check_round_trip::<Draft<Bucket>>(&bucket_with("tags", Value::map([("env", Value::unknown())])));
    let draft: Draft<Bucket> = decode(bucket_with("zones", Value::set([Value::unknown()]))).expect("it fits");
    let zones = draft.zones.known().expect("the set is known").into_vec();
    assert_eq!(zones, [Attr::Unknown]);
}

#[test]
fn a_plan_has_plain_values_but_for_computed_ones() {
    let planned: Planned<Bucket> = decode(planned("region", Value::unknown())).expect("it fits");
    let name: String = planned.name;
    let versioning: bool = planned.versioning;
    let note: Computed<Option<String>> = planned.note;
    assert_eq!((name.as_str(), versioning, note), ("logs", true, Computed::Known(None)));
    assert_eq!(planned.region, Computed::Unknown);
    assert_eq!(planned.tier, Tier::VeryFast);
    assert_eq!(planned.found.as_known().map(Vec::len), Some(1));
}

#[test]
fn an_unknown_is_refused_where_a_plan_has_no_room_for_it() {
    let error = decode::<Planned<Bucket>>(planned("name", Value::unknown())).expect_err("it is unknown");
    assert!(error.to_string().starts_with("name: Unknown Value: A string is needed here"), "{error}");
}

#[test]
fn a_prior_state_lacks_what_was_added_since() {
    let old = Value::object([("id", Value::from("b-0"))]);
    let prior: Prior<Bucket> = decode(old.clone()).expect("only the identity is needed");
    assert_eq!(prior.id, "b-0");
    assert_eq!(prior.name, None);
    assert!(prior.rule.is_empty() && prior.label.is_empty() && prior.part.is_empty());
    let error =
        decode::<Prior<Bucket>>(Value::object([("name", Value::from("x"))])).expect_err("no identity");
    assert!(error.to_string().starts_with("id: Missing Value"), "{error}");
}

#[test]
fn a_stub_has_the_identity_only() {
    let stub = BucketPrior::stub("b-2".to_owned());
    assert_eq!(stub.id, "b-2");
    assert_eq!(stub.zones, None);
}

#[test]
fn a_write_only_value_is_read_and_never_encoded() {
    let value = bucket_with("seed", Value::from("canary-seed"));
    let planned: Planned<Bucket> = decode(value.clone()).expect("it fits");
    assert_eq!(planned.seed, "canary-seed");
    assert_eq!(planned.encode(), bucket_with("seed", Value::Null));
    let draft: Draft<Bucket> = decode(value.clone()).expect("it fits");
    assert_eq!(draft.seed.as_known().map(String::as_str), Some("canary-seed"));
    assert_eq!(draft.encode(), bucket_with("seed", Value::Null));
    assert_eq!(size_of::<WriteOnly<String>>(), 0);
    assert_eq!(WriteOnly::<String>::new().encode(), Value::Null);
    assert!(decode::<Bucket>(value).is_err(), "a stored write-only value is no state");
}

#[test]
fn debug_output_shows_no_secret() {
    let value = bucket_with("seed", Value::from("canary-seed"));
    let planned = format!("{:?}", decode::<Planned<Bucket>>(value.clone()).expect("it fits"));
    let draft = format!("{:?}", decode::<Draft<Bucket>>(value.clone()).expect("it fits"));
    let prior = format!("{:?}", decode::<Prior<Bucket>>(value).expect("it fits"));
    for shown in [planned, draft, prior] {
        assert!(shown.contains("logs") && shown.contains("(redacted)"), "{shown}");
        assert!(!shown.contains("canary") && !shown.contains("hidden@"), "{shown}");
    }
}

#[test]
fn floats_come_back_as_they_are_written() {
    check_round_trip::<f32>(&Value::Number("0.1".parse().expect("a number")));
    check_round_trip::<f64>(&Value::Number("0.1".parse().expect("a number")));
    assert!(f64::NAN.encode().is_unknown() && f32::INFINITY.encode().is_unknown());
}

#[test]
fn views_can_be_sent_and_stored() {
    fn check<T: Send + Sync + Clone + std::fmt::Debug + 'static>() {}
    check::<Draft<Bucket>>();
    check::<Planned<Bucket>>();
    check::<Prior<Bucket>>();
}

#[test]
fn enum_of_words_converts_from_and_to_text() {
    for (tier, word) in
        [(Tier::Standard, "standard"), (Tier::VeryFast, "very_fast"), (Tier::Glacier, "glacier-1")]
    {
        assert_eq!((tier.as_str(), tier.to_string().as_str()), (word, word));
        assert_eq!(word.parse::<Tier>().ok(), Some(tier));
    }
    assert_eq!(format!("{:>9}|", Tier::Standard), " standard|");
    let error = "glacier".parse::<Tier>().unwrap_err().to_string();
    assert_eq!(error, "Invalid Word: The text must be one of \"standard\", \"very_fast\", \"glacier-1\".");
}
