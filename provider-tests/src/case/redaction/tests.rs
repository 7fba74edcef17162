//! What is hidden of configurations, and what stays.

use ferroform::schema::{BlockNesting, NestedBlock, Schema as Whole};
use ferroform::ty::Type;
use ferroform::value::Value;

use super::*;
use crate::case::source::RootModule;
use crate::config::{Config, body, list, object, provider, reference, resource, sensitive};

fn secret(name: &str) -> Attribute {
    Attribute::optional(name.to_owned(), Type::String).sensitive()
}

fn plain(name: &str) -> Attribute {
    Attribute::optional(name.to_owned(), Type::String)
}

fn nested(name: &'static str, nesting: Nesting) -> Attribute {
    Attribute::optional(name, NestedObject::new(nesting, vec![plain("name"), secret("key")]))
}

fn block(attributes: Vec<Attribute>, blocks: Vec<NestedBlock>) -> Schema {
    Schema::new(attributes).blocks(blocks)
}

fn known() -> Redaction {
    let address: ProviderAddress = "example.com/acme/demo".parse().expect("an address");
    let pin = Attribute::optional("pin", Type::Number).write_only();
    let attributes = vec![
        plain("name"),
        secret("token"),
        pin,
        Attribute::optional("labels", Type::map(Type::String)).sensitive(),
        nested("users", Nesting::List),
        nested("hosts", Nesting::Map),
    ];
    let login = block(vec![plain("user"), secret("password")], Vec::new());
    let thing = block(attributes, vec![NestedBlock::new("login", BlockNesting::List, login)]);
    let provider = block(vec![plain("endpoint"), secret("token")], Vec::new());
    let schemas = Schemas {
        provider: Whole::new(provider),
        resources: BTreeMap::from([("demo_thing".to_owned(), Whole::new(thing))]),
        ..Schemas::default()
    };
    let names = vec![("demo".to_owned(), address.clone())];
    Redaction { schemas: BTreeMap::from([(address, schemas)]), names }
}

/// All that is secret has this text, or this number.
const SECRET: &str = "s3cret";
const NUMBER: i64 = 424_242;

#[track_caller]
fn check(configuration: &Configuration, expect: &str) {
    let text = known().shown(configuration);
    let shown = text.lines().skip_while(|line| line.starts_with("# Sensitive")).collect::<Vec<_>>();
    assert_eq!(shown.join("\n").trim(), expect.trim());
    let blind = Redaction::default().shown(configuration);
    assert!(!blind.contains(SECRET) && !blind.contains(&NUMBER.to_string()), "{blind}");
}

fn typed(config: Config) -> Configuration {
    Configuration::Typed(Box::new(config))
}

#[test]
fn typed_values_are_hidden_by_their_schemas() {
    let user = |name: &str| object([("name", name), ("key", SECRET)]);
    let thing = resource("demo_thing", "a")
        .set("name", "web")
        .set("token", SECRET)
        .set("pin", NUMBER)
        .set("labels", object([("a", SECRET)]))
        .set("users", list([user("x"), user("y")]))
        .set("hosts", object([("h", user("z"))]))
        .block("login", body().set("user", "u").set("password", SECRET));
    let config = Config::new()
        .provider(provider("demo").set("endpoint", "here").set("token", SECRET))
        .resource(thing)
        .output("open", "seen")
        .sensitive_output("closed", SECRET);
    check(
        &typed(config),
        r#"
provider "demo" {
  endpoint = "here"
  token    = "(sensitive value)"
}

resource "demo_thing" "a" {
  name  = "web"
  token = "(sensitive value)"
  pin   = "(sensitive value)"
  labels = "(sensitive value)"
  users = [
    {
      name = "x"
      key  = "(sensitive value)"
    },
    {
      name = "y"
      key  = "(sensitive value)"
    }
  ]
  hosts = {
    h = {
      name = "z"
      key  = "(sensitive value)"
    }
  }

  login {
    user     = "u"
    password = "(sensitive value)"
  }
}

output "open" {
  value = "seen"
}

output "closed" {
  value     = "(sensitive value)"
  sensitive = true
}
"#,
    );
}

#[test]
fn references_and_nulls_stay_and_arguments_without_a_schema_are_hidden() {
    let a = resource("demo_thing", "a")
        .set("name", sensitive(SECRET))
        .set("token", Value::Null)
        .set("typo", SECRET);
    let b = resource("demo_thing", "b").set("token", reference("demo_thing.a.token"));
    let c = resource("other_thing", "c").count(2).set("name", SECRET);
    let all = Config::new().resource(a).resource(b).resource(c);
    check(
        &typed(all),
        r#"
resource "demo_thing" "a" {
  name  = sensitive("(sensitive value)")
  token = null
  typo  = "(sensitive value)"
}

resource "demo_thing" "b" {
  token = demo_thing.a.token
}

resource "other_thing" "c" {
  count = 2
  name  = "(sensitive value)"
}
"#,
    );
}

#[test]
fn what_secrets_are_taken_from_is_hidden() {
    let text = r#"
locals {
  token = var.token
  name  = "web"
}
variable "token" {
  default = "s3cret"
}
variable "key" {
  default   = "s3cret"
  sensitive = true
}
resource "demo_thing" "a" {
  name  = local.name
  token = local.token
}
resource "demo_thing" "b" {
  for_each = { x = "s3cret" }
  name     = "b-${each.key}"
  login {
    password = each.value
  }
  dynamic "login" {
    for_each = ["s3cret"]
    content {
      user     = "u"
      password = login.value
    }
  }
}
"#;
    let expect = r#"
locals {
  token = var.token
  name  = "web"
}
variable "token" {
  default = "(sensitive value)"
}
variable "key" {
  default   = "(sensitive value)"
  sensitive = true
}
resource "demo_thing" "a" {
  name  = local.name
  token = local.token
}
resource "demo_thing" "b" {
  for_each = "(sensitive value)"
  name     = "b-${each.key}"
  login {
    password = each.value
  }
  dynamic "login" {
    for_each = "(sensitive value)"
    content {
      user     = "u"
      password = login.value
    }
  }
}
"#;
    check(&as_text(text), expect);
}

#[test]
fn what_cannot_be_read_is_not_shown() {
    let none = "# It cannot be parsed, so its sensitive values are unknown. The text is in the test.";
    check(&as_text("resource { token = \"s3cret\""), none);
    let unknown = resource("demo_thing", "a").set("token", SECRET).set("name", Value::unknown());
    let hidden =
        "# the configuration cannot be written as text: a value in it is unknown\n# It has demo_thing.a.";
    check(&typed(Config::new().resource(unknown)), hidden);
}

fn as_text(text: &str) -> Configuration {
    Configuration::Module(RootModule { text: text.to_owned(), ..RootModule::default() })
}
