//! Addresses and networks.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ferroform::ty::Type;
use num_bigint::BigInt;

use super::{Call, Entry, Failure};
use crate::language::{Marked, number};

pub(super) const TABLE: &[Entry] = &[
    ("^cidrhost(prefix: string, hostnum: number) -> string", host),
    ("^cidrnetmask(prefix: string) -> string", netmask),
    ("^cidrsubnet(prefix: string, newbits: number, netnum: number) -> string", subnet),
    ("cidrsubnets(prefix: string, newbits: number...) -> list(string)", subnets),
];

/// A network: its address, how many bits an address has, and how many of them the prefix has.
#[derive(Clone, Copy)]
struct Network {
    address: u128,
    width: u32,
    prefix: u32,
}

impl Network {
    fn of(call: &Call<'_>) -> Result<Self, Failure> {
        Self::parse(call.text(0)).ok_or_else(|| {
            Failure::argument(0, "invalid CIDR expression: it must be an address with the length of a prefix")
        })
    }

    fn parse(text: &str) -> Option<Self> {
        let (address, length) = text.split_once('/')?;
        let (address, width) = match parse_address(address)? {
            IpAddr::V4(address) => (u128::from(u32::from(address)), 32),
            IpAddr::V6(address) => (u128::from(address), 128),
        };
        let digits = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
        let prefix = length.parse::<u32>().ok().filter(|prefix| digits && *prefix <= width)?;
        Some(Self { address, width, prefix }.masked())
    }

    fn masked(self) -> Self {
        Self { address: self.address & !self.hosts(), ..self }
    }

    /// The greatest number of a host.
    fn hosts(self) -> u128 {
        let bits = self.width - self.prefix;
        1_u128.checked_shl(bits).map_or(u128::MAX, |size| size - 1)
    }

    /// Its address with the bits of a number, if there is one. Core does not look at signs.
    fn with(self, number: BigInt, shift: i64) -> Option<u128> {
        let shift = if number == BigInt::default() {
            0
        } else {
            u32::try_from(shift).ok().filter(|it| *it <= 128)?
        };
        let address = BigInt::from(self.address) | (number << shift);
        u128::try_from(address.magnitude()).ok().filter(|address| *address <= self.most())
    }

    /// The greatest address of its width.
    fn most(self) -> u128 {
        if self.width == 32 { u128::from(u32::MAX) } else { u128::MAX }
    }

    /// Core writes an address of IPv6 that stands for one of IPv4 as the latter.
    fn show(self, address: u128) -> String {
        match Ipv6Addr::from(address).to_ipv4_mapped() {
            Some(mapped) => mapped.to_string(),
            None if self.width == 128 => Ipv6Addr::from(address).to_string(),
            None => Ipv4Addr::from(u32::try_from(address).unwrap_or(u32::MAX)).to_string(),
        }
    }

    /// Whether it is of IPv6 and its addresses stand for those of IPv4.
    fn is_mapped(self) -> bool {
        Ipv6Addr::from(self.address).to_ipv4_mapped().is_some()
    }

    /// The address with the length of the prefix.
    fn show_whole(self) -> String {
        let prefix = if self.is_mapped() { self.prefix.saturating_sub(96) } else { self.prefix };
        format!("{}/{prefix}", self.show(self.address))
    }
}

/// An address; zeros before the digits of a number are allowed, as they always were.
fn parse_address(text: &str) -> Option<IpAddr> {
    let short = text.split_inclusive([':', '.']).map(|part| {
        let digits = part.trim_start_matches('0');
        let all_zero = digits.len() < part.len() && !digits.starts_with(|c: char| c.is_ascii_hexdigit());
        format!("{}{digits}", if all_zero { "0" } else { "" })
    });
    short.collect::<String>().parse().ok()
}

