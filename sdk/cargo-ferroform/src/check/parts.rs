//! Every part of every schema.

use std::collections::BTreeMap;

use ferroform::schema::{AttributeType, Schema};
use ferroform::ty::Type;
use ferroform_core::schema::walk::{Body, Member};
use ferroform_testing::client::Schemas;

/// A schema, an attribute or a nested block.
pub(super) struct Part {
    /// What it is part of and its path there, such as `data source cloud_server.disk.size`.
    pub(super) place: String,
    /// The same without the kind.
    pub(super) path: String,
    pub(super) description: String,
    /// The type of an attribute without nested ones.
    pub(super) ty: Option<Type>,
    /// Whether core hides it, or something around it.
    pub(super) is_hidden: bool,
    pub(super) within_timeouts: bool,
}

/// All kinds of types with their schemas.
pub(super) fn kinds(schemas: &Schemas) -> [(&'static str, &BTreeMap<String, Schema>); 6] {
    [
        ("resource", &schemas.resources),
        ("data source", &schemas.data_sources),
        ("ephemeral resource", &schemas.ephemeral_resources),
        ("list resource", &schemas.list_resources),
        ("action", &schemas.actions),
        ("state store", &schemas.state_stores),
    ]
}

/// The parts of all schemas.
pub(super) fn parts(schemas: &Schemas) -> Vec<Part> {
    let mut found = Vec::new();
    let root = Within { kind: "", path: "provider".to_owned(), is_hidden: false, within_timeouts: false };
    root.of_body((&schemas.provider.block).into(), &mut found);
    for (kind, types) in kinds(schemas) {
        for (name, schema) in types {
            let root = Within { kind, path: name.clone(), is_hidden: false, within_timeouts: false };
            found.push(root.part(&schema.block.description, None));
            root.of_body((&schema.block).into(), &mut found);
        }
    }
    found
}

struct Within {
    kind: &'static str,
    path: String,
    is_hidden: bool,
    within_timeouts: bool,
}

impl Within {
    fn below(&self, name: &str, is_hidden: bool) -> Self {
        Self {
            kind: self.kind,
            path: format!("{}.{name}", self.path),
            is_hidden: self.is_hidden || is_hidden,
            within_timeouts: self.within_timeouts || name == "timeouts",
        }
    }

    fn part(&self, description: &str, ty: Option<Type>) -> Part {
        let place =
            if self.kind.is_empty() { self.path.clone() } else { format!("{} {}", self.kind, self.path) };
        Part {
            place,
            path: self.path.clone(),
            description: description.to_owned(),
            ty,
            is_hidden: self.is_hidden,
            within_timeouts: self.within_timeouts,
        }
    }

    fn of_body(&self, body: Body<'_>, found: &mut Vec<Part>) {
        for member in body.members() {
            let (is_hidden, description, ty) = match member {
                Member::Attribute(it) => (it.sensitive || it.write_only, &it.description, plain(&it.ty)),
                Member::Block(it) => (false, &it.block.description, None),
            };
            let below = self.below(member.name(), is_hidden);
            found.push(below.part(description, ty));
            if let Some((_, body)) = member.nested() {
                below.of_body(body, found);
            }
        }
    }
}

fn plain(ty: &AttributeType) -> Option<Type> {
    match ty {
        AttributeType::Plain(ty) => Some(ty.clone()),
        AttributeType::Nested(_) => None,
    }
}
