//! The formats by example: texts that mean the same, and texts that do not belong.

use proptest::prelude::*;

use super::format::{self, Format};
use super::*;
use crate::model::{AttributeValue, Decode, SetOf};
use crate::path;
use crate::schema::InnerEquivalence;
use crate::value::Value;

/// Each group holds texts of one meaning, and no two groups the same. What is refused is shown nowhere.
fn check<F: Format>(groups: &[&[&str]], refused: &[&str]) {
    let canonical_forms: Vec<Vec<Option<Value>>> =
        groups.iter().map(|texts| texts.iter().map(|text| F::canonical(text)).collect()).collect();
    for (at, group) in canonical_forms.iter().enumerate() {
        assert!(group.iter().all(|meaning| meaning.is_some() && *meaning == group[0]), "{:?}", groups[at]);
        for (other, elsewhere) in canonical_forms.iter().enumerate().filter(|(other, _)| *other != at) {
            assert_ne!(group[0], elsewhere[0], "{:?} {:?}", groups[at], groups[other]);
        }
    }
    for text in refused {
        let error = Normalized::<F>::decode(&Value::string(text), &mut path!(field)).expect_err(text);
        let diagnostic = error.iter().next().expect("there is one").clone();
        assert_eq!(diagnostic.path, Some(path!(field)));
        // The same words for any text, so none of it is shown.
        assert_eq!(diagnostic.detail, format!("The value must be {}.", F::EXPECTED));
    }
}

