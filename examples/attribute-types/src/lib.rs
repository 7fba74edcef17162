//! Attribute types in a library that depends on `ferroform-core` alone, so that it does not follow the releases of the SDK.
//! Any provider can use them in its models.

use ferroform_core::diag::{Diagnostic, Diagnostics, Result};
use ferroform_core::model::{AttributeValue, Decode, Encode, Model};
use ferroform_core::path::Path;
use ferroform_core::schema::{AttributeType, Equivalence, Validator};
use ferroform_core::ty::Type;
use ferroform_core::value::Value;

const EXPECTED: &str = "six pairs of hexadecimal digits, separated by colons or hyphens";

/// A MAC address, as it is configured. Case and separators do not matter: `AA-BB-CC-00-00-01` is `aa:bb:cc:00:00:01`.
///
/// In a stored state it is a `String`, so that an object stays readable whatever an older release has stored.
#[derive(Debug, Clone)]
pub struct MacAddress {
    text: String,
    octets: [u8; 6],
}

impl MacAddress {
    /// The address, or `None` where the text is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut octets = [0; 6];
        let mut pairs = text.split([':', '-']);
        for octet in &mut octets {
            let pair = pairs.next().filter(|pair| pair.len() == 2 && !pair.starts_with('+'))?;
            *octet = u8::from_str_radix(pair, 16).ok()?;
        }
        pairs.next().is_none().then(|| Self { text: text.to_owned(), octets })
    }

    /// The six numbers.
    #[must_use]
    pub const fn octets(&self) -> [u8; 6] {
        self.octets
    }

    fn invalid() -> Diagnostic {
        Diagnostic::error("Invalid MAC Address", format!("The value must be {EXPECTED}."))
    }
}

impl Encode for MacAddress {
    fn encode(self) -> Value {
        Value::string(self.text)
    }
}

impl Decode for MacAddress {
    fn decode(value: &Value, at: &mut Path) -> Result<Self> {
        let text = String::decode(value, at)?;
        Self::parse(&text).ok_or_else(|| Self::invalid().at(at.clone()).into())
    }
}

impl AttributeValue for MacAddress {
    type Draft = Self;
    type Planned = Self;
    type Prior = String;

    fn attribute_type() -> AttributeType {
        Type::String.into()
    }

    fn equivalence() -> Equivalence {
        Equivalence::normal(|value| {
            let octets = Self::parse(value.as_str()?)?.octets;
            Some(Value::list(octets.map(|octet| Value::from(i64::from(octet)))))
        })
    }

    fn validators() -> Vec<Validator> {
        let check = |path: &Path, value: &Value, diagnostics: &mut Diagnostics| {
            if value.as_str().is_some_and(|text| Self::parse(text).is_none()) {
                diagnostics.push(Self::invalid().at(path.clone()));
            }
        };
        vec![Validator::new(EXPECTED, check)]
    }
}

/// How both ends of a link take turns.
#[derive(AttributeValue, Debug, Clone, Copy)]
#[attr(crate = ferroform_core)]
pub enum Duplex {
    /// One end sends at a time.
    Half,
    /// Both ends send at once.
    Full,
}

/// A port of a switch, for a nested attribute or a block.
#[derive(Model, Debug, Clone)]
#[model(nested, crate = ferroform_core)]
pub struct Port {
    /// The address.
    pub mac: MacAddress,
    /// How the link is used.
    #[attr(default = Duplex::Full)]
    pub duplex: Duplex,
}
