//! Formats of networks.

// Addresses alone do no I/O, so they come from `core`.
use core::net::IpAddr;

use super::format::Format;
use crate::semantic::Normalized;
use crate::value::Value;

/// IP addresses.
#[derive(Debug)]
pub enum IpAddress {}

impl Format for IpAddress {
    const EXPECTED: &'static str = "an IP address";

    fn canonical(text: &str) -> Option<Value> {
        Some(Value::string(text.parse::<IpAddr>().ok()?.to_string()))
    }
}

impl Normalized<IpAddress> {
    /// The address.
    ///
    /// ```
    /// use std::net::IpAddr;
    ///
    /// use ferroform::semantic::IpAddress;
    ///
    /// let server: IpAddress = "10.0.0.1".parse()?;
    /// assert_eq!(server.get(), IpAddr::from([10, 0, 0, 1]));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn get(&self) -> IpAddr {
        self.as_str().parse().unwrap_or(IpAddr::from([0; 4]))
    }
}

/// IP addresses with the length of a prefix.
#[derive(Debug)]
pub enum Cidr {}

impl Cidr {
    fn parse(text: &str) -> Option<(IpAddr, u8)> {
        let (address, length) = text.split_once('/')?;
        let address: IpAddr = address.parse().ok()?;
        // A sign or a leading zero is nothing that other programs take.
        let plain =
            length.bytes().all(|digit| digit.is_ascii_digit()) && (length == "0" || !length.starts_with('0'));
        let length: u8 = length.parse().ok()?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        (plain && length <= longest).then_some((address, length))
    }
}

impl Format for Cidr {
    const EXPECTED: &'static str = "an IP address with a prefix length, such as 10.0.0.0/8";

    fn canonical(text: &str) -> Option<Value> {
        let (address, length) = Self::parse(text)?;
        Some(Value::string(format!("{address}/{length}")))
    }
}

impl Normalized<Cidr> {
    /// The address and the length of the prefix in bits.
    ///
    /// ```
    /// use std::net::IpAddr;
    ///
    /// use ferroform::semantic::Cidr;
    ///
    /// let network: Cidr = "10.0.0.0/8".parse()?;
    /// assert_eq!(network.get(), (IpAddr::from([10, 0, 0, 0]), 8));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn get(&self) -> (IpAddr, u8) {
        Cidr::parse(self.as_str()).unwrap_or((IpAddr::from([0; 4]), 0))
    }
}

/// Absolute URLs.
#[cfg(feature = "url")]
#[derive(Debug)]
pub enum Url {}

#[cfg(feature = "url")]
impl Format for Url {
    const EXPECTED: &'static str = "an absolute URL";

    fn canonical(text: &str) -> Option<Value> {
        Some(Value::string(url::Url::parse(text).ok()?.as_str()))
    }
}
