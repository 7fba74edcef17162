//! Configurations as they are built, and as they are written down.

mod generate;
mod read_back;

use std::panic::{self, Location};
use std::sync::{Arc, Mutex};

use ferroform::value::{Unknown, Value};
use ferroform_testing::config::{
    Config, Expr, Reference, body, count_index, data, each_key, each_value, list, object, provider,
    reference, resource, sensitive,
};
use ferroform_testing::template;
use proptest::prelude::*;

/// Compares what an expression is written as.
fn check(value: impl Into<Expr>, expect: &str) {
    let text = Config::new().output("x", value).to_hcl().expect("it can be written");
    assert_eq!(text, format!("output \"x\" {{\n  value = {expect}\n}}\n"));
}

#[test]
fn values_are_written_as_the_language_has_them() {
    check("a\"b\\c\n${d}", r#""a\"b\\c\n$${d}""#);
    check(true, "true");
    check(-3, "-3");
    check(0.5, "0.5");
    check(None::<i64>, "null");
    check(list([1, 2]), "[\n    1,\n    2\n  ]");
    check(Vec::<i64>::new(), "[]");
    check(object([("a", 1), ("b c", 2)]), "{\n    a     = 1\n    \"b c\" = 2\n  }");
    check(Value::set([Value::from("a")]), "[\n    \"a\"\n  ]");
    check(sensitive("a"), "sensitive(\"a\")");
    check(
        template!["a$", each_key(), "-", 1, "-", count_index()],
        "\"a${\"$\"}${each.key}-1-${count.index}\"",
    );
    check(template![each_value()], "each.value");
    check(reference("data.demo_token.api[0].tags[\"a b\"]"), "data.demo_token.api[0].tags[\"a b\"]");
}

#[test]
fn blocks_are_written_in_the_layout_of_fmt() {
    let config = Config::new()
        .required_provider("demo", "example.com/acme/demo")
        .provider(provider("demo").alias("west").set("region", "w").labelled(
            "limit",
            "cpu",
            body().set("max", 1),
        ))
        .resource(
            resource("demo_file", "a")
                .provider("demo.west")
                .for_each(object([("k", "v")]))
                .block("empty", body())
                .ignore_all_changes()
                .prevent_destroy()
                .replace_triggered_by("demo_file.b[0].name")
                .depends_on("data.demo_token.t"),
        )
        .data(data("demo_token", "t"))
        .import("demo_file.a[\"k\"]", "id")
        .import_identity("demo_file.a", object([("name", "x")]))
        .moved("demo_file.x", "demo_file.y[0]")
        .removed("demo_file.z")
        .forgotten("demo_file.w")
        .sensitive_output("o", 1);
    let text = config.to_hcl().expect("it can be written");
    let expect = include_str!("blocks.tf");
    assert_eq!(text, expect);
}

#[test]
fn what_has_no_text_is_refused() {
    let unknown = Config::new().output("x", Value::Unknown(Unknown::new())).to_hcl();
    let error = unknown.expect_err("it has no text").to_string();
    assert_eq!(error, "the configuration cannot be written as text: a value in it is unknown");

    let mut reference: Reference = "demo_file.a".parse().expect("a reference");
    reference.path = ferroform::path!(rule).element();
    let error = Config::new().output("x", reference).to_hcl().expect_err("it has no text").to_string();
    assert!(error.ends_with("a path leads into an element of a set, which has no address"), "{error}");
}

/// A mistake of the test is told with the place of it.
#[test]
fn mistakes_name_the_caller() {
    let place: Arc<Mutex<Option<(String, String)>>> = Arc::default();
    let kept = place.clone();
    let hook = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let file = panic.location().map(Location::file).unwrap_or_default().to_owned();
        let text = panic.payload().downcast_ref::<String>().cloned().unwrap_or_default();
        *kept.lock().expect("no panic") = Some((file, text));
    }));
    let mistakes: [(fn(), &str); 7] = [
        (
            || drop(resource("demo file", "a")),
            "the type of a resource cannot be \"demo file\": it must begin with",
        ),
        (|| drop(resource("demo_file", "a").set("1a", 1)), "the name of an argument cannot be \"1a\""),
        (
            || drop(reference("demo_file")),
            "\"demo_file\" cannot be read as a reference: the name of the resource",
        ),
        (|| drop(Config::new().moved("demo_file", "a.b")), "demo_file"),
        (|| drop(resource("a_b", "c").ignore_changes(["a b"])), "\"a b\" cannot be read as a path"),
        (|| drop(Expr::from(f64::NAN)), "NaN cannot be written in a configuration"),
        (|| drop(Config::new().required_provider("a", "acme/demo")), "acme/demo"),
    ];
    let told: Vec<_> = mistakes
        .iter()
        .map(|(mistake, _)| {
            assert!(panic::catch_unwind(mistake).is_err());
            place.lock().expect("no panic").take().expect("the hook has run")
        })
        .collect();
    panic::set_hook(hook);
    for ((_, expect), (file, text)) in mistakes.iter().zip(told) {
        assert!(text.contains(expect), "{text:?} does not contain {expect:?}");
        assert!(file.ends_with("tests/config/main.rs"), "{file}: {text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The library reads what was written as what was meant.
    #[test]
    fn what_is_written_is_read_as_the_same(config in generate::config()) {
        let text = config.to_hcl().expect("it can be written");
        prop_assert_eq!(read_back::resources(&text), generate::resources(&config), "{}", text);
    }
}
