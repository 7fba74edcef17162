//! The provider `probe`: values of every shape, and mistakes that the SDK finds before core does.

use ferroform_testing::client::Protocol;
use ferroform_testing::config::{
    Body, Config, Expr, body, count_index, list, object, reference, resource, template,
};
use ferroform_testing::embedded::PlanOptions;

use crate::provider_under_test::{Name, ProviderUnderTest};
use crate::scenario::{Command, Scenario};

pub(super) fn scenarios() -> Vec<Scenario> {
    let both = [Protocol::V5, Protocol::V6].map(blocks);
    both.into_iter()
        .chain([numbers(), dynamic(), nested(), unknown_elements(), rules(), secret(), module_meta()])
        .chain([dynamic_blocks(), wrong_blocks(), ignored(), secrets_of_leases(), ignored_keys()])
        .chain(mistakes())
        .collect()
}

fn scenario(name: &str) -> Scenario {
    Scenario::of(ProviderUnderTest::new(Name::Probe, Protocol::V6), name)
}

/// The configuration of one object named `a`.
fn of(it: &Scenario, type_name: &str, body: Body) -> Config {
    let mut block = resource(type_name, "this");
    block.body = body.set("name", "a");
    it.subject.config().resource(block)
}

/// Each configuration is applied, the last is planned again, and everything is destroyed.
fn lived(mut it: Scenario, configs: Vec<Config>) -> Scenario {
    let last = configs.last().cloned().unwrap_or_default();
    for config in configs {
        it = it.apply(config);
    }
    it.plan(last.clone()).then(Command::Destroy(last))
}

fn numbers() -> Scenario {
    let it = scenario("numbers, small and large");
    let values = [Expr::from(1), 0.1.into(), (-7.25).into(), i64::MAX.into()];
    let configs = values.map(|value| of(&it, "probe_number", body().set("value", value))).to_vec();
    lived(it, configs)
}

/// What the module tells the provider goes with each call, also with those for what is to be deleted.
fn module_meta() -> Scenario {
    let it = scenario("a module tells the provider something");
    let config = |meta: &str, text: &str| {
        let block = format!("terraform {{\n  provider_meta \"probe\" {{\n    {meta}\n  }}\n}}");
        let kept = of(&it, "probe_meta", body()).text(block);
        let name = template([text.into(), count_index()]);
        let two = resource("probe_text", "two").count(2).set("name", name).set("text", text);
        if text.is_empty() { kept } else { kept.resource(two) }
    };
    let configs = [
        config("module_name = \"a\"", "t"),
        config("module_name = 5", "u"),
        config("other = 1", "u"),
        config("module_name = [1]", "u"),
        config("", "u"),
        config("module_name = \"b\"", ""),
    ];
    let forgotten = it
        .subject
        .config()
        .text("removed {\n  from = probe_meta.this\n  lifecycle {\n    destroy = false\n  }\n}");
    let imported = config("module_name = \"b\"", "").import("probe_meta.this", "a");
    let more = [forgotten, imported];
    lived(it, configs.into_iter().chain(more).collect())
}

/// What blocks take over from the collection that a `dynamic` block makes them of.
fn dynamic_blocks() -> Scenario {
    let it = scenario("blocks are made of a collection that is secret or not known");
    let made = |name: &str, each: &str, content: &str| {
        let labels = if name == "map" { "    labels = [\"x\"]\n" } else { "" };
        format!(
            "  dynamic \"{name}\" {{\n    for_each = {each}\n{labels}    content {{\n      {content}\n    }}\n  }}\n"
        )
    };
    let config = |type_name: &str, blocks: &[String]| {
        let value = "resource \"probe_dynamic\" \"of\" {\n  name = \"of\"\n  value = [\"b\"]\n}\n";
        let all = blocks.concat();
        let block = format!(
            "resource \"{type_name}\" \"this\" {{\n  name = \"a\"\n  depends_on = [probe_dynamic.of]\n{all}}}"
        );
        it.subject.config().text(value.to_owned() + &block)
    };
    let names = ["single", "group", "list", "set", "map"];
    let all = |each: &str| -> Vec<_> {
        let any = made("any", each, "value = \"x\"");
        names.iter().map(|name| made(name, each, "key = \"x\"")).chain([any]).collect()
    };
    let (copy, inner) = ("probe_dynamic.of.copy", made("inner", "[list.value]", "key = inner.value"));
    let configs = [
        config("probe_blocks", &all(&format!("sensitive({copy})"))),
        config("probe_blocks", &all("sensitive([\"a\"])")),
        config(
            "probe_blocks",
            &[made("list", "sensitive([\"a\"])", &inner.replacen("  ", "key = 1\n  ", 1))],
        ),
    ];
    let single = config("probe_blocks", &[made("single", copy, "key = single.value")]);
    let rules = config("probe_rules", &[made("rule", copy, "port = length(rule.value)")]);
    let it = it.plan(single).plan(rules);
    lived(it, configs.into())
}

