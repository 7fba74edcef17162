//! The encryption between host and provider: each proves itself with a certificate that the other was told.

use std::io;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{self, CryptoProvider};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, SignatureScheme};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::certificate::Certificate;
use crate::tls::Key;

/// The name that core asks for.
const SERVER_NAME: &str = "localhost";

/// Encrypts a stream to the provider that has that certificate. Core insists on the protocol `h2`, and so does this.
pub(super) async fn connect<IO>(
    io: IO,
    own: &Certificate,
    server: CertificateDer<'static>,
) -> io::Result<TlsStream<IO>>
where
    IO: AsyncRead + AsyncWrite + Unpin,
{
    let config = config(own, server).map_err(io::Error::other)?;
    let name = ServerName::try_from(SERVER_NAME).map_err(io::Error::other)?;
    let stream = TlsConnector::from(Arc::new(config)).connect(name, io).await?;
    match stream.get_ref().1.alpn_protocol() {
        Some(b"h2") => Ok(stream),
        _ => Err(io::Error::other("the provider did not choose the protocol h2 (ALPN)")),
    }
}

fn config(own: &Certificate, server: CertificateDer<'static>) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(crypto::ring::default_provider());
    let verifier = Arc::new(OneServer { certificate: server, provider: provider.clone() });
    let own = CertifiedKey::new(vec![own.der.clone()], own.signing_key());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_client_cert_resolver(Arc::new(SingleCertAndKey::from(own)));
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(config)
}

/// Accepts the owner of the certificate from the handshake line, if it is one for `localhost`.
#[derive(Debug)]
struct OneServer {
    certificate: CertificateDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for OneServer {
    /// Core takes the certificate for its only root; to be equal to it is stricter. The name is checked as in core.
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if *end_entity != self.certificate {
            return Err(CertificateError::ApplicationVerificationFailure.into());
        }
        let parsed = rustls::server::ParsedCertificate::try_from(end_entity)?;
        rustls::client::verify_server_name(&parsed, server_name)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        crypto::verify_tls12_signature(message, certificate, signed, algorithms)
    }

    /// Providers that are built with Go have keys on P-521, which ring does not know.
    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        if signed.scheme == SignatureScheme::ECDSA_NISTP521_SHA512 {
            return Key::of(certificate).map_err(rustls::Error::General)?.verify(message, signed);
        }
        let algorithms = &self.provider.signature_verification_algorithms;
        crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let mut schemes = self.provider.signature_verification_algorithms.supported_schemes();
        schemes.push(SignatureScheme::ECDSA_NISTP521_SHA512);
        schemes
    }
}
