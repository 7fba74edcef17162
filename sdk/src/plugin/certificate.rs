//! The certificate by which a provider proves itself to its host: new in each process, self-signed, for `localhost`.
//!
//! It is written here because all of it but the key, the number and the signature is fixed (RFC 5280).

use std::fmt;
use std::sync::Arc;

use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{DerSignature, SigningKey};
use ring::rand::{SecureRandom as _, SystemRandom};
use rustls::pki_types::CertificateDer;
use rustls::sign::Signer;
use rustls::{SignatureAlgorithm, SignatureScheme};

use super::error::Error;

/// A certificate and its private key.
pub(super) struct Own {
    pub(super) certificate: CertificateDer<'static>,
    pub(super) key: Arc<dyn rustls::sign::SigningKey>,
}

impl Own {
    /// # Errors
    /// The system has no random numbers.
    pub(super) fn new() -> Result<Self, Error> {
        let key = Key(Arc::new(signing_key()?));
        let mut serial = random::<16>()?;
        // A serial number is positive and starts with a byte that is not zero.
        serial[0] = serial[0] & 0x7f | 0x40;
        let content = to_be_signed(key.0.verifying_key().to_sec1_point(false).as_bytes(), &serial);
        let signature = key.sign(&content).map_err(|error| Error::Tls(error.into()))?;
        let certificate = sequence(&[&content, ECDSA_WITH_SHA256, &bit_string(&signature)]);
        Ok(Self { certificate: certificate.into(), key: Arc::new(key) })
    }
}

fn signing_key() -> Result<SigningKey, Error> {
    // One scalar in 2^32 is none of the curve.
    for _ in 0..4 {
        if let Ok(key) = SigningKey::from_slice(&random::<32>()?) {
            return Ok(key);
        }
    }
    Err(no_random())
}

fn random<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).map_err(|_| no_random())?;
    Ok(bytes)
}

fn no_random() -> Error {
    Error::Tls("the system gives no random numbers".into())
}

/// A key on P-256, which every host takes, also in the FIPS mode of Go.
#[derive(Clone)]
struct Key(Arc<SigningKey>);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").finish_non_exhaustive()
    }
}

impl rustls::sign::SigningKey for Key {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        offered.contains(&self.scheme()).then(|| Box::new(self.clone()) as _)
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        SignatureAlgorithm::ECDSA
    }
}

impl Signer for Key {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, rustls::Error> {
        let signature: Result<DerSignature, _> = self.0.try_sign(message);
        let signature = signature.map_err(|error| rustls::Error::General(error.to_string()))?;
        Ok(signature.as_bytes().to_vec())
    }

    fn scheme(&self) -> SignatureScheme {
        SignatureScheme::ECDSA_NISTP256_SHA256
    }
}

/// Everything but the signature.
fn to_be_signed(public_key: &[u8], serial: &[u8]) -> Vec<u8> {
    let name = sequence(&[&der(SET, &[&sequence(&[COMMON_NAME, &der(UTF8_STRING, &[HOST])])])]);
    let validity = sequence(&[&der(UTC_TIME, &[b"750101000000Z"]), &der(GENERALIZED_TIME, &[NEVER])]);
    let alternative_name = sequence(&[&der(DNS_NAME, &[HOST])]);
    let extension = sequence(&[ALTERNATIVE_NAME, &der(OCTET_STRING, &[&alternative_name])]);
    sequence(&[
        VERSION_3,
        &der(INTEGER, &[serial]),
        ECDSA_WITH_SHA256,
        &name,
        &validity,
        &name,
        &sequence(&[ON_P256, &bit_string(public_key)]),
        &der(EXTENSIONS, &[&sequence(&[&extension])]),
    ])
}

/// The name that the host expects.
const HOST: &[u8] = b"localhost";

/// The end of a certificate that does not end (RFC 5280, section 4.1.2.5).
const NEVER: &[u8] = b"99991231235959Z";

// Whole values of DER.
const VERSION_3: &[u8] = &[0xa0, 0x03, 0x02, 0x01, 0x02];
const ECDSA_WITH_SHA256: &[u8] = &[0x30, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
/// `id-ecPublicKey` with parameter `secp256r1`.
const ON_P256: &[u8] = &[
    0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce,
    0x3d, 0x03, 0x01, 0x07,
];
const COMMON_NAME: &[u8] = &[0x06, 0x03, 0x55, 0x04, 0x03];
const ALTERNATIVE_NAME: &[u8] = &[0x06, 0x03, 0x55, 0x1d, 0x11];

// Tags of DER.
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const UTF8_STRING: u8 = 0x0c;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const DNS_NAME: u8 = 0x82;
const EXTENSIONS: u8 = 0xa3;

fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    der(SEQUENCE, parts)
}

fn bit_string(bytes: &[u8]) -> Vec<u8> {
    // No bit of the last byte is unused.
    der(BIT_STRING, &[&[0], bytes])
}

/// A value of that tag. The length has the shortest form, as DER demands.
fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let [.., high, low] = content.len().to_be_bytes();
    let length: &[u8] = match (high, low) {
        (0, ..0x80) => &[low],
        (0, _) => &[0x81, low],
        _ => &[0x82, high, low],
    };
    [&[tag], length, &content].concat()
}