fn host(call: &Call<'_>) -> Result<Marked, Failure> {
    let network = Network::of(call)?;
    if !call.number(1).is_integer() {
        return Err(Failure::argument(1, "a whole number is required"));
    }
    let number: BigInt = number::truncate(call.number(1));
    let (hosts, too_big) = (BigInt::from(network.hosts()), || {
        Failure::call("prefix does not accommodate a host with this number")
    });
    // A negative number counts from the end. Of another one core looks only at its last bits, and takes them for a number
    // with a sign, to see whether it is too large.
    let number = if number < BigInt::default() {
        &hosts + 1 + &number
    } else if BigInt::from(last_bits(&number) as i64) > hosts {
        return Err(too_big());
    } else {
        number
    };
    if number < BigInt::default() {
        return Err(too_big());
    }
    // Core takes the width of IPv4 for such a network, and puts the number where it would end.
    let shift = if network.is_mapped() { 96 } else { 0 };
    Ok(Marked::string(network.show(network.with(number, shift).ok_or_else(too_big)?)))
}

/// The last 64 bits of the magnitude.
fn last_bits(number: &BigInt) -> u64 {
    number.iter_u64_digits().next().unwrap_or_default()
}

fn netmask(call: &Call<'_>) -> Result<Marked, Failure> {
    let network = Network::of(call)?;
    if network.width != 32 && !network.is_mapped() {
        return Err(Failure::argument(0, "IPv6 addresses cannot have a netmask"));
    }
    Ok(Marked::string(network.show(!network.hosts() & network.most())))
}

/// A network by its number. Core does not look at signs: fewer bits make the prefix shorter, and of a negative number
/// the magnitude has to fit, while its two's complement is what is put into the address.
fn subnet(call: &Call<'_>) -> Result<Marked, Failure> {
    let network = Network::of(call)?;
    let bits = call.integer(1)?;
    let prefix = i64::from(network.prefix).saturating_add(bits);
    if prefix > i64::from(network.width) {
        let message = "insufficient address space to extend the prefix by so many bits";
        return Err(Failure::Call(message.to_owned()));
    }
    if !call.number(2).is_integer() {
        return Err(Failure::argument(2, "a whole number is required"));
    }
    let number = number::truncate(call.number(2));
    let most =
        u32::try_from(bits).ok().and_then(|bits| 1_u64.checked_shl(bits)).map_or(u64::MAX, |it| it - 1);
    if last_bits(&number) > most {
        let message = format!("prefix extension of {bits} does not accommodate a subnet with this number");
        return Err(Failure::Call(message));
    }
    let address = network
        .with(number, i64::from(network.width) - prefix)
        .ok_or_else(|| Failure::call("the number does not fit into an address"))?;
    // What core prints of a network that it could not make.
    let Ok(prefix) = u32::try_from(prefix) else { return Ok(Marked::string("<nil>")) };
    Ok(Marked::string(Network { address, prefix, ..network }.show_whole()))
}

/// Networks one after the other, each with its own size.
fn subnets(call: &Call<'_>) -> Result<Marked, Failure> {
    const MOST_BITS: u32 = 32;
    let network = Network::of(call)?;
    // Core cannot tell the first network of all from the one after the last, and does not get to one of IPv4 from IPv6.
    let is_usable = network.address != 0 && !network.is_mapped();
    let (mut next, mut found) = (Some(network.address).filter(|_| is_usable), Vec::new());
    for at in 1..call.arguments.len() {
        let bits = call.integer(at)?;
        if bits < 1 {
            return Err(Failure::argument(at, "must extend prefix by at least one bit"));
        }
        let bits = u32::try_from(bits)
            .ok()
            .filter(|bits| *bits <= MOST_BITS.min(network.width - network.prefix))
            .ok_or_else(|| {
                Failure::argument(at, "not enough remaining address space for a subnet of this size")
            })?;
        let full = || Failure::argument(at, "not enough remaining address space for a subnet of this size");
        let start = next.ok_or_else(full)?;
        let size = Network { prefix: network.prefix + bits, ..network };
        let aligned = start.checked_add(size.hosts()).map(|end| end & !size.hosts()).ok_or_else(full)?;
        let end = aligned | size.hosts();
        if end > network.address | network.hosts() {
            return Err(full());
        }
        next = end.checked_add(1);
        found.push(Marked::string(Network { address: aligned, ..size }.show_whole()));
    }
    Ok(Marked::list(Type::String, found))
}
