//! Who may connect when the host asks for encryption.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use rustls::client::ResolvesClientCert;
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};
use rustls::{SignatureScheme, SupportedProtocolVersion};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::client::Client;
use crate::credentials::{self, HOST, HOST_KEY, OTHER, OTHER_KEY};
use crate::host::{Io, Provider};

crate::trials![
    serves_the_host,
    serves_a_host_on_another_curve,
    refuses_others,
    refuses_what_is_no_tls,
    silence_holds_nobody_up,
    carries_large_messages,
];

const SHA512: SignatureScheme = SignatureScheme::ECDSA_NISTP521_SHA512;

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
    let stream = connect(provider, &TLS13, credentials::p521(HOST, HOST_KEY, SHA512)).await.expect("TLS");
    Client::connect(stream).await.expect("a connection")
}

/// The host signs with its P-521 key and, before TLS 1.3, with any hash that the server lists.
async fn serves_the_host() {
    let provider = encrypted().await;
    for (version, scheme) in [
        (&TLS13, SHA512),
        (&TLS12, SHA512),
        (&TLS12, SignatureScheme::ECDSA_NISTP384_SHA384),
        (&TLS12, SignatureScheme::ECDSA_NISTP256_SHA256),
    ] {
        let client = credentials::p521(HOST, HOST_KEY, scheme);
        let stream = connect(&provider, version, client).await.expect("TLS");
        assert_eq!(stream.get_ref().1.protocol_version(), Some(version.version));
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
        Client::connect(stream).await.expect("a connection").echo().await;
    }
}

/// No host does so today; go-plugin may let the curve be chosen one day.
async fn serves_a_host_on_another_curve() {
    for algorithm in [&rcgen::PKCS_ECDSA_P256_SHA256, &rcgen::PKCS_ECDSA_P384_SHA384] {
        let key = KeyPair::generate_for(algorithm).expect("a key");
        let mut parameters = CertificateParams::new(["localhost".to_owned()]).expect("a name");
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = parameters.self_signed(&key).expect("a certificate");
        let key = PrivatePkcs8KeyDer::from(key.serialize_der()).into();
        let key = rustls::crypto::ring::sign::any_supported_type(&key).expect("a key");
        let pem = pem(certificate.der());

        let provider = Provider::start(&[("PLUGIN_CLIENT_CERT", &pem)]).await;
        for version in [&TLS12, &TLS13] {
            let key = CertifiedKey::new(vec![certificate.der().clone()], key.clone());
            let stream = connect(&provider, version, credentials::certified(key)).await.expect("TLS");
            Client::connect(stream).await.expect("a connection").echo().await;
        }
    }
}

fn pem(der: &[u8]) -> String {
    use base64::Engine;

    let text = base64::engine::general_purpose::STANDARD.encode(der);
    format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n")
}

async fn refuses_others() {
    let provider = encrypted().await;
    let several = CertifiedKey::new(
        [HOST, OTHER].map(credentials::certificate).to_vec(),
        credentials::key(HOST_KEY, SHA512),
    );
    for (name, client, alert) in [
        ("no certificate", credentials::nobody(), "CertificateRequired"),
        ("another certificate", credentials::p521(OTHER, OTHER_KEY, SHA512), "AccessDenied"),
        ("the certificate without its key", credentials::p521(HOST, OTHER_KEY, SHA512), "DecryptError"),
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
