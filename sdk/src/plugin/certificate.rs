//! The certificate by which a provider proves itself to its host: new in each process, self-signed, for `localhost`.
//!
//! It is written here because all of it but the key and the signature is fixed: RFC 5280 with Ed25519 by RFC 8410.

use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

use super::error::Error;

/// A certificate and its private key.
pub(super) struct Own {
    pub(super) certificate: CertificateDer<'static>,
    pub(super) key: PrivatePkcs8KeyDer<'static>,
}

impl Own {
    /// # Errors
    /// The system has no random numbers.
    pub(super) fn new() -> Result<Self, Error> {
        let no_random = |_| Error::Tls("the system gives no random numbers".into());
        let random = SystemRandom::new();
        let key = Ed25519KeyPair::generate_pkcs8(&random).map_err(no_random)?;
        let pair =
            Ed25519KeyPair::from_pkcs8(key.as_ref()).map_err(|error| Error::Tls(error.to_string().into()))?;
        let mut serial = [0; 16];
        random.fill(&mut serial).map_err(no_random)?;
        // A serial number is positive and starts with a byte that is not zero.
        serial[0] = serial[0] & 0x7f | 0x40;
        let content = to_be_signed(pair.public_key().as_ref(), &serial);
        let signature = pair.sign(&content);
        let certificate = sequence(&[&content, ED25519, &bit_string(signature.as_ref())]);
        Ok(Self { certificate: certificate.into(), key: key.as_ref().to_vec().into() })
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
        ED25519,
        &name,
        &validity,
        &name,
        &sequence(&[ED25519, &bit_string(public_key)]),
        &der(EXTENSIONS, &[&sequence(&[&extension])]),
    ])
}

/// The name that the host expects.
const HOST: &[u8] = b"localhost";

/// The end of a certificate that does not end (RFC 5280, section 4.1.2.5).
const NEVER: &[u8] = b"99991231235959Z";

// Whole values of DER.
const VERSION_3: &[u8] = &[0xa0, 0x03, 0x02, 0x01, 0x02];
const ED25519: &[u8] = &[0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70];
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
