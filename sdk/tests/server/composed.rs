//! Two providers served as one, on the wire. Whole providers and programs are in the composition tests of the
//! acceptance package.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use ferroform::Serve;
use ferroform::compose::{Composition, Part};
use ferroform::diag::Error;
use ferroform::schema::Kind;
use ferroform_core::codec::msgpack;
use ferroform_plugin::Options;
use ferroform_plugin::grpc::{Call, Code, Message, Reply, Requests, Router, Status};
use ferroform_proto::tfplugin6 as v6;
use prost::Message as _;

use crate::server::support::{Double, Thing, block_on, config, schema};

/// A provider that says its own name when a resource of its only type is validated.
fn part(name: &'static str) -> Part {
    let thing = Thing { validate: Box::new(move |_, _| Err(Error::new(name, ""))), ..Thing::default() };
    let provider = Double { resources: [(name, Arc::new(thing))].into(), ..Double::default() };
    Part::of(Serve::new(Arc::new(provider)).address(name))
}

fn call(router: &dyn Router, path: &str, request: &impl prost::Message) -> Bytes {
    let call = router.route(path).expect("the method is there");
    match block_on(call.answer(Requests::from(Bytes::from(request.encode_to_vec())))) {
        Ok(Reply::One(message)) => message.into_bytes(),
        other => panic!("{path}: {other:?}"),
    }
}

#[test]
fn calls_go_to_the_provider_that_has_the_type() {
    let composition = Composition::new("acme/cloud").with(part("cloud_disk")).with(part("cloud_net"));
    let options = block_on(composition.options()).expect("they fit together");
    for (version, method) in [(6, "ValidateResourceConfig"), (5, "ValidateResourceTypeConfig")] {
        let router = options.router(version).expect("both protocols are served");
        let path = format!("/tfplugin{version}.Provider/{method}");
        let told = |type_name: &str| {
            let type_name = type_name.to_owned();
            let msgpack = msgpack::encode(&config("a"), &schema().ty()).expect("a configuration");
            let config = Some(v6::DynamicValue { msgpack: msgpack.into(), json: Bytes::new() });
            let request = v6::validate_resource_config::Request { type_name, config, ..Default::default() };
            let answer = call(&router, &path, &request);
            let answer = v6::validate_resource_config::Response::decode(answer).expect("an answer");
            answer.diagnostics.into_iter().map(|told| told.summary).collect::<Vec<_>>().join(", ")
        };
        assert!(told("cloud_disk").contains("cloud_disk"), "{}", told("cloud_disk"));
        assert!(told("cloud_net").contains("cloud_net"), "{}", told("cloud_net"));
        assert_eq!(told("cloud_sun"), "Unknown Type");
        let metadata = call(&router, &format!("/tfplugin{version}.Provider/GetMetadata"), &());
        let metadata = v6::get_metadata::Response::decode(metadata).expect("an answer");
        let types: Vec<_> = metadata.resources.into_iter().map(|it| it.type_name).collect();
        assert_eq!(types, ["cloud_disk", "cloud_net"]);
    }
}

#[test]
fn a_type_is_left_to_a_provider_that_has_it() {
    let errors = |first: Part| {
        let composition = Composition::new("acme/cloud").with(first).with(part("cloud_net"));
        let made = block_on(composition.options());
        made.err()
            .map(|error| error.iter().map(|it| it.detail.clone()).collect::<Vec<_>>())
            .unwrap_or_default()
    };
    let disk = |name: &str| part("cloud_disk").without(Kind::Resource, name);
    assert_eq!(errors(part("cloud_net").without(Kind::Resource, "cloud_net")), Vec::<String>::new());
    for (name, problem) in
        [("cloud_dsik", "which it does not offer"), ("cloud_disk", "which no other provider offers")]
    {
        let found = errors(disk(name));
        assert!(found.len() == 1 && found[0].contains(problem) && found[0].contains(name), "{found:?}");
    }
}

/// Fails when it is told to stop, or remembers that it was.
struct Stopped(Option<Arc<AtomicBool>>);

impl Router for Stopped {
    fn route(&self, path: &str) -> Option<Call> {
        let told = self.0.clone();
        let is_stop = path.ends_with("/StopProvider");
        Some(Call::unary(move |_| async move {
            match told {
                _ if !is_stop => {}
                Some(told) => told.store(true, Ordering::SeqCst),
                None => return Err(Status::new(Code::Internal, "it does not stop")),
            }
            Ok(Message::from(Vec::new()))
        }))
    }
}

#[test]
fn stop_reaches_every_provider_when_one_fails() {
    let told = Arc::new(AtomicBool::new(false));
    let part = |stopped| Part::served(Options::new("acme/part").protocol(6, Arc::new(stopped)));
    let parts =
        Composition::new("acme/cloud").with(part(Stopped(None))).with(part(Stopped(Some(told.clone()))));
    let router = block_on(parts.options()).expect("they fit together").router(6).expect("it is served");
    let call = router.route("/tfplugin6.Provider/StopProvider").expect("the method is there");
    let failed = block_on(call.answer(Requests::from(Bytes::new()))).expect_err("one of them fails");
    assert_eq!(failed.code(), Code::Internal);
    assert!(told.load(Ordering::SeqCst), "the other one is told");
}
