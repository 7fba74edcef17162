//! What is not recorded, and how messages are stored.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Request, Response};
use serde_json::value::RawValue;

use super::exchange::{Body, Exchange, Rewrite, StoredRequest, StoredResponse};
use super::{REDACTED, RawExchange};

/// The names of what is redacted, and texts.
#[derive(Clone, Default)]
pub(super) struct Redaction {
    pub(super) members: BTreeSet<String>,
    /// In lower case.
    pub(super) headers: BTreeSet<String>,
    pub(super) texts: BTreeSet<String>,
}

/// Stands for the scheme and the authority of the service.
pub(super) const SERVICE: &str = "{service}";

/// The fewest characters of a text that is redacted wherever it occurs; a shorter one is part of other texts.
const SHORTEST: usize = 6;

/// Headers of requests that hold credentials.
const CREDENTIALS: [HeaderName; 3] = [header::AUTHORIZATION, header::PROXY_AUTHORIZATION, header::COOKIE];

/// Headers of responses that another response of a server has in its own way, or that hold credentials.
const NOT_RECORDED: [HeaderName; 7] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::DATE,
    header::SET_COOKIE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// Texts and what is written instead of them.
struct Replacements(Vec<(String, &'static str)>);

impl Replacements {
    /// The longest texts first, since one may hold another.
    fn new(texts: BTreeSet<String>, hosts: &[&str]) -> Self {
        let hosts = hosts.iter().map(|host| ((*host).to_owned(), SERVICE));
        let mut all: Vec<_> = texts.into_iter().map(|text| (text, REDACTED)).chain(hosts).collect();
        all.retain(|(text, _)| !text.is_empty());
        all.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        Self(all)
    }

    fn apply(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    }

    /// The JSON text of a scalar.
    fn apply_to_json(&self, scalar: &str) -> String {
        let Ok(text) = serde_json::from_str::<String>(scalar) else { return scalar.to_owned() };
        serde_json::Value::String(self.apply(&text)).to_string()
    }

    fn apply_to_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        self.0
            .iter()
            .fold(bytes.to_vec(), |bytes, (from, to)| replace(&bytes, from.as_bytes(), to.as_bytes()))
    }
}

fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(byte) = rest.first() {
        match rest.strip_prefix(from) {
            Some(after) => {
                out.extend_from_slice(to);
                rest = after;
            }
            None => {
                out.push(*byte);
                rest = rest.get(1..).unwrap_or_default();
            }
        }
    }
    out
}

impl Redaction {
    /// The text of a cassette with these exchanges, whose service has these URLs.
    pub(super) fn text(&self, exchanges: &[RawExchange], hosts: &[&str]) -> String {
        let found = RefCell::new(BTreeSet::new());
        exchanges.iter().for_each(|exchange| self.collect(exchange, &found));
        let long = found.into_inner().into_iter().filter(|text| text.chars().count() >= SHORTEST);
        let secrets = long.chain(self.texts.iter().cloned()).flat_map(|text| spellings(&text));
        let replacements = Replacements::new(secrets.collect(), hosts);
        let store = |(request, response): &RawExchange| Exchange {
            request: self.request(request, &replacements),
            response: self.response(response, &replacements),
        };
        exchanges.iter().map(|exchange| store(exchange).line()).collect()
    }

    /// A request as it would be recorded, but for credentials that are nowhere by their names.
    pub(super) fn stored_request(&self, request: &Request<Bytes>, hosts: &[&str]) -> StoredRequest {
        let texts = self.texts.iter().flat_map(|text| spellings(text));
        self.request(request, &Replacements::new(texts.collect(), hosts))
    }

    fn request(&self, request: &Request<Bytes>, replacements: &Replacements) -> StoredRequest {
        let uri = request.uri();
        let query =
            uri.query().map(|query| format!("?{}", self.fields(query, &mut |_| {}))).unwrap_or_default();
        StoredRequest {
            method: request.method().to_string(),
            path: replacements.apply(&format!("{}{query}", uri.path())),
            body: self.body(request.headers(), request.body(), replacements),
        }
    }

    fn response(&self, response: &Response<Bytes>, replacements: &Replacements) -> StoredResponse {
        let mut headers = BTreeMap::new();
        for name in response.headers().keys() {
            if NOT_RECORDED.contains(name) || self.headers.contains(name.as_str()) {
                continue;
            }
            // Several headers of one name mean the same as one with all their values.
            let values: Vec<_> = texts(response.headers(), name).collect();
            headers.insert(name.to_string(), replacements.apply(&values.join(", ")));
        }
        StoredResponse {
            status: response.status().as_u16(),
            body: self.body(response.headers(), response.body(), replacements),
            headers,
        }
    }

    fn body(&self, headers: &HeaderMap, body: &[u8], replacements: &Replacements) -> Option<Body> {
        if body.is_empty() {
            return None;
        }
        let Ok(text) = std::str::from_utf8(body) else {
            if self.hides_members(headers, "") {
                return Some(Body::Text(REDACTED.to_owned()));
            }
            return Some(Body::Base64(STANDARD.encode(replacements.apply_to_bytes(body))));
        };
        let json = self.rewrite(text, &mut |scalar| replacements.apply_to_json(scalar), &mut redacted);
        if let Some(json) = json.and_then(|json| RawValue::from_string(json).ok()) {
            return Some(Body::Json(json));
        }
        if self.hides_members(headers, text) {
            return Some(Body::Text(REDACTED.to_owned()));
        }
        let text = if is_form(headers) { self.fields(text, &mut |_| {}) } else { text.to_owned() };
        Some(Body::Text(replacements.apply(&text)))
    }

