//! Text of a notation.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use crate::diag::{Diagnostic, Diagnostics, Error, Result};
use crate::model::{AttributeValue, Decode, Encode, FromService, IntoService};
use crate::path::Path;
use crate::schema::{AttributeType, Equivalence, Validator};
use crate::semantic::notation::Notation;
use crate::ty::Type;
use crate::value::Value;

/// Text of a notation `N`, as it was spelled. It equals every text that means the same.
///
/// A string attribute of this type refuses configured text that is not of the notation. In the stored state it is a
/// plain `String`: what an earlier release stored may be anything, and must not keep an object from being read.
///
/// ```
/// use ferroform::semantic::{Json, Spelled};
///
/// let one: Json = r#"{"a": 1, "b": 2}"#.parse()?;
/// let other: Json = r#"{"b":2,"a":1.0}"#.parse()?;
/// assert_eq!(one, other);
/// assert_ne!(one.as_str(), other.as_str());
/// assert!("{".parse::<Json>().is_err());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub struct Spelled<N> {
    text: Arc<str>,
    /// What it means, once somebody has asked.
    meaning: OnceLock<Option<Value>>,
    notation: PhantomData<fn() -> N>,
}

impl<N: Notation> Spelled<N> {
    /// Text of the notation; `None` when it is none.
    pub(super) fn parse(text: impl AsRef<str> + Into<Arc<str>>) -> Option<Self> {
        N::admits(text.as_ref()).then(|| Self {
            text: text.into(),
            meaning: OnceLock::new(),
            notation: PhantomData,
        })
    }

    fn meaning(&self) -> Option<&Value> {
        self.meaning.get_or_init(|| N::meaning(&self.text)).as_ref()
    }

    /// The text, as it was spelled.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether some text means the same, for instance one from the stored state.
    #[must_use]
    pub fn means(&self, text: &str) -> bool {
        *self.text == *text || N::meaning(text).as_ref() == self.meaning()
    }
}

/// Fails without showing the text, for it may be a secret.
impl<N: Notation> FromStr for Spelled<N> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text).ok_or_else(|| Error::from(refused::<N>()))
    }
}

fn refused<N: Notation>() -> Diagnostic {
    Diagnostic::error("Invalid Value", format!("The value must be {}.", N::ALLOWED))
}

impl<N: Notation> AttributeValue for Spelled<N> {
    type Draft = Self;
    type Planned = Self;
    type Prior = String;

    fn attribute_type() -> AttributeType {
        AttributeType::Plain(Type::String)
    }

    fn equivalence() -> Equivalence {
        super::of::<N>()
    }

    fn validators() -> Vec<Validator> {
        let check = |path: &Path, value: &Value, diagnostics: &mut Diagnostics| {
            if value.as_str().is_some_and(|text| !N::admits(text)) {
                diagnostics.push(refused::<N>().at(path.clone()));
            }
        };
        vec![Validator::new(N::ALLOWED, check)]
    }
}

impl<N: Notation> Encode for Spelled<N> {
    fn encode(self) -> Value {
        Value::shared(self.text)
    }
}

impl<N: Notation> Decode for Spelled<N> {
    fn decode(value: Value, at: &mut Path) -> Result<Self> {
        let text = match value {
            Value::String(text) => text,
            other => String::decode(other, at)?.into(),
        };
        Self::parse(text).ok_or_else(|| Error::from(refused::<N>().at(at.clone())))
    }
}

impl<N: Notation> FromService<String> for Spelled<N> {
    fn from_service(service: String) -> Result<Self> {
        service.parse()
    }
}

impl<N: Notation> IntoService<String> for Spelled<N> {
    fn into_service(self) -> Result<String> {
        Ok(self.as_str().to_owned())
    }
}

impl<N: Notation> FromService<Self> for Spelled<N> {
    fn from_service(service: Self) -> Result<Self> {
        Ok(service)
    }
}

impl<N: Notation> IntoService<Self> for Spelled<N> {
    fn into_service(self) -> Result<Self> {
        Ok(self)
    }
}

impl<N> Clone for Spelled<N> {
    fn clone(&self) -> Self {
        Self { text: self.text.clone(), meaning: self.meaning.clone(), notation: PhantomData }
    }
}

impl<N: Notation> PartialEq for Spelled<N> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text || self.meaning() == other.meaning()
    }
}

impl<N: Notation> Eq for Spelled<N> {}

impl<N: Notation> Hash for Spelled<N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.meaning().hash(state);
    }
}

impl<N> fmt::Debug for Spelled<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl<N> fmt::Display for Spelled<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
