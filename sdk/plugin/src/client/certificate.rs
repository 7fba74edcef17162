//! The one-time certificate by which a host proves itself, made as Terraform and OpenTofu make it.
//!
//! No part of this can be had from rustls with ring: the key is on P-521, which ring does not know.

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use p521::ecdsa::signature::Signer as _;
use p521::ecdsa::{DerSignature, Signature, SigningKey};
use ring::rand::{SecureRandom, SystemRandom};
use rustls::pki_types::CertificateDer;
use rustls::sign::{Signer, SigningKey as TlsSigningKey};
use rustls::{SignatureAlgorithm, SignatureScheme};

use crate::log::date;

/// A key on P-521 with a self-signed certificate of an authority, for `localhost`.
#[derive(Clone)]
pub(super) struct Certificate {
    pub(super) der: CertificateDer<'static>,
    key: Key,
}

impl Certificate {
    /// The certificate of this process. A core makes one for each provider that it starts, but a core starts few: here a
    /// case starts many, and the arithmetic of P-521 is slow where it was compiled without optimisation.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub(super) fn of_this_process() -> io::Result<Self> {
        static MADE: OnceLock<Certificate> = OnceLock::new();
        match MADE.get() {
            Some(made) => Ok(made.clone()),
            None => Self::new().map(|new| MADE.get_or_init(|| new).clone()),
        }
    }

    /// # Errors
    /// The system has no random numbers.
    pub(super) fn new() -> io::Result<Self> {
        let key = generate()?;
        let mut serial = [0; 16];
        random(&mut serial)?;
        // A serial number is positive and starts with a byte that is not zero.
        serial[0] = serial[0] & 0x7f | 0x40;
        let content = to_be_signed(&key, &serial);
        let signature: Signature = key.sign(&content);
        let der = sequence(&[
            &content,
            &sequence(&[&oid(ECDSA_WITH_SHA512)]),
            &bit_string(0, signature.to_der().as_bytes()),
        ]);
        Ok(Self { der: der.into(), key: Key(Arc::new(key)) })
    }

    /// The text for the variable `PLUGIN_CLIENT_CERT`.
    pub(super) fn pem(&self) -> String {
        let base64 = STANDARD.encode(&self.der);
        let mut pem = String::from("-----BEGIN CERTIFICATE-----\n");
        let mut rest = base64.as_str();
        while !rest.is_empty() {
            let (line, tail) = rest.split_at(rest.len().min(64));
            pem.push_str(line);
            pem.push('\n');
            rest = tail;
        }
        pem.push_str("-----END CERTIFICATE-----\n");
        pem
    }

    pub(super) fn signing_key(&self) -> Arc<dyn TlsSigningKey> {
        Arc::new(self.key.clone())
    }
}

#[derive(Clone)]
struct Key(Arc<SigningKey>);

withheld_debug! { Key }

impl TlsSigningKey for Key {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        offered.contains(&SignatureScheme::ECDSA_NISTP521_SHA512).then(|| Box::new(self.clone()) as _)
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        SignatureAlgorithm::ECDSA
    }
}

impl Signer for Key {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, rustls::Error> {
        let signature: DerSignature =
            self.0.try_sign(message).map_err(|error| rustls::Error::General(error.to_string()))?;
        Ok(signature.as_bytes().to_vec())
    }

    fn scheme(&self) -> SignatureScheme {
        SignatureScheme::ECDSA_NISTP521_SHA512
    }
}

/// The bytes of a scalar on P-521, of which the first holds one bit.
const SCALAR: usize = 66;

fn generate() -> io::Result<SigningKey> {
    // The order of the curve is so close to 2^521 that one attempt does; several cost nothing.
    for _ in 0..8 {
        let mut scalar = [0; SCALAR];
        random(&mut scalar)?;
        scalar[0] &= 1;
        if let Ok(key) = SigningKey::from_slice(&scalar) {
            return Ok(key);
        }
    }
    Err(io::Error::other("the system gives no random numbers"))
}

fn random(bytes: &mut [u8]) -> io::Result<()> {
    SystemRandom::new().fill(bytes).map_err(|_| io::Error::other("the system gives no random numbers"))
}

// Contents of object identifiers.
const ECDSA_WITH_SHA512: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x04];
const EC_PUBLIC_KEY: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const SECP521R1: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x23];
const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x0f];
const EXTENDED_KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x25];
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x13];
const ALTERNATIVE_NAME: &[u8] = &[0x55, 0x1d, 0x11];
const CLIENT_AUTH: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02];
const SERVER_AUTH: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01];

// Tags of DER.
const BOOLEAN: u8 = 0x01;
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const OBJECT_IDENTIFIER: u8 = 0x06;
const UTF8_STRING: u8 = 0x0c;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;

