//! What the provider answers to the environment.

use std::os::unix::fs::{FileTypeExt, PermissionsExt};

use crate::credentials;
use crate::host::{COOKIE, End, Process, Provider, USUAL};

crate::trials![
    line_without_encryption,
    line_with_encryption,
    line_says_multiplexing_only_when_asked,
    newest_common_protocol,
    refuses_to_start_by_hand,
    names_unusable_variables,
    reports_a_provider_without_protocols,
    socket_is_private,
    socket_belongs_to_a_group,
    long_directory_makes_it_tcp,
    busy_ports_are_an_error,
];

async fn line_without_encryption() {
    let provider = Provider::start(&[]).await;
    let files = provider.process.files();
    let [name] = &files[..] else { panic!("{files:?}") };
    let digits = name.strip_prefix("plugin").expect("the usual name");
    assert!(!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()), "{name}");
    let path = provider.process.directory.path().join(name);
    assert_eq!(provider.line, format!("1|6|unix|{}|grpc|\n", path.display()));
    provider.client().await.echo().await;
}

async fn line_with_encryption() {
    let provider = Provider::start(&[("PLUGIN_CLIENT_CERT", credentials::HOST)]).await;
    let fields = provider.fields();
    assert_eq!((fields.len(), fields[0], fields[1], fields[2], fields[4]), (6, "1", "6", "unix", "grpc"));
    assert!(!fields[5].contains('='), "{}", provider.line);
    // The host ignores a shorter one.
    assert!(fields[5].len() > 50, "{}", provider.line);
}

async fn line_says_multiplexing_only_when_asked() {
    let provider = Provider::start(&[("PLUGIN_MULTIPLEX_GRPC", "true")]).await;
    assert_eq!(provider.fields()[4..], ["grpc", "", "false"]);
    let provider = Provider::start(&[("PLUGIN_MULTIPLEX_GRPC", "")]).await;
    assert_eq!(provider.fields()[4..], ["grpc", ""]);
}

async fn newest_common_protocol() {
    for (role, offered, expect) in [
        ("provider", "5,6", "6"),
        ("provider", "5", "5"),
        ("provider", "4", "5"),
        ("only-5", "6,5", "5"),
        ("only-5", "6", "5"),
    ] {
        let process = Process::start(role, &[COOKIE, ("PLUGIN_PROTOCOL_VERSIONS", offered)]);
        assert_eq!(Provider::handshake(process).await.fields()[1], expect, "{role} {offered}");
    }
}

/// The process fails before it prints a handshake, tells the host why in its place, and leaves no file.
async fn check_failure(process: Process, expect: &[&str]) {
    let stdout = check_report(process, expect).await;
    let line = stdout.strip_suffix('\n').expect("a whole line");
    assert!(line.starts_with("The provider cannot start: ") && !line.contains('\n'), "{stdout}");
}

/// The process fails with these words on stderr, and leaves no file. Returns what it wrote to the host.
async fn check_report(process: Process, expect: &[&str]) -> String {
    let directory = process.directory.path().to_owned();
    let End { status, stdout, stderr } = process.end().await;
    assert_eq!(status.code(), Some(1), "{stderr}");
    for part in expect {
        assert!(stderr.contains(part), "{stderr}");
    }
    assert!(!directory.exists() || crate::host::files(&directory).is_empty());
    stdout
}

async fn refuses_to_start_by_hand() {
    let help = ["provider example/cloud", "named terraform-provider-cloud", "dev_overrides"];
    assert_eq!(check_report(Process::start("provider", &[]), &help).await, "");
    assert_eq!(check_report(Process::start("provider", &[(COOKIE.0, "another")]), &help).await, "");
}

async fn names_unusable_variables() {
    for (variable, value) in [
        ("PLUGIN_CLIENT_CERT", "no certificate"),
        ("PLUGIN_CLIENT_CERT", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
        ("PLUGIN_MIN_PORT", "99999"),
        ("PLUGIN_MAX_PORT", "-1"),
        ("PLUGIN_UNIX_SOCKET_GROUP", "no such group"),
    ] {
        let variables: Vec<_> = USUAL.into_iter().chain([(variable, value)]).collect();
        check_failure(Process::start("provider", &variables), &["[ERROR]", variable]).await;
    }
    let variables: Vec<_> =
        USUAL.into_iter().chain([("PLUGIN_UNIX_SOCKET_DIR", "/no/such/directory")]).collect();
    check_failure(Process::start("provider", &variables), &["[ERROR]", "/no/such/directory/plugin"]).await;
}

async fn reports_a_provider_without_protocols() {
    check_failure(Process::start("none", &USUAL), &["offers no protocol", "bug in the provider"]).await;
}

async fn socket_is_private() {
    let provider = Provider::start(&[]).await;
    let socket = std::fs::metadata(provider.fields()[3]).expect("a file");
    assert!(socket.file_type().is_socket());
    assert_eq!(socket.permissions().mode() & 0o777, 0o600);
}

async fn socket_belongs_to_a_group() {
    let directory = tempfile::tempdir().expect("a directory");
    let group = rustix::process::getegid().as_raw().to_string();
    let path = directory.path().to_str().expect("a path");
    let provider =
        Provider::start(&[("PLUGIN_UNIX_SOCKET_DIR", path), ("PLUGIN_UNIX_SOCKET_GROUP", &group)]).await;
    assert!(provider.fields()[3].starts_with(path), "{}", provider.line);
    let socket = std::fs::metadata(provider.fields()[3]).expect("a file");
    assert_eq!(socket.permissions().mode() & 0o777, 0o660);
}

async fn long_directory_makes_it_tcp() {
    let directory = tempfile::tempdir().expect("a directory");
    let long = directory.path().join("x".repeat(100));
    std::fs::create_dir(&long).expect("a directory");
    let long = long.to_str().expect("a path");
    let provider = Provider::start(&[("TMPDIR", long)]).await;
    let fields = provider.fields();
    assert_eq!(fields[2], "tcp");
    let port: u16 = fields[3].strip_prefix("127.0.0.1:").expect("loopback").parse().expect("a port");
    assert!((10000..=25000).contains(&port), "{port}");
    provider.client().await.echo().await;
}

async fn busy_ports_are_an_error() {
    let directory = "x".repeat(200);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let variables = [
        COOKIE,
        ("PLUGIN_UNIX_SOCKET_DIR", directory.as_str()),
        ("PLUGIN_MIN_PORT", port.as_str()),
        ("PLUGIN_MAX_PORT", port.as_str()),
    ];
    check_failure(Process::start("provider", &variables), &["127.0.0.1", &port]).await;
}