#[test]
fn json_is_compared_by_its_data() {
    check::<format::Json>(
        &[
            &[
                r#"{"a":1,"b":[true,null]}"#,
                " { \"b\" : [ true, null ],\n \"a\" : 1.0 } ",
                r#"{"\u0061":1e0,"b":[true,null]}"#,
            ],
            &[r#"{"a":1,"b":[null,true]}"#],
            &["12345678901234567890123"],
            &["12345678901234567890124", "1.2345678901234567890124e22"],
            &["null"],
            &["\"null\""],
            &["[]"],
            &["{}"],
        ],
        &["", "{", "{'a': 1}", "[1,]", "01", "[1] trailing", "nul"],
    );
    let deep = "[".repeat(100_000);
    assert_eq!((format::Json::is_valid(&deep), format::Json::canonical(&deep)), (false, None));
}

proptest! {
    /// Whether a text is JSON is found out without making a value of it, and must be the same.
    #[test]
    fn json_is_valid_if_and_only_if_it_has_a_canonical_form(text in r#"[\[{]{0,3}("a" ?:)?("b"|-?0?1e?|null|tru)?[,}\] ]{0,6}"#) {
        prop_assert_eq!(format::Json::is_valid(&text), format::Json::canonical(&text).is_some());
    }
}

#[test]
fn text_is_compared_without_case_or_ends() {
    check::<format::CaseInsensitive>(&[&["Straße", "STRAßE"], &["a"], &["A "]], &[]);
    check::<format::Trimmed>(&[&["a\nb", "  a\r\nb\n", "a\rb"], &["a b"], &["A\nB"]], &[]);
}

#[test]
fn durations_are_compared_by_their_length() {
    check::<format::Duration>(
        &[
            &["90s", "1m30s", "1.5m", "90000ms", "0h1m30s"],
            &["1h", "60m", "3600s"],
            &["0", "0s", "0h0m"],
            &["1us", "1µs", "1000ns", ".001ms"],
            &["1ms"],
        ],
        &["", "90", "1d", "h", ".s", "-1s", "1 m", "1.5.5s", "99999999999999999h", "1h30"],
    );
    let duration: Duration = "1m30s".parse().expect("it is a duration");
    assert_eq!(duration.get(), std::time::Duration::from_secs(90));
}

#[test]
fn addresses_are_compared_by_their_bits() {
    check::<format::IpAddress>(
        &[&["::1", "0:0:0:0:0:0:0:1", "0000::0001"], &["10.0.0.1"], &["2001:db8::a", "2001:DB8:0::A"]],
        &["", "10.0.0", "010.0.0.1", "10.0.0.1/8", "::g"],
    );
    check::<format::Cidr>(
        &[&["::/0", "0:0::/0"], &["10.0.0.0/8"], &["10.0.0.1/8"], &["10.0.0.0/16"]],
        &["", "10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/+8", "10.0.0.0/08", "/8"],
    );
}

#[test]
fn numbers_and_bytes_are_compared_by_their_value() {
    check::<format::Decimal>(
        &[&["1.50", "1.5", "15e-1", "001.5"], &["-1.5"], &["1.50000000000000000000001"]],
        &["", "1,5", "one", "0x10", "NaN"],
    );
    check::<format::Base64>(
        &[&["+/+/", "-_-_"], &["YQ==", "YQ", " Y\nQ== "], &["YWI=", "YWI"], &[""]],
        &["Y", "a!b=", "===="],
    );
    let bytes: Base64Text = "YWI".parse().expect("it is base64");
    assert_eq!(bytes.get(), b"ab");
}

#[cfg(feature = "time")]
#[test]
fn times_are_compared_by_their_moment() {
    check::<format::Rfc3339>(
        &[
            &[
                "2024-02-29T12:00:00Z",
                "2024-02-29T12:00:00.000Z",
                "2024-02-29t14:00:00+02:00",
                "2024-02-29 12:00:00z",
            ],
            &["2024-02-29T12:00:00.5Z"],
        ],
        &[
            "",
            "2024-02-30T12:00:00Z",
            "2024-02-29",
            "2024-02-29T12:00:00",
            "2024-02-29T12:00:00Z[UTC]",
            "20240229T120000Z",
        ],
    );
}

#[cfg(feature = "url")]
#[test]
fn urls_are_compared_by_the_standard() {
    check::<format::Url>(
        &[
            &["https://example.com", "HTTPS://Example.COM:443/"],
            &["https://example.com/a"],
            &["https://example.com/A"],
        ],
        &["", "example.com", "/a", "https://"],
    );
}

#[cfg(feature = "yaml")]
#[test]
fn yaml_is_compared_by_its_data() {
    check::<format::Yaml>(
        &[
            &["a: 1\nb: [x, 'y']\n", "{b: [x, y], a: 1.0} # same", "---\n\"b\":\n- x\n- \"y\"\na: +1\n"],
            &["a: '1'\nb: [x, y]\n"],
            &["x: &x [1, 2]\ny: *x", "x: [1, 2]\ny: [1, 2]"],
            &["~", "null"],
            &["12"],
            &["012"],
            &["!tag 1"],
            &["a\n---\nb"],
        ],
        &["a: [", "*nothing", "a: b: c"],
    );
    let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for at in 1..20 {
        let before = at - 1;
        let alias = format!("*a{before}, ").repeat(10);
        bomb.push_str(&format!("a{at}: &a{at} [{alias}x]\n"));
    }
    assert_eq!(format::Yaml::canonical(&bomb), None);
    assert_eq!(format::Yaml::canonical(&"[".repeat(100_000)), None);
}

#[test]
fn types_bring_their_equivalence_into_collections() {
    assert!(String::equivalence().is_exact());
    for equivalence in [
        Vec::<Json>::equivalence(),
        SetOf::<Json>::equivalence(),
        std::collections::BTreeMap::<String, Json>::equivalence(),
    ] {
        assert!(matches!(equivalence.inner, InnerEquivalence::Elements(element) if !element.is_exact()));
    }
    assert!(
        matches!(<(String, Json)>::equivalence().inner, InnerEquivalence::Members(members) if members.len() == 2)
    );
    assert!(<(String, String)>::equivalence().is_exact());
    assert!(!Vec::<Vec<Json>>::equivalence().is_exact());
}
