//! Defaults of what core does not plan: the configuration of a provider and the arguments of a data source.

use ferroform::data_source::{self, DataSource};
use ferroform::diag::{Error, Result};
use ferroform::model::{Draft, Model, Planned};
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::schema::DefaultContext;
use ferroform::value::Value;
use ferroform_server::protocol::{
    ConfigureProviderRequest, ReadDataSourceRequest, ValidateDataResourceConfigRequest,
    ValidateProviderConfigRequest,
};
use ferroform_server::server::Server;

use crate::server::support::{ask, encoded_by, message, response, shown, summaries};

/// Set by cargo for every test.
const VARIABLE: &str = "CARGO_PKG_NAME";

#[derive(Model)]
struct Config {
    #[attr(default = "eu")]
    zone: String,
    /// Taken from the environment.
    #[attr(default_with = token, sensitive)]
    token: String,
    retries: Option<Retries>,
    #[attr(block)]
    account: Vec<Account>,
}

#[derive(Model)]
#[model(nested)]
struct Retries {
    #[attr(default = 3)]
    most: u32,
}

#[derive(Model)]
#[model(nested)]
struct Account {
    #[attr(default = "main")]
    name: String,
}

/// An environment without the variable is one with zone `nowhere`.
fn token(here: &DefaultContext<'_>) -> Result<String> {
    let variable = if here.beside("zone") == Some(&Value::from("nowhere")) { "" } else { VARIABLE };
    here.environment
        .variable(variable)
        .ok_or_else(|| Error::new("No Token", format!("Set `token`, or {VARIABLE} in the environment.")))
}

/// What the configuration came to.
struct Client(String);

struct Cloud;

impl Provider for Cloud {
    type Config = Config;
    type Client = Client;
    const NAME: &str = "cloud";

    async fn configure(_: &mut provider::Context<'_>, config: Draft<Config>) -> Result<Client> {
        let Draft::<Config> { zone, token, retries, account } = config;
        let source = if token.known()? == env!("CARGO_PKG_NAME") { "the environment" } else { "the user" };
        Ok(Client(format!("{zone:?}, token of {source}, {retries:?}, {account:?}")))
    }

    fn register(it: &mut Registry<Client>) {
        it.data_source::<Echo>();
    }
}

/// Shows what it was asked, and what the provider is configured with.
#[derive(Model)]
struct Echo {
    #[attr(default = "all")]
    filter: String,
    #[attr(default_with = |here: &DefaultContext<'_>| Ok(u32::from(here.beside("filter").is_some_and(Value::is_null))))]
    limit: u32,
    options: Option<Retries>,
    #[attr(computed)]
    client: String,
}

impl DataSource for Echo {
    type Client = Client;
    const NAME: &str = "echo";

    async fn read(cx: &mut data_source::Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
        assert!(config.client.as_known().is_none(), "a read finds what it is to fill");
        let options = config.options.map(|options| Retries { most: options.most });
        let client = cx.client.0.clone();
        Ok(Self { filter: config.filter, limit: config.limit, options, client })
    }
}

fn echo(filter: Value, options: Value) -> Value {
    Value::object([("filter", filter), ("limit", Value::Null), ("options", options), ("client", Value::Null)])
}

fn config(zone: Value, token: Value, retries: Value, account: Value) -> Value {
    Value::object([("zone", zone), ("token", token), ("retries", retries), ("account", account)])
}

fn nothing() -> Value {
    config(Value::Null, Value::Null, Value::Null, Value::list([]))
}

/// What a data source shows of a provider of that configuration, or what configuring it says.
fn check_configured(config: &Value, expect: &str) {
    let server = Server::new(assemble::<Cloud>());
    let sent = encoded_by(&Config::schema(), config);
    // A default is no configured value, so validation says nothing about it, whatever the environment is.
    let request = message!(ValidateProviderConfigRequest { config: sent.clone() });
    let validated = response!(ValidateProviderConfig, ask(&server, request));
    assert_eq!(summaries(&validated.diagnostics), "");
    let request = message!(ConfigureProviderRequest { config: sent });
    let configured = response!(ConfigureProvider, ask(&server, request));
    let said = summaries(&configured.diagnostics);
    let found = if said.is_empty() { read(&server, &echo(Value::Null, Value::Null)) } else { said };
    assert!(found.contains(expect), "{expect:?} is not in {found}");
}

fn read(server: &Server, config: &Value) -> String {
    let config = encoded_by(&Echo::schema(), config);
    let (type_name, sent) = ("cloud_echo".to_owned(), config.clone());
    let request = message!(ValidateDataResourceConfigRequest { type_name: type_name.clone(), config: sent });
    let validated = response!(ValidateDataResourceConfig, ask(server, request));
    assert_eq!(summaries(&validated.diagnostics), "");
    let request = message!(ReadDataSourceRequest { type_name: type_name, config: config });
    let response = response!(ReadDataSource, ask(server, request));
    assert_eq!(summaries(&response.diagnostics), "");
    shown(&Echo::schema(), &response.state)
}

#[test]
fn a_provider_is_configured_with_its_defaults() {
    let usual = r#"Known(\"eu\"), token of the environment, Null, "#;
    check_configured(&nothing(), usual);
    check_configured(&Value::Null, usual);
    let retries = |most| Value::object([("most", most)]);
    let account = |name| Value::list([Value::object([("name", name)])]);
    let own = config("us".into(), "secret".into(), retries(Value::Null), account(Value::Null));
    check_configured(&own, r#"Known(\"us\"), token of the user, Known(RetriesDraft { most: Known(3) }), "#);
    check_configured(&own, r#"AccountDraft { name: Known(\"main\") }"#);
    let own = config(Value::unknown(), Value::Null, retries(7.into()), account("own".into()));
    check_configured(&own, "Unknown, token of the environment, Known(RetriesDraft { most: Known(7) })");
    check_configured(&own, r#"AccountDraft { name: Known(\"own\") }"#);
}

#[test]
fn a_default_of_a_provider_that_cannot_be_made_is_an_error_at_its_path() {
    let nowhere = config("nowhere".into(), Value::Null, Value::Null, Value::list([]));
    check_configured(&nowhere, "error token: No Token\n");
}

#[test]
fn a_data_source_reads_with_its_defaults_and_shows_them() {
    let server = Server::new(assemble::<Cloud>());
    let sent = encoded_by(&Config::schema(), &nothing());
    let request = message!(ConfigureProviderRequest { config: sent });
    assert_eq!(summaries(&response!(ConfigureProvider, ask(&server, request)).diagnostics), "");
    let check = |config: Value, expect: &str| {
        let found = read(&server, &config);
        assert!(found.contains(expect), "{expect:?} is not in {found}");
    };
    check(echo(Value::Null, Value::Null), r#""filter": "all", "limit": 1, "options": null"#);
    let options = Value::object([("most", Value::Null)]);
    check(echo("some".into(), options), r#""filter": "some", "limit": 0, "options": {"most": 3}"#);
}
