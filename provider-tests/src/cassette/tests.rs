//! A cassette that is replayed stands for the service in the tests of recording.

use std::path::Path;

use bytes::Bytes;
use http::{Request, Response};

use super::exchange::Exchange;
use super::redaction::Redaction;
use super::replay::Replay;
use super::upstream::{Client, Service};
use super::*;

/// A cassette in that folder with such lines.
fn cassette(folder: &Path, lines: &str) -> Cassette {
    let path = folder.join("service.jsonl");
    fs::write(&path, lines).expect("written");
    Cassette::new(path, "http://api.cloud.example/v1")
}

/// The response of a server to a request with such headers.
fn call(server: &CassetteServer, request: &str, headers: &[(&str, &str)], body: &str) -> Response<Bytes> {
    let (method, path) = request.split_once(' ').expect("a method and a path");
    let request = Request::builder().method(method).uri(path);
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    let request = request.body(Bytes::copy_from_slice(body.as_bytes())).expect("a request");
    let client = Client::new(&Service::parse(server.url()).expect("a URL")).expect("a client");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(client.send(request)).expect("a response")
}

fn text(response: &Response<Bytes>) -> String {
    String::from_utf8_lossy(response.body()).into_owned()
}

#[test]
fn recording_is_what_the_service_said_without_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = cassette(
        folder.path(),
        r#"{"request":{"method":"POST","path":"/v1/tokens","body":{"json":{"name":"ci","password":"hunter2hunter"}}},"response":{"status":201,"headers":{"location":"{service}/v1/tokens/7","set-cookie":"session=abcdef123; Path=/","x-trace":"t-1"},"body":{"json":{"big":1180591620717411303424.10,"next":"{service}/v1/tokens?after=7","token":["tok-123456",7,true,null]}}}}
{"request":{"method":"GET","path":"/v1/tokens/tok-123456?key=tok-123456&all"},"response":{"status":200,"body":{"base64":"/3Rvay0xMjM0NTYA"}}}
{"request":{"method":"POST","path":"/v1/login","body":{"text":"grant=client&password=hunter2hunter"}},"response":{"status":200,"body":{"text":"welcome, hunter2hunter of acme, session abcdef123, bearer s3cret-bearer"}}}
"#,
    );
    let service = service.replay().expect("a service");
    assert!(service.url().ends_with("/v1"), "{}", service.url());

    let path = folder.path().join("new/recorded.jsonl");
    let recorder = Cassette::new(&path, service.url().trim_end_matches("/v1"))
        .redact_member("password")
        .redact_member("token")
        .redact_member("key")
        .redact_header("X-Trace")
        .redact_text("acme")
        .record()
        .expect("a recorder");
    let bearer = ("authorization", "Bearer s3cret-bearer");
    let json = r#"{ "password": "hunter2hunter", "name": "ci" }"#;
    let created = call(&recorder, "POST /v1/tokens", &[bearer, ("accept-encoding", "gzip")], json);
    let local = recorder.url();
    assert_eq!(created.headers()["location"], format!("{local}/v1/tokens/7"));
    let body = format!(
        r#"{{"big":1180591620717411303424.10,"next":"{local}/v1/tokens?after=7","token":["tok-123456",7,true,null]}}"#
    );
    assert_eq!(text(&created), body, "the provider has what the service said");
    let bytes = call(&recorder, "GET /v1/tokens/tok-123456?key=tok-123456&all", &[bearer], "");
    assert_eq!(bytes.body().as_ref(), b"\xfftok-123456\0");
    let form = ("content-type", "application/x-www-form-urlencoded");
    call(&recorder, "POST /v1/login", &[bearer, form], "grant=client&password=hunter2hunter");
    assert!(!path.exists(), "nothing is written before all secrets are known");
    recorder.finish().expect("recorded");
    service.finish().expect("all was sent");

    assert_eq!(
        fs::read_to_string(&path).expect("a cassette"),
        r#"{"request":{"method":"POST","path":"/v1/tokens","body":{"json":{"name":"ci","password":"redacted"}}},"response":{"status":201,"headers":{"location":"{service}/v1/tokens/7"},"body":{"json":{"big":1180591620717411303424.10,"next":"{service}/v1/tokens?after=7","token":["redacted",0,false,null]}}}}
{"request":{"method":"GET","path":"/v1/tokens/redacted?key=redacted&all"},"response":{"status":200,"body":{"base64":"/3JlZGFjdGVkAA=="}}}
{"request":{"method":"POST","path":"/v1/login","body":{"text":"grant=client&password=redacted"}},"response":{"status":200,"body":{"text":"welcome, redacted of redacted, session redacted, bearer redacted"}}}
"#
    );

    // What was recorded answers the same requests, without the secrets, and names its own server.
    let replayed =
        Cassette::new(&path, "https://api.cloud.example").redact_member("key").replay().expect("it");
    let json = r#"{"name":"ci","password":"redacted"}"#;
    let created = call(&replayed, "POST /v1/tokens", &[], json);
    assert_eq!(created.headers()["location"], format!("{}/v1/tokens/7", replayed.url()));
    call(&replayed, "GET /v1/tokens/redacted?key=anything&all", &[], "");
    call(&replayed, "POST /v1/login", &[], "grant=client&password=redacted");
    replayed.finish().expect("all was sent");
}

