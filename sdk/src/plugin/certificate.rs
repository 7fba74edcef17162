//! The certificate by which a provider proves itself to its host: new in each process, self-signed, for `localhost`.

use std::fmt;
use std::sync::Arc;

use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{DerSignature, SigningKey};
use rcgen::CertificateParams;
use ring::rand::{SecureRandom as _, SystemRandom};
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
        let key = Key::new(signing_key()?);
        let mut wanted = CertificateParams::new([HOST.to_owned()]).map_err(failed)?;
        let mut serial = random::<16>()?;
        // A serial number is positive.
        serial[0] &= 0x7f;
        wanted.serial_number = Some(serial.to_vec().into());
        let certificate = wanted.self_signed(&key).map_err(failed)?;
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

fn failed(error: rcgen::Error) -> Error {
    Error::Tls(error.into())
}

fn no_random() -> Error {
    Error::Tls("the system gives no random numbers".into())
}

/// A key on P-256, which every host takes, also in the FIPS mode of Go.
#[derive(Clone)]
struct Key {
    private: Arc<SigningKey>,
    public: Arc<[u8]>,
}

impl Key {
    fn new(private: SigningKey) -> Self {
        let public = private.verifying_key().to_sec1_point(false).as_bytes().into();
        Self { private: Arc::new(private), public }
    }

    fn signature(&self, message: &[u8]) -> Result<Vec<u8>, String> {
        let signature: Result<DerSignature, _> = self.private.try_sign(message);
        signature.map(|signature| signature.as_bytes().to_vec()).map_err(|error| error.to_string())
    }
}

impl rcgen::PublicKeyData for Key {
    fn der_bytes(&self) -> &[u8] {
        &self.public
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
        self.signature(message).map_err(rustls::Error::General)
    }

    fn scheme(&self) -> SignatureScheme {
        SignatureScheme::ECDSA_NISTP256_SHA256
    }
}
