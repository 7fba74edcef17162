//! What is stored, and comes back.

use bytes::Bytes;
use ferroform::value::Value;
use ferroform_core::codec::json;

use super::generated::{Sample, sample};
use super::{crash, error, panic};
use crate::client::{Provider, text};
use crate::conformance::bench::{Bench, schema};
use crate::conformance::rule::{Rule, RuleResult, Verdict, not_checked, violated};
use crate::state::Attributes;

pub(in crate::conformance) fn upgrade(bench: &Bench) -> RuleResult {
    bench.run(async |stage| {
        stage.created().await?;
        let provider = stage.provider().await?;
        let object = stage.object()?;
        let stored = stage.stored(&provider)?;
        let schema = schema(&provider, &stage.type_name)?;
        let Attributes::Json(json) = object.stored_attributes(schema) else { return Ok(()) };
        upgraded(&provider, &stage.type_name, (json, &stored.value)).await?;
        let Some(identity) = object.identity.filter(|_| stored.identity.is_some()) else { return Ok(()) };
        let answer =
            provider.upgrade_identity(&stage.type_name, object.identity_schema_version, identity).await;
        let (value, diagnostics) = answer.map_err(|error| Verdict::Violated(error.to_string()))?;
        if let Some(error) = error(&diagnostics) {
            return violated(format!("an identity of the current version is not upgraded: {error}"));
        }
        if value == stored.identity {
            Ok(())
        } else {
            violated("an upgrade changes an identity of the current version")
        }
    })
}

async fn upgraded(provider: &Provider, type_name: &str, (json, value): (Bytes, &Value)) -> RuleResult {
    let version = schema(provider, type_name)?.version;
    let answer = provider.upgrade(type_name, version, json).await;
    let (upgraded, diagnostics) = answer.map_err(|error| Verdict::Violated(error.to_string()))?;
    if let Some(error) = error(&diagnostics) {
        return violated(format!("a state of the current version is not upgraded: {error}"));
    }
    if upgraded == *value { Ok(()) } else { violated("an upgrade changes a state of the current version") }
}

/// Objects of the schema come back as they are; what has lost its members, or is no object, does no harm.
pub(in crate::conformance) fn generated(bench: &Bench) -> RuleResult {
    bench.needs(Rule::Upgrade)?;
    let (runtime, mut stage) = bench.open()?;
    let (provider, _) = runtime.block_on(stage.smallest())?;
    runtime.block_on(async { bench.limited(odd(&provider, &stage.type_name)).await })??;
    let schema = schema(&provider, &stage.type_name)?;
    let show = |state: &Value| text::block(&schema.block, state);
    sample(bench, &bench.generator.states(&schema.block), &show, |state| {
        let json = json::encode(&state, &schema.ty()).map_err(|error| not_checked(error.to_string()))?;
        let upgraded = upgraded(&provider, &stage.type_name, (json.into(), &state));
        runtime.block_on(async { bench.limited(upgraded).await })??;
        Ok(Sample::Taken)
    })
}

/// Stored objects that are none of the schema.
async fn odd(provider: &Provider, type_name: &str) -> RuleResult {
    let current = schema(provider, type_name)?.version;
    for odd in [&b"{}"[..], b"null", b"[1]", b"{\"id\":{}}", b"{", b""] {
        for version in [0, current] {
            let answer = provider.upgrade(type_name, version, Bytes::from_static(odd)).await;
            let said = answer.as_ref().ok().and_then(|(_, diagnostics)| panic(diagnostics));
            if let Some(how) = crash(&answer).or(said) {
                return violated(format!("a stored object that is none of the schema: {how}"));
            }
        }
    }
    Ok(())
}

pub(in crate::conformance) fn identity(bench: &Bench) -> RuleResult {
    bench.run(async |stage| {
        stage.created().await?;
        let provider = stage.provider().await?;
        if provider.identity(&stage.type_name).is_none() {
            return Ok(());
        }
        let created = stage.stored(&provider)?;
        let Some(identity) = &created.identity else { return violated("the created object has no identity") };
        let read = provider.read(&stage.type_name, &created).await;
        let read = read.map_err(|error| not_checked(error.to_string()))?;
        if read.object.identity.as_ref() != Some(identity) {
            return violated("reading changes the identity");
        }
        let Some(changed) = stage.changed.clone() else { return Ok(()) };
        let plan = stage.apply(&changed).await;
        let plan =
            plan.map_err(|error| not_checked(format!("the changed configuration is not applied: {error}")))?;
        let replaced = plan
            .changes
            .iter()
            .any(|it| it.address == stage.this() && it.action != crate::plan::Action::Update);
        if !replaced && stage.stored(&provider)?.identity.as_ref() != Some(identity) {
            return violated("an update changes the identity");
        }
        Ok(())
    })
}
