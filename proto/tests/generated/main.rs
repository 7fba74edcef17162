//! Checks of the committed messages: they are what the `.proto` files give, protocol 5 and 6 differ exactly
//! as declared, and a few messages have the bytes computed by hand.

mod codegen;
mod debug;
mod differences;
mod wire;

use std::path::Path;

use protox::prost_reflect::DescriptorPool;

/// The descriptors of all `.proto` files of the crate and of the files they import.
fn descriptors() -> DescriptorPool {
    let files = ["tfplugin6.proto", "tfplugin5.proto", "goplugin.proto", "health.proto"];
    let set = protox::compile(files, [crate_dir().join("proto")]).expect("the .proto files compile");
    DescriptorPool::from_file_descriptor_set(set).expect("the compiled files are consistent")
}

fn crate_dir() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
