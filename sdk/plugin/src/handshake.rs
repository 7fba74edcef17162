//! What core hands to the process, and the line that answers it.

use std::ffi::OsString;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::error::Error;
use super::grpc::Router;
use super::listener::{Address, Place};

pub(super) const COOKIE: &str = "TF_PLUGIN_MAGIC_COOKIE";
pub(super) const COOKIE_VALUE: &str = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";
const PROTOCOL_VERSIONS: &str = "PLUGIN_PROTOCOL_VERSIONS";
const CLIENT_CERT: &str = "PLUGIN_CLIENT_CERT";
const MIN_PORT: &str = "PLUGIN_MIN_PORT";
const MAX_PORT: &str = "PLUGIN_MAX_PORT";
const SOCKET_DIR: &str = "PLUGIN_UNIX_SOCKET_DIR";
const SOCKET_GROUP: &str = "PLUGIN_UNIX_SOCKET_GROUP";
const MULTIPLEX: &str = "PLUGIN_MULTIPLEX_GRPC";

/// The part of the environment that concerns a plugin.
#[derive(Debug)]
pub(super) struct Environment {
    /// The protocol versions of core. The order means nothing: it comes from the iteration of a Go map.
    pub(super) protocol_versions: Vec<u32>,
    /// The one certificate that may connect. None means that the connection is not encrypted.
    pub(super) client_certificate: Option<CertificateDer<'static>>,
    pub(super) place: Place,
    /// Whether core wants to be told if the plugin multiplexes connections. Older cores would take an unasked
    /// field for a part of the certificate.
    pub(super) multiplexing: bool,
}

impl Environment {
    /// Reads the variables through `lookup`. `address` is the source address of the provider.
    ///
    /// # Errors
    /// The cookie is missing, or a variable has a value that cannot be used.
    pub(super) fn read(address: &str, lookup: impl Fn(&str) -> Option<OsString>) -> Result<Self, Error> {
        if !has_cookie(&lookup) {
            return Err(Error::NotStartedByCore { address: address.into() });
        }
        let text =
            |variable| match lookup(variable).filter(|value| !value.is_empty()).map(OsString::into_string) {
                Some(Ok(value)) => Ok(Some(value)),
                Some(Err(_)) => Err(unusable(variable, "the value is not valid UTF-8")),
                None => Ok(None),
            };
        let versions = text(PROTOCOL_VERSIONS)?.unwrap_or_default();
        Ok(Self {
            protocol_versions: versions.split(',').filter_map(|version| version.parse().ok()).collect(),
            client_certificate: text(CLIENT_CERT)?.map(|pem| certificate(&pem)).transpose()?,
            place: Place {
                directory: lookup(SOCKET_DIR).filter(|value| !value.is_empty()).map(Into::into),
                group: text(SOCKET_GROUP)?,
                ports: ports(text(MIN_PORT)?, text(MAX_PORT)?)?,
            },
            multiplexing: lookup(MULTIPLEX).is_some_and(|value| !value.is_empty()),
        })
    }
}

fn unusable(variable: &'static str, problem: impl Into<String>) -> Error {
    Error::Environment { variable, problem: problem.into() }
}

fn certificate(pem: &str) -> Result<CertificateDer<'static>, Error> {
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(pem.as_bytes())
        .collect::<Result<_, _>>()
        .map_err(|error| unusable(CLIENT_CERT, format!("the value is no PEM text: {error}")))?;
    let count = certificates.len();
    <[_; 1]>::try_from(certificates)
        .map(|[certificate]| certificate)
        .map_err(|_| unusable(CLIENT_CERT, format!("the value has {count} PEM certificates instead of one")))
}

fn ports(min: Option<String>, max: Option<String>) -> Result<RangeInclusive<u16>, Error> {
    let port = |variable, text: Option<String>| match text {
        None => Ok(0),
        Some(text) => text.parse().map_err(|_| unusable(variable, format!("{text:?} is no port number"))),
    };
    let unset = max.is_none();
    let (min, max) = (port(MIN_PORT, min)?, port(MAX_PORT, max)?);
    if min > max && unset {
        return Err(unusable(
            MIN_PORT,
            format!("it is {min}, but {MAX_PORT} is not set; set both or neither"),
        ));
    }
    if min > max {
        return Err(unusable(MIN_PORT, format!("{min} is greater than {max}, the value of {MAX_PORT}")));
    }
    Ok(min..=max)
}

/// The highest protocol version that both sides have.
///
/// Without one the answer is our lowest: the host knows what it offered and words the complaint better.
///
/// # Errors
/// We have no version at all.
pub(super) fn negotiate(
    theirs: &[u32],
    ours: &[(u32, Arc<dyn Router>)],
) -> Result<(u32, Arc<dyn Router>), Error> {
    let common =
        ours.iter().filter(|(version, _)| theirs.contains(version)).max_by_key(|(version, _)| *version);
    let lowest = || ours.iter().min_by_key(|(version, _)| *version);
    common.or_else(lowest).cloned().ok_or(Error::NoProtocol)
}

/// The line that tells the host where and how to connect. Its form ends with the line break.
pub(super) struct Handshake<'a> {
    pub(super) protocol: u32,
    pub(super) address: Address,
    pub(super) certificate: Option<&'a CertificateDer<'static>>,
    pub(super) multiplexing: bool,
}

