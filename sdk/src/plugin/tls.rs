//! The encryption that core asks for: mutual TLS between one-time certificates.
//!
//! The host proves itself with the certificate that it put into the environment and nobody else can connect. Its
//! key is on P-521, which ring cannot verify, and its certificate is one of an authority, which webpki refuses at
//! the end of a chain; hence a verifier of our own. aws-lc-rs could verify the key, but needs 50 ms to start.

use std::sync::Arc;

use p521::ecdsa::signature::hazmat::PrehashVerifier;
use p521::ecdsa::{DerSignature, VerifyingKey};
use ring::digest;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{self, WebPkiSupportedAlgorithms};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{NoServerSessionStorage, ParsedCertificate};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, PeerMisbehaved, ServerConfig, SignatureScheme,
};
use tokio_rustls::TlsAcceptor;

use super::error::Error;

/// The name that the host expects in our certificate.
const SERVER_NAME: &str = "localhost";

/// Hosts with grpc-go 1.67 or newer refuse a peer that chose no protocol.
const ALPN: &[u8] = b"h2";

/// What accepts connections, and the certificate that the host has to be told.
pub(super) struct Tls {
    pub(super) acceptor: TlsAcceptor,
    pub(super) certificate: CertificateDer<'static>,
}

/// Accepts the owner of that certificate only, and proves itself with a new one.
///
/// # Errors
/// The certificate of the host cannot be read, or no certificate can be made.
pub(super) fn server(client: &CertificateDer<'static>) -> Result<Tls, Error> {
    let own = rcgen::generate_simple_self_signed([SERVER_NAME.to_owned()])
        .map_err(|error| Error::Tls(error.into()))?;
    let certificate = own.cert.der().clone();
    let key = PrivatePkcs8KeyDer::from(own.signing_key.serialize_der());

    let provider = Arc::new(crypto::ring::default_provider());
    let verifier = OneClient::new(client, provider.signature_verification_algorithms).map_err(|error| {
        Error::Environment {
            variable: "PLUGIN_CLIENT_CERT",
            problem: format!("the certificate cannot be used: {error}"),
        }
    })?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map(|builder| builder.with_client_cert_verifier(Arc::new(verifier)))
        .and_then(|builder| builder.with_single_cert(vec![certificate.clone()], key.into()))
        .map_err(|error| Error::Tls(error.into()))?;
    config.alpn_protocols = vec![ALPN.into()];
    // Every connection proves the possession of the key; the host makes only one.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(Tls { acceptor: TlsAcceptor::from(Arc::new(config)), certificate })
}

/// Lets in the owner of one certificate.
#[derive(Debug)]
struct OneClient {
    certificate: CertificateDer<'static>,
    /// Set if the key in the certificate is on P-521.
    p521: Option<VerifyingKey>,
    algorithms: WebPkiSupportedAlgorithms,
}

/// How a public key on P-521 starts in a certificate: sequence, algorithm `id-ecPublicKey` with parameter
/// `secp521r1`, bit string without unused bits. The point follows (RFC 5480).
const P521_KEY: [u8; 25] = [
    0x30, 0x81, 0x9b, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x05, 0x2b,
    0x81, 0x04, 0x00, 0x23, 0x03, 0x81, 0x86, 0x00,
];

impl OneClient {
    fn new(
        certificate: &CertificateDer<'static>,
        algorithms: WebPkiSupportedAlgorithms,
    ) -> Result<Self, rustls::Error> {
        let key = ParsedCertificate::try_from(certificate)?.subject_public_key_info();
        let p521 = key
            .strip_prefix(&P521_KEY)
            .map(VerifyingKey::from_sec1_bytes)
            .transpose()
            .map_err(|_| CertificateError::BadEncoding)?;
        Ok(Self { certificate: certificate.clone(), p521, algorithms })
    }
}

impl ClientCertVerifier for OneClient {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    /// Byte equality is stricter than a chain to one root. The dates need no look: the host made the certificate
    /// when it started this process.
    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        if intermediates.is_empty() && *end_entity == self.certificate {
            Ok(ClientCertVerified::assertion())
        } else {
            Err(CertificateError::ApplicationVerificationFailure.into())
        }
    }

    /// TLS 1.2 has no scheme for a curve; hosts sign with a P-521 key and the hash of any scheme we list.
    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let Some(key) = &self.p521 else {
            return crypto::verify_tls12_signature(message, certificate, signed, &self.algorithms);
        };
        let hash = match signed.scheme {
            SignatureScheme::ECDSA_NISTP256_SHA256 => Some(&digest::SHA256),
            SignatureScheme::ECDSA_NISTP384_SHA384 => Some(&digest::SHA384),
            SignatureScheme::ECDSA_NISTP521_SHA512 => Some(&digest::SHA512),
            _ => None,
        };
        verify_p521(key, hash, message, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let Some(key) = &self.p521 else {
            return crypto::verify_tls13_signature(message, certificate, signed, &self.algorithms);
        };
        let hash = (signed.scheme == SignatureScheme::ECDSA_NISTP521_SHA512).then_some(&digest::SHA512);
        verify_p521(key, hash, message, signed)
    }

    /// A Go host sends no certificate at all unless a scheme for its P-521 key is listed.
    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let mut schemes = vec![SignatureScheme::ECDSA_NISTP521_SHA512];
        schemes.extend(self.algorithms.supported_schemes());
        schemes
    }
}

/// `hash` is that of the scheme; `None` for one that was not offered for such a key.
fn verify_p521(
    key: &VerifyingKey,
    hash: Option<&'static digest::Algorithm>,
    message: &[u8],
    signed: &DigitallySignedStruct,
) -> Result<HandshakeSignatureValid, rustls::Error> {
    let hash = hash.ok_or(PeerMisbehaved::SignedHandshakeWithUnadvertisedSigScheme)?;
    let hash = digest::digest(hash, message);
    DerSignature::from_bytes(signed.signature())
        .and_then(|signature| key.verify_prehash(hash.as_ref(), &signature))
        .map(|()| HandshakeSignatureValid::assertion())
        .map_err(|_| CertificateError::BadSignature.into())
}
