//! Validation takes everything.

use bytes::Bytes;
use ferroform::schema::Block;
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::msgpack;
use ferroform_core::schema::walk::Member;
use ferroform_proto::tfplugin6 as proto;

use super::unknowns::unknown_places;
use super::{crash, error, is_panic, panic};
use crate::client::Provider;
use crate::conformance::bench::{Bench, Stage, schema};
use crate::conformance::rule::{RuleResult, Verdict, violated};
use crate::conformance::variants::variants;

/// The smallest configuration and the changed one.
async fn configs(stage: &mut Stage) -> Result<(Provider, Vec<Value>), Verdict> {
    let (provider, config) = stage.smallest().await?;
    let mut configs = vec![config];
    if let Some(changed) = stage.changed.clone() {
        configs.push(stage.known(&changed).await?.1);
    }
    Ok((provider, configs))
}

pub(in crate::conformance) fn nulls(bench: &Bench) -> RuleResult {
    bench.run(async |stage| {
        let (provider, configs) = configs(stage).await?;
        let block = &schema(&provider, &stage.type_name)?.block;
        let mut tried = vec![("everything".to_owned(), block.empty()), ("the whole".to_owned(), Value::Null)];
        for config in &configs {
            let each = variants(block, config, &|place, _| match place {
                Member::Attribute(_) => Some(Value::Null),
                Member::Block(nested) => Some(nested.absent()),
            });
            tried.extend(each.into_iter().map(|(path, config)| (path.to_string(), config)));
        }
        for (what, config) in tried {
            let answer = provider.validate_resource(&stage.type_name, &config).await;
            if let Some(how) = crash(&answer).or_else(|| answer.ok().as_ref().and_then(panic)) {
                return violated(format!("{what} is null: {how}"));
            }
        }
        Ok(())
    })
}

/// A single unknown is no mistake; all of them at once may hide what two of them say together.
pub(in crate::conformance) fn unknowns(bench: &Bench) -> RuleResult {
    bench.run(async |stage| {
        let (provider, configs) = configs(stage).await?;
        let block = &schema(&provider, &stage.type_name)?.block;
        for config in &configs {
            for (path, config) in unknown_places(block, config) {
                let answer = provider.validate_resource(&stage.type_name, &config).await;
                let said = answer.as_ref().ok().and_then(error);
                if let Some(how) = crash(&answer).or(said) {
                    return violated(format!("{path} is unknown: {how}"));
                }
            }
            let answer = provider.validate_resource(&stage.type_name, &all_unknown(block)).await;
            if let Some(how) = crash(&answer).or_else(|| answer.ok().as_ref().and_then(panic)) {
                return violated(format!("everything is unknown: {how}"));
            }
        }
        Ok(())
    })
}

fn all_unknown(block: &Block) -> Value {
    let attributes = block.attributes.iter().map(|attribute| {
        let computed = attribute.presence == ferroform::schema::Presence::Computed;
        (attribute.name.to_string(), if computed { Value::Null } else { Value::unknown() })
    });
    let blocks = block.blocks.iter().map(|nested| (nested.name.to_string(), nested.absent()));
    Value::object(attributes.chain(blocks))
}

/// Core never sends such values, other programs may; what is tested is that the provider lives on.
pub(in crate::conformance) fn wrong_types(bench: &Bench) -> RuleResult {
    bench.run(async |stage| {
        let (provider, configs) = configs(stage).await?;
        let schema = schema(&provider, &stage.type_name)?;
        let mut tried: Vec<(String, Vec<u8>)> =
            [&b""[..], b"\xc1", b"\x93\x01\x02", b"\xa1", b"\x80", b"\x01"]
                .into_iter()
                .map(|bytes| ("the whole".to_owned(), bytes.to_vec()))
                .collect();
        for config in &configs {
            tried.extend(retyped(&schema.ty(), config));
        }
        for (what, bytes) in tried {
            let request = proto::validate_resource_config::Request {
                type_name: stage.type_name.clone(),
                config: Some(proto::DynamicValue { msgpack: Bytes::from(bytes), json: Bytes::new() }),
                client_capabilities: None,
            };
            let answer = provider.client().validate_resource_config(request).await;
            let said = answer.as_ref().ok().and_then(|answer| {
                answer.diagnostics.iter().map(|it| it.summary.clone()).find(|summary| is_panic(summary))
            });
            if let Some(how) = crash(&answer).or(said) {
                return violated(format!("{what} is of a wrong type: {how}"));
            }
        }
        let config = configs.into_iter().next().unwrap_or(Value::Null);
        let alive = provider.validate_resource(&stage.type_name, &config).await;
        match crash(&alive) {
            None => Ok(()),
            Some(how) => violated(format!("after values of wrong types: {how}")),
        }
    })
}

/// The configuration with each of its attributes and blocks in turn of other types, encoded.
fn retyped(ty: &Type, config: &Value) -> Vec<(String, Vec<u8>)> {
    let (Some(object), Some(entries)) = (ty.as_object(), config.as_entries()) else { return Vec::new() };
    let others = [
        (Type::String, Value::from("text")),
        (Type::Bool, Value::from(true)),
        (Type::Number, Value::from(-7)),
        (Type::list(Type::Number), Value::list([Value::from(1)])),
        (Type::object([("odd", Type::String)]), Value::object([("odd", Value::from("text"))])),
    ];
    let mut encoded = Vec::new();
    for (name, _) in object.attributes() {
        for (other_ty, other) in &others {
            let types = object
                .attributes()
                .iter()
                .map(|(it, ty)| (it.to_string(), if it == name { other_ty.clone() } else { ty.clone() }));
            let mut entries = entries.clone();
            entries.insert(name, other.clone());
            let bytes = msgpack::encode(&Value::Object(entries), &Type::object(types));
            encoded.extend(bytes.ok().map(|bytes| (name.to_string(), bytes)));
        }
    }
    encoded
}
