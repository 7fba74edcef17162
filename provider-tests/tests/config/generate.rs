//! Random configurations.

#![allow(dead_code, reason = "each test uses a part")]

use ferroform::value::Value;
use ferroform_testing::config::{
    Body, Config, Expr, body, list, null, object, reference, resource, sensitive, template,
};
use proptest::prelude::*;

/// Texts in which something looks like syntax.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{0,6}",
        "[ a\"\\\\${}%=\\[\n\t\u{e9}\u{301}\u{1f469}\u{200d}]{0,8}",
        Just("}".to_owned()),
        Just("a = {".to_owned()),
    ]
}

/// Keys in which something looks like syntax, without marks that join with the letter before them: how wide `fmt` takes
/// those for depends on where its scanner ends a token.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{0,6}",
        "[ a\"\\\\${}%=\\[\n\t\u{e9}\u{1f469}]{0,8}",
        Just("}".to_owned()),
        Just("a = {".to_owned()),
    ]
}

fn name() -> impl Strategy<Value = String> {
    "[a-z_][a-z0-9_-]{0,8}"
}

fn expression() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        Just(null()),
        any::<bool>().prop_map(Expr::from),
        any::<i32>().prop_map(Expr::from),
        // Sixty-fourths: the library that reads them back has floats, which hold these exactly.
        any::<i32>().prop_map(|sixty_fourths| Expr::from(f64::from(sixty_fourths) / 64.0)),
        text().prop_map(Expr::from),
        Just(reference("data.demo_a.b[\"k\"].c[0]")),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(list),
            prop::collection::btree_map(key(), inner.clone(), 0..4).prop_map(object),
            prop::collection::vec(inner.clone(), 1..4).prop_map(template),
            inner.prop_map(sensitive),
        ]
    })
}

fn contents() -> impl Strategy<Value = Body> {
    let arguments = prop::collection::btree_map(name(), expression(), 0..5);
    let leaf = arguments.prop_map(|arguments| {
        arguments.into_iter().fold(body(), |body, (name, value)| body.set(&name, value))
    });
    leaf.prop_recursive(2, 6, 3, |inner| {
        (
            prop::collection::btree_map(name(), expression(), 0..4),
            prop::collection::vec((name(), inner), 0..3),
        )
            .prop_map(|(arguments, blocks)| {
                let body = arguments.into_iter().fold(body(), |body, (name, value)| body.set(&name, value));
                blocks.into_iter().fold(body, |body, (name, inner)| body.labelled(&name, "a \"b\"", inner))
            })
    })
}

/// A configuration with nearly everything in it.
pub(crate) fn config() -> impl Strategy<Value = Config> {
    prop::collection::vec((name(), contents()), 1..3).prop_map(|resources| {
        let config = Config::new().required_provider("demo", "example.com/acme/demo");
        resources.into_iter().fold(config, |config, (name, body)| {
            let mut block =
                resource("demo_thing", &name).ignore_changes(["rule[0].tags"]).depends_on("demo_a.b");
            block.body = body;
            config
                .resource(block.create_before_destroy())
                .moved("demo_a.x[0]", "demo_a.y[\"k\"]")
                .removed("demo_a.z")
                .import("demo_a.c", "id")
        })
    })
}

/// The arguments of the resources, in the form in which the language has them.
pub(crate) fn resources(config: &Config) -> Vec<Body> {
    config.resources.iter().map(|block| plain(&block.body)).collect()
}

fn plain(it: &Body) -> Body {
    let arguments = it.arguments.iter().map(|(name, value)| (name.clone(), spelt(value)));
    let mut blocks = it.blocks.clone();
    blocks.iter_mut().for_each(|block| block.body = plain(&block.body));
    Body { arguments: arguments.collect(), blocks }
}

/// An expression without what its spelling cannot show: a template of one part, and texts side by side in another.
fn spelt(it: &Expr) -> Expr {
    match it {
        Expr::Tuple(elements) => Expr::Tuple(elements.iter().map(spelt).collect()),
        Expr::Object(members) => {
            // Keys are normalised when they are read, as all text is.
            let key = |name: &str| Value::string(name).as_str().unwrap_or_default().to_owned();
            Expr::Object(members.iter().map(|(name, value)| (key(name), spelt(value))).collect())
        }
        Expr::Sensitive(inner) => Expr::Sensitive(Box::new(spelt(inner))),
        Expr::Template(parts) => match parts.as_slice() {
            [one] => spelt(one),
            parts => joined(parts.iter().map(spelt)),
        },
        other => other.clone(),
    }
}

/// A template of these parts.
pub(crate) fn joined(parts: impl Iterator<Item = Expr>) -> Expr {
    let mut joined: Vec<Expr> = Vec::new();
    for part in parts {
        let text = match &part {
            Expr::Literal(Value::String(text)) => text.to_string(),
            Expr::Literal(Value::Number(number)) => number.to_string(),
            Expr::Literal(Value::Bool(value)) => value.to_string(),
            _ => {
                joined.push(part);
                continue;
            }
        };
        match joined.last_mut() {
            // Normalised as a whole: an accent may join the letter that ends the part before it.
            Some(Expr::Literal(before @ Value::String(_))) => {
                *before = Value::string(format!("{}{text}", before.as_str().unwrap_or_default()));
            }
            _ => joined.push(text.into()),
        }
    }
    joined.retain(|part| *part != Expr::from(""));
    match joined.as_slice() {
        [] => "".into(),
        [Expr::Literal(_)] => joined.remove(0),
        _ => Expr::Template(joined),
    }
}