#[test]
fn secrets_are_redacted_however_they_are_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = cassette(
        folder.path(),
        r#"{"request":{"method":"POST","path":"/v1/a","body":{"json":{"pass word":"p+q/== \"x\""}}},"response":{"status":200,"body":{"text":"{\"key\":\"p1-secret\"}\n{\"key\":\"p2-secret\"}\n"}}}
{"request":{"method":"GET","path":"/v1/b?pass+word=s3cret-one&u=p%2Bq%2F%3D%3D+%22x%22"},"response":{"status":200,"body":{"text":"u=p%2Bq%2F%3D%3D%20%22x%22, \"p+q/== \\\"x\\\"\""}}}
"#,
    );
    let service = service.replay().expect("a service");
    let path = folder.path().join("recorded.jsonl");
    let recorder = Cassette::new(&path, service.url().trim_end_matches("/v1"));
    let recorder = recorder.redact_member("pass word").redact_member("key").record().expect("a recorder");
    call(&recorder, "POST /v1/a", &[], r#"{"pass word":"p+q/== \"x\""}"#);
    call(&recorder, "GET /v1/b?pass+word=s3cret-one&u=p%2Bq%2F%3D%3D+%22x%22", &[], "");
    recorder.finish().expect("recorded");
    service.finish().expect("all was sent");
    assert_eq!(
        fs::read_to_string(&path).expect("a cassette"),
        r#"{"request":{"method":"POST","path":"/v1/a","body":{"json":{"pass word":"redacted"}}},"response":{"status":200,"body":{"text":"redacted"}}}
{"request":{"method":"GET","path":"/v1/b?pass+word=redacted&u=redacted"},"response":{"status":200,"body":{"text":"u=redacted, \"redacted\""}}}
"#
    );
}

#[test]
fn request_that_fails_is_reported_without_its_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
    let recorder = Cassette::new(folder.path().join("a.jsonl"), "http://127.0.0.1:1").redact_member("key");
    let recorder = recorder.record().expect("a recorder");
    let failed = text(&call(&recorder, "GET /v1/b?key=s3cret-one", &[], ""));
    assert!(failed.contains("/v1/b?key=redacted") && !failed.contains("s3cret-one"), "{failed}");
    drop(recorder.finish());
}

/// Replays requests such as `GET /a`, and compares the statuses of the responses; 0 for none.
#[track_caller]
fn check(recorded: &[(&str, u16)], sent: &[(&str, u16)]) {
    let exchange = |(request, status): &(&str, u16)| {
        let (method, path) = request.split_once(' ').expect("a method and a path");
        let line = format!(
            r#"{{"request":{{"method":"{method}","path":"{path}"}},"response":{{"status":{status}}}}}"#
        );
        Exchange::parse(&line).expect("an exchange").remove(0)
    };
    let mut replay = Replay::new(recorded.iter().map(exchange).collect());
    let statuses: Vec<_> = sent
        .iter()
        .map(|(request, status)| {
            let request = exchange(&(request, (*status).max(200))).request;
            replay.answer(&request).map_or(0, |exchange| exchange.response.status)
        })
        .collect();
    assert_eq!(statuses, sent.iter().map(|(_, status)| *status).collect::<Vec<_>>(), "{sent:?}");
}