impl fmt::Display for Handshake<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Address { network, address } = &self.address;
        write!(f, "1|{}|{network}|{address}|grpc|", self.protocol)?;
        if let Some(certificate) = self.certificate {
            // The host refuses padding.
            f.write_str(&STANDARD_NO_PAD.encode(certificate))?;
        }
        f.write_str(if self.multiplexing { "|false\n" } else { "\n" })
    }
}

/// Whether core has started this process.
pub(super) fn has_cookie(lookup: impl Fn(&str) -> Option<OsString>) -> bool {
    lookup(COOKIE).is_some_and(|cookie| cookie == COOKIE_VALUE)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::grpc::Call;
    use super::*;

    struct Nothing;

    impl Router for Nothing {
        fn route(&self, _: &str) -> Option<Call> {
            None
        }
    }

    fn read(variables: &[(&str, &str)]) -> Result<Environment, Error> {
        let mut all = BTreeMap::from([(COOKIE, COOKIE_VALUE)]);
        all.extend(variables.iter().copied());
        Environment::read("example/cloud", |name| all.get(name).map(|value| OsString::from(*value)))
    }

    #[test]
    fn negotiates_the_highest_common_version() {
        let check = |theirs: &str, ours: &[u32], expect: Option<u32>| {
            let environment = read(&[(PROTOCOL_VERSIONS, theirs)]).unwrap();
            let ours: Vec<_> =
                ours.iter().map(|version| (*version, Arc::new(Nothing) as Arc<dyn Router>)).collect();
            let version = negotiate(&environment.protocol_versions, &ours).ok().map(|(version, _)| version);
            assert_eq!(version, expect, "{theirs:?}");
        };
        check("5,6", &[5, 6], Some(6));
        check("6,5", &[5, 6], Some(6));
        check("6,5", &[5], Some(5));
        check("5", &[5, 6], Some(5));
        check("7,6,8", &[5, 6], Some(6));
        check("x,,5,-6,6.0,4294967296", &[5, 6], Some(5));
        check("4", &[5, 6], Some(5));
        check("", &[5, 6], Some(5));
        check("", &[6], Some(6));
        check("6", &[], None);
    }

    #[test]
    fn names_the_variable_with_an_unusable_value() {
        let check = |variables: &[(&str, &str)], expect: &str| {
            assert_eq!(read(variables).unwrap_err().to_string(), format!("environment variable {expect}"));
        };
        check(&[(MIN_PORT, "ten")], r#"PLUGIN_MIN_PORT: "ten" is no port number"#);
        check(&[(MAX_PORT, "65536")], r#"PLUGIN_MAX_PORT: "65536" is no port number"#);
        check(
            &[(MIN_PORT, "20"), (MAX_PORT, "10")],
            "PLUGIN_MIN_PORT: 20 is greater than 10, the value of PLUGIN_MAX_PORT",
        );
        check(
            &[(CLIENT_CERT, "hello")],
            "PLUGIN_CLIENT_CERT: the value has 0 PEM certificates instead of one",
        );
        let one = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        check(
            &[(CLIENT_CERT, &one.repeat(2))],
            "PLUGIN_CLIENT_CERT: the value has 2 PEM certificates instead of one",
        );
        let error = read(&[(CLIENT_CERT, "-----BEGIN CERTIFICATE-----\nA")]).unwrap_err().to_string();
        assert!(
            error.starts_with("environment variable PLUGIN_CLIENT_CERT: the value is no PEM text"),
            "{error}"
        );
    }

    #[test]
    fn takes_unset_and_empty_alike() {
        for environment in [
            read(&[]).unwrap(),
            read(&[(CLIENT_CERT, ""), (MIN_PORT, ""), (SOCKET_DIR, ""), (SOCKET_GROUP, ""), (MULTIPLEX, "")])
                .unwrap(),
        ] {
            assert!(environment.client_certificate.is_none());
            assert!(environment.place.directory.is_none());
            assert!(environment.place.group.is_none());
            assert_eq!(environment.place.ports, 0..=0);
            assert!(!environment.multiplexing);
        }
    }

    #[test]
    fn refuses_to_run_without_the_cookie() {
        for cookie in [None, Some("d602"), Some("")] {
            let error = Environment::read("example/cloud", |name| {
                (name == COOKIE).then_some(cookie).flatten().map(OsString::from)
            });
            assert!(matches!(error, Err(Error::NotStartedByCore { .. })), "{cookie:?}");
        }
    }

    #[test]
    fn writes_the_line() {
        let check = |certificate: Option<&[u8]>, multiplexing, expect: &str| {
            let certificate = certificate.map(|der| CertificateDer::from(der.to_vec()));
            let address = Address { network: "unix", address: "/tmp/plugin1".into() };
            let line = Handshake { protocol: 6, address, certificate: certificate.as_ref(), multiplexing };
            assert_eq!(line.to_string(), expect);
        };
        check(None, false, "1|6|unix|/tmp/plugin1|grpc|\n");
        check(None, true, "1|6|unix|/tmp/plugin1|grpc||false\n");
        check(Some(&[0xfb, 0xff, 0xfe, 0x00]), false, "1|6|unix|/tmp/plugin1|grpc|+//+AA\n");
        check(Some(&[0xfb]), true, "1|6|unix|/tmp/plugin1|grpc|+w|false\n");
    }
}
