//! The encryption that core asks for: mutual TLS between one-time certificates.
//!
//! The host proves itself with the certificate that it put into the environment and nobody else can connect. Its
//! key is on P-521, which ring cannot verify, and its certificate is one of an authority, which webpki refuses at
//! the end of a chain; hence a verifier of our own. aws-lc-rs could verify the key, but needs 50 ms to start.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use p521::ecdsa::signature::hazmat::PrehashVerifier;
use p521::ecdsa::{DerSignature, VerifyingKey};
use ring::digest;
use ring::rand::{SecureRandom as _, SystemRandom};
use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::ring::{cipher_suite, kx_group};
use rustls::crypto::{CryptoProvider, GetRandomFailed, KeyProvider, SecureRandom, WebPkiSupportedAlgorithms};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::server::NoServerSessionStorage;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::sign::{CertifiedKey, SigningKey, SingleCertAndKey};
use rustls::time_provider::TimeProvider;
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, PeerMisbehaved, ServerConfig, SignatureScheme,
};
use tokio_rustls::TlsAcceptor;

use super::certificate::Own;
use super::error::Error;

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
    let Own { certificate, key } = Own::new()?;
    let own = CertifiedKey::new(vec![certificate.clone()], key);
    let verifier = OneClient::new(client).map_err(|problem| Error::Environment {
        variable: "PLUGIN_CLIENT_CERT",
        problem: format!("the certificate cannot be used: {problem}"),
    })?;
    let mut config = ServerConfig::builder_with_details(Arc::new(primitives()), Arc::new(AnyClock))
        .with_safe_default_protocol_versions()
        .map(|builder| builder.with_client_cert_verifier(Arc::new(verifier)))
        .map_err(|error| Error::Tls(error.into()))?
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(own)));
    config.alpn_protocols = vec![ALPN.into()];
    // Every connection proves the possession of the key; the host makes only one.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(Tls { acceptor: TlsAcceptor::from(Arc::new(config)), certificate })
}

/// The time for the verification of certificates, which does not look at it. That of rustls panics before 1970.
#[derive(Debug)]
struct AnyClock;

impl TimeProvider for AnyClock {
    fn current_time(&self) -> Option<UnixTime> {
        Some(unix_time(SystemTime::now()))
    }
}

