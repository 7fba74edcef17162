//! The certificate by which a provider proves itself to its host: new in each process, self-signed, for `localhost`.

use std::sync::Arc;

use rcgen::CertificateParams;
use ring::error::{KeyRejected, Unspecified};
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _};
use rustls::pki_types::CertificateDer;
use rustls::sign::Signer;
use rustls::{SignatureAlgorithm, SignatureScheme};

use super::error::Error;

/// The name that the host expects.
const HOST: &str = "localhost";

/// A certificate and its private key.
pub(super) struct Own {
    pub(super) certificate: CertificateDer<'static>,
    pub(super) key: Arc<dyn rustls::sign::SigningKey>,
}

impl Own {
    /// # Errors
    /// The system has no random numbers.
    pub(super) fn new() -> Result<Self, Error> {
        let random = SystemRandom::new();
        let key = Key::new(&random)?;
        let mut wanted = CertificateParams::new([HOST.to_owned()]).map_err(failed)?;
        let mut serial = [0; 16];
        random.fill(&mut serial).map_err(no_random)?;
        // A serial number is positive.
        serial[0] &= 0x7f;
        wanted.serial_number = Some(serial.to_vec().into());
        let certificate = wanted.self_signed(&key).map_err(failed)?;
        Ok(Self { certificate: certificate.into(), key: Arc::new(key) })
    }
}

fn failed(error: rcgen::Error) -> Error {
    Error::Tls(error.into())
}

fn no_random(_: Unspecified) -> Error {
    Error::Tls("the system gives no random numbers".into())
}

/// A key on P-256, which every host takes, also in the FIPS mode of Go.
#[derive(Clone)]
struct Key(Arc<EcdsaKeyPair>);

impl Key {
    fn new(random: &SystemRandom) -> Result<Self, Error> {
        let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, random).map_err(no_random)?;
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), random);
        Ok(Self(Arc::new(pair.map_err(|problem: KeyRejected| Error::Tls(problem.to_string().into()))?)))
    }

    fn signature(&self, message: &[u8]) -> Result<Vec<u8>, Unspecified> {
        self.0.sign(&SystemRandom::new(), message).map(|signature| signature.as_ref().to_vec())
    }
}

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
        self.signature(message).map_err(|_| rcgen::Error::RemoteKeyError)
    }
}

withheld_debug! { Key }

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
        self.signature(message)
            .map_err(|_| rustls::Error::General("the system gives no random numbers".to_owned()))
    }

    fn scheme(&self) -> SignatureScheme {
        SignatureScheme::ECDSA_NISTP256_SHA256
    }
}
