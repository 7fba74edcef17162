//! States as files, in the layout of core: the same state gives the same bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ferroform::path::{Path, Step};
use ferroform_core::codec::{json, type_json};

use super::decode::FORMAT;
use super::error::StateError;
use super::{Attributes, Object, OutputValue, ResourceState, State, Status};
use crate::address::{InstanceKey, ResourceAddress};
use crate::json_text::{self, push_all, push_string};
use crate::product::Product;

pub(super) fn state(state: &State) -> Result<Vec<u8>, StateError> {
    Ok(file(state, &body(state)?))
}

/// The file with this body.
pub(super) fn file(state: &State, body: &str) -> Vec<u8> {
    let mut out = json_text::indent(&compact(state, body));
    out.push_str(match state.product {
        Product::Terraform => "\n",
        Product::OpenTofu => "\n\n",
    });
    out.into_bytes()
}

/// The same on one line.
pub(super) fn compact(state: &State, body: &str) -> String {
    let mut out = String::with_capacity(body.len() + 200);
    out.push_str(&format!("{{\"version\":{FORMAT},\"terraform_version\":"));
    push_string(&mut out, &state.terraform_version);
    out.push_str(&format!(",\"serial\":{},\"lineage\":", state.serial));
    push_string(&mut out, &state.lineage);
    out.push_str(body);
    out
}

/// All that is not about the file itself: outputs, resources and check results.
pub(super) fn body(state: &State) -> Result<String, StateError> {
    let mut out = String::from(",\"outputs\":{");
    for (at, (name, output)) in state.outputs.iter().enumerate() {
        separate(&mut out, at);
        push_string(&mut out, name);
        out.push(':');
        self::output(&mut out, output).map_err(|error| error.within(name).within("outputs"))?;
    }
    out.push_str("},\"resources\":[");
    let mut resources: Vec<_> =
        state.resources.iter().map(|(address, it)| (address.module.to_string(), address, it)).collect();
    // The map has the modules in another order, and is sorted otherwise.
    resources.sort_by(|a, b| a.0.cmp(&b.0));
    let layout = layout(state);
    for (at, (module, address, resource)) in resources.into_iter().enumerate() {
        separate(&mut out, at);
        self::resource(&mut out, (&module, address), resource, layout)?;
    }
    out.push_str("],\"check_results\":");
    match &state.check_results {
        Some(json) => push_json(&mut out, json).map_err(|error| error.within("check_results"))?,
        None => out.push_str("null"),
    }
    out.push('}');
    Ok(out)
}

/// How cores arrange the identity of an object.
#[derive(Clone, Copy, PartialEq)]
enum Layout {
    /// The version is always there.
    Terraform,
    /// Terraform 1.11 and before have no identities.
    TerraformBeforeIdentities,
    /// Both are at the end, and the version is there with an identity only.
    OpenTofu,
}

/// A state of no core is for the latest.
fn layout(state: &State) -> Layout {
    match (state.product, semver::Version::parse(&state.terraform_version)) {
        (Product::OpenTofu, _) => Layout::OpenTofu,
        (Product::Terraform, Ok(version)) if (version.major, version.minor) < (1, 12) => {
            Layout::TerraformBeforeIdentities
        }
        (Product::Terraform, _) => Layout::Terraform,
    }
}

fn output(out: &mut String, output: &OutputValue) -> Result<(), StateError> {
    out.push_str("{\"value\":");
    let value =
        json::encode(&output.value, &output.ty).map_err(|error| StateError::new(error.to_string()))?;
    push_json(out, &value)?;
    out.push_str(",\"type\":");
    out.push_str(&type_json::encode(&output.ty));
    out.push_str(if output.sensitive { ",\"sensitive\":true" } else { "" });
    if let Some(deprecated) = &output.deprecated {
        out.push_str(",\"deprecated\":");
        push_string(out, deprecated);
    }
    out.push('}');
    Ok(())
}

fn resource(
    out: &mut String,
    (module, address): (&str, &ResourceAddress),
    resource: &ResourceState,
    layout: Layout,
) -> Result<(), StateError> {
    out.push('{');
    if !module.is_empty() {
        out.push_str("\"module\":");
        push_string(out, module);
        out.push(',');
    }
    out.push_str("\"mode\":\"");
    out.push_str(address.mode.in_json());
    out.push_str("\",\"type\":");
    push_string(out, &address.type_name);
    out.push_str(",\"name\":");
    push_string(out, &address.name);
    let has_provider_keys = has_provider_keys(resource);
    if !has_provider_keys {
        out.push_str(",\"provider\":");
        push_string(out, &resource.provider.to_string());
    }
    let own =
        |object: &Object| has_provider_keys.then(|| format!("{}{}", resource.provider, object.provider_key));
    out.push_str(",\"instances\":[");
    let mut at = 0;
    for (key, instance) in &resource.instances {
        let current = instance.current.iter().map(|object| (None, object));
        let deposed = instance.deposed.iter().map(|(key, object)| (Some(key.as_str()), object));
        for (deposed, object) in current.chain(deposed) {
            separate(out, at);
            at += 1;
            let place = ObjectPlace { key, deposed, provider: own(object) };
            self::object(out, &place, object, layout)
                .map_err(|error| error.within(format!("{address}{key}")))?;
        }
    }
    out.push_str("]}");
    Ok(())
}

