//! The line by which a provider tells where it serves.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use rustls::pki_types::CertificateDer;

/// The handshake line: `1|6|unix|/tmp/plugin123|grpc|MIIB...`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Handshake {
    pub(super) protocol: u32,
    pub(super) network: String,
    pub(super) address: String,
    pub(super) certificate: Option<CertificateDer<'static>>,
}

impl Handshake {
    /// Reads the line as strictly as core does.
    ///
    /// # Errors
    /// What core would refuse, in words.
    pub(super) fn parse(line: &str, offered: &[u32]) -> Result<Self, String> {
        let fields: Vec<&str> = line.trim().split('|').collect();
        let [core, protocol, network, address, rest @ ..] = fields.as_slice() else {
            let start: String = line.trim().chars().take(1000).collect();
            return Err(format!("the first line on stdout is no handshake: {start:?}"));
        };
        if *core != "1" {
            return Err(format!("the handshake has core protocol {core:?} instead of 1"));
        }
        let protocol = protocol
            .parse()
            .ok()
            .filter(|protocol| offered.contains(protocol))
            .ok_or_else(|| format!("the provider chose protocol {protocol:?}, which was not offered"))?;
        if !matches!(*network, "unix" | "tcp") {
            return Err(format!("the handshake has the network {network:?} instead of unix or tcp"));
        }
        match rest.first() {
            Some(&"grpc") => {}
            other => return Err(format!("the handshake has the transport {other:?} instead of grpc")),
        }
        Ok(Self {
            protocol,
            network: (*network).to_owned(),
            address: (*address).to_owned(),
            certificate: certificate(rest.get(1).copied().unwrap_or_default())?,
        })
    }
}

/// Core takes less than this for a flag of something else.
const LEAST_CERTIFICATE: usize = 50;

fn certificate(text: &str) -> Result<Option<CertificateDer<'static>>, String> {
    if text.len() <= LEAST_CERTIFICATE {
        return Ok(None);
    }
    let der = STANDARD_NO_PAD
        .decode(text)
        .map_err(|error| format!("the certificate in the handshake is no base64 without padding: {error}"))?;
    Ok(Some(CertificateDer::from(der)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expect: Result<(u32, &str, &str, usize), &str>) {
        let found = Handshake::parse(line, &[5, 6]);
        let found = found.as_ref().map_err(String::as_str).map(|found| {
            let certificate = found.certificate.as_ref().map_or(0, |certificate| certificate.len());
            (found.protocol, found.network.as_str(), found.address.as_str(), certificate)
        });
        assert_eq!(found, expect, "{line}");
    }

    #[test]
    fn reads_what_core_reads() {
        check("1|6|unix|/tmp/p|grpc|\n", Ok((6, "unix", "/tmp/p", 0)));
        check("  1|5|tcp|127.0.0.1:9|grpc\r\n", Ok((5, "tcp", "127.0.0.1:9", 0)));
        check(&format!("1|6|unix|/tmp/p|grpc|{}|false", "AAAA".repeat(13)), Ok((6, "unix", "/tmp/p", 39)));
        check("1|6|unix|/tmp/p|grpc|true", Ok((6, "unix", "/tmp/p", 0)));
    }

    #[test]
    fn refuses_what_core_refuses() {
        check("hello", Err("the first line on stdout is no handshake: \"hello\""));
        check("2|6|unix|/tmp/p|grpc|", Err("the handshake has core protocol \"2\" instead of 1"));
        check("1|7|unix|/tmp/p|grpc|", Err("the provider chose protocol \"7\", which was not offered"));
        check("1|6|pipe|/tmp/p|grpc|", Err("the handshake has the network \"pipe\" instead of unix or tcp"));
        check("1|6|unix|/tmp/p", Err("the handshake has the transport None instead of grpc"));
        check(
            "1|6|unix|/tmp/p|netrpc|",
            Err("the handshake has the transport Some(\"netrpc\") instead of grpc"),
        );
        let padded = format!("1|6|unix|/tmp/p|grpc|{}==", "A".repeat(60));
        assert!(Handshake::parse(&padded, &[6]).unwrap_err().contains("no base64 without padding"));
    }
}