#[test]
fn equal_requests_get_their_responses_in_order() {
    let recorded = [("POST /a", 201), ("GET /a/1", 404), ("POST /a", 202), ("GET /a/1", 200)];
    check(&recorded, &[("POST /a", 201), ("GET /a/1", 404), ("POST /a", 202), ("GET /a/1", 200)]);
    check(&recorded, &[("POST /a", 201), ("POST /a", 202), ("POST /a", 0)]);
    check(&recorded, &[("GET /a/1?x", 0), ("PUT /a", 0), ("HEAD /a/1", 0)]);
}

#[test]
fn reads_see_the_writes_however_often_they_are_sent() {
    let recorded = [("GET /a/1", 200), ("GET /a/1", 201), ("PUT /a/1/labels", 204), ("GET /a/1", 202)];
    // More reads than were recorded do not run ahead of the write.
    check(&recorded, &[("GET /a/1", 200), ("GET /a/1", 201), ("GET /a/1", 201), ("PUT /a/1/labels", 204)]);
    // After fewer reads the write makes the others old.
    check(&recorded, &[("PUT /a/1/labels", 204), ("GET /a/1", 202), ("GET /a/1", 202)]);
    // A list sees the writes to its elements, and the elements those to the list.
    check(&[("GET /a", 200), ("PUT /a/1", 204), ("GET /a", 201)], &[("PUT /a/1", 204), ("GET /a", 201)]);
    check(
        &[("GET /a/1", 200), ("DELETE /a", 204), ("GET /a/1", 404)],
        &[("GET /a/1", 200), ("GET /a/1", 200), ("DELETE /a", 204), ("GET /a/1", 404)],
    );
}

/// Core works on two objects in another order than it did at the recording.
#[test]
fn writes_to_other_paths_come_in_any_order() {
    let recorded =
        [("POST /a", 201), ("PUT /b/1", 204), ("GET /a/1", 200), ("GET /b/1", 202), ("GET /b/12", 203)];
    check(&recorded, &[("PUT /b/1", 204), ("GET /b/1", 202), ("GET /b/12", 203), ("POST /a", 201)]);
    check(&recorded, &[("GET /a/1", 200), ("POST /a", 201), ("GET /a/1", 200), ("PUT /b/1", 204)]);
}

#[test]
fn members_of_bodies_have_no_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = r#"{"request":{"method":"POST","path":"/v1/a","body":{"json":{"b":[1,{"d":2,"c":3}],"a":1.0}}},"response":{"status":201}}"#;
    let server = cassette(folder.path(), line).replay().expect("a server");
    let answered = call(&server, "POST /v1/a", &[], r#"{"a": 1.0, "b": [1, {"c": 3, "d": 2}]}"#);
    assert_eq!(answered.status(), 201);
    server.finish().expect("all was sent");
}