/// Paths in what blocks and attributes hold.
fn ignored() -> Scenario {
    let it = scenario("what is ignored is not there");
    let blocks = [
        "set[0]",
        "set[0].key",
        "list.key",
        "list[0].key",
        "list[0].nope",
        "any.value",
        "any[0].value.x",
        "map.x.key",
        "map[\"x\"][\"key\"]",
        "single[0].key",
        "single.serial",
        "name.x",
        "name[0]",
    ];
    let nested = [
        "list[0].key",
        "list[\"0\"].key",
        "list[\"x\"].key",
        "list.key",
        "map.x.key",
        "map.x.nope",
        "set[0]",
    ];
    let of = |type_name: &str, path: &&str| {
        let ignored = format!("  lifecycle {{\n    ignore_changes = [{path}]\n  }}\n");
        it.subject.config().text(format!("resource \"{type_name}\" \"this\" {{\n  name = \"a\"\n{ignored}}}"))
    };
    let all = blocks.iter().map(|path| of("probe_blocks", path));
    let all: Vec<Config> = all.chain(nested.iter().map(|path| of("probe_nested", path))).collect();
    all.into_iter().fold(it, Scenario::plan)
}

/// Keys of maps that were something else before, or are nothing now.
fn ignored_keys() -> Scenario {
    let it = scenario("an ignored key of a map of another type");
    let config = |value: &str, ignored: &str| {
        let lifecycle = format!("  lifecycle {{\n    ignore_changes = [{ignored}]\n  }}\n");
        let block = format!(
            "resource \"probe_dynamic\" \"this\" {{\n  name = \"a\"\n  value = {value}\n{lifecycle}}}"
        );
        it.subject.config().text(block)
    };
    let configs = vec![
        config("{ b = 1 }", "value[\"a\"]"),
        config("tomap({ a = \"x\" })", "value[\"a\"]"),
        config("{ m = tomap({ a = \"x\", b = \"y\" }) }", "value.n"),
        config("{ m = null }", "value.m[\"a\"]"),
    ];
    lived(it, configs)
}

/// What the schema of an ephemeral resource says is sensitive.
fn secrets_of_leases() -> Scenario {
    let it = scenario("what is sensitive in an ephemeral resource is not marked");
    let lease = "ephemeral \"probe_lease\" \"this\" {\n  name = \"l\"\n}\n";
    let config = |token: &str| {
        let secret =
            format!("resource \"probe_secret\" \"this\" {{\n  name = \"a\"\n  token = {token}\n}}\n");
        let output = "output \"token\" {\n  value = probe_secret.this.token\n}";
        it.subject.config().text(lease.to_owned() + &secret + output)
    };
    let config = config("ephemeral.probe_lease.this.token");
    it.apply(config.clone()).plan(config)
}

fn wrong_blocks() -> Scenario {
    let it = scenario("blocks are wrong");
    let kinds = [
        ("probe_blocks", "single {\n    key = 1\n  }\n  single {\n    key = 2\n  }"),
        ("probe_blocks", "list \"x\" {\n    key = 1\n  }\n  map {\n    key = 2\n  }"),
        ("probe_blocks", "map \"x\" {\n    key = 1\n  }\n  map \"x\" {\n    key = 2\n  }"),
        ("probe_rules", "rule \"x\" {\n    port = 1\n  }"),
        ("probe_rules", "rule = true ? null : [{ port = 1 }]"),
        ("probe_blocks", "dynamic \"list\" {\n    for_each = \"a\"\n    content {}\n  }"),
        ("probe_blocks", "dynamic \"list\" {\n    for_each = []\n  }"),
        (
            "probe_blocks",
            "dynamic \"list\" {\n    for_each = []\n    labels = []\n    iterator = \"x\"\n    content {}\n  }",
        ),
        ("probe_blocks", "dynamic \"list\" {\n    for_each = []\n    iterator = a.b\n    content {}\n  }"),
        ("probe_blocks", "dynamic \"map\" {\n    for_each = []\n    content {}\n  }"),
        ("probe_blocks", "dynamic \"map\" {\n    for_each = []\n    labels = []\n    content {}\n  }"),
        (
            "probe_blocks",
            "dynamic \"map\" {\n    for_each = [1]\n    labels = [\"a\", \"b\"]\n    content {}\n  }",
        ),
        ("probe_blocks", "dynamic \"map\" {\n    for_each = [1]\n    labels = [null]\n    content {}\n  }"),
        ("probe_blocks", "dynamic \"set\" {\n    for_each = []\n    content {}\n    content {}\n  }"),
        ("probe_blocks", "dynamic {\n    for_each = []\n    content {}\n  }"),
    ];
    let configs = kinds.map(|(type_name, block)| {
        it.subject
            .config()
            .text(format!("resource \"{type_name}\" \"this\" {{\n  name = \"a\"\n  {block}\n}}"))
    });
    let late = "variable \"late\" {\n  ephemeral = true\n  default = [\"a\"]\n}\n";
    let block = "dynamic \"list\" {\n    for_each = var.late\n    content {\n      key = 1\n    }\n  }";
    let stored = format!("resource \"probe_blocks\" \"this\" {{\n  name = \"a\"\n  {block}\n}}");
    let stored = it.subject.config().text(late.to_owned() + &stored);
    configs.into_iter().chain([stored]).fold(it, Scenario::plan)
}