/// The certificate without its signature (RFC 5280, `TBSCertificate`).
fn to_be_signed(key: &SigningKey, serial: &[u8]) -> Vec<u8> {
    let name = sequence(&[&name_part(ORGANIZATION, "HashiCorp"), &name_part(COMMON_NAME, "localhost")]);
    let point = key.verifying_key().to_sec1_point(false);
    let public_key =
        sequence(&[&sequence(&[&oid(EC_PUBLIC_KEY), &oid(SECP521R1)]), &bit_string(0, point.as_bytes())]);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let validity = sequence(&[&time(now.saturating_sub(30)), &time(now + 262_980 * 3600)]);
    let extensions = sequence(&[
        // Bits from the left: digital signature, key encipherment, key agreement, certificate signing.
        &extension(KEY_USAGE, Criticality::Critical, &bit_string(2, &[0b1010_1100])),
        &extension(
            EXTENDED_KEY_USAGE,
            Criticality::Uncritical,
            &sequence(&[&oid(CLIENT_AUTH), &oid(SERVER_AUTH)]),
        ),
        &extension(BASIC_CONSTRAINTS, Criticality::Critical, &sequence(&[&der(BOOLEAN, &[0xff])])),
        &extension(ALTERNATIVE_NAME, Criticality::Uncritical, &sequence(&[&der(0x82, b"localhost")])),
    ]);
    sequence(&[
        // Version 3 is written as 2.
        &der(0xa0, &der(INTEGER, &[2])),
        &der(INTEGER, serial),
        &sequence(&[&oid(ECDSA_WITH_SHA512)]),
        &name,
        &validity,
        &name,
        &public_key,
        &der(0xa3, &extensions),
    ])
}

#[derive(Clone, Copy, PartialEq)]
enum Criticality {
    Critical,
    Uncritical,
}

fn extension(id: &[u8], criticality: Criticality, value: &[u8]) -> Vec<u8> {
    let critical = if criticality == Criticality::Critical { der(BOOLEAN, &[0xff]) } else { Vec::new() };
    sequence(&[&oid(id), &critical, &der(OCTET_STRING, value)])
}

fn name_part(id: &[u8], text: &str) -> Vec<u8> {
    der(SET, &sequence(&[&oid(id), &der(UTF8_STRING, text.as_bytes())]))
}

/// A time as `YYYYMMDDHHMMSSZ`, from seconds since 1970; without the century before 2050 (RFC 5280).
fn time(seconds: u64) -> Vec<u8> {
    let ((year, month, day), second) = (date(seconds / 86_400), seconds % 86_400);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let text = format!("{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}Z");
    match text.strip_prefix("20").or_else(|| text.strip_prefix("19")) {
        Some(short) if year < 2050 => der(UTC_TIME, short.as_bytes()),
        _ => der(GENERALIZED_TIME, text.as_bytes()),
    }
}

fn oid(content: &[u8]) -> Vec<u8> {
    der(OBJECT_IDENTIFIER, content)
}

fn bit_string(unused_bits: u8, content: &[u8]) -> Vec<u8> {
    der(BIT_STRING, &[&[unused_bits], content].concat())
}

fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    der(SEQUENCE, &parts.concat())
}

/// A value with its tag and length.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![tag];
    match content.len() {
        length @ ..=0x7f => bytes.push(length as u8),
        length @ ..=0xff => bytes.extend([0x81, length as u8]),
        length => bytes.extend([0x82, (length >> 8) as u8, length as u8]),
    }
    bytes.extend_from_slice(content);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_times() {
        let check = |seconds, expect: &str| {
            assert_eq!(&time(seconds)[2..], expect.as_bytes());
        };
        check(0, "700101000000Z");
        check(951_782_400, "000229000000Z");
        check(1_700_000_000, "231114221320Z");
        check(4_107_542_399, "21000228235959Z");
        check(4_107_542_400, "21000301000000Z");
    }

    #[test]
    fn writes_lengths() {
        let check = |length: usize, expect: &[u8]| {
            assert_eq!(&der(4, &vec![0; length])[..expect.len()], expect);
        };
        check(127, &[4, 127]);
        check(128, &[4, 0x81, 128]);
        check(300, &[4, 0x82, 1, 44]);
    }

    #[test]
    fn a_certificate_is_read_by_others() {
        let certificate = Certificate::new().unwrap();
        let parsed = rustls::server::ParsedCertificate::try_from(&certificate.der).unwrap();
        let key = parsed.subject_public_key_info();
        assert!(key.ends_with(certificate.key.0.verifying_key().to_sec1_point(false).as_bytes()));
        assert!(certificate.pem().starts_with("-----BEGIN CERTIFICATE-----\nMII"));
        assert_ne!(Certificate::new().unwrap().der, certificate.der);
    }

    #[test]
    fn the_key_signs_with_its_own_scheme_only() {
        let key = Certificate::new().unwrap().signing_key();
        assert!(key.choose_scheme(&[SignatureScheme::ECDSA_NISTP384_SHA384]).is_none());
        let signer = key.choose_scheme(&[SignatureScheme::ECDSA_NISTP521_SHA512]).unwrap();
        assert_eq!(signer.scheme(), SignatureScheme::ECDSA_NISTP521_SHA512);
        assert_eq!(signer.sign(b"hello").unwrap()[0], SEQUENCE);
    }
}
