//! What hosts and impostors present to the provider.
//!
//! The fixtures are certificates in the shape of go-plugin's (self-signed on P-521, of an authority, made with
//! OpenSSL) and the scalars of their keys.

use std::sync::Arc;

use p521::ecdsa::signature::hazmat::PrehashSigner;
use p521::ecdsa::{DerSignature, SigningKey};
use ring::digest;
use rustls::client::{ClientConfig, ResolvesClientCert};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::sign::{CertifiedKey, Signer};
use rustls::{RootCertStore, SignatureAlgorithm, SignatureScheme, SupportedProtocolVersion};

pub(crate) const HOST: &str = include_str!("fixtures/host.pem");
pub(crate) const HOST_KEY: &str = include_str!("fixtures/host.key.hex");
pub(crate) const OTHER: &str = include_str!("fixtures/other.pem");
pub(crate) const OTHER_KEY: &str = include_str!("fixtures/other.key.hex");

/// The TLS configuration of a host, which trusts that server only.
pub(crate) fn host(
    server: &CertificateDer<'static>,
    version: &'static SupportedProtocolVersion,
    client: Arc<dyn ResolvesClientCert>,
) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(server.clone()).expect("a certificate");
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_protocol_versions(&[version])
        .expect("a supported version")
        .with_root_certificates(roots)
        .with_client_cert_resolver(client);
    config.alpn_protocols = vec![b"http/1.1".into(), b"h2".into()];
    Arc::new(config)
}

/// A client with that certificate and that P-521 key.
pub(crate) fn p521(certificate: &str, key: &str) -> Arc<dyn ResolvesClientCert> {
    certified(CertifiedKey::new(vec![self::certificate(certificate)], self::key(key)))
}

/// The certificate of a PEM text.
pub(crate) fn certificate(pem: &str) -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(pem.as_bytes()).expect("a certificate")
}

/// A P-521 key.
pub(crate) fn key(hex: &str) -> Arc<dyn rustls::sign::SigningKey> {
    Arc::new(P521Key::new(hex))
}

/// A client with that certified key.
pub(crate) fn certified(key: CertifiedKey) -> Arc<dyn ResolvesClientCert> {
    Arc::new(Always(Arc::new(key)))
}

/// A client without a certificate.
pub(crate) fn nobody() -> Arc<dyn ResolvesClientCert> {
    Arc::new(Nobody)
}

#[derive(Debug)]
struct Always(Arc<CertifiedKey>);

impl ResolvesClientCert for Always {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        Some(self.0.clone())
    }

    fn has_certs(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct Nobody;

impl ResolvesClientCert for Nobody {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        None
    }

    fn has_certs(&self) -> bool {
        false
    }
}

/// Signs with P-521, which ring cannot.
#[derive(Debug, Clone)]
struct P521Key {
    key: SigningKey,
}

impl P521Key {
    fn new(hex: &str) -> Self {
        let digits = hex.trim();
        let scalar: Vec<u8> = (0..digits.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits"))
            .collect();
        Self { key: SigningKey::from_slice(&scalar).expect("a scalar") }
    }
}

impl rustls::sign::SigningKey for P521Key {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        offered.contains(&self.scheme()).then(|| Box::new(self.clone()) as Box<dyn Signer>)
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        SignatureAlgorithm::ECDSA
    }
}

impl Signer for P521Key {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, rustls::Error> {
        let hash = digest::digest(&digest::SHA512, message);
        let signature: DerSignature = self.key.sign_prehash(hash.as_ref()).expect("a signature");
        Ok(signature.as_bytes().to_vec())
    }

    fn scheme(&self) -> SignatureScheme {
        SignatureScheme::ECDSA_NISTP521_SHA512
    }
}