    /// Whether a body may have members that are to be redacted and cannot be found in it: it is compressed, or JSON that
    /// cannot be read as one object or array.
    fn hides_members(&self, headers: &HeaderMap, text: &str) -> bool {
        let content_type = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
        let is_json = content_type.is_some_and(|it| it.contains("json"))
            || text.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']).starts_with(['{', '[']);
        let is_broken = is_json && serde_json::from_str::<serde::de::IgnoredAny>(text).is_err();
        !self.members.is_empty() && (is_broken || headers.contains_key(header::CONTENT_ENCODING))
    }

    /// Rewrites an object or an array.
    fn rewrite(
        &self,
        json: &str,
        plain: &mut dyn FnMut(&str) -> String,
        redacted: &mut dyn FnMut(&str) -> String,
    ) -> Option<String> {
        let is_redacted: &dyn Fn(&str) -> bool = &|name| self.members.contains(name);
        let has_members = json.trim_start().starts_with(['{', '[']);
        has_members.then(|| Rewrite { is_redacted, plain, redacted }.canonical(json)).flatten()
    }

    /// The fields of a form or a query, redacted; the closure takes each redacted value as it was.
    fn fields(&self, text: &str, found: &mut dyn FnMut(&str)) -> String {
        let field = |field: &str| match field.split_once('=') {
            Some((name, value)) if self.members.contains(&*decoded(name)) => {
                found(value);
                found(&decoded(value));
                format!("{name}={REDACTED}")
            }
            _ => field.to_owned(),
        };
        text.split('&').map(field).collect::<Vec<_>>().join("&")
    }

    /// Collects the credentials of an exchange and what is redacted in it.
    fn collect(&self, (request, response): &RawExchange, found: &RefCell<BTreeSet<String>>) {
        let mut put = |text: &str| {
            found.borrow_mut().insert(text.to_owned());
        };
        for name in request.headers().keys() {
            if CREDENTIALS.contains(name) || self.headers.contains(name.as_str()) {
                texts(request.headers(), name).for_each(|text| credentials(&text, &mut put));
            }
        }
        for name in response.headers().keys() {
            if self.headers.contains(name.as_str()) {
                texts(response.headers(), name).for_each(|text| credentials(&text, &mut put));
            }
        }
        for cookie in texts(response.headers(), &header::SET_COOKIE) {
            credentials(cookie.split(';').next().unwrap_or_default(), &mut put);
        }
        self.fields(request.uri().query().unwrap_or_default(), &mut put);
        for (headers, body) in [(request.headers(), request.body()), (response.headers(), response.body())] {
            let Ok(text) = std::str::from_utf8(body) else { continue };
            let mut collect = |scalar: &str| {
                serde_json::from_str::<String>(scalar).iter().for_each(|text| put(text));
                String::new()
            };
            if self.rewrite(text, &mut str::to_owned, &mut collect).is_none() && is_form(headers) {
                self.fields(text, &mut put);
            }
        }
    }
}

/// What may be secret in a header: all of it, what follows the scheme, the user's name and password, the value of a cookie.
fn credentials(header: &str, put: &mut dyn FnMut(&str)) {
    put(header);
    if let Some((_, credential)) = header.split_once(' ') {
        put(credential);
        let decoded = STANDARD.decode(credential).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        decoded.iter().flat_map(|pair| pair.split_once(':')).for_each(|(_, password)| put(password));
    }
    header.split(';').filter_map(|cookie| cookie.split_once('=')).for_each(|(_, value)| put(value.trim()));
}

/// A part of a form or a query as it was before it was encoded.
fn decoded(part: &str) -> String {
    let pairs = form_urlencoded::parse(part.as_bytes());
    pairs.map(|(name, _)| name.into_owned()).next().unwrap_or_default()
}

/// How a secret is written in texts, in queries, in paths and in JSON.
fn spellings(secret: &str) -> Vec<String> {
    let in_query: String = form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let in_path = in_query.replace('+', "%20");
    let in_json = serde_json::Value::from(secret).to_string();
    let in_json = in_json.get(1..in_json.len() - 1).unwrap_or_default().to_owned();
    vec![secret.to_owned(), in_query, in_path, in_json]
}

/// The JSON text that stands for a redacted scalar.
fn redacted(scalar: &str) -> String {
    match scalar.as_bytes().first() {
        Some(b'"') => format!("\"{REDACTED}\""),
        Some(b't' | b'f') => "false".to_owned(),
        Some(b'n') => "null".to_owned(),
        _ => "0".to_owned(),
    }
}

fn texts<'h>(headers: &'h HeaderMap, name: &HeaderName) -> impl Iterator<Item = String> + 'h {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.get_all(name).into_iter().map(text)
}

fn is_form(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    content_type.starts_with("application/x-www-form-urlencoded")
}
