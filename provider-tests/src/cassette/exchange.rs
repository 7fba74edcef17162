//! A recorded exchange, as a line of JSON.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::Response;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use ferroform_embedded::json_text::push_string;

/// A request and its response.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exchange {
    pub(super) request: StoredRequest,
    pub(super) response: StoredResponse,
}

/// What is compared of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredRequest {
    pub(super) method: String,
    /// With the query.
    pub(super) path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<Body>,
}

/// What is replayed of a response.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredResponse {
    pub(super) status: u16,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) headers: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<Body>,
}

/// A body that is not empty.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Body {
    /// An object or an array, in its canonical form.
    Json(Box<RawValue>),
    Text(String),
    Base64(String),
}

impl Exchange {
    /// The exchanges of a cassette.
    ///
    /// # Errors
    /// The number of the first line that is no exchange, and what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Vec<Self>, (usize, String)> {
        let parse = |(at, line): (usize, &str)| Self::parse_line(line).map_err(|problem| (at + 1, problem));
        text.lines().enumerate().map(parse).collect()
    }

    fn parse_line(line: &str) -> Result<Self, String> {
        let invalid = |problem: String| format!("this is no recorded exchange: {problem}");
        let mut exchange: Self = serde_json::from_str(line).map_err(|error| invalid(error.to_string()))?;
        for body in [&mut exchange.request.body, &mut exchange.response.body].into_iter().flatten() {
            body.canonicalize().map_err(invalid)?;
        }
        exchange.response.message(|text| text.to_owned()).map_err(invalid)?;
        Ok(exchange)
    }

    /// The exchange as a line of a cassette.
    pub(super) fn line(&self) -> String {
        // Only maps with other keys than strings cannot be written.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

impl StoredRequest {
    /// Whether the service does nothing but answer.
    pub(super) fn is_read(&self) -> bool {
        matches!(self.method.as_str(), "GET" | "HEAD" | "OPTIONS")
    }

    /// Whether one of the paths is the other one or above it.
    pub(super) fn is_related_to(&self, other: &Self) -> bool {
        let path = |request: &Self| {
            let path = request.path.split('?').next().unwrap_or_default();
            format!("{}/", path.trim_end_matches('/'))
        };
        let (one, other) = (path(self), path(other));
        one.starts_with(&other) || other.starts_with(&one)
    }
}

impl StoredResponse {
    /// The response with its texts changed.
    ///
    /// # Errors
    /// The status, a header or the body is none.
    pub(super) fn message(&self, text: impl Fn(&str) -> String) -> Result<Response<Bytes>, String> {
        let mut response = Response::builder().status(self.status);
        for (name, value) in &self.headers {
            response = response.header(name, text(value));
        }
        let body = self.body.as_ref().map_or(Ok(Bytes::new()), |body| body.bytes(text))?;
        response.body(body).map_err(|error| error.to_string())
    }
}

impl Body {
    fn canonicalize(&mut self) -> Result<(), String> {
        if let Self::Json(raw) = self {
            let keep: &mut dyn FnMut(&str) -> String = &mut str::to_owned;
            let rewrite = Rewrite { is_redacted: &|_| false, plain: keep, redacted: &mut str::to_owned };
            let canonical = rewrite.canonical(raw.get()).ok_or("the body has more than 128 levels")?;
            *raw = RawValue::from_string(canonical).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn bytes(&self, text: impl Fn(&str) -> String) -> Result<Bytes, String> {
        match self {
            Self::Json(raw) => Ok(text(raw.get()).into()),
            Self::Text(body) => Ok(text(body).into()),
            Self::Base64(body) => STANDARD
                .decode(body)
                .map(Bytes::from)
                .map_err(|error| format!("the body is no base64: {error}")),
        }
    }
}

impl PartialEq for Body {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Json(one), Self::Json(other)) => one.get() == other.get(),
            (Self::Text(one), Self::Text(other)) | (Self::Base64(one), Self::Base64(other)) => one == other,
            _ => false,
        }
    }
}

/// For messages: the start of it.
impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, kind) = match self {
            Self::Json(raw) => (raw.get(), ""),
            Self::Text(text) => (text.as_str(), ""),
            Self::Base64(text) => (text.as_str(), "base64 "),
        };
        let start: String = text.chars().take(SHOWN).collect();
        let rest = if start.len() < text.len() { "…" } else { "" };
        write!(f, "{kind}{start}{rest}")
    }
}

/// How many characters of a body a message shows.
const SHOWN: usize = 200;

impl fmt::Display for StoredRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)?;
        self.body.as_ref().map_or(Ok(()), |body| write!(f, " {body}"))
    }
}

/// How JSON text is rewritten, scalar by scalar.
pub(super) struct Rewrite<'a> {
    /// Whether the member of that name is redacted, with all that it holds.
    pub(super) is_redacted: &'a dyn Fn(&str) -> bool,
    /// The JSON text for a scalar or the name of a member that is not redacted.
    pub(super) plain: &'a mut dyn FnMut(&str) -> String,
    /// The JSON text for a scalar that is.
    pub(super) redacted: &'a mut dyn FnMut(&str) -> String,
}

impl Rewrite<'_> {
    /// JSON text without white space and with sorted members. What is not changed keeps its digits. `None` for what is no
    /// JSON or has more than 128 levels.
    pub(super) fn canonical(mut self, json: &str) -> Option<String> {
        // A parser with a limit, since what follows recurses.
        serde_json::from_str::<serde_json::Value>(json).ok()?;
        let mut out = String::with_capacity(json.len());
        self.push(&mut out, json.trim(), false)?;
        Some(out)
    }

    fn push(&mut self, out: &mut String, json: &str, within: bool) -> Option<()> {
        match json.as_bytes().first()? {
            b'{' => {
                let members: BTreeMap<String, &RawValue> = serde_json::from_str(json).ok()?;
                out.push('{');
                for (at, (name, value)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    let mut quoted = String::new();
                    push_string(&mut quoted, name);
                    out.push_str(&(self.plain)(&quoted));
                    out.push(':');
                    self.push(out, value.get(), within || (self.is_redacted)(name))?;
                }
                out.push('}');
            }
            b'[' => {
                let elements: Vec<&RawValue> = serde_json::from_str(json).ok()?;
                out.push('[');
                for (at, element) in elements.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    self.push(out, element.get(), within)?;
                }
                out.push(']');
            }
            _ if within => out.push_str(&(self.redacted)(json)),
            _ => out.push_str(&(self.plain)(json)),
        }
        Some(())
    }
}
