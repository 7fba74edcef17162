//! Calls to the library service.

use std::fmt;

use reqwest::{Method, Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What the resources and data sources share: a connection pool, the address of the service and the token.
pub struct Client {
    http: reqwest::Client,
    endpoint: String,
    token: String,
}

/// A call that failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The service answered with an error.
    Refused(StatusCode, String),
    /// There was no answer, or it could not be read.
    NoAnswer(reqwest::Error),
}

impl Failure {
    /// Whether the service says that the object does not exist.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused(StatusCode::NOT_FOUND, _))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(status, message) => write!(f, "The library answered {status}: {message}"),
            Self::NoAnswer(_) => f.write_str("The library did not answer"),
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(..) => None,
            Self::NoAnswer(error) => Some(error),
        }
    }
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        Self::NoAnswer(error)
    }
}

impl Client {
    pub(crate) fn new(endpoint: String, token: String) -> Self {
        Self { http: reqwest::Client::new(), endpoint, token }
    }

    pub(crate) async fn get<A: DeserializeOwned>(&self, path: &str) -> Result<A, Failure> {
        Ok(self.send(Method::GET, path, None::<&()>).await?.json().await?)
    }

    pub(crate) async fn post<A>(&self, path: &str, body: &impl Serialize) -> Result<A, Failure>
    where
        A: DeserializeOwned,
    {
        Ok(self.send(Method::POST, path, Some(body)).await?.json().await?)
    }

    pub(crate) async fn put<A>(&self, path: &str, body: &impl Serialize) -> Result<A, Failure>
    where
        A: DeserializeOwned,
    {
        Ok(self.send(Method::PUT, path, Some(body)).await?.json().await?)
    }

    pub(crate) async fn delete(&self, path: &str) -> Result<(), Failure> {
        self.send(Method::DELETE, path, None::<&()>).await?;
        Ok(())
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&impl Serialize>,
    ) -> Result<Response, Failure> {
        let url = format!("{}{path}", self.endpoint.trim_end_matches('/'));
        let mut request = self.http.request(method, url).bearer_auth(&self.token);
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.send().await?;
        let status = response.status();
        if status.is_success() { Ok(response) } else { Err(Failure::Refused(status, response.text().await?)) }
    }
}
