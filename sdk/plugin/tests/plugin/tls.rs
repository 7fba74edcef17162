//! Who may connect when the host asks for encryption.

use rustls::SupportedProtocolVersion;
use rustls::client::ResolvesClientCert;
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::client::Client;
use crate::credentials::{self, HOST, HOST_KEY, OTHER, OTHER_KEY};
use crate::host::{Io, Provider};

crate::trials![
    serves_the_host,
    refuses_others,
    refuses_what_is_no_tls,
    silence_holds_nobody_up,
    carries_large_messages,
];

async fn encrypted() -> Provider {
    Provider::start(&[("PLUGIN_CLIENT_CERT", HOST)]).await
}

async fn connect(
    provider: &Provider,
    version: &'static SupportedProtocolVersion,
    client: Arc<dyn ResolvesClientCert>,
) -> std::io::Result<TlsStream<Box<dyn Io>>> {
    let config = credentials::host(&provider.certificate(), version, client);
    let name = "localhost".try_into().expect("a name");
    TlsConnector::from(config).connect(name, provider.connect().await).await
}

async fn host(provider: &Provider) -> Client {
    let stream = connect(provider, &TLS13, credentials::p521(HOST, HOST_KEY)).await.expect("TLS");
    Client::connect(stream).await.expect("a connection")
}

async fn serves_the_host() {
    let provider = encrypted().await;
    for version in [&TLS13, &TLS12] {
        let client = credentials::p521(HOST, HOST_KEY);
        let stream = connect(&provider, version, client).await.expect("TLS");
        assert_eq!(stream.get_ref().1.protocol_version(), Some(version.version));
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
        Client::connect(stream).await.expect("a connection").echo().await;
    }
}

async fn refuses_others() {
    let provider = encrypted().await;
    let several =
        CertifiedKey::new([HOST, OTHER].map(credentials::certificate).to_vec(), credentials::key(HOST_KEY));
    for (name, client, alert) in [
        ("no certificate", credentials::nobody(), "CertificateRequired"),
        ("another certificate", credentials::p521(OTHER, OTHER_KEY), "AccessDenied"),
        ("the certificate without its key", credentials::p521(HOST, OTHER_KEY), "DecryptError"),
        ("more than the certificate", credentials::certified(several), "AccessDenied"),
    ] {
        for version in [&TLS13, &TLS12] {
            // In TLS 1.3 the client is done before the server has looked at its certificate.
            let error = match connect(&provider, version, client.clone()).await {
                Ok(mut stream) => stream.read(&mut [0]).await.expect_err(name),
                Err(error) => error,
            };
            let error = error.to_string();
            // TLS 1.2 has no alert for a missing certificate of its own.
            let alert = if (version.version, name) == (TLS12.version, "no certificate") { "" } else { alert };
            assert!(
                error.contains("fatal alert") && error.contains(alert),
                "{name}, {:?}: {error}",
                version.version
            );
        }
    }
    host(&provider).await.echo().await;
}

async fn refuses_what_is_no_tls() {
    let provider = encrypted().await;
    if let Ok(client) = Client::connect(provider.connect().await).await {
        client.call("/test.Author/Echo", &[b"hello"]).await.expect_err("no encryption");
    }
    let mut garbage = provider.connect().await;
    garbage.write_all(&[0xff; 100]).await.expect("a socket");
    let mut answer = Vec::new();
    // A close before all garbage was read resets the connection.
    let _ = garbage.read_to_end(&mut answer).await;
    // At most an alert, which is 7 bytes long.
    assert!(answer.len() <= 7, "{answer:?}");
    host(&provider).await.echo().await;
}

/// A host that attaches opens a connection first and closes it without a byte.
async fn silence_holds_nobody_up() {
    let provider = encrypted().await;
    let _silent = [provider.connect().await, provider.connect().await];
    drop(provider.connect().await);
    host(&provider).await.echo().await;
}

async fn carries_large_messages() {
    let provider = encrypted().await;
    let client = host(&provider).await;
    let message: Vec<u8> = (0..6_000_000_u32).map(|at| (at % 251) as u8).collect();
    for path in ["/test.Author/Echo", "/test.Author/Pieces"] {
        let answer = client.call(path, &[&message]).await.expect("an answer").one();
        assert!(answer == message, "{path}: {} bytes", answer.len());
    }
}
