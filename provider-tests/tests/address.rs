//! Addresses as text: written and read back.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use ferroform_testing::address::{
    AddressError, InstanceAddress, InstanceKey, Mode, ModuleInstance, ProviderAddress, ProviderConfigAddress,
    ResourceAddress,
};
use proptest::prelude::*;

/// What a text is read as: the address written again, or what is wrong with it.
fn check<A: FromStr<Err = AddressError> + Display>(input: &str, expect: Result<(), &str>) {
    let read = input.parse::<A>().map(|address| address.to_string()).map_err(|error| error.to_string());
    match (read, expect) {
        (Ok(written), Ok(())) => assert_eq!(written, input),
        (Err(error), Err(part)) => {
            assert!(error.contains(part) && error.starts_with(&format!("{input:?} is not the address of a")));
        }
        (read, expect) => panic!("{input}: {read:?} instead of {expect:?}"),
    }
}

#[test]
fn addresses_are_read_as_they_are_written() {
    for input in [
        "acme_thing.this",
        "data.acme_thing.this",
        "acme_thing.this[0]",
        "acme_thing.this[18446744073709551615]",
        r#"acme_thing.this["a"]"#,
        r#"acme_thing.this[""]"#,
        r#"acme_thing.this["].x[\"\\"]"#,
        r#"acme_thing.this["$${a} $$$${ %%{ $ %"]"#,
        r#"acme_thing.this["a\nb\u200b\U000e0001é's"]"#,
        r#"module.net["x.y"].module.sub[2].data.acme_thing.th-is[1]"#,
        "_.größe",
    ] {
        check::<InstanceAddress>(input, Ok(()));
    }
    check::<ResourceAddress>("module.net[0].acme_thing.this", Ok(()));
    check::<ModuleInstance>("", Ok(()));
    check::<ModuleInstance>(r#"module.a["b"].module.c"#, Ok(()));
    check::<ProviderAddress>("localhost:8080/acme/thing", Ok(()));
    check::<ProviderConfigAddress>(r#"provider["example.com/acme/thing"]"#, Ok(()));
    check::<ProviderConfigAddress>(r#"module.a.provider["example.com/acme/thing"].west"#, Ok(()));
}

#[test]
fn other_texts_are_refused_with_the_reason() {
    for (input, problem) in [
        ("", "the type of the resource is missing"),
        ("acme_thing", "the name of the resource is missing after its type"),
        ("data.acme_thing", "the name of the resource is missing"),
        ("module.a", "the type of the resource is missing"),
        ("module", "the name is missing after `module`"),
        ("acme_thing..this", r#""" cannot be a name"#),
        ("acme_thing.this.", r#""" cannot be a name"#),
        ("acme_thing.1x", r#""1x" cannot be a name"#),
        ("acme_thing[0].this", "a key may stand only after names"),
        ("acme_thing.this.id", r#"there is "id" after the name"#),
        ("acme_thing.this[", "a bracket is not closed"),
        ("acme_thing.this[-1]", "neither an index nor a quoted key"),
        ("acme_thing.this[a]", "neither an index nor a quoted key"),
        ("acme_thing.this[]", "neither an index nor a quoted key"),
        ("acme_thing.this[18446744073709551616]", "an index is too large"),
        (r#"acme_thing.this["a]"#, "a quoted key has no end"),
        (r#"acme_thing.this["a"x]"#, "a `]` is missing"),
        (r#"acme_thing.this["a"]b"#, "a `.` is missing after a key"),
        (r#"acme_thing.this["\x"]"#, "a key has an escape other than"),
        (r#"acme_thing.this["\ud800"]"#, "an escape that is no character"),
        (r#"acme_thing.this["\u+123"]"#, "an escape that is no character"),
        (r#"acme_thing.this["${a}"]"#, "a key has a template in it; write `$${`"),
    ] {
        check::<InstanceAddress>(input, Err(problem));
    }
    check::<ResourceAddress>("acme_thing.this[0]", Err("it names a single instance"));
    check::<ModuleInstance>("module.a.acme_thing", Err(r#"there is "acme_thing" after the modules"#));
    check::<ProviderAddress>("acme/thing", Err("it has 2 of the three parts"));
    check::<ProviderAddress>("example.com//thing", Err("a part is empty"));
    check::<ProviderConfigAddress>("acme_thing.this", Err("is missing"));
    check::<ProviderConfigAddress>(
        r#"module.a[0].provider["example.com/acme/thing"]"#,
        Err("share providers"),
    );
    check::<ProviderConfigAddress>(r#"provider["thing"]"#, Err("it has 1 of the three parts"));
    check::<ProviderConfigAddress>(r#"provider["example.com/acme/thing"].a.b"#, Err("after the alias"));
}

#[test]
fn addresses_have_the_order_of_core() {
    let mut addresses: Vec<InstanceAddress> = [
        "module.b.a_a.a",
        r#"b.a["a"]"#,
        "b.a[10]",
        "b.a[9]",
        "module.a.module.a.a_a.a",
        "b.a",
        "a.b",
        "data.c.a",
    ]
    .map(|text| text.parse().expect("an address"))
    .to_vec();
    addresses.sort();
    let sorted: Vec<String> = addresses.iter().map(ToString::to_string).collect();
    let expect = [
        "data.c.a",
        "a.b",
        "b.a",
        "b.a[9]",
        "b.a[10]",
        r#"b.a["a"]"#,
        "module.b.a_a.a",
        "module.a.module.a.a_a.a",
    ];
    assert_eq!(sorted, expect);
}

fn read_back<A: FromStr<Err = AddressError> + Display + PartialEq + Debug>(address: &A) {
    assert_eq!(address.to_string().parse::<A>().as_ref(), Ok(address));
}

prop_compose! {
    fn resource()(
        module in modules(),
        data in any::<bool>(),
        type_name in "[a-ce-ln-z][a-z0-9_]{0,8}",
        name in "[a-zA-Zä_][a-z0-9_-]{0,8}",
    ) -> ResourceAddress {
        let mode = if data { Mode::Data } else { Mode::Managed };
        ResourceAddress { module: ModuleInstance(module), mode, type_name, name }
    }
}

fn modules() -> impl Strategy<Value = Vec<(String, InstanceKey)>> {
    prop::collection::vec(("[a-z_][a-z0-9-]{0,5}", key()), 0..3)
}

fn key() -> impl Strategy<Value = InstanceKey> {
    let text = prop_oneof![any::<String>(), r#"[$%{}"\\\[\].a]{0,8}"#];
    prop_oneof![
        Just(InstanceKey::None),
        any::<u64>().prop_map(InstanceKey::Index),
        text.prop_map(InstanceKey::Key)
    ]
}

proptest! {
    #[test]
    fn every_address_is_read_back(
        resource in resource(),
        key in key(),
        alias in prop::option::of("[a-z]{1,5}"),
    ) {
        read_back(&resource);
        read_back(&resource.module);
        let mut module = resource.module.clone();
        module.0.iter_mut().for_each(|(_, key)| *key = InstanceKey::None);
        let provider = ProviderAddress {
            host: "example.com:443".to_owned(),
            namespace: "acme".to_owned(),
            type_name: "thing".to_owned(),
        };
        read_back(&provider);
        read_back(&ProviderConfigAddress { module, provider, alias });
        read_back(&InstanceAddress { resource, key });
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in r#"([a-z.\[\]"0-9$%{\\]{0,20}|.*)"#) {
        if let Ok(address) = text.parse::<InstanceAddress>() {
            read_back(&address);
        }
        if let Ok(address) = text.parse::<ProviderConfigAddress>() {
            read_back(&address);
        }
    }
}