#[test]
fn missing_and_stale_exchanges_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = cassette(
        folder.path(),
        r#"{"request":{"method":"POST","path":"/v1/a","body":{"json":{"name":"a"}}},"response":{"status":201}}
{"request":{"method":"GET","path":"/v1/a"},"response":{"status":200}}
{"request":{"method":"GET","path":"/v1/a"},"response":{"status":200}}
{"request":{"method":"GET","path":"/v1/b"},"response":{"status":200}}
{"request":{"method":"DELETE","path":"/v1/a"},"response":{"status":204}}
{"request":{"method":"DELETE","path":"/v1/a"},"response":{"status":404}}
"#,
    )
    .redact_member("secret")
    .replay()
    .expect("a server");
    assert_eq!(call(&server, "POST /v1/a", &[], r#"{"name":"b","secret":"hunter2"}"#).status(), 501);
    let missing = call(&server, "PATCH /v1/a", &[], "");
    assert_eq!(text(&missing), "the request `PATCH /v1/a` is not recorded");
    call(&server, "POST /v1/a", &[], r#"{"name":"a"}"#);
    call(&server, "POST /v1/a", &[], r#"{"name":"a"}"#);
    call(&server, "GET /v1/a", &[], "");
    call(&server, "DELETE /v1/a", &[], "");
    let error = server.finish().expect_err("it was otherwise").to_string();
    let path = folder.path().join("service.jsonl");
    let expected = [
        r#"PATH: the request `POST /v1/a {"name":"b","secret":"redacted"}` is not recorded; line 1 has another body"#,
        "PATH: the request `PATCH /v1/a` is not recorded",
        r#"PATH: the request `POST /v1/a {"name":"a"}` was sent more often than it was recorded, in line 1"#,
        "PATH:4: the recorded request `GET /v1/b` was not sent",
        "PATH:6: the recorded request `DELETE /v1/a` was not sent",
    ];
    assert_eq!(error, expected.join("\n").replace("PATH", &path.to_string_lossy()));
    // A test that failed for another reason stopped somewhere.
    let error = server.end(Outcome::Failed).expect_err("it was otherwise").to_string();
    assert!(!error.contains("was not sent"), "{error}");
}

#[test]
fn broken_cassette_is_one_error_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = r#"{"request":{"method":"GET","path":"/"},"response":{"status":200}}"#;
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let with =
        |response: &str| format!(r#"{{"request":{{"method":"GET","path":"/"}},"response":{response}}}"#);
    for (line, problem) in [
        ("", "EOF while parsing"),
        (r#"{"request":{"method":"GET","#, "EOF while parsing"),
        (
            r#"{"request":{"method":"GET","path":"/","port":1},"response":{"status":200}}"#,
            "unknown field `port`",
        ),
        (&with(r#"{"status":70}"#), "invalid status code"),
        (&with(r#"{"status":200,"headers":{"a b":"c"}}"#), "invalid HTTP header name"),
        (&with(r#"{"status":200,"body":{"base64":"?"}}"#), "the body is no base64"),
        (
            &with(&format!(r#"{{"status":200,"body":{{"json":{deep}}}}}"#)),
            "the body has more than 128 levels",
        ),
    ] {
        let error =
            cassette(folder.path(), &format!("{good}\n{line}\n{good}\n")).replay().expect_err("broken");
        let error = error.to_string();
        let place =
            format!("{}:2: this is no recorded exchange: ", folder.path().join("service.jsonl").display());
        assert!(error.starts_with(&place) && error.contains(problem), "{line}: {error}");
    }
    fs::write(folder.path().join("service.jsonl"), b"\xff").expect("written");
    let error = Cassette::new(folder.path().join("service.jsonl"), "http://a.example").replay();
    assert!(error.expect_err("no text").to_string().contains("the cassette cannot be read: "));
}

#[test]
fn url_of_a_service_has_a_scheme_and_no_query() {
    for url in ["", "api.cloud.example", "ftp://cloud.example", "http://a.example?b=c", "http://me@a.example"]
    {
        let error = Cassette::new("a.jsonl", url).record().expect_err(url).to_string();
        assert!(error.contains("is no URL of a service"), "{error}");
    }
}

#[test]
fn service_that_cannot_be_called_leaves_the_old_cassette() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("recorded.jsonl");
    fs::write(&path, "the old one").expect("written");
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = free.local_addr().expect("an address");
    drop(free);
    let recorder = Cassette::new(&path, format!("http://{address}")).record().expect("a recorder");
    assert_eq!(call(&recorder, "GET /a", &[], "").status(), 502);
    let error = recorder.finish().expect_err("nobody answers").to_string();
    assert!(error.contains(&format!("`GET /a`: {address} cannot be called: ")), "{error}");
    assert_eq!(fs::read_to_string(&path).expect("a file"), "the old one");
}

#[test]
fn failed_test_leaves_the_old_cassette() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = r#"{"request":{"method":"GET","path":"/v1/a"},"response":{"status":200}}"#;
    let service = cassette(folder.path(), line).replay().expect("a service");
    let path = folder.path().join("recorded.jsonl");
    let recorder = Cassette::new(&path, service.url()).record().expect("a recorder");
    call(&recorder, "GET /v1/a", &[], "");
    recorder.end(Outcome::Failed).expect("no problem");
    assert!(!path.exists());
}

/// Short texts are parts of others, and the longest text is redacted as a whole.
#[test]
fn short_secrets_are_redacted_by_name_only() {
    let redaction = Redaction { members: ["pin".to_owned()].into(), ..Redaction::default() };
    let request = Request::builder().uri("/pins/12345?pin=12345");
    let request =
        request.header("cookie", "a=longsecret; b=longsecret-two").body(Bytes::new()).expect("a request");
    let response = Response::new(Bytes::from("longsecret-two longsecret"));
    assert_eq!(
        redaction.text(&[(request, response)], &[]),
        r#"{"request":{"method":"GET","path":"/pins/12345?pin=redacted"},"response":{"status":200,"body":{"text":"redacted redacted"}}}
"#
    );
}

mod tls {
    //! Services with `https`.

    use std::sync::Arc;

    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING as ALGORITHM, EcdsaKeyPair, KeyPair as _};
    use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
    use rustls::{RootCertStore, ServerConfig};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio_rustls::TlsAcceptor;

    use super::super::upstream::{Client, Service, connector};
    use super::{Bytes, Request, text};

    struct Key(EcdsaKeyPair);

    impl rcgen::PublicKeyData for Key {
        fn der_bytes(&self) -> &[u8] {
            self.0.public_key().as_ref()
        }

        fn algorithm(&self) -> &'static rcgen::SignatureAlgorithm {
            &rcgen::PKCS_ECDSA_P256_SHA256
        }
    }

    impl rcgen::SigningKey for Key {
        fn sign(&self, message: &[u8]) -> Result<Vec<u8>, rcgen::Error> {
            let signature = self.0.sign(&SystemRandom::new(), message);
            signature.map(|it| it.as_ref().to_vec()).map_err(|_| rcgen::Error::RemoteKeyError)
        }
    }

    /// A self-signed certificate for `localhost`, with its key.
    fn certificate() -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ALGORITHM, &random).expect("a key");
        let key = Key(EcdsaKeyPair::from_pkcs8(&ALGORITHM, document.as_ref(), &random).expect("a key"));
        let mut wanted = rcgen::CertificateParams::new(["localhost".to_owned()]).expect("parameters");
        wanted.serial_number = Some(vec![1].into());
        let certificate = wanted.self_signed(&key).expect("a certificate");
        (certificate.into(), PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(document.as_ref().to_vec())))
    }

    /// Asks a service for the header with its name.
    fn ask(is_trusted: bool) -> Result<String, String> {
        let (own, key) = certificate();
        let mut roots = RootCertStore::empty();
        if is_trusted {
            roots.add(own.clone()).expect("a root");
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|config| config.with_no_client_auth().with_single_cert(vec![own], key))
            .expect("a configuration");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let port = listener.local_addr().expect("an address").port();
            let serve = async move {
                let (stream, _) = listener.accept().await?;
                let mut stream = TlsAcceptor::from(Arc::new(config)).accept(stream).await?;
                let mut request = [0; 1024];
                let length = stream.read(&mut request).await?;
                let request = String::from_utf8_lossy(&request[..length]).into_owned();
                let body = request.lines().find(|line| line.starts_with("host:")).unwrap_or_default();
                let response = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
                stream.write_all(response.as_bytes()).await?;
                stream.shutdown().await
            };
            let service = Service::parse(&format!("https://localhost:{port}")).expect("a URL");
            let client = Client::with_tls(&service, Some(connector(roots).expect("a connector")));
            let request = Request::builder().uri("/a").body(Bytes::new()).expect("a request");
            let (answered, _) = tokio::join!(client.send(request), serve);
            answered.map(|response| text(&response).replace(&port.to_string(), "PORT"))
        })
    }

    #[test]
    fn service_with_a_trusted_certificate_is_called() {
        assert_eq!(ask(true), Ok("host: localhost:PORT".to_owned()));
    }

    #[test]
    fn service_with_an_unknown_certificate_is_refused() {
        let error = ask(false).expect_err("nobody trusts it");
        assert!(error.contains("invalid peer certificate: UnknownIssuer"), "{error}");
    }
}
