//! Starting a provider without a core: a malformed plugin environment, and a message over the limit.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use bytes::Bytes;
use ferroform_testing::case::Trials;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::UnixStream;

use super::environment::PROBE;

pub(super) fn trials(trials: &mut Trials) {
    let mut trial = |name: &str, run: fn()| {
        trials.test(("no core", name), move || {
            run();
            Ok(())
        });
    };
    trial("malformed plugin environment", malformed_environment);
    trial("started by a person", started_by_a_person);
    trial("message over the limit", message_over_the_limit);
}

const COOKIE: (&str, &str) =
    ("TF_PLUGIN_MAGIC_COOKIE", "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2");

fn provider(variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(PROBE.executable);
    command
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Checks that the provider ends at once and says just this: on standard error for the log, and in place of the
/// handshake for the user.
fn check(variables: &[(&str, &str)], expect: &str) {
    let output = provider(variables).output().expect("the provider starts");
    assert_eq!(output.status.code(), Some(1), "{variables:?}");
    let said = |stream: &[u8]| String::from_utf8_lossy(stream).into_owned();
    assert_eq!(said(&output.stdout), format!("The provider cannot start: {expect}\n"), "{variables:?}");
    let logged = format!("[ERROR] The provider cannot start: {expect}.\n");
    assert_eq!(said(&output.stderr), logged, "{variables:?}");
}

fn malformed_environment() {
    let check = |variable: &str, value: &str, expect: &str| {
        let expect = format!("environment variable {expect}");
        check(&[COOKIE, ("PLUGIN_PROTOCOL_VERSIONS", "5,6"), (variable, value)], &expect);
    };
    check("PLUGIN_MIN_PORT", "abc", "PLUGIN_MIN_PORT: \"abc\" is no port number");
    check("PLUGIN_MAX_PORT", "-1", "PLUGIN_MAX_PORT: \"-1\" is no port number");
    check(
        "PLUGIN_MIN_PORT",
        "10",
        "PLUGIN_MIN_PORT: it is 10, but PLUGIN_MAX_PORT is not set; set both or neither",
    );
    let certificates = "PLUGIN_CLIENT_CERT: the value has 0 PEM certificates instead of one";
    check("PLUGIN_CLIENT_CERT", "garbage", certificates);
    let group = "PLUGIN_UNIX_SOCKET_GROUP: \"no such group\" is neither a number nor the name of a group in /etc/group";
    check("PLUGIN_UNIX_SOCKET_GROUP", "no such group", group);
}

/// Without the cookie it says what it is and what to do with it.
fn started_by_a_person() {
    let output = provider(&[]).output().expect("the provider starts");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let told = String::from_utf8_lossy(&output.stderr);
    for part in ["This program is the provider ferroform/probe", "dev_overrides", "terraform-provider-probe"]
    {
        assert!(told.contains(part), "{told}");
    }
}

/// A running provider, killed in the end.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail when the process has ended and was collected, which is what is wanted.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The call is refused from its first five bytes on; the provider goes on. With its log off it writes nothing, not even
/// of this.
fn message_over_the_limit() {
    let mut provider = Running(provider(&[COOKIE, ("TF_LOG", "off")]).spawn().expect("the provider starts"));
    let mut line = String::new();
    BufReader::new(provider.0.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let path = line.split('|').nth(3).expect("an address");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().expect("a runtime");
    runtime.block_on(async {
        let io = TokioIo::new(UnixStream::connect(path).await.expect("a connection"));
        let (requests, connection) = http2::handshake(TokioExecutor::new(), io).await.expect("a connection");
        tokio::spawn(connection);
        let length = (256_u32 << 20) + 1;
        let head = [&[0], length.to_be_bytes().as_slice()].concat();
        let (code, text) = call(&requests, "/tfplugin6.Provider/PlanResourceChange", head).await;
        assert_eq!(code, RESOURCE_EXHAUSTED, "{text}");
        let text = text.replace("%20", " ");
        assert!(text.contains("larger than the 256 MiB") && text.contains("split the resource"), "{text}");
        assert_eq!(call(&requests, "/plugin.GRPCController/Shutdown", vec![0; 5]).await.0, "0");
    });
    assert!(provider.0.wait().expect("a status").success());
    let mut stderr = String::new();
    provider.0.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
    assert_eq!(stderr, "");
}

/// A gRPC status code.
const RESOURCE_EXHAUSTED: &str = "8";

/// Code and text of the status of a call.
async fn call(requests: &SendRequest<Full<Bytes>>, path: &str, body: Vec<u8>) -> (String, String) {
    let request = http::Request::post(format!("http://localhost{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(Full::from(body))
        .expect("a request");
    let response = requests.clone().send_request(request).await.expect("an answer");
    let (head, body) = response.into_parts();
    let body = body.collect().await.expect("an end");
    let fields = body.trailers().cloned().unwrap_or(head.headers);
    let field = |name| fields.get(name).map(|it| it.to_str().expect("ASCII").to_owned()).unwrap_or_default();
    (field("grpc-status"), field("grpc-message"))
}
