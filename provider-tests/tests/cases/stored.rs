//! States that an older release has stored.

use serde_json::{Value as Json, json};

/// A state file with the object `a` of a resource type, of the provider that the type is named after.
pub(super) fn object_a(resource_type: &str, attributes: &Json) -> Json {
    let (provider, _) = resource_type.split_once('_').expect("a name of a provider and another");
    json!({
        "version": 4, "terraform_version": "1.5.0", "serial": 1, "outputs": {},
        "lineage": "11111111-2222-3333-4444-555555555555",
        "resources": [{
            "mode": "managed", "type": resource_type, "name": "a",
            "provider": format!("provider[\"example.com/ferroform/{provider}\"]"),
            "instances": [{"schema_version": 0, "attributes": attributes}],
        }],
    })
}