/// Whether an object is of one of several instances of the provider configuration, so that each object has its own.
fn has_provider_keys(resource: &ResourceState) -> bool {
    let mut objects = resource.instances.values().flat_map(|it| it.current.iter().chain(it.deposed.values()));
    objects.any(|object| object.provider_key != InstanceKey::None)
}

/// Where an object stands in a resource.
struct ObjectPlace<'a> {
    key: &'a InstanceKey,
    deposed: Option<&'a str>,
    /// The instance of the provider configuration, where that has several.
    provider: Option<String>,
}

fn object(
    out: &mut String,
    place: &ObjectPlace<'_>,
    object: &Object,
    layout: Layout,
) -> Result<(), StateError> {
    out.push('{');
    match place.key {
        InstanceKey::None => {}
        InstanceKey::Index(index) => out.push_str(&format!("\"index_key\":{index},")),
        InstanceKey::Key(key) => {
            out.push_str("\"index_key\":");
            push_string(out, key);
            out.push(',');
        }
    }
    if object.status == Status::Tainted {
        out.push_str("\"status\":\"tainted\",");
    }
    let named = [("\"deposed\":", place.deposed), ("\"provider\":", place.provider.as_deref())];
    for (name, text) in named {
        if let Some(text) = text {
            out.push_str(name);
            push_string(out, text);
            out.push(',');
        }
    }
    out.push_str(&format!("\"schema_version\":{},", object.schema_version));
    attributes(out, &object.attributes)?;
    out.push_str(",\"sensitive_attributes\":");
    push_all(out, ['[', ']'], &object.sensitive_attributes, path);
    let identity_version = format!(",\"identity_schema_version\":{}", object.identity_schema_version);
    if layout == Layout::Terraform || layout == Layout::TerraformBeforeIdentities && object.identity.is_some()
    {
        out.push_str(&identity_version);
    }
    if layout != Layout::OpenTofu {
        identity(out, object)?;
    }
    if !object.private.is_empty() {
        out.push_str(",\"private\":\"");
        STANDARD.encode_string(&object.private, out);
        out.push('"');
    }
    if !object.dependencies.is_empty() {
        out.push_str(",\"dependencies\":");
        push_all(out, ['[', ']'], &*object.dependencies, |out, address| {
            push_string(out, &address.to_string())
        });
    }
    out.push_str(if object.create_before_destroy { ",\"create_before_destroy\":true" } else { "" });
    out.push_str(if object.skip_destroy { ",\"skip_destroy\":true" } else { "" });
    if layout == Layout::OpenTofu && object.identity.is_some() {
        identity(out, object)?;
        out.push_str(&identity_version);
    }
    out.push('}');
    Ok(())
}

fn identity(out: &mut String, object: &Object) -> Result<(), StateError> {
    let Some(identity) = &object.identity else { return Ok(()) };
    out.push_str(",\"identity\":");
    push_json(out, identity).map_err(|error| error.within("identity"))
}

fn attributes(out: &mut String, attributes: &Attributes) -> Result<(), StateError> {
    match attributes {
        Attributes::Json(json) => {
            out.push_str("\"attributes\":");
            push_json(out, json).map_err(|error| error.within("attributes"))
        }
        Attributes::Flat(flat) => {
            out.push_str("\"attributes_flat\":");
            push_all(out, ['{', '}'], flat, |out, (name, value)| {
                push_string(out, name);
                out.push(':');
                push_string(out, value);
            });
            Ok(())
        }
    }
}

/// A path up to its first set element, which has no address.
fn path(out: &mut String, path: &Path) {
    push_all(out, ['[', ']'], path.addressable(), |out, step| match step {
        Step::Index(at) => {
            out.push_str(&format!("{{\"type\":\"index\",\"value\":{{\"value\":{at},\"type\":\"number\"}}}}"));
        }
        Step::Key(key) => {
            out.push_str("{\"type\":\"index\",\"value\":{\"value\":");
            push_string(out, key);
            out.push_str(",\"type\":\"string\"}}");
        }
        Step::Attribute(name) => {
            out.push_str("{\"type\":\"get_attr\",\"value\":");
            push_string(out, name);
            out.push('}');
        }
        // An addressable path has no other steps.
        _ => {}
    });
}

fn separate(out: &mut String, at: usize) {
    if at > 0 {
        out.push(',');
    }
}

/// Appends a JSON text that came from outside, if it is one.
fn push_json(out: &mut String, json: &[u8]) -> Result<(), StateError> {
    let json: &serde_json::value::RawValue =
        serde_json::from_slice(json).map_err(|_| StateError::new("the text is not valid JSON"))?;
    out.push_str(json.get());
    Ok(())
}
