//! The service, when exchanges with it are recorded.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::{Request, Response, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

/// The URL of a service.
pub(super) struct Service {
    /// Scheme and authority.
    pub(super) origin: String,
    /// Without a slash at the end.
    pub(super) path: String,
    host: String,
    port: u16,
    is_https: bool,
}

impl Service {
    pub(super) fn parse(url: &str) -> Result<Self, String> {
        let invalid = || format!("`{url}` is no URL of a service, such as `https://api.cloud.example`");
        let uri: Uri = url.parse().map_err(|_| invalid())?;
        let (scheme, authority) = uri.scheme_str().zip(uri.authority()).ok_or_else(invalid)?;
        let is_https = match scheme {
            "http" => false,
            "https" => true,
            _ => return Err(invalid()),
        };
        if uri.query().is_some() || authority.as_str().contains('@') {
            return Err(invalid());
        }
        Ok(Self {
            origin: format!("{scheme}://{authority}"),
            path: uri.path().trim_end_matches('/').to_owned(),
            host: authority.host().to_owned(),
            port: authority.port_u16().unwrap_or(if is_https { 443 } else { 80 }),
            is_https,
        })
    }
}

/// Calls the service, each time over a connection of its own.
pub(super) struct Client {
    host: String,
    port: u16,
    /// What the service is called in requests.
    authority: String,
    tls: Option<TlsConnector>,
}

/// How long the service may take for a response.
const LIMIT: Duration = Duration::from_secs(120);

/// Headers that are about a connection, and the one that would make a response unreadable.
const NOT_FORWARDED: [HeaderName; 8] = [
    header::ACCEPT_ENCODING,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::HOST,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

impl Client {
    pub(super) fn new(service: &Service) -> Result<Self, String> {
        let tls = if service.is_https { Some(connector(roots()?)?) } else { None };
        Ok(Self::with_tls(service, tls))
    }

    pub(super) fn with_tls(service: &Service, tls: Option<TlsConnector>) -> Self {
        let authority = service.origin.split_once("://").map_or("", |(_, authority)| authority);
        Self { host: service.host.clone(), port: service.port, authority: authority.to_owned(), tls }
    }

    /// The response to a request, which has a path and a query only.
    ///
    /// # Errors
    /// The service cannot be reached, or its response is none.
    pub(super) async fn send(&self, mut request: Request<Bytes>) -> Result<Response<Bytes>, String> {
        NOT_FORWARDED.iter().for_each(|name| drop(request.headers_mut().remove(name)));
        let host = HeaderValue::try_from(&self.authority).map_err(|error| error.to_string())?;
        request.headers_mut().insert(header::HOST, host);
        let answered = timeout(LIMIT, self.exchange(request.map(Full::new))).await;
        let answered =
            answered.unwrap_or_else(|_| Err(io::Error::other(format!("no response in {LIMIT:?}"))));
        answered.map_err(|error| format!("{} cannot be called: {error}", self.authority))
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> io::Result<Response<Bytes>> {
        // An IPv6 address has brackets in a URL only.
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        let stream = TcpStream::connect((host, self.port)).await?;
        match &self.tls {
            None => converse(stream, request).await,
            Some(tls) => {
                let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
                converse(tls.connect(name, stream).await?, request).await
            }
        }
    }
}

async fn converse<IO>(stream: IO, request: Request<Full<Bytes>>) -> io::Result<Response<Bytes>>
where
    IO: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    // Its end is that of the response.
    tokio::spawn(connection);
    let (head, body) = sender.send_request(request).await.map_err(io::Error::other)?.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    Ok(Response::from_parts(head, body))
}

/// The root certificates of the system, or those of `SSL_CERT_FILE`.
fn roots() -> Result<RootCertStore, String> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let problems: Vec<_> = found.errors.iter().map(ToString::to_string).collect();
        return Err(format!(
            "the system has no root certificates ({}); name a file of them in SSL_CERT_FILE",
            problems.join(", ")
        ));
    }
    Ok(roots)
}

pub(super) fn connector(roots: RootCertStore) -> Result<TlsConnector, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}
