//! The typed trait: records with versions, and the client.

use std::time::Duration;

use bytes::Bytes;
use ferroform::diag::Result;
use ferroform::ephemeral_resource::{CloseContext, EphemeralResource, OpenContext, RenewContext};
use ferroform::model::{Draft, Model, Planned};
use ferroform::provider::{Context, Provider, Registry, assemble};
use ferroform::resource::RawJson;
use ferroform::value::Value;
use ferroform_server::protocol::{
    CloseEphemeralResourceRequest, ConfigureProviderRequest, OpenEphemeralResourceRequest,
    OpenEphemeralResourceResponse, RenewEphemeralResourceRequest,
};
use ferroform_server::server::Server;
use serde::{Deserialize, Serialize};

use crate::server::support::{ask, encoded_by, message, response, shown, summaries};

#[derive(Model)]
struct Lease {
    role: String,
    #[attr(computed, sensitive)]
    token: String,
}

/// The third form; the second had another name for the ID, the first was the ID.
#[derive(Serialize, Deserialize)]
struct Record {
    lease: String,
}

impl EphemeralResource for Lease {
    type Client = String;
    type Private = Record;
    const NAME: &str = "lease";
    const PRIVATE_VERSION: i64 = 2;

    async fn open(cx: &mut OpenContext<'_, Self>, config: Planned<Self>) -> Result<Self> {
        cx.record(&Record { lease: format!("{}-1", cx.client) })?;
        Ok(Self { role: config.role, token: "t".to_owned() })
    }

    async fn renew(cx: &mut RenewContext<'_, Self>, recorded: Record) -> Result {
        cx.warn(format!("Renewed {}", recorded.lease), "");
        cx.record(&Record { lease: recorded.lease + "+" })
    }

    async fn close(cx: &mut CloseContext<'_, Self>, recorded: Record) -> Result {
        cx.warn(format!("Closed {}", recorded.lease), "");
        Ok(())
    }

    fn upgrade_private(version: i64, recorded: RawJson) -> Result<Record> {
        #[derive(Deserialize)]
        struct Older {
            id: String,
        }
        let lease = if version == 0 { recorded.parse()? } else { recorded.parse::<Older>()?.id };
        Ok(Record { lease })
    }
}

/// One with nothing to close and nothing implemented.
#[derive(Model)]
struct Plain {
    text: String,
}

impl EphemeralResource for Plain {
    type Client = String;
    type Private = ();
    const NAME: &str = "plain";

    async fn open(cx: &mut OpenContext<'_, Self>, config: Planned<Self>) -> Result<Self> {
        cx.record(&())?;
        cx.renew_after(Duration::from_secs(60));
        Ok(Self { text: config.text })
    }
}

struct Typed;

impl Provider for Typed {
    type Config = ();
    type Client = String;
    const NAME: &str = "typed";

    async fn configure(_cx: &mut Context<'_>, _config: Draft<()>) -> Result<String> {
        Ok("lease".to_owned())
    }

    fn register(it: &mut Registry<String>) {
        it.ephemeral_resource::<Lease>().ephemeral_resource::<Plain>();
    }
}

fn unconfigured() -> Server {
    Server::new(assemble::<Typed>())
}

fn configured() -> Server {
    let server = unconfigured();
    ask(&server, ConfigureProviderRequest::default());
    server
}

fn open(server: &Server) -> OpenEphemeralResourceResponse {
    let config = Value::object([("role", Value::string("ci")), ("token", Value::Null)]);
    let request = message!(OpenEphemeralResourceRequest {
        type_name: "typed_lease".to_owned(),
        config: encoded_by(&Lease::schema(), &config),
    });
    response!(OpenEphemeralResource, ask(server, request))
}

fn renew(server: &Server, type_name: &str, private: Option<Bytes>) -> (String, Option<Bytes>) {
    let request =
        message!(RenewEphemeralResourceRequest { type_name: type_name.to_owned(), private: private });
    let response = response!(RenewEphemeralResource, ask(server, request));
    (summaries(&response.diagnostics), response.private)
}

fn close(server: &Server, private: Option<Bytes>) -> String {
    let request =
        message!(CloseEphemeralResourceRequest { type_name: "typed_lease".to_owned(), private: private });
    summaries(&response!(CloseEphemeralResource, ask(server, request)).diagnostics)
}

#[test]
fn recorded_private_data_is_decoded_by_type() {
    let server = configured();
    let opened = open(&server);
    assert_eq!(shown(&Lease::schema(), &opened.result), r#"{"role": "ci", "token": "t"}"#);
    assert_eq!(summaries(&opened.diagnostics), "");
    assert_eq!(renew(&server, "typed_lease", opened.private.clone()).0, "warning: Renewed lease-1\n");
    assert_eq!(close(&server, opened.private), "warning: Closed lease-1+\n");
}

/// The private data of releases, in the stored form.
fn of_release(version: &str, record: &str) -> Option<Bytes> {
    let text = format!(r#"{{"ferroform":{{".record":{record},".record_version":{version}}}}}"#);
    Some(Bytes::from(text))
}

#[test]
fn the_record_of_every_release_is_read() {
    let server = configured();
    let check = |version: &str, record: &str, expect: &str| {
        assert_eq!(close(&server, of_release(version, record)), expect, "{version} {record}");
    };
    check("2", r#"{"lease":"l"}"#, "warning: Closed l\n");
    check("1", r#"{"id":"l"}"#, "warning: Closed l\n");
    check("0", r#""l""#, "warning: Closed l\n");
    check("3", r#"{"lease":"l"}"#, "error: Private Data Of A Newer Release\n");
    check("2", r#"{"id":"hunter2"}"#, "error: Unreadable Private Data\n");
    check("1", r#"{"lease":"hunter2"}"#, "error: Unreadable Value\n");
    check(r#""x""#, r#"{"lease":"l"}"#, "error: Missing Private Data\n");
}

#[test]
fn private_data_of_an_unknown_form_is_a_diagnostic() {
    let server = configured();
    for (private, expect) in [
        (r#"{"etag":"x"}"#, "warning: Private State Dropped\nerror: Missing Private Data\n"),
        (r#"{"ferroform":{}}"#, "error: Missing Private Data\n"),
        (r"[", "error: Corrupt Private State\n"),
    ] {
        let private = Some(Bytes::from(private));
        assert_eq!(close(&server, private.clone()), expect);
        assert_eq!(renew(&server, "typed_lease", private).0, expect);
    }
}

#[test]
fn a_type_without_renew_says_so() {
    let server = configured();
    let config = encoded_by(&Plain::schema(), &Value::object([("text", Value::string("a"))]));
    let request =
        message!(OpenEphemeralResourceRequest { type_name: "typed_plain".to_owned(), config: config });
    let opened = response!(OpenEphemeralResource, ask(&server, request));
    assert!(opened.renew_at.is_some() && opened.diagnostics.is_empty());
    assert_eq!(renew(&server, "typed_plain", opened.private).0, "error: Renewal Not Implemented\n");
}

#[test]
fn an_unconfigured_provider_is_an_error() {
    const SAID: &str = "error: Provider Not Configured\n";
    let server = unconfigured();
    assert_eq!(summaries(&open(&server).diagnostics), SAID);
    let private = open(&configured()).private;
    assert_eq!(renew(&server, "typed_lease", private.clone()).0, SAID);
    assert_eq!(close(&server, private), SAID);
}