fn dynamic() -> Scenario {
    let it = scenario("a value changes its type");
    let nested = object([("a", Expr::from(1)), ("b", list(["x", "y"]))]);
    let values = [Expr::from("text"), true.into(), list(["x"]), nested];
    let mut configs: Vec<Config> =
        values.map(|value| of(&it, "probe_dynamic", body().set("value", value))).to_vec();
    configs.push(of(&it, "probe_dynamic", body()));
    lived(it, configs)
}

fn blocks(protocol: Protocol) -> Scenario {
    let name = if protocol == Protocol::V5 { "blocks in protocol 5" } else { "blocks" };
    let it = Scenario::of(ProviderUnderTest::new(Name::Probe, protocol), name);
    let block = |key: &str| body().set("key", key).block("inner", body().set("key", "i"));
    let all = |key: &str| {
        let blocks = body()
            .block("single", block(key))
            .block("list", block(key))
            .block("list", block("second"))
            .block("set", block(key))
            .block("set", block("second"))
            .labelled("map", "m", block(key))
            .block("group", body().set("key", key));
        blocks.block("any", body().set("value", key)).block("any", body().set("value", 1))
    };
    let configs = [body(), all("k"), all("l").set("name", "a"), body().block("list", block("k"))];
    let configs = configs.map(|body| of(&it, "probe_blocks", body)).to_vec();
    lived(it, configs)
}

fn nested() -> Scenario {
    let it = scenario("nested attributes");
    let one = |key: &str| {
        let inner = || object([("key", "i")]);
        object([("key", Expr::from(key)), ("inner", inner()), ("more", object([("m", inner())]))])
    };
    let all = |key: &str| {
        body()
            .set("single", one(key))
            .set("list", list([one(key), one("second")]))
            .set("set", list([one(key), one("second")]))
            .set("map", object([("m", one(key))]))
    };
    let configs = [all("k"), all("l"), body()].map(|body| of(&it, "probe_nested", body)).to_vec();
    lived(it, configs)
}

/// Nested attributes with elements that another resource makes, of which not even the attributes are known.
fn unknown_elements() -> Scenario {
    let it = scenario("elements that are unknown as a whole");
    let all = |element: &dyn Fn() -> Expr| {
        body()
            .set("single", object([("key", Expr::from("k")), ("more", object([("m", element())]))]))
            .set("list", list([element()]))
            .set("set", list([element()]))
            .set("map", object([("m", element())]))
    };
    let known = || of(&it, "probe_nested", all(&|| object([("key", "k")])));
    let unknown = |key: &str| {
        let made = resource("probe_dynamic", "made").set("name", "made").set("value", object([("key", key)]));
        of(&it, "probe_nested", all(&|| reference("probe_dynamic.made.copy"))).resource(made)
    };
    let configs = vec![unknown("a"), unknown("b"), known(), unknown("c")];
    lived(it, configs)
}

/// Lists and sets that stand as blocks or as attributes.
fn rules() -> Scenario {
    let it = scenario("attributes as blocks");
    let port = |port: u32| body().set("port", port);
    let none: [Expr; 0] = [];
    let configs = [
        body().block("rule", port(1)).block("rule", port(2)).block("label", port(3)).block("real", port(4)),
        body().block("rule", port(2)).block("label", port(3)).block("real", port(4)),
        body().set("rule", list(none)).block("label", port(5)),
    ];
    let configs = configs.map(|body| of(&it, "probe_rules", body)).to_vec();
    lived(it, configs)
}

fn secret() -> Scenario {
    let it = scenario("a write-only value and a sensitive one");
    let secrets = |token: &str, password: &str| body().set("token", token).set("password", password);
    let configs = [secrets("t", "p"), secrets("u", "p"), secrets("u", "q"), body()];
    let configs = configs.map(|body| of(&it, "probe_secret", body)).to_vec();
    lived(it, configs)
}

/// What the provider does wrong.
fn mistakes() -> Vec<Scenario> {
    let failing = |name: &str, type_name: &str, body: Body| {
        let it = scenario(name);
        let config = of(&it, type_name, body);
        it.apply(config.clone()).plan(config.clone()).then(Command::Apply(config, PlanOptions::destroy()))
    };
    let violating = |rule: &str| {
        let name = format!("the SDK finds a broken rule: {rule}");
        failing(&name, "probe_violating", body().set("rule", rule).set("text", "t"))
    };
    let panicking = |when: &str| {
        let name = format!("a provider panics {when} the object exists");
        failing(&name, "probe_panicking", body().set("when", when))
    };
    let printing = failing("a provider prints", "probe_printing", body());
    let rules = ["plan", "result", "known", "type", "null"].map(violating);
    rules.into_iter().chain(["before", "after"].map(panicking)).chain([printing]).collect()
}
