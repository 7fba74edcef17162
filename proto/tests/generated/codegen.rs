//! Regenerates the modules of the crate and compares them with the committed files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use prost_build::{Config, Method, Service, ServiceGenerator};
use protox::prost_reflect::DescriptorPool;
use protox::prost_reflect::prost_types::FileDescriptorSet;

use crate::{crate_dir, debug, descriptors};

/// Generated file name (the package) and the committed file below the crate directory.
const FILES: &[(&str, &str)] = &[
    ("tfplugin6.rs", "src/tfplugin6.rs"),
    ("tfplugin5.rs", "src/tfplugin5.rs"),
    ("plugin.rs", "src/goplugin.rs"),
    ("grpc.health.v1.rs", "src/health.rs"),
    ("google.protobuf.rs", "src/google/protobuf.rs"),
];

const BLESS: &str = "FERROFORM_BLESS";

#[test]
fn committed_modules_are_what_the_proto_files_give() {
    let out_dir = generate();
    for (generated, committed) in FILES {
        let expected = fs::read_to_string(out_dir.join(generated)).expect(generated);
        let committed = crate_dir().join(committed);
        if env::var_os(BLESS).is_some() {
            fs::write(&committed, expected).expect("the committed file is writable");
            continue;
        }
        let found = fs::read_to_string(&committed).unwrap_or_default();
        assert!(
            found == expected,
            "{} is not what the .proto files give; rewrite it with\n    \
             {BLESS}=1 cargo test -p ferroform-proto --test generated",
            committed.display(),
        );
    }
}

/// Writes all modules to a directory of this test and returns it.
fn generate() -> PathBuf {
    let pool = descriptors();
    let out_dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ferroform-proto");
    fs::create_dir_all(&out_dir).expect("the directory for test output is writable");
    let mut config = Config::new();
    for nested in debug::withholding(&pool).flat_map(|message| message.child_enums().collect::<Vec<_>>()) {
        // Skipping `Debug` of a message also skips it for the enums inside, which hold nothing to withhold.
        config.enum_attribute(format!(".{}", nested.full_name()), "#[derive(Debug)]");
    }
    config
        .bytes(["."])
        .btree_map(["."])
        .compile_well_known_types()
        // The imported files carry long comments with code samples, which rustdoc would try to compile.
        .disable_comments(["."])
        .skip_debug(debug::withholding(&pool).map(|message| format!(".{}", message.full_name())))
        .service_generator(Box::new(MethodTables { pool: pool.clone() }))
        .out_dir(&out_dir)
        .compile_fds(FileDescriptorSet { file: pool.file_descriptor_protos().cloned().collect() })
        .expect("the descriptors can be generated");
    out_dir
}

/// Writes one module of method paths per service instead of client and server stubs, and the `Debug` of
/// messages that carry values.
struct MethodTables {
    pool: DescriptorPool,
}

impl ServiceGenerator for MethodTables {
    fn generate(&mut self, service: Service, buf: &mut String) {
        write_table(&service, buf).expect("writing to a string cannot fail");
    }

    fn finalize_package(&mut self, package: &str, buf: &mut String) {
        for message in debug::withholding(&self.pool).filter(|message| message.package_name() == package) {
            debug::write_impl(&message, buf).expect("writing to a string cannot fail");
        }
    }
}

fn write_table(service: &Service, buf: &mut String) -> std::fmt::Result {
    let full_name = format!("{}.{}", service.package, service.proto_name);
    writeln!(buf, "/// Methods of the service `{full_name}`.")?;
    writeln!(buf, "pub mod {} {{", snake_case(&service.name))?;
    writeln!(buf, "/// Full name of the service.")?;
    writeln!(buf, "pub const NAME: &str = \"{full_name}\";")?;
    for method in &service.methods {
        let path = format!("/{full_name}/{}", method.proto_name);
        writeln!(buf, "pub const {}: &str = \"{path}\";", method.name.to_uppercase())?;
    }
    writeln!(buf, "/// All methods, in the order of the service definition.")?;
    writeln!(buf, "pub const METHODS: &[crate::Method] = &[")?;
    for method in &service.methods {
        let (name, path, kind) = (&method.proto_name, method.name.to_uppercase(), kind(method));
        writeln!(
            buf,
            "crate::Method {{ name: \"{name}\", path: {path}, kind: crate::MethodKind::{kind} }},"
        )?;
    }
    writeln!(buf, "];\n}}")
}

fn kind(method: &Method) -> &'static str {
    match (method.client_streaming, method.server_streaming) {
        (false, false) => "Unary",
        (false, true) => "ServerStream",
        (true, false) => "ClientStream",
        (true, true) => "BidiStream",
    }
}

/// `GrpcBroker` becomes `grpc_broker`.
pub(crate) fn snake_case(upper_camel: &str) -> String {
    let mut snake = String::new();
    for letter in upper_camel.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
