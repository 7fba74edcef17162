//! Which prior element of a set a configured element may have come from.

use ferroform::schema::{Attribute, AttributeType, Nesting};
use ferroform::ty::Type;
use ferroform::value::Value;

use super::body::{Body, Member, NULL, element, elements, entries, entry, member};

/// The prior elements of a set, each of which is taken at most once.
pub(super) struct Correlation<'a> {
    schema: Body<'a>,
    prior: Vec<&'a Value>,
    /// What an element has that came from none.
    none: &'a Value,
}

impl<'a> Correlation<'a> {
    /// An unknown set has no elements to take, and what comes from it is unknown.
    pub(super) fn new(schema: Body<'a>, prior: &'a Value) -> Self {
        let elements = match prior.peel() {
            Value::Set(set) => set.sorted(),
            _ => Vec::new(),
        };
        Self { schema, prior: elements, none: if prior.is_unknown() { prior } else { &NULL } }
    }

    /// The first prior element, in the order of the set, that the configured one may have come from.
    pub(super) fn take(&mut self, config: &Value) -> &'a Value {
        let found = self.prior.iter().position(|prior| could_come_from(self.schema, prior, config));
        found.map_or(self.none, |at| self.prior.remove(at))
    }
}

/// Whether the prior object differs from the configured one only in what the provider decides.
fn could_come_from(schema: Body<'_>, prior: &Value, config: &Value) -> bool {
    prior == config || object(schema, prior, config)
}

/// The same below objects that differ. A null or unknown prior object has nothing that could contradict.
fn object(schema: Body<'_>, prior: &Value, config: &Value) -> bool {
    let Value::Object(_) = prior.peel() else { return true };
    if !matches!(config.peel(), Value::Object(_) | Value::Unknown(_)) {
        return false;
    }
    schema.members().all(|schema| {
        let (prior, config) = (member(prior, schema.name()), member(config, schema.name()));
        prior == config || of_member(schema, prior, config)
    })
}

fn of_member(schema: Member<'_>, prior: &Value, config: &Value) -> bool {
    match (schema, schema.nested()) {
        // Core looks at the type, so that a computed set never correlates unless it is equal.
        (Member::Attribute(Attribute { ty: AttributeType::Plain(ty), presence, .. }), _) => {
            !matches!(ty, Type::Set(_)) && presence.is_computed() && config.is_null()
        }
        (_, Some((Nesting::Single, body))) => object(body, prior, config),
        (_, Some((Nesting::List, body))) => list(body, prior, config),
        (_, Some((Nesting::Map, body))) => map(body, prior, config),
        (_, Some((Nesting::Set, _)) | None) => false,
    }
}

fn list(schema: Body<'_>, prior: &Value, config: &Value) -> bool {
    elements(prior)
        .iter()
        .enumerate()
        .all(|(at, prior)| element(config, at).is_some_and(|config| could_come_from(schema, prior, config)))
}

fn map(schema: Body<'_>, prior: &Value, config: &Value) -> bool {
    entries(prior)
        .into_iter()
        .all(|(key, prior)| entry(config, key).is_some_and(|config| could_come_from(schema, prior, config)))
}