fn unix_time(time: SystemTime) -> UnixTime {
    UnixTime::since_unix_epoch(time.duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// What this server needs of ring, instead of all of it: RSA and the verification of other signatures have no use here. Go prefers X25519; in its FIPS mode it takes P-384. AES in this mode is what every
/// TLS 1.3 has to have (RFC 8446, 9.1), and what Go offers always.
fn primitives() -> CryptoProvider {
    CryptoProvider {
        cipher_suites: vec![
            cipher_suite::TLS13_AES_128_GCM_SHA256,
            cipher_suite::TLS13_AES_256_GCM_SHA384,
            cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
            cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
        ],
        kx_groups: vec![kx_group::X25519, kx_group::SECP384R1],
        // `OneClient` verifies, and the key is there already.
        signature_verification_algorithms: WebPkiSupportedAlgorithms { all: &[], mapping: &[] },
        secure_random: &Ring,
        key_provider: &Ring,
    }
}

#[derive(Debug)]
struct Ring;

impl SecureRandom for Ring {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), GetRandomFailed> {
        SystemRandom::new().fill(bytes).map_err(|_| GetRandomFailed)
    }
}

impl KeyProvider for Ring {
    fn load_private_key(&self, key: PrivateKeyDer<'static>) -> Result<Arc<dyn SigningKey>, rustls::Error> {
        let _ = key;
        Err(rustls::Error::General("keys are not read".to_owned()))
    }
}

/// Lets in the owner of one certificate.
#[derive(Debug)]
struct OneClient {
    certificate: CertificateDer<'static>,
    key: Key,
}

/// The public key of the other side, on P-521.
#[derive(Debug)]
pub(super) struct Key(VerifyingKey);

/// How a public key on P-521 starts in a certificate: sequence, algorithm `id-ecPublicKey` with parameter
/// `secp521r1`, bit string without unused bits. The point follows (RFC 5480).
const P521_KEY: [u8; 25] = [
    0x30, 0x81, 0x9b, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x05, 0x2b,
    0x81, 0x04, 0x00, 0x23, 0x03, 0x81, 0x86, 0x00,
];

impl OneClient {
    /// # Errors
    /// What is wrong with the certificate.
    fn new(certificate: &CertificateDer<'static>) -> Result<Self, String> {
        Ok(Self { certificate: certificate.clone(), key: Key::of(certificate)? })
    }
}

impl Key {
    /// # Errors
    /// What is wrong with the certificate.
    pub(super) fn of(certificate: &CertificateDer<'_>) -> Result<Self, String> {
        let key = public_key(certificate).ok_or("it is no X.509 certificate")?;
        let point = key.strip_prefix(&P521_KEY).ok_or("its key is not on P-521, as those of hosts are")?;
        VerifyingKey::from_sec1_bytes(point).map(Self).map_err(|_| "its key is no point on P-521".to_owned())
    }

    /// In TLS 1.2 a scheme names a hash only; in both versions the host uses the one that is listed.
    pub(super) fn verify(
        &self,
        message: &[u8],
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        if signed.scheme != SignatureScheme::ECDSA_NISTP521_SHA512 {
            return Err(PeerMisbehaved::SignedHandshakeWithUnadvertisedSigScheme.into());
        }
        let hash = digest::digest(&digest::SHA512, message);
        DerSignature::from_bytes(signed.signature())
            .and_then(|signature| self.0.verify_prehash(hash.as_ref(), &signature))
            .map(|()| HandshakeSignatureValid::assertion())
            .map_err(|_| CertificateError::BadSignature.into())
    }
}

/// The public key in a certificate (`subjectPublicKeyInfo` of RFC 5280, 4.1). Nothing else in it is read, since its owner
/// is known by all of its bytes; the parser of rustls reads the rest as well, and brings 40 KB of code.
fn public_key(certificate: &[u8]) -> Option<&[u8]> {
    let (_, content, rest) = element(SEQUENCE, certificate)?;
    let (_, mut signed, mut signature) = element(SEQUENCE, content)?;
    // The algorithm and the bits.
    for tag in [SEQUENCE, BIT_STRING] {
        (_, _, signature) = element(tag, signature)?;
    }
    // The version, the serial number, the algorithm, the issuer, the dates and the subject.
    for tag in [VERSION, INTEGER, SEQUENCE, SEQUENCE, SEQUENCE, SEQUENCE] {
        (_, _, signed) = element(tag, signed)?;
    }
    let (key, _, _) = element(SEQUENCE, signed)?;
    (rest.is_empty() && signature.is_empty()).then_some(key)
}

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const VERSION: u8 = 0xa0;

/// The element of that tag with which some DER begins (X.690): all of it, its content, and what follows.
fn element(tag: u8, bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    // A length has its shortest form; certificates are shorter than 64 KiB.
    let (head, length) = match *bytes.strip_prefix(&[tag])? {
        [length @ ..=0x7f, ..] => (2, usize::from(length)),
        [0x81, length @ 0x80..=0xff, ..] => (3, usize::from(length)),
        [0x82, high @ 1..=0xff, low, ..] => (4, usize::from(u16::from_be_bytes([high, low]))),
        _ => return None,
    };
    let (element, rest) = bytes.split_at_checked(head + length)?;
    Some((element, element.get(head..)?, rest))
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

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        _certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.key.verify(message, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        _certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.key.verify(message, signed)
    }

    /// A Go host sends no certificate at all unless a scheme for its P-521 key is listed.
    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ECDSA_NISTP521_SHA512]
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rustls::server::ParsedCertificate;

    use super::*;

    #[test]
    fn a_clock_before_1970_counts_as_1970() {
        for (time, seconds) in [
            (UNIX_EPOCH - Duration::from_secs(1), 0),
            (UNIX_EPOCH, 0),
            (UNIX_EPOCH + Duration::from_secs(253_402_300_800), 253_402_300_800),
        ] {
            assert_eq!(unix_time(time).as_secs(), seconds);
        }
    }

    #[test]
    fn public_key_is_that_of_a_whole_certificate_only() {
        let certificate = Own::new().expect("a certificate").certificate;
        assert!(public_key(&certificate).is_some());
        for length in 0..certificate.len() {
            assert_eq!(public_key(&certificate[..length]), None, "{length}");
        }
        assert_eq!(public_key(&[&*certificate, &[0]].concat()), None);
    }

    #[test]
    fn public_key_is_the_one_that_rustls_finds() {
        let certificate = Own::new().expect("a certificate").certificate;
        for at in 0..certificate.len() {
            for byte in 0..=u8::MAX {
                let mut changed = certificate.to_vec();
                changed[at] = byte;
                let changed = CertificateDer::from(changed);
                if let Ok(parsed) = ParsedCertificate::try_from(&changed) {
                    assert_eq!(public_key(&changed), Some(&*parsed.subject_public_key_info()), "{at} {byte}");
                }
            }
        }
    }

    #[test]
    fn host_key_on_another_curve_than_p521_is_reported() {
        // The provider's own certificate has such a key.
        let other = Own::new().expect("a certificate").certificate;
        let error = server(&other).err().expect("an error").to_string();
        assert!(error.contains("PLUGIN_CLIENT_CERT") && error.contains("not on P-521"), "{error}");
    }
}
